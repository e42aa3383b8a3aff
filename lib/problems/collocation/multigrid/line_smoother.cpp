#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/nodal_problem.hpp"
#include "lib/problems/collocation/discretization/residual.hpp"
#include "lib/problems/collocation/lines/block_lines.hpp"
#include "lib/problems/collocation/multigrid/smoother.hpp"

namespace halocline::collocation {

namespace {

// Zebra: even lines, then odd ones; the lines of a color do not touch each other, so that every half-sweep solves their
// equations exactly. Horizontal lines end at the ends of a part: their results depend on the parts.
// Traffic of a half-sweep, in vectors of the level: residual 8 (4 for vertical lines, half of them), factors 4, the
// line solves 2.
template <class T>
class ZebraSmoother final : public Smoother<T> {
 public:
  ZebraSmoother(const LevelMesh<T>& mesh, Along along)
      : mesh_(mesh), along_(along), halo_(mesh.space->template halo<T>(1, 1)), residual_(mesh.space->vectors()) {
    for (int p = 0; p < mesh.space->team().parts(); ++p)
      problems_.push_back(nodal_problem(mesh.view(p), *mesh.x, *mesh.y));
    ZebraSmoother::refresh();
  }

  void refresh() override {
    lines_.clear();
    bool regular = true;
    const Team& team = mesh_.space->team();
    for (int p = 0; p < team.parts(); ++p) {
      const EquationView<T>& view = mesh_.view(p);
      const Index first = along_ == Along::y ? view.block.first_line : 0;
      const Index held = view.block.lines(), count = along_ == Along::y || held == 0 ? held : view.block.nodes();
      for (int color = 0; color < 2; ++color) {
        lines_.emplace_back(view, along_, lines_of_color(first, count, color), team.executor(p));
        regular = regular && !lines_.back().singular();
      }
    }
    if (!mesh_.space->comm().agree(regular))
      throw NumericalError("collocation: the equations of a whole grid line are singular; try smoother node");
  }

  void sweep(const Vector<T>& f, Vector<T>& u, SweepStart start) override {
    const Team& team = mesh_.space->team();
    const bool from_zero = start == SweepStart::zero;
    if (from_zero) fill(u, 0);
    for (int color = 0; color < 2; ++color) {
      const bool zero = from_zero && color == 0;  // then the residual is f
      if (!zero) find_residual(f, u, color, color == 0 && start == SweepStart::nearest_lines);
      const Vector<T>& r = zero ? f : residual_;
      team.each([&](int p) { lines_[2 * p + color].solve(r.part(p).data, u.part(p).data, true); });
    }
  }

  Traffic sent() const override { return halo_.sent(); }

 private:
  // `nearest`: u has the nearest lines of other parts.
  void find_residual(const Vector<T>& f, Vector<T>& u, int color, bool nearest) {
    const Team& team = mesh_.space->team();
    const auto work = [&](int p, Index begin, Index end) {
      const NodalBlock& block = mesh_.view(p).block;
      const ResidualBody<T> body{problems_[p], mesh_.space->lines(u, p), f.part(p).data, residual_.part(p).data};
      if (along_ == Along::x) {
        launch_residual(*team.executor(p), {{begin}, {end}}, body);
      } else {
        const Index first = begin + ((block.first_line + begin) % 2 == color ? 0 : 1);
        launch_residual_of_alternate_lines(*team.executor(p), {{first}, {end}}, body);
      }
    };
    if (nearest) {
      team.each([&](int p) {
        if (mesh_.space->holds(p)) work(p, 0, mesh_.space->block(p).lines());
      });
    } else {
      each_line_range(*mesh_.space, halo_, u, work);
    }
  }

  const LevelMesh<T>& mesh_;
  Along along_;
  VectorHalo<T> halo_;
  Vector<T> residual_;
  std::vector<NodalProblem<T>> problems_;
  std::vector<BlockLines<T>> lines_;  // [part][color]
};

// Vertical lines, then horizontal ones.
template <class T>
class AlternatingSmoother final : public Smoother<T> {
 public:
  AlternatingSmoother(std::unique_ptr<Smoother<T>> vertical, std::unique_ptr<Smoother<T>> horizontal)
      : vertical_(std::move(vertical)), horizontal_(std::move(horizontal)) {}
  void sweep(const Vector<T>& f, Vector<T>& u, SweepStart start) override {
    vertical_->sweep(f, u, start);
    horizontal_->sweep(f, u, SweepStart::own_lines);
  }
  void refresh() override {
    vertical_->refresh();
    horizontal_->refresh();
  }
  Traffic sent() const override {
    Traffic all = vertical_->sent();
    return all += horizontal_->sent();
  }

 private:
  std::unique_ptr<Smoother<T>> vertical_, horizontal_;
};

template <class T>
std::unique_ptr<Smoother<T>> make_zebra(const LevelMesh<T>& mesh, Along along) {
  return std::make_unique<ZebraSmoother<T>>(mesh, along);
}

}  // namespace

template <class T>
std::unique_ptr<Smoother<T>> make_line_smoother(const LevelMesh<T>& mesh, Smoothing smoothing) {
  require(smoothing != Smoothing::node, "make_line_smoother: not a smoother by lines");
  if (smoothing == Smoothing::vline) return make_zebra(mesh, Along::y);
  if (smoothing == Smoothing::hline) return make_zebra(mesh, Along::x);
  return std::make_unique<AlternatingSmoother<T>>(make_zebra(mesh, Along::y), make_zebra(mesh, Along::x));
}

template std::unique_ptr<Smoother<double>> make_line_smoother(const LevelMesh<double>&, Smoothing);
template std::unique_ptr<Smoother<float>> make_line_smoother(const LevelMesh<float>&, Smoothing);

}  // namespace halocline::collocation
