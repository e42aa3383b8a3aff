// Keys of family ode_ensemble: equations, sweep, events, solver, phases, what to record and to verify.
//
// Formulas are kept as texts: they may use names that later keys introduce, so the plan checks them (formulation.hpp).
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

constexpr auto words_of(Method) {
  return std::to_array<Word<Method>>({{"rk4", Method::rk4},
                                      {"rkck45", Method::rkck45},
                                      {"dopri5", Method::dopri5},
                                      {"ros23", Method::ros23},
                                      {"rodas5p", Method::rodas5p},
                                      {"auto", Method::automatic},
                                      {"euler_maruyama", Method::euler_maruyama},
                                      {"milstein", Method::milstein}});
}

constexpr auto words_of(Controller) {
  return std::to_array<Word<Controller>>({{"mixed", Controller::mixed}, {"rms", Controller::rms}});
}

enum class Integrals { controlled, free };  // whether their error decides about steps
constexpr auto words_of(Integrals) {
  return std::to_array<Word<Integrals>>({{"controlled", Integrals::controlled}, {"free", Integrals::free}});
}

enum class Paths { own, common };  // of noise
constexpr auto words_of(Paths) { return std::to_array<Word<Paths>>({{"own", Paths::own}, {"common", Paths::common}}); }

enum class Spacing { linear, log };
constexpr auto words_of(Spacing) {
  return std::to_array<Word<Spacing>>({{"linear", Spacing::linear}, {"log", Spacing::log}});
}

enum class Direction { falling, rising, both };  // of a crossing
constexpr auto words_of(Direction) {
  return std::to_array<Word<Direction>>(
      {{"falling", Direction::falling}, {"rising", Direction::rising}, {"both", Direction::both}});
}

enum class Interpolation { monotone, linear };
constexpr auto words_of(Interpolation) {
  return std::to_array<Word<Interpolation>>({{"monotone", Interpolation::monotone}, {"linear", Interpolation::linear}});
}

enum class Outside { refuse, hold };  // beyond the times of a table
constexpr auto words_of(Outside) {
  return std::to_array<Word<Outside>>({{"refuse", Outside::refuse}, {"hold", Outside::hold}});
}

enum class Powers { accurate, exp_log };
constexpr auto words_of(Powers) {
  return std::to_array<Word<Powers>>({{"accurate", Powers::accurate}, {"exp_log", Powers::exp_log}});
}

enum class ReadyModel { none, riccati, lorenz, keller_miksis, relief_valve };
constexpr auto words_of(ReadyModel) {
  return std::to_array<Word<ReadyModel>>({{"none", ReadyModel::none},
                                          {"riccati", ReadyModel::riccati},
                                          {"lorenz", ReadyModel::lorenz},
                                          {"keller_miksis", ReadyModel::keller_miksis},
                                          {"relief_valve", ReadyModel::relief_valve}});
}

enum class Combination { product, zip };
constexpr auto words_of(Combination) {
  return std::to_array<Word<Combination>>({{"product", Combination::product}, {"zip", Combination::zip}});
}

enum class OnFailure { finish, stop, report };
constexpr auto words_of(OnFailure) {
  return std::to_array<Word<OnFailure>>(
      {{"finish", OnFailure::finish}, {"stop", OnFailure::stop}, {"report", OnFailure::report}});
}

enum class Evaluation { automatic, compiled, interpreted, tree };
constexpr auto words_of(Evaluation) {
  return std::to_array<Word<Evaluation>>({{"auto", Evaluation::automatic},
                                          {"compiled", Evaluation::compiled},
                                          {"interpreted", Evaluation::interpreted},
                                          {"tree", Evaluation::tree}});
}

struct TableOptions final : Options {
  std::vector<NamedFormula> file;  // one text; its place tells where the deck lies
  std::vector<std::string> columns;
  void describe(Describer& d) override;
};

struct RandomOptions final : Options {
  std::vector<double> uniform, normal;
  Index seed = 1;
  void describe(Describer& d) override;
};

// One entry of `sweep`.
struct SweepOptions final : Options {
  std::string name;
  double from = std::numeric_limits<double>::quiet_NaN(), to = from;  // not given
  Index points = 0, paths = 0;
  Spacing spacing = Spacing::linear;
  std::vector<double> values;
  TableOptions table;
  RandomOptions random;
  bool has_from = false, has_to = false, has_points = false, has_spacing = false, has_values = false, has_table = false,
       has_random = false, has_paths = false;
  void describe(Describer& d) override;
};

// One entry of `forcing`.
struct ForcingOptions final : Options {
  std::string name, time, value;
  std::vector<NamedFormula> file;
  Interpolation interpolation = Interpolation::monotone;
  Outside outside = Outside::refuse;
  void describe(Describer& d) override;
};

struct RestOptions final : Options {
  std::vector<NamedFormula> speed, until;
  std::vector<std::string> hold;
  double below = 0;
  void describe(Describer& d) override;
};

struct EventOptions final : Options {
  std::string name;
  std::vector<NamedFormula> crossing, then;
  Direction direction = Direction::both;
  bool ends_phase = false, has_rest = false;
  RestOptions rest;
  void describe(Describer& d) override;
};

struct AccumulatorOptions final : Options {
  std::vector<NamedFormula> maximum, minimum, mean, integral, value, start, each_step;
  std::string count, at;
  bool refined = false, keep = false, lyapunov = false;
  std::vector<std::vector<NamedFormula>> at_event;  // by event, in the order of `events`
  const ListOf<EventOptions>* events = nullptr;     // described before
  void describe(Describer& d) override;
};

struct AccumulatorList final : OptionsList {
  std::vector<AccumulatorOptions> blocks;
  std::vector<std::string> names;
  const ListOf<EventOptions>* events = nullptr;
  Index size() const override { return static_cast<Index>(blocks.size()); }
  Options& at(Index number) override { return blocks[static_cast<std::size_t>(number)]; }
  Options& add() override;
  std::unique_ptr<Options> sample() const override { return std::make_unique<AccumulatorOptions>(); }
};

struct SolverOptions final : Options {
  Method method = Method::rkck45;
  Controller controller = Controller::mixed;
  Integrals integrals = Integrals::controlled;
  NamedNumbers rtol, atol;
  double step = 0, first_step = 0, min_step = 0, max_step = 0, event_tolerance = 1e-12;
  Index max_steps = 100000000, seed = 1, fine_steps = 1;
  Paths paths = Paths::own;
  bool has_method = false, has_controller = false, has_integrals = false, has_rtol = false, has_atol = false,
       has_step = false, has_first_step = false, has_min_step = false, has_max_step = false, has_seed = false,
       has_fine_steps = false, has_paths = false;
  void describe(Describer& d) override;
};

struct PhaseOptions final : Options {
  std::vector<NamedFormula> start, length, at_most;
  std::string ends;
  bool restart_time = false, restart_step = false;
  double steady = 0;
  void describe(Describer& d) override;
};

struct RepeatOptions final : Options {
  Index transient = 0, record = 1;
  void describe(Describer& d) override;
};

struct TrajectoryOptions final : Options {
  std::vector<double> systems;
  double every = 0;
  bool steps = false;
  void describe(Describer& d) override;
};

struct TimesOptions final : Options {
  std::vector<NamedFormula> from, to;
  std::vector<double> times;
  Index points = 0;
  std::vector<std::string> values;
  bool has_points = false, has_times = false;
  void describe(Describer& d) override;
};

struct RecordOptions final : Options {
  std::vector<std::string> final_values, each_phase;
  TimesOptions at_times;
  std::vector<NamedFormula> all_phases;
  TrajectoryOptions trajectory;
  bool has_each_phase = false, has_trajectory = false, has_at_times = false;
  void describe(Describer& d) override;
};

struct MathOptions final : Options {
  Powers pow = Powers::accurate;
  void describe(Describer& d) override;
};

struct VerifyOptions final : Options {
  std::vector<NamedFormula> reference, only, match, compare;
  NamedNumbers max_error;
  bool given = false;
  void describe(Describer& d) override;
};

struct BlockOptions final : Options {
  ReadyModel model = ReadyModel::none;
  std::vector<NamedFormula> constants, definitions, equations, noise, initial;
  ListOf<SweepOptions> sweep;
  Combination combine = Combination::product;
  ListOf<ForcingOptions> forcing;
  ListOf<EventOptions> events;
  AccumulatorList accumulators;
  SolverOptions solver;
  PhaseOptions phase;
  RepeatOptions repeat;
  RecordOptions record;
  MathOptions math;
  OnFailure on_failure = OnFailure::finish;
  Evaluation evaluation = Evaluation::automatic;
  bool has_repeat = false;
  void describe(Describer& d) override;
};

struct EnsembleOptions final : Options {
  BlockOptions block;
  VerifyOptions verify;
  void describe(Describer& d) override;
};

}  // namespace halocline::ode_ensemble
