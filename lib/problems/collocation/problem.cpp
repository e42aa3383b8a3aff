#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "lib/krylov/krylov.hpp"
#include "lib/problems/collocation/assembly.hpp"
#include "lib/problems/collocation/collocation.hpp"
#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/options.hpp"
#include "lib/problems/collocation/schur.hpp"
#include "lib/problems/collocation/schur_solver.hpp"
#include "lib/problems/collocation/solution.hpp"
#include "mpi/partition.hpp"

namespace halocline {

namespace collocation {

namespace {

// Lines come in pairs of a red and a black one; a part has at least one pair.
Partition line_partition(Index nx, const std::vector<double>& weights) { return Partition(nx + 1, 2, weights, 2); }

std::vector<LineBlock> blocks_of(const Context& context, const Formulation& problem) {
  const Partition partition = line_partition(problem.x.elements(), context.shape.weights);
  require(partition.parts() == context.team.total_parts(), "collocation: one weight per part");
  std::vector<LineBlock> blocks;
  for (int p = 0; p < context.team.parts(); ++p) {
    const Range<1> lines = partition.block(context.team.first_part() + p);
    blocks.push_back({lines.lo[0], lines.hi[0], problem.x.elements(), problem.y.unknowns()});
  }
  return blocks;
}

int host_threads(const Context& context) {
  int threads = 0;
  for (int p = 0; p < context.team.parts(); ++p) threads += context.team.executor(p)->threads();
  return threads;
}

// The iteration goes on to this part of the tolerance: at the tolerance itself the error of u is up to 0.4 times the
// residual, depending on rounding, which at ns = 1024 and tol 1e-9 misses the published accuracy.
constexpr double safety = 0.5;

// Saves and restores vectors on black lines, line by line in the order of the mesh.
class BlackLineArchive final : public VectorArchive {
 public:
  BlackLineArchive(StateArchive& state, const Team& team, const SchurOperator& schur)
      : state_(state), team_(team), schur_(schur) {}

  void vector(const char* name, Vector& x) const override {
    const ExecutorPtr host = make_omp_executor(1);
    for (int p = 0; p < team_.parts(); ++p) {
      const LineBlock& block = schur_.block(p);
      const Index first = block.first_line / 2, count = block.lines() / 2, width = 2 * block.rows;
      const auto grouped = x.part(p);
      std::vector<double> values(static_cast<std::size_t>(grouped.size())), ordered(count * width);
      team_.executor(p)->copy_out(values.data(), grouped.data, values.size() * sizeof(double));
      for (Index i = 0; i < count * width; ++i) ordered[i] = values[block.offset(i / width) + i % width * lanes];
      state_.block(name, (block.last_line + 1) / 2, width, {{first}, {first + count}},
                   View<double, 1>(ordered.data(), count * width), *host);
      if (!state_.restoring()) continue;
      for (Index i = 0; i < count * width; ++i) values[block.offset(i / width) + i % width * lanes] = ordered[i];
      team_.executor(p)->copy_in(grouped.data, values.data(), values.size() * sizeof(double));
    }
  }

 private:
  StateArchive& state_;
  const Team& team_;
  const SchurOperator& schur_;
};

class CollocationProblem final : public Problem {
 public:
  CollocationProblem(const Context& context, const CollocationOptions& options)
      : context_(context),
        options_(options),
        solver_(options_.block.solver.resolved(Method::schur)),
        problem_(formulate(options_)),
        schur_(context.comm, context.team, blocks_of(context, problem_), problem_.equation, problem_.x.mean_length(),
               problem_.y),
        b_(schur_.space()),
        x_(schur_.space()) {
    const auto scope = context_.timers.scope("set-up");
    prepare_right_hand_side();
    krylov_ = make_bicgstab(schur_.space(), {safety * solver_.tolerance, solver_.max_iterations});
  }

  void initialize() override {
    copy(b_, x_);  // x_0 = b'
    krylov_->begin(schur_, nullptr, b_, x_);
    finished_ = krylov_->report().converged;
  }

  Step advance(double /*t_stop*/) override {
    solution_.reset();
    const int before = krylov_->report().iterations;
    const auto start = std::chrono::steady_clock::now();
    {
      const auto scope = context_.timers.scope("iterate");
      finished_ = krylov_->iterate(slice_);
    }
    std::array<double, 1> seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
    context_.comm.max(seconds);  // so that every rank chooses the same slice
    seconds_ += seconds[0];
    iterations_ += krylov_->report().iterations - before;
    slice_ = static_cast<int>(std::clamp(0.2 / std::max(seconds[0], 1e-6) * slice_, 1.0, 4.0 * slice_ + 1));
    return step();
  }

  void publish(FieldSink& sink) const override {
    sink.grid({{problem_.x.nodes(), problem_.y.nodes(), {0.0}}, ""});
    const ExecutorPtr host = make_omp_executor(1);
    const Index points = problem_.y.elements() + 1;
    for (int which = 0; which < 4; ++which) {
      if (!sink.wants(field_names[which])) continue;
      for (int p = 0; p < context_.team.parts(); ++p) {
        const LineBlock& block = schur_.block(p);
        const std::vector<double> values = solution().field(p, which);
        const FieldInfo info{field_names[which], "1", Centring::point, AxisOrder::x_slowest};
        sink.field(info, p, {{block.first_line, 0, 0}, {block.end_line, points, 1}},
                   View<const double, 3>(values.data(), block.lines(), points, 1), *host);
      }
    }
    sink.series("residual_history", "1", krylov_->report().history);
  }

  void archive(StateArchive& state) override {
    if (state.restoring()) initialize();
    const BlackLineArchive lines(state, context_.team, schur_);
    krylov_->archive(state, lines);
    lines.vector("x", x_);
    finished_ = krylov_->report().converged;
    solution_.reset();
  }

  void verify(Findings& findings) const override {
    const SolveReport& report = krylov_->report();
    log_rate();
    const VerifyOptions& limits = options_.verify;
    add(findings, "iterations", report.iterations, limits.iterations.empty() ? -1 : limits.iterations[0],
        limits.iterations.empty() ? -1 : limits.iterations[1]);
    findings.add("relative_residual", "1", report.residual);
    const Residual residual = solution().residual(context_.comm, host_threads(context_));
    add(findings, "residual", residual.relative_max, 0, limits.residual > 0 ? limits.residual : -1);
    findings.add("scaled_residual_norm", "1", residual.scaled_norm);
    if (problem_.has_exact) verify_exact(findings);
    if (!(report.residual <= solver_.tolerance) && (report.broken_down || finished_))
      findings.failure = failure_text(report);
  }

  Traffic traffic() const override { return schur_.sent(); }

 private:
  void prepare_right_hand_side() {
    std::vector<PartRightHandSide> parts;
    std::optional<GaussPoint> bad;
    for (int p = 0; p < context_.team.parts(); ++p)
      parts.push_back(assemble(problem_, schur_.block(p), host_threads(context_), bad));
    const std::vector<double> x = context_.comm.gather(bad ? bad->x : std::nan("")),
                              y = context_.comm.gather(bad ? bad->y : std::nan(""));
    for (std::size_t rank = 0; rank < x.size(); ++rank) {
      if (std::isnan(x[rank])) continue;
      char text[128];
      std::snprintf(text, sizeof text, ": collocation.equation.f: is not finite at x = %.6g, y = %.6g", x[rank],
                    y[rank]);
      throw DeckError(to_string(options_.block.equation.f.place) + text);
    }
    scale_ = scale_of(parts);
    for (PartRightHandSide& part : parts)
      for (std::vector<double>* values : {&part.red, &part.black})
        for (double& value : *values) value /= scale_;
    schur_.reduce(parts, b_);
  }

  // A power of two near the largest entry: squares of very small or large data would leave the range of numbers, and
  // such a factor changes no digit.
  double scale_of(const std::vector<PartRightHandSide>& parts) const {
    std::array<double, 1> largest{};
    for (const PartRightHandSide& part : parts)
      for (const std::vector<double>* values : {&part.red, &part.black})
        for (const double value : *values) largest[0] = std::max(largest[0], std::abs(value));
    context_.comm.max(largest);
    return largest[0] > 0 && std::isfinite(largest[0]) ? std::exp2(std::ilogb(largest[0])) : 1;
  }

  // Rates of the iteration, with the bytes of docs/performance/collocation.md: 13 vectors of all unknowns.
  void log_rate() const {
    if (iterations_ == 0 || !(seconds_ > 0)) return;
    const double rate = iterations_ / seconds_;
    const double unknowns = static_cast<double>(problem_.x.unknowns()) * static_cast<double>(problem_.y.unknowns());
    char text[160];
    std::snprintf(text, sizeof text, "%.4g iterations/s, %.4g products/s, %.3g unknowns/s, %.3g GB/s by the model",
                  rate, 2 * rate, rate * unknowns, 13 * 8e-9 * unknowns * rate);
    context_.log.info(text);
  }

  const Solution& solution() const {
    if (!solution_) {
      schur_.recover(x_);
      solution_ = std::make_unique<Solution>(problem_, schur_, context_.team, x_, scale_);
    }
    return *solution_;
  }

  // A limit below zero stands for none.
  static void add(Findings& findings, const char* name, double value, double low, double high) {
    if (high < 0) {
      findings.add(name, "1", value);
    } else {
      findings.check(name, "1", value, low, high);
    }
  }

  void verify_exact(Findings& findings) const {
    const Errors errors = solution().errors(context_.comm, host_threads(context_));
    const VerifyOptions& limits = options_.verify;
    for (int k = 0; k < 4; ++k)
      add(findings, (std::string("max_error.") + field_names[k]).c_str(), errors.max[k], 0,
          limits.max_error.of(field_names[k], -1));
    for (int k = 0; k < 4; ++k)
      add(findings, (std::string("rms_error.") + field_names[k]).c_str(), errors.rms[k], 0,
          limits.rms_error.of(field_names[k], -1));
  }

  static std::string failure_text(const SolveReport& report) {
    char text[200];
    std::snprintf(text, sizeof text, "%s after %d iterations at a relative residual of %.3g",
                  report.broken_down ? "BiCGSTAB broke down" : "BiCGSTAB did not converge", report.iterations,
                  report.residual);
    return text;
  }

  Step step() const {
    const SolveReport& report = krylov_->report();
    Step step;
    step.t = report.iterations;
    step.finished = finished_;
    const double goal = std::log(solver_.tolerance), start = std::log(report.history.front());
    if (goal < start) step.fraction = std::clamp((std::log(report.residual) - start) / (goal - start), 0.0, 1.0);
    char text[80];
    std::snprintf(text, sizeof text, "iteration %d, residual %.2e", report.iterations, report.residual);
    step.status = text;
    return step;
  }

  Context context_;
  CollocationOptions options_;
  SolverOptions solver_;
  Formulation problem_;
  mutable SchurOperator schur_;  // recover() keeps the red lines in it
  Vector b_, x_;
  std::unique_ptr<KrylovSolver> krylov_;
  mutable std::unique_ptr<Solution> solution_;
  double scale_ = 1;  // the equations are divided by it
  bool finished_ = false;
  int slice_ = 1;
  int iterations_ = 0;  // of this run, in seconds_
  double seconds_ = 0;
};

// Everything but the solver and the tolerances: a saved iteration belongs to one system of equations.
std::string identity_text(const CollocationOptions& options, const Formulation& problem) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += part + "\n"; };
  for (const auto& [name, formula] : options.block.names.constants) add(name + " = " + formula.text);
  for (const Formula& formula : options.block.names.definitions) add(formula.text);
  const EquationOptions& e = options.block.equation;
  for (const Formula* formula : {&e.a, &e.b, &e.c, &e.d, &e.e, &e.eta, &e.f}) add(formula->text);
  for (const SideOptions& side : options.block.sides.sides)
    add(side.given ? side.value.text + " | " + side.slope.text : "");
  if (options.manufactured()) add(options.verify.exact.text);
  for (const Axis* axis : {&problem.x, &problem.y}) {
    char numbers[32];
    for (const double node : axis->nodes()) {
      std::snprintf(numbers, sizeof numbers, "%.17g", node);
      add(numbers);
    }
  }
  // A digest (FNV-1a), since meshes may be long.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char digest[20];
  std::snprintf(digest, sizeof digest, "%016llx", static_cast<unsigned long long>(hash));
  return digest;
}

Plan plan(const Options& options, const Shape& shape, Faults& faults) {
  Plan plan;
  const auto problem = formulate(static_cast<const CollocationOptions&>(options), faults);
  if (!problem) return plan;
  if (const auto reason = cannot_schur(*problem)) {
    faults.at("collocation.solver.method", "schur " + *reason);
    return plan;
  }
  const Index nx = problem->x.elements(), ny = problem->y.elements();
  try {
    const Partition partition = line_partition(nx, shape.weights);
    Index widest = 0;
    for (int p = 0; p < partition.parts(); ++p) widest = std::max(widest, partition.block(p).extent(0));
    plan.unknowns = 4 * nx * ny;
    plan.formulas = identity_text(static_cast<const CollocationOptions&>(options), *problem);
    plan.shape = std::to_string(nx) + " x " + std::to_string(ny) + " elements";
    // Eight vectors of black lines, two of red ones, and copies during set-up, 4 ny numbers per line.
    plan.bytes_per_part = static_cast<std::size_t>(widest * 4 * ny) * sizeof(double) * 7;
    plan.message_bytes = partition.parts() > 1 ? static_cast<std::size_t>(4 * 4 * ny) * sizeof(double) : 0;
    plan.work = 2.0 * static_cast<double>(plan.unknowns) * 44;
  } catch (const DeckError& error) {
    faults.at("collocation.mesh.x", error.what());
  }
  return plan;
}

std::unique_ptr<Options> make_options() { return std::make_unique<CollocationOptions>(); }

std::unique_ptr<Problem> make_problem(const Context& context, const Options& options) {
  return std::make_unique<CollocationProblem>(context, static_cast<const CollocationOptions&>(options));
}

}  // namespace

}  // namespace collocation

const Family& collocation_family() {
  static const Family family{
      "collocation",
      "2D elliptic problems by bicubic Hermite collocation: red-black Schur complement, BiCGSTAB",
      collocation::make_options,
      collocation::field_names,
      collocation::plan,
      collocation::make_problem};
  return family;
}

}  // namespace halocline
