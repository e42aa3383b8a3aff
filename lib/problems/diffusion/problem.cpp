#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "lib/base/format.hpp"
#include "lib/problems/diffusion/balance/mass_balance.hpp"
#include "lib/problems/diffusion/diffusion.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/plan.hpp"
#include "lib/problems/diffusion/reactions/problem.hpp"
#include "lib/problems/diffusion/stepper.hpp"
#include "lib/time/slices.hpp"

namespace halocline {

namespace diffusion {

namespace {

constexpr std::size_t history_width = 3;
constexpr Index steps_per_check = 64;  // for values that are not finite

class DiffusionProblem final : public Problem {
 public:
  DiffusionProblem(const Context& context, const DiffusionOptions& options)
      : context_(context),
        options_(options),
        f_(formulate(options_)),
        stepper_(make_stepper(context_, f_, options_.block.precision == Precision::fp32)),
        time_(f_.dt, f_.tolerance > 0),
        slices_(context_.comm, stepper_->group()) {
    time_.hold_before(f_.end);
    context_.log.info(formatted(
        "{}, {}; {}", steps_text(),
        std::isfinite(f_.limit) ? "limit of stability " + brief_text(f_.limit) : "no limit of stability at t = 0",
        stepper_->summary()));
  }

  void initialize() override {
    stepper_->set(f_.initial);
    if (const Index bad = stepper_->first_bad(); bad >= 0)
      throw DeckError(to_string(options_.block.equation.initial.place) +
                      ": diffusion.equation.initial: " + fault_of_initial(cell(bad)));
    mass_at_start_ = stepper_->measure().mass;
    keep_history();
  }

  Step advance(double t_stop) override {
    const double stop = std::min(t_stop, f_.end);
    const Index before = time_.steps();
    slices_.run([&] {
      const auto scope = context_.timers.scope("steps");
      const Index done = options_.block.time.exact_times ? time_.towards(*stepper_, stop, slices_.steps())
                                                         : time_.observe(*stepper_, stop, f_.end, slices_.steps());
      stepper_->wait();
      return done;
    });
    unchecked_ += time_.steps() - before;
    if (unchecked_ >= steps_per_check || time_.time() >= stop) check_finite();
    if (time_.time() >= stop || time_.at_multiple()) keep_history();
    return step();
  }

  void publish(FieldSink& sink) const override {
    sink.grid(f_.geometry.output_grid());
    if (!sink.wants(field_names[0])) return;
    const ExecutorPtr host = make_omp_executor(1);
    const UniformGrid& g = f_.geometry;
    const FieldInfo info{field_names[0], "1", g.layout == GridLayout::cells ? Centring::cell : Centring::point,
                         AxisOrder::x_fastest};
    for (int p = 0; p < context_.team.parts(); ++p) {
      const Range<3> block = stepper_->box(p);
      const View<const double, 3> there = stepper_->view(p);
      if (there.data != nullptr) {
        sink.field(info, p, block, there, *context_.team.executor(p));
        continue;
      }
      const std::vector<double> values = stepper_->state(p);
      sink.field(info, p, block,
                 View<const double, 3>(values.data(), block.extent(2), block.extent(1), block.extent(0)), *host);
    }
    if (history_name() == nullptr) return;
    std::vector<double> times, values, steps;
    for (std::size_t n = 0; n < history_.size(); n += history_width) {
      times.push_back(history_[n]);
      values.push_back(history_[n + 1]);
      steps.push_back(history_[n + 2]);
    }
    sink.series(history_name() + std::string("_step"), "1", steps);
    sink.series(history_name() + std::string("_time"), "problem time", times);
    sink.series(history_name(), "1", values);
  }

  void archive(StateArchive& state) override {
    if (!state.restoring() && unchecked_ > 0) check_finite();  // a checkpoint is a good one
    time_.with_whole_step(*stepper_, state, [&] {
      time_.archive(state);
      state.scalar("mass_at_start", mass_at_start_);
      archive_history(state);
      stepper_->archive(state);
    });
  }

  void verify(Findings& findings) const override {
    log_rate();
    const VerifyOptions& limits = options_.verify;
    findings.add("steps", "1", static_cast<double>(time_.steps()));
    stepper_->report(findings);
    const Measures m = stepper_->measure();
    add(findings, "mass", m.mass, limits.mass);
    findings.add("min", "1", m.low);
    findings.add("max", "1", m.high);
    if (m.energy) add(findings, "energy", *m.energy, limits.energy);
    if (f_.geometry.layout == GridLayout::cells && f_.stencil.symmetric()) verify_balance(findings, m);
    if (f_.exact || limits.reference != Reference::none) verify_errors(findings);
    if (is_benchmark()) add(findings, "wrss", benchmark_residual(), limits.wrss);
  }

  double next_step_time(Index every) const override { return time_.next_multiple(every); }
  Index steps_done() const override { return time_.steps(); }

  Traffic traffic() const override { return stepper_->traffic(); }

 private:
  std::string steps_text() const {
    if (f_.tolerance > 0) return formatted("steps by a tolerance of {:.6g}, the first {:.6g}", f_.tolerance, f_.dt);
    return formatted("{} steps of {:.6g}", f_.steps, f_.dt);
  }

  // What is kept at times of output: the free energy, where the equation has one, or the benchmark's residual; null:
  // none.
  const char* history_name() const {
    if (f_.equation == EquationKind::cahn_hilliard) return "energy";
    return is_benchmark() ? "wrss" : nullptr;
  }
  bool is_benchmark() const {
    return f_.equation == EquationKind::diffusion && f_.geometry.layout == GridLayout::ringed &&
           f_.geometry.dimensions == 2;
  }

  void keep_history() {
    if (history_name() == nullptr) return;
    if (!history_.empty() && *(history_.end() - history_width) == time_.time()) return;  // told twice
    const auto scope = context_.timers.scope("residual");
    const double value = is_benchmark() ? benchmark_residual() : *stepper_->measure().energy;
    history_.insert(history_.end(), {time_.time(), value, static_cast<double>(time_.steps())});
  }

  void archive_history(StateArchive& state) {
    if (history_name() == nullptr) return;
    Index rows = static_cast<Index>(history_.size() / history_width);
    state.scalar("history_rows", rows);
    history_.resize(static_cast<std::size_t>(rows) * history_width);
    const Range<1> own{{0}, {state.restoring() || context_.comm.rank() == 0 ? rows : 0}};
    constexpr Index width = history_width;
    state.block("history", rows, width, own, View<double, 1>(history_.data(), width * own.extent(0)),
                *make_omp_executor(1));
  }

  using Cell = std::array<Index, 3>;
  Cell cell(Index number) const {
    const auto& cells = f_.geometry.extent;
    return {number % cells[0], number / cells[0] % cells[1], number / (cells[0] * cells[1])};
  }
  std::string place_text(const Cell& at) const { return f_.geometry.place_text(at[0], at[1], at[2]); }

  // What is wrong with a cell whose initial state is not finite: the formula, or the range of its precision.
  std::string fault_of_initial(const Cell& at) const {
    const UniformGrid& g = f_.geometry;
    const double zero = 0, x = g.coordinate(0, at[0]), y = g.coordinate(1, at[1]);
    const double z = g.dimensions > 2 ? g.coordinate(2, at[2]) : 0;
    const std::span<const double> variables[5] = {{&x, 1}, {&y, 1}, {&z, 1}, {&zero, 1}, {&zero, 1}};
    double value = 0;
    const std::span<double> results[1] = {{&value, 1}};
    evaluate(f_.initial, variables, results);
    if (options_.block.precision == Precision::fp32 && std::isfinite(value))
      return formatted("is {:.6g} at {}, beyond the range of fp32 ({:.2g}); diffusion.precision: fp64 would hold it",
                       value, place_text(at), std::numeric_limits<float>::max());
    return "is not finite on some cells, first at " + place_text(at);
  }

  void check_finite() {
    const Index bad = stepper_->first_bad();
    if (bad >= 0)
      throw NumericalError("c is not finite after step " + std::to_string(time_.steps()) +
                           " (t = " + brief_text(time_.time()) + "), first at " + place_text(cell(bad)) +
                           "; it was finite after step " + std::to_string(time_.steps() - unchecked_));
    unchecked_ = 0;
  }

  // A range that is not given stands for none.
  static void add(Findings& findings, const char* name, double value, const std::vector<double>& range) {
    if (range.empty()) {
      findings.add(name, "1", value);
    } else {
      findings.check(name, "1", value, range[0], range[1]);
    }
  }

  void verify_balance(Findings& findings, const Measures& m) const {
    const double full = f_.geometry.volume() * static_cast<double>(f_.geometry.unknowns()) *
                        std::max(std::abs(m.low), std::abs(m.high));
    const BalanceOf of{"", "1", mass_at_start_, full, options_.verify.mass_balance};
    add_gains(findings, of, m, f_.geometry.dimensions);
    if (!f_.terms.source || m.source) return add_gap(findings, of, m);
    add_missing(findings, "with a source", "verify.mass_balance");
  }

  void verify_errors(Findings& findings) const {
    const UniformGrid& g = f_.geometry;
    const ErrorSums sums = f_.exact ? stepper_->errors(FormulaAtTime{&*f_.exact, time_.time()})
                                    : stepper_->errors(carburizing(g, f_.diffusivity, time_.time()));
    const double infinity = std::numeric_limits<double>::infinity();
    const double rms = std::sqrt(sums.square / static_cast<double>(g.unknowns()));
    findings.check("max_error.c", "1", sums.largest, -infinity, options_.verify.max_error.of(field_names[0], infinity));
    findings.check("rms_error.c", "1", rms, -infinity, options_.verify.rms_error.of(field_names[0], infinity));
    if (options_.verify.reference != Reference::none)
      findings.add("uptake.exact", "1", carburizing_uptake(g, f_.diffusivity, time_.time()));
  }

  // The residual of the benchmark HiPerC: a mean square of the gap to its formula.
  double benchmark_residual() const {
    const UniformGrid& g = f_.geometry;
    const ErrorSums sums = stepper_->errors(benchmark(g, f_.diffusivity, time_.time()));
    return sums.square /
           (static_cast<double>(g.extent[0] + g.ring - 1) * static_cast<double>(g.extent[1] + g.ring - 1));
  }

  // Cells per second, and bytes by the model of 16 bytes (of doubles) per cell and step.
  void log_rate() const {
    if (slices_.done() == 0 || !(slices_.seconds() > 0)) return;
    const double rate = static_cast<double>(f_.geometry.unknowns()) * stepper_->passes_per_step() *
                        static_cast<double>(slices_.done()) / slices_.seconds();
    context_.log.info(formatted("{:.4g} Gcell/s{}, {:.4g} steps/s", 1e-9 * rate,
                                f_.method == TimeMethod::euler ? "" : " in stages",
                                static_cast<double>(slices_.done()) / slices_.seconds()));
  }

  Step step() const {
    Step step;
    step.t = time_.time();
    step.fraction = time_.time() / f_.end;
    step.finished = time_.time() >= f_.end;
    step.before_end = time_.held();
    step.status = "step " + std::to_string(time_.steps());  // shortened ones are not planned
    if (time_.steps() <= f_.steps) step.status += " of " + std::to_string(f_.steps);
    return step;
  }

  Context context_;
  DiffusionOptions options_;
  Formulation f_;
  std::unique_ptr<Stepper> stepper_;
  Stepping time_;
  Slices slices_;
  double mass_at_start_ = 0;
  std::vector<double> history_;  // time, value and step of each
  Index unchecked_ = 0;          // steps since the values were last seen to be finite
};

std::unique_ptr<Options> make_options() { return std::make_unique<DiffusionOptions>(); }

std::unique_ptr<Problem> make_problem(const Context& context, const Options& options) {
  const auto& given = static_cast<const DiffusionOptions&>(options);
  if (!given.block.fields.empty()) return make_reaction_problem(context, given);
  return std::make_unique<DiffusionProblem>(context, given);
}

std::span<const char* const> fields_of(const Options& options) {
  const auto& block = static_cast<const DiffusionOptions&>(options).block;
  if (block.fields.empty() || !block.equations.fields) return field_names;
  const std::span<const char* const> names(block.equations.fields->variables);
  return names.size() > moving_variables.size() ? names.subspan(moving_variables.size()) : field_names;
}

}  // namespace

}  // namespace diffusion

const Family& diffusion_family() {
  static const Family family{"diffusion",
                             "explicit diffusion in 2D and 3D by any mask, with walls in pieces; benchmark HiPerC",
                             diffusion::make_options,
                             diffusion::field_names,
                             diffusion::plan,
                             diffusion::make_problem,
                             Pace::steps,
                             true,
                             diffusion::compat_formats,
                             diffusion::fields_of};
  return family;
}

}  // namespace halocline
