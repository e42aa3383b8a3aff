#include "lib/problems/fractional/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/format.hpp"
#include "lib/problems/fractional/data_scale.hpp"
#include "lib/problems/fractional/kernel_seconds.hpp"
#include "lib/problems/fractional/output_series.hpp"
#include "lib/problems/fractional/stepper.hpp"
#include "lib/time/slices.hpp"

namespace halocline::fractional {

namespace {

constexpr Index steps_per_check = 64;  // for values that are not finite, or far too large
constexpr double far_too_large = 1e6;  // times what the data let expect
constexpr double same_time = 1e-9;     // of a step
constexpr double infinity = std::numeric_limits<double>::infinity();

class FractionalProblem final : public Problem {
 public:
  FractionalProblem(const Context& context, const FractionalOptions& options)
      : context_(context),
        options_(options),
        f_(formulate(options_)),
        scale_(f_.nonlinear() ? 0 : scale_of_data(f_)),
        stepper_(make_stepper(context_, f_)),
        slices_(context_.comm),
        kernel_seconds_(context_, f_.last, f_.history.block),
        series_(f_.exact.has_value()) {
    context_.log.info(formatted("{} steps to t = {}, from {} to {} of psi; {}", f_.last, brief_text(end()),
                                brief_text(levels().step(1)), brief_text(levels().step(f_.last)), stepper_->summary()));
  }

  void initialize() override {
    stepper_->set_initial();
    if (const Index bad = stepper_->first_bad(); bad >= 0)
      throw DeckError(formatted("{}: fractional.equation.initial: is not finite on some nodes, first at {}",
                                to_string(options_.block.equation.initial.place), place_text(bad)));
    stepper_->choose_split();
    show(0);
    kernel_seconds_.note(0);
    mass_at_start_ = stepper_->shown().measure().mass;
    keep_series();
  }

  Step advance(double t_stop) override {
    const double stop = std::min(t_stop, end());
    unchecked_ += slices_.run([&] { return steps_towards(stop); });
    kernel_seconds_.note(stepper_->level());
    show(reached(stop) ? stop : levels().t(stepper_->level()));
    if (unchecked_ >= steps_per_check || time_ >= stop) check_values();
    if (time_ >= stop) keep_series();
    Step step;
    step.t = time_;
    step.fraction = static_cast<double>(stepper_->level()) / static_cast<double>(f_.last);
    step.finished = time_ >= end();
    step.before_end = held_ && stepper_->level() + 1 == f_.last;
    step.status = formatted("step {} of {}", stepper_->level(), f_.last);
    return step;
  }

  void publish(FieldSink& sink) const override {
    const UniformGrid& g = f_.grid;
    sink.grid(g.output_grid());
    series_.publish(sink);
    if (!sink.wants(field_names[0])) return;
    const FieldInfo info{field_names[0], "1", Centring::point, AxisOrder::x_fastest};
    for (int p = 0; p < context_.team.parts(); ++p)
      sink.field(info, p, stepper_->block(p), stepper_->shown().field().view(p), *context_.team.executor(p));
  }

  void archive(StateArchive& state) override {
    if (!state.restoring() && unchecked_ > 0) check_values();  // a checkpoint is a good one
    state.scalar("time", time_);
    state.scalar("mass_at_start", mass_at_start_);
    series_.archive(state, context_.comm.rank() == 0);
    stepper_->archive(state);
    if (!state.restoring()) return;
    if (stepper_->level() > f_.last)
      throw DeckError(
          formatted("fractional.time.end: is {}, but the checkpoint is from {}", brief_text(end()), when()));
    show(time_);
  }

  void verify(Findings& findings) const override {
    log_rate();
    const VerifyOptions& limits = options_.verify;
    findings.add("steps", "1", static_cast<double>(stepper_->level()));
    const Measures m = stepper_->shown().measure();
    if (limits.mass.empty())
      findings.add("mass", "1", m.mass);
    else
      findings.check("mass", "1", m.mass, limits.mass[0], limits.mass[1]);
    if (limits.mass_balance > 0) verify_balance(findings, m);
    findings.add("min", "1", m.low);
    findings.add("max", "1", m.high);
    const HistoryFigures history = stepper_->history();
    findings.add("terms", "1", history.terms);
    if (history.terms > 0) findings.add("kernel_error", "1", history.kernel_error);
    kernel_seconds_.publish(findings);
    const SplitFigures& split = stepper_->split();
    if (split.estimated) findings.add("split_error", "1", split.error);
    findings.add("unsplit_steps", "1", static_cast<double>(split.unsplit_steps));
    findings.add("iterations", "1", static_cast<double>(split.iterations));
    if (f_.exact) verify_errors(findings);
  }

  double next_step_time(Index every) const override {
    const Index passed = stepper_->level() - (time_ < levels().t(stepper_->level()) ? 1 : 0);
    const Index next = (passed / every + 1) * every;
    return next <= f_.last ? levels().t(next) : infinity;
  }

  Traffic traffic() const override { return stepper_->traffic(); }

 private:
  const Levels& levels() const { return *f_.levels; }
  double end() const { return levels().t(f_.last); }

  // Steps of a slice, at most up to the first level at or after `stop`; how many.
  Index steps_towards(double stop) {
    const auto scope = context_.timers.scope("steps");
    const Index from = stepper_->level(), block = f_.history.block;
    Index to = kernel_seconds_.slice_end(from, from + slices_.steps());
    if (to / block * block > from) to = to / block * block;  // checkpoints are smallest between blocks
    const bool holds = !held_ && to >= f_.last;
    if (holds) to = f_.last - 1;
    while (stepper_->level() < to && !reached(stop)) stepper_->step();
    stepper_->wait();
    held_ = held_ || (holds && stepper_->level() == to);
    return stepper_->level() - from;
  }

  // Whether the level is at `stop`, but for rounding, or after it.
  bool reached(double stop) const {
    const Index l = stepper_->level();
    if (l == f_.last) return true;
    return levels().t(l) >= stop - same_time * (levels().t(l + 1) - levels().t(l));
  }

  // Shows the field at time `t`, which the last step has reached.
  void show(double t) {
    time_ = t;
    const Index l = stepper_->level();
    const bool between = l > 0 && t < levels().t(l) - same_time * (levels().t(l) - levels().t(l - 1));
    stepper_->show(between ? levels().fraction_within(l, t) : 1);
  }

  std::string place_text(Index node) const {
    const UniformGrid& g = f_.grid;
    return g.place_text(node % g.extent[0], node / g.extent[0] % g.extent[1], node / (g.extent[0] * g.extent[1]));
  }

  void check_values() {
    if (const Index bad = stepper_->first_bad(); bad >= 0)
      throw NumericalError(formatted("c is not finite after {}, first at {}; it was finite after step {}", when(),
                                     place_text(bad), stepper_->level() - unchecked_));
    unchecked_ = 0;
    if (!(scale_ > 0)) return;
    const Measures m = stepper_->shown().measure();
    const double largest = std::max(std::abs(m.low), std::abs(m.high));
    if (largest > far_too_large * scale_)
      throw NumericalError(
          formatted("c has grown to {} after {}, where the data give reason for about {}: the steps "
                    "are not stable; use more steps, or solver.predictor: zero",
                    brief_text(largest), when(), brief_text(scale_)));
  }

  std::string when() const { return formatted("step {} (t = {})", stepper_->level(), brief_text(time_)); }

  void keep_series() {
    const Measures m = stepper_->shown().measure();
    series_.add({time_, static_cast<double>(stepper_->level()), m.low, m.high, f_.exact ? errors().largest : 0});
  }

  ErrorMeasures errors() const {
    return stepper_->shown().errors(*f_.exact, f_.exact_factor ? f_.exact_factor(time_) : time_);
  }

  void verify_errors(Findings& findings) const {
    const ErrorMeasures e = errors();
    const double rms = std::sqrt(e.square / static_cast<double>(f_.grid.unknowns()));
    findings.check("max_error.c", "1", e.largest, -infinity, options_.verify.max_error.of(field_names[0], infinity));
    findings.check("rms_error.c", "1", rms, -infinity, options_.verify.rms_error.of(field_names[0], infinity));
  }

  void verify_balance(Findings& findings, const Measures& m) const {
    double full =
        largest_capacity(f_) * std::max(std::abs(m.low), std::abs(m.high));  // a box full of the largest value
    for (int axis = 0; axis < 3; ++axis) full *= f_.grid.high(axis) - f_.grid.low(axis);
    const double gap = std::abs(m.mass - mass_at_start_), scale = std::max(full, std::abs(mass_at_start_));
    findings.check("mass_balance", "1", scale > 0 ? gap / scale : gap, 0, options_.verify.mass_balance);
  }

  void log_rate() const {
    if (slices_.done() == 0 || !(slices_.seconds() > 0)) return;
    const double steps = static_cast<double>(slices_.done()) / slices_.seconds();
    context_.log.info(
        formatted("{:.4g} Gnode/s, {:.4g} steps/s", 1e-9 * static_cast<double>(f_.grid.unknowns()) * steps, steps));
  }

  Context context_;
  FractionalOptions options_;
  Formulation f_;
  double scale_;  // of c, by the data; 0: not known
  std::unique_ptr<Stepper> stepper_;
  Slices slices_;
  KernelSeconds kernel_seconds_;
  OutputSeries series_;
  double time_ = 0;  // that is shown; the level's, or less
  double mass_at_start_ = 0;
  bool held_ = false;    // before the step to the last level, so that a checkpoint serves runs with more of them
  Index unchecked_ = 0;  // steps since the values were last seen to be finite
};

}  // namespace

std::unique_ptr<Problem> make_problem(const Context& context, const Options& options) {
  return std::make_unique<FractionalProblem>(context, static_cast<const FractionalOptions&>(options));
}

}  // namespace halocline::fractional
