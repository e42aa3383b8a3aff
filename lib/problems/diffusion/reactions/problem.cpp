#include "lib/problems/diffusion/reactions/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lib/base/format.hpp"
#include "lib/problems/diffusion/balance/mass_balance.hpp"
#include "lib/problems/diffusion/reactions/stepper.hpp"
#include "lib/time/slices.hpp"

namespace halocline::diffusion {

namespace {

constexpr Index steps_per_check = 64;  // for values that are not finite
constexpr double infinity = std::numeric_limits<double>::infinity();

class ReactionProblem final : public Problem {
 public:
  ReactionProblem(const Context& context, const DiffusionOptions& options)
      : context_(context),
        options_(options),
        r_(formulate_reactions(options_)),
        stepper_(context_, r_),
        time_(r_.dt),
        slices_(context_.comm, stepper_.group()) {
    time_.hold_before(r_.end);
    context_.log.info(formatted(
        "{} steps of {:.6g}, {}; {}", r_.steps, r_.dt,
        std::isfinite(r_.limit) ? "limit of stability " + brief_text(r_.limit) : "no limit of stability at t = 0",
        stepper_.summary()));
  }

  void initialize() override {
    stepper_.set();
    for (int f = 0; f < r_.count(); ++f)
      if (field(f).alone.keeps_source)
        mass_at_start_[static_cast<std::size_t>(f)] = total(stepper_.state(f)) * r_.geometry().volume();
    for (int f = 0; f < r_.count(); ++f)
      if (const Index bad = extremes(stepper_.state(f)).bad; bad >= 0) {
        const std::string& name = field(f).name;
        throw DeckError(to_string(options_.block.equations.of(name)->initial.place) + ": diffusion.equations." + name +
                        ".initial: is not finite on some cells, first at " + place_text(bad));
      }
  }

  Step advance(double t_stop) override {
    const double stop = std::min(t_stop, r_.end);
    const Index before = time_.steps();
    slices_.run([&] {
      const auto scope = context_.timers.scope("steps");
      const Index done = options_.block.time.exact_times ? time_.towards(stepper_, stop, slices_.steps())
                                                         : time_.observe(stepper_, stop, r_.end, slices_.steps());
      stepper_.wait();
      return done;
    });
    unchecked_ += time_.steps() - before;
    if (unchecked_ >= steps_per_check || time_.time() >= stop) check_finite();
    return step();
  }

  void publish(FieldSink& sink) const override {
    sink.grid(r_.geometry().output_grid());
    for (int f = 0; f < r_.count(); ++f) {
      if (!sink.wants(field(f).name)) continue;
      const FieldInfo info{field(f).name, field(f).unit, Centring::cell, AxisOrder::x_fastest};
      for (int p = 0; p < context_.team.parts(); ++p) {
        sink.field(info, p, stepper_.box(p), stepper_.state(f).view(p), *context_.team.executor(p));
      }
    }
  }

  void archive(StateArchive& state) override {
    if (!state.restoring() && unchecked_ > 0) check_finite();  // a checkpoint is a good one
    time_.with_whole_step(stepper_, state, [&] {
      time_.archive(state);
      for (int f = 0; f < r_.count(); ++f)
        if (field(f).alone.keeps_source)
          state.scalar(("mass_at_start_" + field(f).name).c_str(), mass_at_start_[static_cast<std::size_t>(f)]);
      stepper_.archive(state);
    });
  }

  void verify(Findings& findings) const override {
    log_rate();
    findings.add("steps", "1", static_cast<double>(time_.steps()));
    for (int f = 0; f < r_.count(); ++f) verify(f, findings);
    const auto kept = [](const ReactingField& one) { return one.alone.keeps_source; };
    if (std::none_of(r_.fields.begin(), r_.fields.end(), kept))
      add_missing(findings, "of several fields", "verify.fields.NAME.mass_balance");
  }

  double next_step_time(Index every) const override { return time_.next_multiple(every); }
  Index steps_done() const override { return time_.steps(); }

  Traffic traffic() const override { return stepper_.traffic(); }

 private:
  const ReactingField& field(int number) const { return r_.fields[static_cast<std::size_t>(number)]; }

  // Of one field, by name.
  void verify(int f, Findings& findings) const {
    static const FieldVerifyOptions nothing;
    const auto& [name, unit, alone] = field(f);
    const FieldVerifyOptions* given = options_.verify.fields.of(name);
    const FieldVerifyOptions& limits = given != nullptr ? *given : nothing;
    const Measures m = stepper_.measure(f);
    const UniformGrid& g = r_.geometry();
    const std::string unit_of_mass = unit == "1" ? unit : unit + " length^" + std::to_string(g.dimensions);
    add(findings, "mass." + name, unit_of_mass, m.mass, limits.mass);
    add(findings, "min." + name, unit, m.low, limits.min);
    add(findings, "max." + name, unit, m.high, limits.max);
    if (alone.keeps_source) {
      const double full = g.volume() * static_cast<double>(g.unknowns()) * std::max(std::abs(m.low), std::abs(m.high));
      const BalanceOf of{"." + name, unit_of_mass, mass_at_start_[static_cast<std::size_t>(f)], full,
                         limits.mass_balance};
      add_gains(findings, of, m, g.dimensions);
      add_gap(findings, of, m);
    }
    if (!alone.exact) return;
    const ErrorSums sums = formula_errors(stepper_.state(f), *alone.exact, time_.time());
    const double rms = std::sqrt(sums.square / static_cast<double>(r_.geometry().unknowns()));
    const auto limit = [](double value) { return value > 0 ? value : infinity; };
    findings.check("max_error." + name, unit, sums.largest, -infinity, limit(limits.max_error));
    findings.check("rms_error." + name, unit, rms, -infinity, limit(limits.rms_error));
  }

  // A range that is not given stands for none.
  static void add(Findings& findings, const std::string& name, const std::string& unit, double value,
                  const std::vector<double>& range) {
    if (range.empty()) return findings.add(name, unit, value);
    findings.check(name, unit, value, range[0], range[1]);
  }

  std::string place_text(Index cell) const {
    const auto& cells = r_.geometry().extent;
    return r_.geometry().place_text(cell % cells[0], cell / cells[0] % cells[1], cell / (cells[0] * cells[1]));
  }

  void check_finite() {
    for (int f = 0; f < r_.count(); ++f)
      if (const Index bad = extremes(stepper_.state(f)).bad; bad >= 0)
        throw NumericalError(field(f).name + " is not finite after step " + std::to_string(time_.steps()) +
                             " (t = " + brief_text(time_.time()) + "), first at " + place_text(bad) +
                             "; all fields were finite after step " + std::to_string(time_.steps() - unchecked_));
    unchecked_ = 0;
  }

  void log_rate() const {
    if (slices_.done() == 0 || !(slices_.seconds() > 0)) return;
    const double steps = static_cast<double>(slices_.done()) / slices_.seconds();
    context_.log.info(formatted("{:.4g} Gcell/s of {} fields, {:.4g} steps/s",
                                1e-9 * steps * static_cast<double>(r_.geometry().unknowns()), r_.count(), steps));
  }

  Step step() const {
    Step step;
    step.t = time_.time();
    step.fraction = time_.time() / r_.end;
    step.finished = time_.time() >= r_.end;
    step.before_end = time_.held();
    step.status = "step " + std::to_string(time_.steps());  // shortened ones are not planned
    if (time_.steps() <= r_.steps) step.status += " of " + std::to_string(r_.steps);
    return step;
  }

  Context context_;
  DiffusionOptions options_;
  Reactions r_;
  ReactionStepper stepper_;
  Stepping time_;
  Slices slices_;
  std::array<double, most_fields> mass_at_start_{};  // of fields that keep a balance
  Index unchecked_ = 0;                              // steps since the values were last seen to be finite
};

}  // namespace

std::unique_ptr<Problem> make_reaction_problem(const Context& context, const DiffusionOptions& options) {
  return std::make_unique<ReactionProblem>(context, options);
}

}  // namespace halocline::diffusion
