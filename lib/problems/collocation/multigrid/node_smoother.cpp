#include <type_traits>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/nodal_problem.hpp"
#include "lib/problems/collocation/multigrid/halves.hpp"
#include "lib/problems/collocation/multigrid/node_sweep.hpp"
#include "lib/problems/collocation/multigrid/smoother.hpp"

namespace halocline::collocation {

namespace {

// Traffic of a sweep, in vectors of the level: on the host u, f, coefficients (6) and inverses (4) once and the result;
// on a GPU and between parts twice, but for the inverses.
template <class T>
class NodeSmoother final : public Smoother<T> {
 public:
  explicit NodeSmoother(const LevelMesh<T>& mesh)
      : mesh_(mesh), halo_(mesh.space->template halo<T>(1, 1)), next_(mesh.space->vectors()) {
    const Team& team = mesh.space->team();
    for (int p = 0; p < team.parts(); ++p) {
      parts_.push_back({nodal_problem(mesh.view(p), *mesh.x, *mesh.y), {}, {}, {}, {}, {0, 0}});
      Part& part = parts_.back();
      const NodalBlock& block = mesh.view(p).block;
      const ExecutorPtr& executor = team.executor(p);
      const bool gpu = executor->backend() == Backend::cuda;
      const bool same = mesh.view(p).constant_coefficients() && mesh.x->uniform() && mesh.y->uniform() &&
                        block.nx > 1 && mesh.view(p).side_tangents == nullptr;
      const Index width = (block.nodes() + 31) / 32 * 32;
      part.memory = Array<T, 1>(executor, {same ? 9 * 16 : block.lines() * 16 * width});
      part.inverses = {part.memory.view().data, block.nx, block.ny, block.first_line, width, gpu, same};
      invert(p);
      if (mesh.view(p).halves != nullptr) halve(part, executor);
      // Passes over both colors at once know nothing of what lies around the end of a periodic axis.
      if constexpr (std::is_same_v<T, float>)
        if (!block.periodic_x && !block.periodic_y) part.tile = sweep_tile(*executor, part.problem);
      if (!gpu && !mesh.space->exchanges() && !block.periodic_x)
        part.buffers = Array<T, 1>(executor, {3 * block.line_size() * executor->threads()});
      clear(part.buffers, executor);
    }
  }

  void sweep(const Vector<T>& f, Vector<T>& u, SweepStart start) override {
    const bool from_zero = start == SweepStart::zero;
    const Team& team = mesh_.space->team();
    if (parts_[0].buffers.size() > 0) {
      team.each([&](int p) {
        const ExecutorPtr& executor = team.executor(p);
        const HalfSweepBody<T> half = body(p, f, u, 0, from_zero);
        const Index strips = std::min<Index>(
            executor->threads(), 1 + half.problem.view.block.lines() * half.problem.view.block.nodes() / 4096);
        launch_on_host(*executor, {"node sweep", bytes_of_sweep(p)}, Range<1>{{0}, {strips}},
                       FusedSweepBody<T>{half, parts_[p].buffers.view().data, strips});
      });
      return u.swap(next_);
    }
    if (sweep_in_one_pass(f, u, from_zero)) return u.swap(next_);
    for (int color = 0; color < 2; ++color) {
      const bool zero = from_zero && color == 0;
      const auto work = [&](int p, Index begin, Index end) {
        const Range<2> pairs{{begin, 0}, {end, (mesh_.view(p).block.nodes() + 1) / 2}};
        with_kind(parts_[p].problem, [&](auto stored, auto uniform) {
          launch_rows(*team.executor(p), {"node half-sweep", bytes_of_half_sweep(p, end - begin, zero)}, pairs,
                      NodeHalfSweepBody<T, stored(), uniform()>{body(p, f, u, color, zero)});
        });
      };
      if (color == 0 && start != SweepStart::own_lines) {
        team.each([&](int p) { work(p, 0, mesh_.view(p).block.lines()); });
      } else {
        each_line_range(*mesh_.space, halo_, u, work);
      }
      u.swap(next_);
    }
  }

  void refresh() override {
    for (int p = 0; p < mesh_.space->team().parts(); ++p) {
      require(mesh_.view(p).halves == nullptr, "NodeSmoother: coefficients of 16 bits stay as they are");
      invert(p);
    }
  }
  Traffic sent() const override { return halo_.sent(); }

 private:
  void invert(int p) {
    const NodalBlock& block = mesh_.view(p).block;
    const NodeInverses<T>& inverses = parts_[static_cast<std::size_t>(p)].inverses;
    if (!mesh_.space->holds(p)) return;
    launch_rows(*mesh_.space->team().executor(p), "invert node blocks",
                inverses.same ? Range<2>{{0, 0}, {3, 3}} : Range<2>{{0, 0}, {block.lines(), block.nodes()}},
                InvertNodesBody<T>{mesh_.view(p), inverses});
  }
  // Whether it was done.
  bool sweep_in_one_pass(const Vector<T>& f, const Vector<T>& u, bool from_zero) {
    if constexpr (std::is_same_v<T, float>) {
      const Team& team = mesh_.space->team();
      for (int p = 0; p < team.parts(); ++p)
        if (mesh_.space->exchanges() || (mesh_.space->holds(p) && parts_[p].tile.lines == 0)) return false;
      team.each([&](int p) {
        if (!mesh_.space->holds(p)) return;
        collocation::sweep_in_one_pass(*team.executor(p), {"node sweep in one pass", bytes_of_one_pass(p, from_zero)},
                                       parts_[p].tile, body(p, f, u, 0, from_zero));
      });
      return true;
    } else {
      return false;
    }
  }

  // Of the inverse block of a node, where nodes differ.
  Index inverse_bytes(int p) const {
    const NodeInverses<T>& inverses = parts_[static_cast<std::size_t>(p)].inverses;
    return inverses.same ? 0 : 16 * static_cast<Index>(inverses.halves ? sizeof(Half) : sizeof(T));
  }
  // Reads u, f, coefficients and inverses, and writes u.
  double bytes_of_sweep(int p) const {
    const NodalBlock& block = mesh_.view(p).block;
    const Index per_node = 12 * static_cast<Index>(sizeof(T)) + mesh_.view(p).coefficient_bytes() + inverse_bytes(p);
    return static_cast<double>(block.lines() * block.nodes() * per_node);
  }
  // The same but for half of the coefficients, where nodes of a color stand together, and of the inverses; from zero
  // neither u nor coefficients.
  double bytes_of_half_sweep(int p, Index lines, bool from_zero) const {
    const EquationView<T>& view = mesh_.view(p);
    const Index coefficients = from_zero ? 0 : view.coefficient_bytes() / (view.split > 0 ? 2 : 1);
    const Index per_node = (from_zero ? 8 : 12) * static_cast<Index>(sizeof(T)) + coefficients + inverse_bytes(p) / 2;
    return static_cast<double>(lines * view.block.nodes() * per_node);
  }

  // All of it once; from zero neither u nor the coefficients of the first color.
  double bytes_of_one_pass(int p, bool from_zero) const {
    const NodalBlock& block = mesh_.view(p).block;
    const Index per_node = (from_zero ? 8 : 12) * static_cast<Index>(sizeof(T)) +
                           mesh_.view(p).coefficient_bytes() / (from_zero ? 2 : 1) + inverse_bytes(p);
    return static_cast<double>(block.lines() * block.nodes() * per_node);
  }

  struct Part {
    NodalProblem<T> problem;
    Array<T, 1> memory, buffers;
    HalfGroups halves;  // instead of `memory`
    NodeInverses<T> inverses;
    SweepTile tile;
  };

  static void halve(Part& part, const ExecutorPtr& executor) {
    if constexpr (std::is_same_v<T, float>) {
      NodeInverses<T>& inverses = part.inverses;
      const NodalBlock& block = part.problem.view.block;
      part.halves = halved(executor, {block.lines(), 4, inverses.width, block.nodes()}, inverses.data);
      inverses.halves = part.halves.values.view().data;
      inverses.scales = part.halves.scales.view().data;
      inverses.data = nullptr;
      part.memory = {};
    }
  }

  static void clear(Array<T, 1>& array, const ExecutorPtr& executor) {
    if (array.size() > 0) array = make_array(executor, std::vector<T>(static_cast<std::size_t>(array.size()), T{0}));
  }

  HalfSweepBody<T> body(int p, const Vector<T>& f, const Vector<T>& u, int color, bool zero) {
    return {parts_[p].problem,        parts_[p].inverses, f.part(p).data, color, zero,
            mesh_.space->lines(u, p), next_.part(p).data};
  }

  const LevelMesh<T>& mesh_;
  VectorHalo<T> halo_;
  Vector<T> next_;
  std::vector<Part> parts_;
};

}  // namespace

template <class T>
std::unique_ptr<Smoother<T>> make_node_smoother(const LevelMesh<T>& mesh) {
  return std::make_unique<NodeSmoother<T>>(mesh);
}

template std::unique_ptr<Smoother<double>> make_node_smoother(const LevelMesh<double>&);
template std::unique_ptr<Smoother<float>> make_node_smoother(const LevelMesh<float>&);

}  // namespace halocline::collocation
