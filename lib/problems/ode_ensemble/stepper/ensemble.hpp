// The contract between the ensemble's stepper, its models and whoever starts it, in builtin types only.
//
// Seventeen texts make up the device side of the family, in this order: ensemble.hpp, device_math.hpp, lanes.hpp,
// functions.hpp, events.hpp, steppers.hpp, noise.hpp, dense.hpp, rosenbrock.hpp, stiffness.hpp, working.hpp,
// phases.hpp, extension.hpp, observe.hpp, locate.hpp, queue.hpp, advance.hpp. They include no standard header, so that
// one text serves four readers: g++ ahead of time, the host compiler at run time, nvcc, and NVRTC. A run-time
// compilation joins them, drops the lines that begin with #include or #pragma once, appends a model, and ends with
// HALOCLINE_ENSEMBLE_ENTRY(Model, method, packs), which makes the extern "C" function `halocline_ensemble`; packs:
// vector registers side by side, 2 by default.
//
// A system is one member of the ensemble. It is stepped in real numbers R: `double` (GPU, tree oracle) or Lanes<U>
// (host: 8 U or 4 U systems side by side, see lanes.hpp). What happens rarely (events, ends of phases) is done for one
// system at a time in doubles, by the same text on every device.
//
// A Model is a small object, copied by value, with these members (m.NAME must compile for static constexpr and for
// ordinary members alike; the *_capacity are always constants):
//
//   static constexpr int state_capacity, parameter_capacity, constant_capacity, time_capacity, event_capacity,
//       accumulator_capacity, extremum_capacity;   at least as large as the numbers below, and at least 1;
//                              state_capacity counts states and quadratures, event_capacity events and rests
//   int states                 then in the same arrays:
//   int quadratures            integrals along the way
//   int parameters             swept values of a system, columns of Ensemble::parameters
//   int constants              values that a system keeps: what setup() makes of the parameters
//   int times                  values that depend on time (and constants): made once per time of a stage
//   bool uses_time             whether rhs depends on time
//   int events, rests          events come first wherever both are numbered together
//   int accumulators, extrema  extrema: accumulators with a refined maximum or minimum
//
//   void setup(const double* p, double* s) const;
//   template <class R> void at_time(R t, const R* s, R* d) const;
//   template <class R> void rhs(R t, const R* y, const R* d, const R* s, R* f) const;   states, then quadratures
//
// For Rosenbrock methods: rhs and its partial derivatives. by_state: of all rows by the states, row after row, `states`
// of them in each; by_time: df/dt.
//   template <class R> void linearized(R t, const R* y, const R* d, const R* s, R* f, R* by_state, R* by_time) const;
//
// For methods with noise, and noise_capacity. g: of the states with noise; slope: the derivatives of each by its state,
// for milstein.
//   int noises                        how many
//   int noise_state(int k) const;     the state that noise k is of
//   template <class R> void noise(R t, const R* y, const R* d, const R* s, R* g, R* slope) const;
//
// Both or none of these two, for rk4: rhs(i) = factor(i) times share i.
//   template <class R> void rhs_shares(R t, const R* y, const R* d, const R* s, R* f) const;
//   double factor(int i) const;
//
// The rest is called with a Point<R>: time, state, its derivative, values of time, constants, accumulators.
//   template <class R> void event_values(const Point<R>& x, R* value, R* slope) const;   F and F' of events, then the
//                              `until` expressions of the rests; F' = dF/dt + grad F . x.f
//   int direction(int e) const;       -1 falling, +1 rising, 0 both
//   bool ends_phase(int e) const;
//   void action(int e, const Point<double>& x, double* next) const;   next holds y on entry; assigns from x.y alone
//   bool acts(int e) const;           whether action(e) assigns anything
//   int rest_event(int r) const;      the event after which rest r may begin
//   bool holds(int r, int i) const;   whether rest r freezes state i
//   double rest_below(int r) const;
//   int rest_speed_state(int r) const;   the state that `speed` is, set to 0 when the rest begins; -1 if it is none
//   void rest_speed(int r, const Point<double>& x, double* speed, double* slope) const;
//
//   bool keeps(int a) const;          the accumulator goes on through all phases
//   bool keeps_quadrature(int q) const;   the same of a quadrature
//   void accumulator_start(const Point<double>& x, double* a) const;   values at the start of a phase
//   template <class R> void accumulator_step(const Point<R>& x, R* next) const;   after an accepted step; next holds
//                              x.a on entry
//   void accumulator_event(int e, const Point<double>& x, double* next) const;    the same at event e
//   int extremum_accumulator(int k) const;   which accumulator extremum k refines
//   int extremum_sign(int k) const;          +1 maximum, -1 minimum
//   template <class R> void extremum_values(const Point<R>& x, R* value, R* slope) const;   e and e' of all extrema
//
// Models of which formulas are recorded, or anything at given times, have these as well (and output_capacity):
//   int outputs                       formulas
//   bool inside                       whether anything is recorded inside steps
//   void output_values(const Point<double>& x, double* o) const;
//
// A model whose equations read tables is made from Ensemble::tables; at_time() looks them up.
//
// With loops, where rows of equal kind share a tolerance:
//   int tolerance(int i) const;   which of Ensemble::rtol and atol row i has
//
// Members are marked HALOCLINE_ODE. A model without events and so on leaves those functions empty.
#pragma once

// How functions are compiled: into their callers; RARE: apart on the host; APART: apart on GPUs, for long ones that
// need few values; ALONE: apart everywhere. Loops over states are unrolled as far as states lie in registers.
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HALOCLINE_ODE __host__ __device__ __forceinline__
#define HALOCLINE_ODE_RARE __host__ __device__ __forceinline__
#define HALOCLINE_ODE_APART __host__ __device__ __noinline__
#define HALOCLINE_ODE_ALONE __host__ __device__ __noinline__
#define HALOCLINE_ODE_UNROLL _Pragma("unroll")
#define HALOCLINE_ODE_LOOP _Pragma("unroll 4")
#if defined(HALOCLINE_ODE_MANY_STATES)
#define HALOCLINE_ODE_STATES HALOCLINE_ODE_LOOP
#define HALOCLINE_ODE_EACH HALOCLINE_ODE_ROLLED
#else
#define HALOCLINE_ODE_STATES HALOCLINE_ODE_UNROLL
#define HALOCLINE_ODE_EACH
#endif
#define HALOCLINE_ODE_ROLLED _Pragma("unroll 1")
#else
#define HALOCLINE_ODE inline __attribute__((always_inline))
#define HALOCLINE_ODE_RARE inline __attribute__((noinline))
#define HALOCLINE_ODE_APART HALOCLINE_ODE
#define HALOCLINE_ODE_ALONE inline __attribute__((noinline))
#define HALOCLINE_ODE_UNROLL _Pragma("GCC unroll 8")
#define HALOCLINE_ODE_STATES HALOCLINE_ODE_UNROLL
#define HALOCLINE_ODE_EACH
#define HALOCLINE_ODE_LOOP
#define HALOCLINE_ODE_ROLLED
#endif

namespace halocline::ode_ensemble {

// Bits of a system's status, as written to /status.
struct Status {
  enum : long long {
    minimum_step = 1,
    not_finite = 2,
    too_many_steps = 4,
    phase_timeout = 8,
    steady = 16,
    event_loose = 32,
    too_many_events = 64,
    accumulating = 128
  };
  // Ends of a system before its time, which leave it without results; and what did not end well, be there results or
  // not: at the smallest step the tolerance was not met.
  static constexpr long long failed = not_finite | too_many_steps | too_many_events | accumulating;
  static constexpr long long unwell = failed | minimum_step;
};

// automatic: dopri5 until a system turns out to be stiff, then rodas5p.
enum class Method : int { rk4, rkck45, dopri5, ros23, rodas5p, automatic, euler_maruyama, milstein };
constexpr bool is_implicit(Method method) { return method == Method::ros23 || method == Method::rodas5p; }
constexpr bool is_stochastic(Method method) { return method == Method::euler_maruyama || method == Method::milstein; }
constexpr bool has_fixed_steps(Method method) { return method == Method::rk4 || is_stochastic(method); }
constexpr bool has_jacobian(Method method) { return is_implicit(method) || method == Method::automatic; }
// Evaluations of the right-hand sides by a trial.
constexpr int stages_of(Method method) {
  if (is_stochastic(method)) return 1;
  return method == Method::rk4 ? 4 : method == Method::ros23 ? 3 : method == Method::rodas5p ? 8 : 6;
}
// The error estimate of a method goes with this power of its step size.
template <Method method>
constexpr int error_order = method == Method::ros23 ? 3 : 5;

enum class Controller : int { mixed, rms };
enum class Reduction : int { maximum, minimum, mean, last };

// A result: value `source` counts states and quadratures first, then accumulators, then outputs. With `mean` it is
// divided by the time since the start of the phase, or of the run where `whole` is set.
struct Record {
  int source = 0;
  int mean = 0;
  int whole = 0;
  int reduction = 0;  // of all_phases: a Reduction
};

// Of the time: steps below it are lost in rounding. And a step that limits nothing, since none exceeds its phase.
constexpr double time_spacing = 4e-15, unlimited_step = 1e300;
constexpr double no_tolerance = 1e30;  // an error that is never met, in single precision either

// States that have tolerances of their own, and may lie in registers; elements of a vector count as one of the former.
constexpr int most_states = 32, most_events = 16, most_accumulators = 32, most_records = 32,
              most_outputs = most_records, most_forcings = 16;
constexpr int most_elements = 512;  // states of models with loops, which lie in memory

// Whole numbers a system keeps: rows of Ensemble::counters, all 0 at the start. `steps` (trials) and `events` count
// within the phase. With Method::automatic: `stiff` is 1 for systems that have changed over, `implicit` counts their
// trials since, `hints` is what a StiffnessWatch keeps. `seen`: times of output that are past.
struct Counter {
  enum : int { accepted, rejected, retaken, phase, steps, events, status, course, stiff, hints, implicit, seen, rows };
};

// What makes a system stiff, and how hints are kept: their number plus this times the calm steps.
constexpr int enough_hints = 15, kept_hints = 16;

enum class Course : int { begin, running, done, again };  // of a system; again: done once, with phases to follow

// A table in Ensemble::tables, from number `at` on: `count` increasing times, the values there, their slopes (of
// cubics) or zeros, and for each of count - 1 equal parts of the range the number of the last time not after the part's
// start. Beyond its range it holds its value, or has none.
struct TableShape {
  int at = 0, count = 0, cubic = 0, holds = 0;
};

// One call of an entry point: which systems go on, by how much, and where everything lies. A plain struct, the same for
// every model and device; all pointers lie in memory of the device. Arrays are stored by rows of `systems` values:
// value `row` of system i is at [row * systems + i].
struct Ensemble {
  long long systems = 0;      // of this part: the stride of all arrays
  const int* list = nullptr;  // systems that go on; null: 0 ... count - 1
  long long count = 0;        // of them
  long long budget = 0;       // most trial steps per system in this call (a few more while an event is located)
  const double* parameters = nullptr;  // rows: Model::parameters
  double* state = nullptr;             // rows: state_rows(model), see advance.hpp; begins with y
  long long* counters = nullptr;       // rows: Counter::rows
  double* each_phase = nullptr;        // value k of record r: [(r * record + k) * systems + i]
  double* all_phases = nullptr;        // rows: all_phases_records
  const double* tables = nullptr;      // numbers of all tables that equations read
  long long table_numbers = 0;         // how many
  const double* times = nullptr;       // of output, increasing: of t, or of the time since the start of the run
  long long time_count = 0;            // where phases restart the time
  double* at_times = nullptr;      // value k of record r: [(r * time_count + k) * systems + i]; NaN where not reached
  const double* length = nullptr;  // of a phase (or the most it may last): one for all, or one per system
  int length_per_system = 0, start_per_system = 0;  // whether phases differ in length, systems in their first time

  Controller controller = Controller::mixed;
  int phase_by_event = 0;  // a phase ends at an event; reaching `length` is a timeout
  int restart_time = 0, restart_step = 0;
  long long transient = 0, record = 1;  // phases
  long long most_steps = 0;             // trial steps of a phase
  double step = 0;                      // the size where it is fixed, else the first step
  double first_share = 0;               // positive: the first step is this share of the system's phase instead
  // What stages of rk4 multiply the derivative of a state by, its factor included (Model::factor). For kernels, in
  // which they are constants of the launch: an operand that takes neither a register nor a port of theirs.
  struct Fractions {
    int given = 0;
    double half[most_states] = {}, whole[most_states] = {}, sixth[most_states] = {};
  } fractions;
  // The least step is min_step + min_share times the time it begins at.
  double min_step = 0, min_share = time_spacing, max_step = unlimited_step;
  // Of noise: the seed, draws of a step, and what tells paths apart: system i of this part has number
  // first + i stride in the sweep; where it is not -1, the row of parameters that has the number of a path.
  long long noise_seed = 1, fine_steps = 1, first = 0, stride = 1;
  int path_parameter = -1;
  double event_tolerance = 1e-12;
  double steady = 0;  // 0: off
  // Of states, then of quadratures; those that are not controlled have atol = no_tolerance.
  double rtol[most_states + most_accumulators] = {}, atol[most_states + most_accumulators] = {};
  int free_quadratures = 0;  // whether these are not controlled

  int each_phase_records = 0, all_phases_records = 0, time_records = 0;
  Record each_phase_record[most_records];
  Record all_phases_record[most_records];
  Record time_record[most_records];
};

// `factors`: of `states` right-hand sides.
HALOCLINE_ODE void give_fractions(Ensemble& a, const double* factors, int states) {
  a.fractions.given = 1;
  for (int i = 0; i < states; ++i) {
    a.fractions.half[i] = 0.5 * a.step * factors[i];
    a.fractions.whole[i] = a.step * factors[i];
    a.fractions.sixth[i] = a.step / 6 * factors[i];
  }
}

// Element k of a vector of n whose ends meet.
HALOCLINE_ODE int wrapped(int k, int n) {
  k %= n;
  return k < 0 ? k + n : k;
}

// Where a system stands, as the model sees it.
template <class R>
struct Point {
  R t;
  const R* y;  // states, quadratures
  const R* f;  // their derivatives
  const R* d;  // values of time
  const R* s;  // constants of the system
  const R* a;  // accumulators
};

// Whether formulas or values at given times are recorded of a model.
template <class M>
constexpr bool observes = requires(const M& m) {
  m.outputs;
};
template <class M>
HALOCLINE_ODE constexpr int outputs_of(const M& m) {
  if constexpr (observes<M>) return m.outputs;
  return 0;
}
template <class M>
HALOCLINE_ODE constexpr bool records_inside(const M& m) {
  if constexpr (observes<M>) return m.inside;
  return false;
}

}  // namespace halocline::ode_ensemble
