#include "lib/problems/collocation/block_schur_solver.hpp"

#include <algorithm>
#include <cmath>

#include "lib/problems/collocation/assembly.hpp"
#include "lib/problems/collocation/black_line_archive.hpp"
#include "lib/problems/collocation/block_schur.hpp"
#include "lib/problems/collocation/block_schur_parts.hpp"
#include "lib/problems/collocation/schur_solver.hpp"
#include "mpi/partition.hpp"

namespace halocline::collocation {

std::vector<Range<1>> paired_lines(const Context& context, const Formulation& problem) {
  const Partition partition(problem.x.elements() + 1, 2, context.shape.weights, 2);
  require(partition.parts() == context.team.total_parts(), "collocation: one weight per part");
  std::vector<Range<1>> lines;
  for (int p = 0; p < context.team.parts(); ++p) lines.push_back(partition.block(context.team.first_part() + p));
  return lines;
}

double magnitude(const Communicator& comm, const std::vector<std::vector<double>>& parts) {
  std::array<double, 1> largest{};
  for (const auto& values : parts)
    for (const double value : values) largest[0] = std::max(largest[0], std::abs(value));
  comm.max(largest);
  return largest[0] > 0 && std::isfinite(largest[0]) ? std::exp2(std::ilogb(largest[0])) : 1;
}

std::vector<double> by_nodes(const NodalBlock& block, Index lines, const std::vector<double>& nodal) {
  std::vector<double> values(static_cast<std::size_t>(lines * 4 * block.nodes()));
  for (Index i = 0; i < lines; ++i)
    for (Index j = 0; j < block.nodes(); ++j)
      for (int c = 0; c < 4; ++c)
        values[(i * block.nodes() + j) * 4 + c] = nodal[i * block.line_size() + block.place(c, j)];
  return values;
}

namespace {

class BlockSchurSolver final : public Solver {
 public:
  BlockSchurSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : context_(context),
        problem_(problem),
        schur_(context.comm, context.team, paired_lines(context, problem), problem, context.all_threads()),
        operator_(schur_),
        b_(schur_.space()),
        x_(schur_.space()),
        krylov_(make_bicgstab(schur_.space(), {schur_safety * options.tolerance, options.max_iterations})) {
    prepare_right_hand_side();
  }

  void begin() override {
    recovered_ = false;
    copy(b_, x_);  // x_0 = b'
    krylov_->begin(operator_, nullptr, b_, x_);
  }

  bool iterate(int n) override {
    recovered_ = false;
    return krylov_->iterate(n);
  }

  const SolveReport& report() const override { return krylov_->report(); }

  void archive(StateArchive& state) override {
    if (state.restoring()) begin();
    const BlackLineArchive<BlockSchur<double>> lines(state, context_.team, schur_);
    krylov_->archive(state, lines);
    lines.vector("x", x_);
    recovered_ = false;
  }

  std::vector<double> unknowns(int part) override {
    if (!recovered_) recover();
    const NodalBlock& block = schur_.needed(part);
    return by_nodes(block, schur_.block(part).lines(), nodal_[part].to_host());
  }

  Range<1> lines(int part) const override { return {{schur_.block(part).first_line}, {schur_.block(part).end_line}}; }
  Traffic traffic() const override { return schur_.sent(); }

  // 38 vectors of all unknowns: twice 56 numbers per node, and 20 vectors on black lines.
  double bytes_per_iteration() const override {
    return 38 * 8.0 * static_cast<double>(problem_.x.unknowns()) * static_cast<double>(problem_.y.unknowns());
  }

  std::string describe() const override { return "BiCGSTAB on the Schur complement of whole lines"; }
  std::string advice() const override { return "try method mg"; }

 private:
  void prepare_right_hand_side() {
    std::vector<std::vector<double>> parts;
    std::optional<GaussPoint> bad;
    for (int p = 0; p < context_.team.parts(); ++p)
      parts.push_back(nodal_right_hand_side(problem_, schur_.needed(p), context_.all_threads(), bad));
    require_finite(context_.comm, problem_, bad);
    scale_ = magnitude(context_.comm, parts);
    std::vector<const double*> rhs;
    std::vector<double*> reduced;
    for (int p = 0; p < context_.team.parts(); ++p) {
      nodal_.push_back(make_array(context_.team.executor(p), parts[p]));
      rhs.push_back(nodal_[p].view().data);
      reduced.push_back(b_.part(p).data);
    }
    schur_.reduce(rhs, 1 / scale_, reduced);
  }

  void recover() {
    std::vector<const double*> x;
    std::vector<double*> nodal;
    for (int p = 0; p < context_.team.parts(); ++p) {
      x.push_back(static_cast<const Vector&>(x_).part(p).data);
      nodal.push_back(nodal_[p].view().data);
    }
    schur_.recover(x);
    schur_.unpack(x, scale_, false, nodal);
    recovered_ = true;
  }

  Context context_;
  const Formulation& problem_;
  BlockSchur<double> schur_;
  BlockSchurOperator operator_;
  Vector b_, x_;
  std::unique_ptr<KrylovSolver> krylov_;
  std::vector<Array<double, 1>> nodal_;  // the right-hand side, then the solution, line by line
  double scale_ = 1;                     // the equations are divided by it
  bool recovered_ = false;               // whether nodal_ holds the solution that belongs to x_
};

}  // namespace

std::optional<std::string> cannot_block_schur(const Formulation& /*problem*/, const SolverOptions& /*options*/) {
  return std::nullopt;
}

std::size_t block_schur_bytes(const Formulation& problem, const SolverOptions& /*options*/, Index lines) {
  // Seven vectors on black lines and one of all nodes besides.
  const auto nodes = static_cast<std::size_t>((lines + 2 * lanes) * (problem.y.elements() + 1));
  return BlockSchur<double>::bytes(lines, problem.y.elements()) + nodes * (7 * 2 + 5) * sizeof(double);
}

std::unique_ptr<Solver> make_block_schur_solver(const Context& context, const Formulation& problem,
                                                const SolverOptions& options) {
  return std::make_unique<BlockSchurSolver>(context, problem, options);
}

}  // namespace halocline::collocation
