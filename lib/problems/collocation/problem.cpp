#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lib/base/digest.hpp"
#include "lib/base/format.hpp"
#include "lib/problems/collocation/collocation.hpp"
#include "lib/problems/collocation/discretization/nodal_vectors.hpp"
#include "lib/problems/collocation/formulas/coefficient_check.hpp"
#include "lib/problems/collocation/formulas/right_hand_side.hpp"
#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/collocation/make_solver.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "lib/problems/collocation/options.hpp"
#include "lib/problems/collocation/solution.hpp"
#include "lib/time/slices.hpp"
#include "mpi/groups.hpp"

namespace halocline {

namespace collocation {

namespace {

// Text of a fault at a Gauss point.
std::string text_of(const CoefficientFault& fault, const Formulation& problem) {
  const char* where = problem.nonlinear ? ", at u = collocation.newton.start (0 where left out)" : "";
  return formatted("{}{}; at x = {:.6g}, y = {:.6g}", fault.what, where, fault.x, fault.y);
}

// The key to blame: of an equation that is not linear, what depends on u; of div (k grad u), k.
std::string key_of(const CoefficientFault& fault, const Formulation& problem, const EquationOptions& equation) {
  if (equation.k.given() && fault.coefficient < 3) return "k";
  if (problem.nonlinear) return equation.source.given() ? "source" : "k";
  return coefficient_names[fault.coefficient];
}
std::string path_of(const std::string& key) { return "collocation.equation." + key; }
bool allows_any_eta(const Formulation& problem, const SolverOptions& options) {
  return options.allow_indefinite || problem.nonlinear;
}

class CollocationProblem final : public Problem {
 public:
  CollocationProblem(const Context& context, const CollocationOptions& options)
      : context_(context), options_(options), problem_(formulate(options_)), slices_(context_.comm) {
    const MethodChoice choice = choose_method(problem_, options_.block.solver);
    if (choice.entry == nullptr) throw DeckError("collocation.solver.method: " + choice.reason);
    tolerance_ = choice.options.tolerance;
    check_all_coefficients(choice);
    solver_ = make_solver(context_, choice, problem_);
    context_.log.info("solver: " + solver_->describe());
  }

  void initialize() override {
    solver_->begin();
    finished_ = solver_->report().converged();
  }

  Step advance(double t_stop) override {
    solution_.reset();
    slices_.run([&] {
      const auto scope = context_.timers.scope("iterate");
      const int before = solver_->report().iterations;
      const double most = static_cast<double>(slices_.steps());
      finished_ = solver_->iterate(static_cast<int>(std::clamp(std::ceil(t_stop - before), 1.0, most)));
      return Index{solver_->report().iterations - before};
    });
    return step();
  }

  void publish(FieldSink& sink) const override {
    sink.grid(problem_.output_grid());
    const Index points = problem_.y.elements() + 1;
    for (int which = 0; which < 4; ++which) {
      if (!sink.wants(field_names[which])) continue;
      for (int p = 0; p < context_.team.parts(); ++p) {
        const Range<1>& lines = solution().lines(p);
        const Array<double, 1> values = solution().field(p, which);
        const FieldInfo info{field_names[which], "1", Centring::point, AxisOrder::x_slowest};
        sink.field(info, p, {{lines.lo[0], 0, 0}, {lines.hi[0], points, 1}},
                   View<const double, 3>(values.view().data, lines.extent(0), points, 1), *values.executor());
      }
    }
    if (!sink.places().empty())
      for (int which = 0; which < 4; ++which)
        if (sink.wants(field_names[which]))
          sink.at_places(field_names[which], solution().at_points(context_.comm, sink.places(), which));
    if (solver_->iterative()) sink.series("residual_history", "1", solver_->report().history);
    if (const NewtonHistory* newton = solver_->newton()) {
      sink.series("newton_residual", "1", newton->residual);
      sink.series("newton_damping", "1", newton->damping);
      sink.series("newton_iterations", "1", newton->iterations);
    }
  }

  void archive(StateArchive& state) override {
    solver_->archive(state);
    if (state.restoring()) finished_ = solver_->report().converged();
    solution_.reset();
  }

  void verify(Findings& findings) const override {
    const SolveReport& report = solver_->report();
    log_rate();
    const VerifyOptions& limits = options_.verify;
    if (solver_->iterative() || !limits.iterations.empty())
      add(findings, "iterations", report.iterations, limits.iterations.empty() ? -1 : limits.iterations[0],
          limits.iterations.empty() ? -1 : limits.iterations[1]);
    if (solver_->iterative()) findings.add("relative_residual", "1", report.residual);
    if (const NewtonHistory* newton = solver_->newton())
      add(findings, "newton_steps", static_cast<double>(newton->steps()),
          limits.newton_steps.empty() ? -1 : limits.newton_steps[0],
          limits.newton_steps.empty() ? -1 : limits.newton_steps[1]);
    verify_residual(findings);
    verify_values(findings);
    if (problem_.has_exact) verify_exact(findings);
    const bool reached = report.converged() || report.residual <= tolerance_;
    if (!reached && (report.failed() || finished_)) findings.failure = failure_text();
  }

  Traffic traffic() const override { return solver_->traffic(); }

 private:
  // At all Gauss points of this rank's lines; the fault is the same on every rank.
  void check_all_coefficients(const MethodChoice& choice) const {
    if (problem_.constants) return;  // on all ranks: nothing to tell each other
    const auto scope = context_.timers.scope("check");
    std::optional<CoefficientFault> found;
    for (int p = 0; p < context_.team.parts() && !found; ++p) {
      const Range<1> lines = context_.own(p);
      const NodalBlock block = nodal_block(lines, problem_.x, problem_.y);
      found = check_coefficients(context_.team.executor(p), problem_, block, allows_any_eta(problem_, choice.options),
                                 context_.all_threads());
    }
    const std::optional<int> rank = first_rank(context_.comm, found.has_value());
    if (!rank) return;
    std::string text;
    if (found) {
      const EquationOptions& equation = options_.block.equation;
      const std::string key = key_of(*found, problem_, equation);
      const Formula& formula = key == "k"        ? equation.k
                               : key == "source" ? equation.source
                                                 : *equation.coefficients()[found->coefficient];
      text = to_string(formula.place) + ": " + path_of(key) + " " + text_of(*found, problem_);
    }
    context_.comm.broadcast(text, *rank);
    throw DeckError(text);
  }

  // Rates of the iteration, with the bytes of docs/performance/collocation.md.
  void log_rate() const {
    if (slices_.done() == 0 || !(slices_.seconds() > 0)) return;
    const double rate = static_cast<double>(slices_.done()) / slices_.seconds();
    context_.log.info(formatted("{:.4g} iterations/s, {:.4g} products/s, {:.3g} unknowns/s, {:.3g} GB/s by the model",
                                rate, 2 * rate, rate * problem_.unknowns(),
                                1e-9 * solver_->bytes_per_iteration() * rate));
  }

  const Solution& solution() const {
    if (!solution_) solution_ = std::make_unique<Solution>(context_, problem_, *solver_);
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

  void verify_residual(Findings& findings) const {
    const double limit = options_.verify.residual > 0 ? options_.verify.residual : -1;
    if (const std::optional<double> own = solver_->own_residual()) return add(findings, "residual", *own, 0, limit);
    const Residual residual = solution().residual(context_.comm);
    add(findings, "residual", residual.relative_max, 0, limit);
    findings.add("scaled_residual_norm", "1", residual.scaled_norm);
  }

  void verify_values(Findings& findings) const {
    std::vector<std::array<double, 3>> points;
    for (const auto& value : options_.verify.values) points.push_back({value[0], value[1], 0});
    if (points.empty()) return;
    const std::vector<double> found = solution().at_points(context_.comm, points, 0);
    double largest = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double error = std::abs(found[k] - options_.verify.values[k][2]);
      if (error > largest || std::isnan(error)) largest = error;  // NaN stays
    }
    const double limit = options_.verify.max_value_error;
    add(findings, "value_error", largest, 0, limit > 0 ? limit : -1);
  }

  void verify_exact(Findings& findings) const {
    const Errors errors = solution().errors(context_.comm);
    const VerifyOptions& limits = options_.verify;
    for (int k = 0; k < 4; ++k)
      add(findings, (std::string("max_error.") + field_names[k]).c_str(), errors.max[k], 0,
          limits.max_error.of(field_names[k], -1));
    for (int k = 0; k < 4; ++k)
      add(findings, (std::string("rms_error.") + field_names[k]).c_str(), errors.rms[k], 0,
          limits.rms_error.of(field_names[k], -1));
  }

  // What happened, the way there, and what can be done about it.
  std::string failure_text() const {
    const SolveReport& report = solver_->report();
    std::string message = formatted("{} {} after {} iterations at a relative residual of {:.3g}", solver_->describe(),
                                    words(report.failed() ? report.status : SolveStatus::max_iterations),
                                    report.iterations, report.residual);
    const std::size_t count = report.history.size(), shown = std::min<std::size_t>(count, 8);
    for (std::size_t i = 0; i < shown; ++i) {
      message += formatted("{}{:.2g}", i == 0 ? "; the way there: " : ", ",
                           report.history[shown > 1 ? i * (count - 1) / (shown - 1) : 0]);
    }
    const std::string advice = solver_->advice();
    return advice.empty() ? message : message + "; " + advice;
  }

  Step step() const {
    const SolveReport& report = solver_->report();
    Step step;
    step.t = report.iterations;
    step.finished = finished_;
    step.status = "direct solution";
    if (!solver_->iterative()) return step;
    if (!report.history.empty()) {
      const double goal = std::log(tolerance_), start = std::log(report.history.front());
      if (goal < start) step.fraction = std::clamp((std::log(report.residual) - start) / (goal - start), 0.0, 1.0);
    }
    step.status = solver_->progress();
    if (step.status.empty())
      step.status = formatted("iteration {}, residual {:.2e}", report.iterations, report.residual);
    return step;
  }

  Context context_;
  CollocationOptions options_;
  Formulation problem_;
  double tolerance_ = 0;
  std::unique_ptr<Solver> solver_;
  mutable std::unique_ptr<Solution> solution_;
  bool finished_ = false;
  Slices slices_;
};

// What decides which system of equations is solved and what an iteration keeps: all but tolerances and limits.
std::string identity_text(const CollocationOptions& options, const Formulation& problem, const char* method) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += part + "\n"; };
  for (const auto& [name, formula] : options.block.names.constants) add(name + " = " + formula.text);
  for (const Formula& formula : options.block.names.definitions) add(formula.text);
  text += problem.data.identity;
  const EquationOptions& e = options.block.equation;
  for (const Formula* formula : e.coefficients()) add(formula->text);
  add(e.f.text);
  for (const Formula* formula : {&e.k, &e.source, &options.block.newton.start})
    if (formula->given()) add("k, source, start: " + formula->text);
  if (problem.nonlinear) add(std::to_string(place_of(options.block.newton.damping)));
  if (options.block.sides.corners != CornerChoice::agree) add("mean corners");
  for (const SideOptions& side : options.block.sides.sides) {
    add(side.given ? side.value.text + " | " + side.slope.text : "");
    add(std::to_string(place_of(side.kind)) + side.alpha.text + " | " + side.beta.text +
        std::to_string(place_of(side.data)));
    for (std::size_t k = 0; !side.further.empty() && k <= side.further.size(); ++k) {
      const PieceOptions& piece = side.piece(k);
      add(piece.from.text + " to " + piece.to.text + ": " + std::to_string(place_of(piece.kind)) + piece.alpha.text +
          " | " + piece.beta.text + " | " + piece.value.text + " | " + piece.slope.text);
    }
  }
  if (options.manufactured()) add(options.verify.exact.text);
  const SolverOptions& solver = options.block.solver;
  add(std::string(method) + std::to_string(place_of(solver.smoother)) + std::to_string(place_of(solver.precision)) +
      std::to_string(solver.inner_max_iterations));
  for (const Axis* axis : {&problem.x, &problem.y}) {
    const std::vector<double>& nodes = axis->nodes();
    add(digest({reinterpret_cast<const char*>(nodes.data()), nodes.size() * sizeof(double)}));
  }
  return digest(text);
}

// Meshes with more elements have coefficients and f checked when a run sets up, not by `check`.
constexpr Index most_checked = 256 * 256;

bool check_points(const CollocationOptions& options, const Formulation& problem, Faults& faults) {
  const Index nx = problem.x.elements(), ny = problem.y.elements();
  if (nx * ny > most_checked) return true;
  const NodalBlock whole = nodal_block({{0}, {problem.x.distinct_nodes()}}, problem.x, problem.y);
  const ExecutorPtr host = make_omp_executor(1);
  bool good = true;
  if (!problem.constants) {
    if (const auto fault = check_coefficients(host, problem, whole, allows_any_eta(problem, options.block.solver), 1)) {
      faults.at(path_of(key_of(*fault, problem, options.block.equation)), text_of(*fault, problem));
      good = false;
    }
  }
  Array<double, 1> f(host, {whole.size()});
  std::optional<GaussPoint> bad;
  right_hand_side(host, problem, whole, 1, f.view().data, bad);
  if (bad && (good || !problem.nonlinear)) {
    faults.at("collocation.equation.f", formatted("is not finite at x = {:.6g}, y = {:.6g}", bad->x, bad->y));
    good = false;
  }
  return good;
}

// A field of an output lies on the device as well; no checkpoint has more than the four numbers of a node at a time.
void tell_written(const MethodChoice& choice, Index lines, Index ny, Plan& plan) {
  const auto points = static_cast<std::size_t>((lines + 1) * (ny + 1));
  plan.bytes_per_part += points * sizeof(double);
  plan.in_slabs = false;
  const Method method = choice.entry->method;
  if (method != Method::closed_form && method != Method::separable && method != Method::pencil)
    plan.archived_bytes = 4 * points * sizeof(double);
}

Plan plan(const Options& options, const Shape& shape, Faults& faults) {
  Plan plan;
  const auto& given = static_cast<const CollocationOptions&>(options);
  const auto problem = formulate(given, faults);
  if (!problem) return plan;
  const bool good = check_points(given, *problem, faults);
  const MethodChoice choice = choose_method(*problem, given.block.solver);
  if (choice.entry == nullptr) faults.at("collocation.solver.method", choice.reason);
  if (!good || choice.entry == nullptr) return plan;
  const Index nx = problem->x.elements(), ny = problem->y.elements();
  try {
    const auto [partition, note] = plan_lines(choice, *problem, shape.weights);
    plan.partition = partition;
    if (!choice.reason.empty()) plan.notes.push_back("auto: " + choice.reason);
    if (!note.empty()) plan.notes.push_back(note);
    Index widest = 0;
    for (int p = 0; p < partition.parts(); ++p) widest = std::max(widest, partition.block(p).extent(0));
    plan.unknowns = 4 * nx * ny;
    plan.formulas = identity_text(given, *problem, method_name(choice));
    plan.grid = problem->output_grid();
    if (!problem->nonlinear) plan.end = static_cast<double>(choice.options.max_iterations);
    plan.shape = std::to_string(nx) + " x " + std::to_string(ny) + " elements";
    plan.bytes_per_part =
        solver_bytes(choice, *problem, widest) + SolutionPart::bytes(*problem, widest) + problem->data.bytes;
    plan.notes.insert(plan.notes.end(), problem->data.notes.begin(), problem->data.notes.end());
    plan.notes.insert(plan.notes.end(), problem->notes.begin(), problem->notes.end());
    tell_written(choice, widest, ny, plan);
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
      "2D elliptic problems by bicubic Hermite collocation: multigrid, direct and red-black solvers",
      collocation::make_options,
      collocation::field_names,
      collocation::plan,
      collocation::make_problem,
      Pace::iterations};
  return family;
}

}  // namespace halocline
