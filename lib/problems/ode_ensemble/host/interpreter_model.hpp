// The lane interpreter's model: registers in rows of lanes, one instruction for all lanes after the other. It has the
// functions of ensemble.hpp's contract, so the same stepper runs it. Included by one source per instruction set.
#pragma once

#include "lib/problems/ode_ensemble/host/interpreter_entries.hpp"
#include "lib/problems/ode_ensemble/stepper/advance.hpp"

namespace halocline::ode_ensemble {
namespace {

// A row of lanes as pieces that fit a register of the machine.
template <class R>
struct Pieces {
  using Piece = double;
  static constexpr int count = 1;
  static HALOCLINE_ODE double get(const R& row, int) { return row; }
  static HALOCLINE_ODE void put(R& row, int, double value) { row = value; }
};
template <int U>
struct Pieces<Lanes<U>> {
  using Piece = Lanes<1>;
  static constexpr int count = U;
  static HALOCLINE_ODE Lanes<1> get(const Lanes<U>& row, int u) {
    Lanes<1> piece;
    piece.v[0] = row.v[u];
    return piece;
  }
  static HALOCLINE_ODE void put(Lanes<U>& row, int u, const Lanes<1>& piece) { row.v[u] = piece.v[0]; }
};

// Element by element, so a result may overwrite an operand.
template <class R, class Action>
HALOCLINE_ODE void each_piece(R& to, const Action& action) {
  using P = Pieces<R>;
  HALOCLINE_ODE_UNROLL for (int u = 0; u < P::count; ++u) P::put(to, u, action(u));
}

// The arrays that operands count into.
template <class R>
struct Rows {
  const R* from[static_cast<int>(Row::count)];
  R* to[static_cast<int>(Row::count)];
};

#define HALOCLINE_ODE_CASE(op, expression)                             \
  case Opcode::op:                                                     \
    each_piece(to, [&](int u) {                                        \
      [[maybe_unused]] const Piece x = P::get(a, u), y = P::get(b, u); \
      [[maybe_unused]] const Piece z = P::get(c, u), k(line.number);   \
      return Piece(expression);                                        \
    });                                                                \
    break;

// One instruction.
template <class R>
HALOCLINE_ODE void execute(const InterpretedLine& line, const Rows<R>& rows) {
  using P = Pieces<R>;
  using Piece = typename P::Piece;
  const R& a = rows.from[line.a.row][line.a.index];
  const R& b = rows.from[line.b.row][line.b.index];
  const R& c = rows.from[line.c.row][line.c.index];
  R& to = rows.to[line.to.row][line.to.index];
  switch (line.step) {
    // clang-format off
    HALOCLINE_ODE_CASE(number, k) HALOCLINE_ODE_CASE(copy, x)
    HALOCLINE_ODE_CASE(add, x + y) HALOCLINE_ODE_CASE(subtract, x - y)
    HALOCLINE_ODE_CASE(multiply, x * y) HALOCLINE_ODE_CASE(divide, x / y)
    HALOCLINE_ODE_CASE(add_number, x + k) HALOCLINE_ODE_CASE(number_subtract, k - x)
    HALOCLINE_ODE_CASE(multiply_number, x * k) HALOCLINE_ODE_CASE(divide_number, x / k)
    HALOCLINE_ODE_CASE(number_divide, k / x) HALOCLINE_ODE_CASE(multiply_add, x * y + z)
    HALOCLINE_ODE_CASE(multiply_subtract, x * y - z) HALOCLINE_ODE_CASE(subtract_product, z - x * y)
    HALOCLINE_ODE_CASE(number_product_add, k * x + z)
    HALOCLINE_ODE_CASE(number_product_subtract, k * x - z)
    HALOCLINE_ODE_CASE(subtract_number_product, z - k * x)
    HALOCLINE_ODE_CASE(scale_difference, k * (x - y)) HALOCLINE_ODE_CASE(negate, -x)
    HALOCLINE_ODE_CASE(sin, fn_sin(x)) HALOCLINE_ODE_CASE(cos, fn_cos(x))
    HALOCLINE_ODE_CASE(sin2pi, fn_sin2pi(x)) HALOCLINE_ODE_CASE(cos2pi, fn_cos2pi(x))
    HALOCLINE_ODE_CASE(tan, fn_tan(x)) HALOCLINE_ODE_CASE(asin, fn_asin(x))
    HALOCLINE_ODE_CASE(acos, fn_acos(x)) HALOCLINE_ODE_CASE(atan, fn_atan(x))
    HALOCLINE_ODE_CASE(sinh, fn_sinh(x)) HALOCLINE_ODE_CASE(cosh, fn_cosh(x))
    HALOCLINE_ODE_CASE(tanh, fn_tanh(x)) HALOCLINE_ODE_CASE(exp, fn_exp(x))
    HALOCLINE_ODE_CASE(log, fn_log(x)) HALOCLINE_ODE_CASE(log10, fn_log10(x))
    HALOCLINE_ODE_CASE(sqrt, fn_sqrt(x)) HALOCLINE_ODE_CASE(cbrt, fn_cbrt(x))
    HALOCLINE_ODE_CASE(erf, fn_erf(x)) HALOCLINE_ODE_CASE(erfc, fn_erfc(x))
    HALOCLINE_ODE_CASE(floor, fn_floor(x)) HALOCLINE_ODE_CASE(ceil, fn_ceil(x))
    HALOCLINE_ODE_CASE(abs, fn_fabs(x)) HALOCLINE_ODE_CASE(sign, fn_sign(x))
    HALOCLINE_ODE_CASE(step, fn_step(x)) HALOCLINE_ODE_CASE(power, fn_pow(x, y))
    HALOCLINE_ODE_CASE(power_number, fn_pow(x, k)) HALOCLINE_ODE_CASE(atan2, fn_atan2(x, y))
    HALOCLINE_ODE_CASE(hypot, fn_hypot(x, y)) HALOCLINE_ODE_CASE(mod, fn_mod(x, y))
    HALOCLINE_ODE_CASE(random, fn_random(x, y)) HALOCLINE_ODE_CASE(min, fn_min(x, y))
    HALOCLINE_ODE_CASE(max, fn_max(x, y)) HALOCLINE_ODE_CASE(less, fn_less(x, y))
    HALOCLINE_ODE_CASE(less_equal, fn_less_equal(x, y)) HALOCLINE_ODE_CASE(select, fn_select(x, y, z))
    // clang-format on
  }
}
#undef HALOCLINE_ODE_CASE

template <InterpreterSize size>
struct InterpretedModel {
  static constexpr InterpreterLimits most = limits_of(size);
  static constexpr int state_capacity = most.states, parameter_capacity = most.parameters,
                       constant_capacity = most.kept, time_capacity = most.timed, event_capacity = most.events,
                       accumulator_capacity = most.accumulators, extremum_capacity = most.accumulators,
                       output_capacity = most_outputs, noise_capacity = most.states;
  InterpretedView code;
  const double* tables;
  int states, quadratures, parameters, constants, times, events, rests, accumulators, extrema, outputs, noises;
  bool uses_time, inside;

  HALOCLINE_ODE InterpretedModel(const InterpretedView& from, const double* numbers)
      : code(from),
        tables(numbers),
        states(from.states),
        quadratures(from.quadratures),
        parameters(from.parameters),
        constants(from.constants),
        times(from.times),
        events(from.events),
        rests(from.rests),
        accumulators(from.accumulators),
        extrema(from.extrema),
        outputs(from.outputs),
        noises(from.noises),
        uses_time(from.uses_time),
        inside(from.inside) {}

  // Everything that code may read, and where it writes.
  template <class R>
  HALOCLINE_ODE_RARE void run(const InterpretedLines& lines, const R& t, const R* y, const R* d, const R* s, const R* a,
                              const R* f, const R* p, R* first, R* second, R* third = nullptr) const {
    R registers[most.registers];
    // Pointers one by one: copied as an array, their stores would be waited for.
    const Rows<R> rows{
        {&t, y, d, s, a, f, p, registers, first, second, third},
        {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, registers, first, second, third}};
    for (const InterpretedLine* line = lines.begin; line != lines.end; ++line) execute(*line, rows);
  }
  template <class R>
  HALOCLINE_ODE void run(const InterpretedLines& lines, const Point<R>& x, R* first, R* second) const {
    run<R>(lines, x.t, x.y, x.d, x.s, x.a, x.f, nullptr, first, second);
  }

  HALOCLINE_ODE void setup(const double* p, double* s) const {
    run<double>(code.setup, 0.0, nullptr, nullptr, nullptr, nullptr, nullptr, p, s, nullptr);
  }
  template <class R>
  HALOCLINE_ODE void at_time(R t, const R* s, R* d) const {
    for (int i = 0; i < code.forcings; ++i) look_up(tables, code.forcing[i], t, d + i, code.forcings);
    if (times > 0) run<R>(code.at_time, t, nullptr, d, s, nullptr, nullptr, nullptr, d, nullptr);
  }
  template <class R>
  HALOCLINE_ODE void rhs(R t, const R* y, const R* d, const R* s, R* f) const {
    run<R>(code.rhs, t, y, d, s, nullptr, nullptr, nullptr, f, nullptr);
  }
  template <class R>
  HALOCLINE_ODE void linearized(R t, const R* y, const R* d, const R* s, R* f, R* by_state, R* by_time) const {
    run<R>(code.linearized, t, y, d, s, nullptr, nullptr, nullptr, f, by_state, by_time);
  }
  HALOCLINE_ODE int noise_state(int k) const { return code.noise_state[k]; }
  template <class R>
  HALOCLINE_ODE void noise(R t, const R* y, const R* d, const R* s, R* g, R* slope) const {
    if (!code.noise_slopes)
      for (int k = 0; k < noises; ++k) slope[k] = R(0.0);
    run<R>(code.noise, t, y, d, s, nullptr, nullptr, nullptr, g, slope);
  }
  template <class R>
  HALOCLINE_ODE void event_values(const Point<R>& x, R* value, R* slope) const {
    run(code.event_values, x, value, slope);
  }
  HALOCLINE_ODE int direction(int e) const { return code.event[e].direction; }
  HALOCLINE_ODE bool ends_phase(int e) const { return code.event[e].ends_phase; }
  HALOCLINE_ODE bool acts(int e) const { return code.event[e].acts; }
  HALOCLINE_ODE void action(int e, const Point<double>& x, double* next) const {
    run(code.event[e].action, x, next, static_cast<double*>(nullptr));
  }
  HALOCLINE_ODE int rest_event(int r) const { return code.rest[r].event; }
  HALOCLINE_ODE bool holds(int r, int i) const { return code.rest[r].holds[i]; }
  HALOCLINE_ODE double rest_below(int r) const { return code.rest[r].below; }
  HALOCLINE_ODE int rest_speed_state(int r) const { return code.rest[r].speed_state; }
  HALOCLINE_ODE void rest_speed(int r, const Point<double>& x, double* speed, double* slope) const {
    run(code.rest[r].speed, x, speed, slope);
  }
  HALOCLINE_ODE int tolerance(int i) const requires(size == InterpreterSize::vectors) { return code.tolerance[i]; }
  HALOCLINE_ODE bool keeps(int a) const { return code.accumulator[a].keeps; }
  HALOCLINE_ODE bool keeps_quadrature(int q) const { return code.quadrature[q].keeps; }
  HALOCLINE_ODE void accumulator_start(const Point<double>& x, double* a) const {
    run(code.accumulator_start, x, a, static_cast<double*>(nullptr));
  }
  template <class R>
  HALOCLINE_ODE void accumulator_step(const Point<R>& x, R* next) const {
    if (accumulators > 0) run(code.accumulator_step, x, next, static_cast<R*>(nullptr));
  }
  HALOCLINE_ODE void accumulator_event(int e, const Point<double>& x, double* next) const {
    run(code.event[e].accumulate, x, next, static_cast<double*>(nullptr));
  }
  HALOCLINE_ODE int extremum_accumulator(int k) const { return code.extremum[k].accumulator; }
  HALOCLINE_ODE int extremum_sign(int k) const { return code.extremum[k].sign; }
  template <class R>
  HALOCLINE_ODE void extremum_values(const Point<R>& x, R* value, R* slope) const {
    run(code.extremum_values, x, value, slope);
  }
  HALOCLINE_ODE void output_values(const Point<double>& x, double* o) const {
    run(code.output_values, x, o, static_cast<double*>(nullptr));
  }
};

}  // namespace
}  // namespace halocline::ode_ensemble
