#include "lib/problems/collocation/schur/refinement.hpp"

#include <cmath>
#include <string>

#include "lib/problems/collocation/discretization/assembly.hpp"
#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "lib/problems/collocation/schur/block_schur_parts.hpp"
#include "lib/problems/collocation/schur/inner_bicgstab.hpp"

namespace halocline::collocation {

namespace {

constexpr double inner_tolerance = 1e-3;
constexpr int most_without_progress = 25;

std::vector<NodalBlock> nodal_blocks(const Context& context, const Formulation& problem) {
  std::vector<NodalBlock> blocks;
  for (const Range<1>& lines : paired_lines(context, problem))
    blocks.push_back({lines.lo[0], lines.hi[0], problem.x.elements(), problem.y.elements()});
  return blocks;
}

// Sends every part's first line to the part before, behind whose own lines it goes.
std::unique_ptr<Halo<double>> first_line_halo(const Context& context, const std::vector<NodalBlock>& blocks) {
  std::vector<Index> lines;
  for (const NodalBlock& block : blocks) lines.push_back(block.lines());
  const GhostLines one_behind{.room = 0, .before = 0, .behind = 1};
  return std::make_unique<Halo<double>>(context.comm, context.team,
                                        line_links(context.team, lines, blocks.front().line_size(), one_behind));
}

template <class T>
class RefinedSolver final : public Solver {
 public:
  RefinedSolver(const Context& context, const Formulation& problem, const SolverOptions& options)
      : context_(context),
        problem_(problem),
        options_(options),
        blocks_(nodal_blocks(context, problem)),
        space_(nodal_vector_space(context.comm, context.team, blocks_)),
        schur_(context.comm, context.team, paired_lines(context, problem), problem, context.all_threads()),
        inner_(schur_),
        b_(space_),
        x_(space_),
        r_(space_),
        halo_(first_line_halo(context, blocks_)) {
    std::vector<const Equations<double>*> equations;
    equations_.reserve(blocks_.size());
    for (int p = 0; p < context.team.parts(); ++p) {
      equations_.push_back(scaled_equations(problem, blocks_[p], context.team.executor(p), context.all_threads()));
      equations.push_back(&equations_[p].equations);
      extended_.emplace_back(context.team.executor(p), std::array<Index, 1>{schur_.needed(p).size()});
      received_.push_back(extended_[p].view());
    }
    operator_ = std::make_unique<NodalOperator>(space_, equations, problem.x, problem.y);
    prepare_right_hand_side();
  }

  void begin() override {
    report_ = SolveReport{};
    set_start();
    find_residual();
    first_norm_ = norm_;
    record();
  }

  bool iterate(int n) override {
    for (int i = 0; i < n && !finished(); ++i) step();
    return finished();
  }

  const SolveReport& report() const override { return report_; }

  void archive(StateArchive& state) override {
    if (state.restoring()) begin();
    archive_report(context_.comm, state, report_);
    state.scalar("refinement_best", best_);
    Index since = since_best_;
    state.scalar("refinement_since_best", since);
    since_best_ = static_cast<int>(since);
    archive_solution(state);
    if (state.restoring()) find_residual();
  }

  std::vector<double> unknowns(int part) override {
    std::vector<double> values = to_host(part);
    for (double& value : values) value *= scale_;
    return by_nodes(blocks_[part], blocks_[part].lines(), values);
  }

  Range<1> lines(int part) const override { return {{blocks_[part].first_line}, {blocks_[part].end_line}}; }

  Traffic traffic() const override { return schur_.sent() + operator_->sent() + halo_->sent(); }

  // The inner iterations at their limit, 38 vectors of T each, and 20 of double for residual, conversion and update.
  double bytes_per_iteration() const override {
    const double values = static_cast<double>(problem_.x.unknowns()) * static_cast<double>(problem_.y.unknowns());
    return values * (38.0 * sizeof(T) * static_cast<double>(options_.inner_max_iterations) + 20 * 8);
  }

  std::string describe() const override {
    return std::string("refinement with BiCGSTAB on the Schur complement of whole lines in ") +
           (sizeof(T) == 4 ? "single" : "double") + " precision";
  }
  std::string advice() const override { return "try more solver.inner_maxit, or method mg or fd"; }

 private:
  void prepare_right_hand_side() {
    std::optional<GaussPoint> bad;
    for (int p = 0; p < context_.team.parts(); ++p)
      rhs_.push_back(nodal_right_hand_side(problem_, blocks_[p], context_.all_threads(), bad));
    require_finite(context_.comm, problem_, bad);
    for (int p = 0; p < context_.team.parts(); ++p) equations_[p].scaling.apply(rhs_[p]);
    scale_ = magnitude(context_.comm, {rhs_.begin(), rhs_.end()});
    for (int p = 0; p < context_.team.parts(); ++p) {
      for (double& value : rhs_[p]) value /= scale_;
      context_.team.executor(p)->copy_in(b_.part(p).data, rhs_[p].data(), rhs_[p].size() * sizeof(double));
    }
  }

  // x_0 = b, as in the source: each equation in the place of its unknown. The source scales equations by h^2; so does
  // row scaling, but for a factor of about one, on a square mesh with coefficients of about one.
  void set_start() {
    for (int p = 0; p < context_.team.parts(); ++p) {
      const NodalBlock& block = blocks_[p];
      std::vector<double> start(rhs_[p].size(), 0.0);
      for (Index i = 0; i < block.lines(); ++i)
        for (Index j = 0; j < block.nodes(); ++j) {
          double z[4];
          for (int c = 0; c < 4; ++c) z[c] = rhs_[p][i * block.line_size() + block.place(c, j)];
          equations_[p].equations.view().expand(block.first_line + i, j, z);
          for (int c = 0; c < 4; ++c) start[i * block.line_size() + block.place(c, j)] = z[c];
        }
      context_.team.executor(p)->copy_in(x_.part(p).data, start.data(), start.size() * sizeof(double));
    }
    best_ = INFINITY;
    since_best_ = 0;
  }

  void find_residual() {
    operator_->residual(b_, x_, r_);
    norm_ = norm(r_);
  }

  void step() {
    correct();
    find_residual();
    ++report_.iterations;
    record();
  }

  // x += c with A c = r, roughly; r is scaled to about one for the range of T.
  void correct() {
    const Team& team = context_.team;
    const double size = norm_ > 0 ? std::exp2(std::ilogb(norm_)) : 1;
    std::vector<const double*> residual;
    std::vector<View<const double, 1>> owned;
    std::vector<double*> target;
    for (int p = 0; p < team.parts(); ++p) {
      const View<const double, 1> own = static_cast<const Vector<double>&>(r_).part(p);
      team.executor(p)->copy_async(extended_[p].view().data, own.data,
                                   static_cast<std::size_t>(own.size()) * sizeof(double), Queue::compute);
      owned.push_back(own);
      residual.push_back(extended_[p].view().data);
      target.push_back(x_.part(p).data);
    }
    if (team.total_parts() > 1) {
      halo_->start(owned);
      halo_->finish(received_);
    }
    schur_.reduce(residual, 1 / size, inner_.rhs());
    inner_.solve(options_.inner_max_iterations, inner_tolerance);
    schur_.recover(inner_.solution());
    schur_.unpack(inner_.solution(), size, true, target);
  }

  void record() {
    report_.residual = first_norm_ > 0 ? norm_ / first_norm_ : norm_;
    report_.history.push_back(report_.residual);
    if (report_.residual <= options_.tolerance) report_.status = SolveStatus::converged;
    since_best_ = report_.residual < best_ ? 0 : since_best_ + 1;
    best_ = std::min(best_, report_.residual);
    if (since_best_ >= most_without_progress) report_.status = SolveStatus::stagnated;
    if (!std::isfinite(report_.residual)) report_.status = SolveStatus::not_finite;
  }

  bool finished() const { return report_.finished() || report_.iterations >= options_.max_iterations; }

  std::vector<double> to_host(int part) const {
    const View<const double, 1> own = x_.part(part);
    std::vector<double> values(static_cast<std::size_t>(own.size()));
    context_.team.executor(part)->copy_out(values.data(), own.data, values.size() * sizeof(double));
    return values;
  }

  void archive_solution(StateArchive& state) {
    const ExecutorPtr host = make_omp_executor(1);
    for (int p = 0; p < context_.team.parts(); ++p) {
      const NodalBlock& block = blocks_[p];
      const Index width = 4 * block.nodes();
      std::vector<double> values = to_host(p), kept = by_nodes(block, block.lines(), values);
      state.block("refinement_x", block.nx + 1, width, {{block.first_line}, {block.end_line}},
                  View<double, 1>(kept.data(), block.lines() * width), *host);
      if (!state.restoring()) continue;
      for (Index i = 0; i < block.lines(); ++i)
        for (Index j = 0; j < block.nodes(); ++j)
          for (int c = 0; c < 4; ++c) values[i * block.line_size() + block.place(c, j)] = kept[i * width + 4 * j + c];
      context_.team.executor(p)->copy_in(x_.part(p).data, values.data(), values.size() * sizeof(double));
    }
  }

  Context context_;
  const Formulation& problem_;
  SolverOptions options_;
  std::vector<NodalBlock> blocks_;
  VectorSpacePtr space_;
  std::vector<ScaledEquations> equations_;
  std::unique_ptr<NodalOperator> operator_;
  BlockSchur<T> schur_;
  InnerBicgstab<T> inner_;
  Vector<double> b_, x_, r_;
  std::vector<std::vector<double>> rhs_;    // of every part, for begin()
  std::vector<Array<double, 1>> extended_;  // r with the line behind the part's own
  std::vector<View<double, 1>> received_;
  std::unique_ptr<Halo<double>> halo_;
  SolveReport report_;
  double scale_ = 1;  // the equations are divided by it
  double norm_ = 0, first_norm_ = 0;
  double best_ = INFINITY;
  int since_best_ = 0;
};

bool single(const SolverOptions& options) { return options.precision == Precision::fp32; }

}  // namespace

std::optional<std::string> cannot_refined(const Formulation& /*problem*/, const SolverOptions& /*options*/) {
  return std::nullopt;
}

std::size_t refined_bytes(const Formulation& problem, const SolverOptions& options, Index lines) {
  const std::size_t inner = single(options) ? sizeof(float) : sizeof(double);
  const Index ny = problem.y.elements();
  // Seven vectors on black lines; four of all nodes and six coefficients per equation in double.
  const auto nodes = static_cast<std::size_t>((lines + 2 * lanes) * (ny + 1));
  return (single(options) ? BlockSchur<float>::bytes(lines, ny) : BlockSchur<double>::bytes(lines, ny)) +
         nodes * (7 * 2 * inner + (4 * 4 + 24) * sizeof(double));
}

std::unique_ptr<Solver> make_refined_solver(const Context& context, const Formulation& problem,
                                            const SolverOptions& options) {
  if (single(options)) return std::make_unique<RefinedSolver<float>>(context, problem, options);
  return std::make_unique<RefinedSolver<double>>(context, problem, options);
}

}  // namespace halocline::collocation
