// Trial steps of Rosenbrock methods, for stiff systems: linearly implicit, with one factorization per trial.
//
// ros23: the pair of orders 2 and 3 of Shampine, Reichelt, SIAM J. Sci. Comput. 18 (1997), L-stable. rodas5p: orders 5
// and 4 of Steinebach, BIT Numer. Math. 63 (2023) 27, L-stable and stiffly accurate. Both in the form of Hairer,
// Wanner, Solving Ordinary Differential Equations II, IV.7, which has no products with the Jacobian J:
//
//   (I/(h gamma) - J) u_i = f(t + alpha_i h, y + sum a_ij u_j) + sum (c_ij/h) u_j + gamma_i h df/dt,   j < i,
//   y1 = y + sum m_i u_i,   error = sum e_i u_i.
//
// Between the ends y(x) = (1 - x) y + x (y1 + (1 - x) (b_0 + x (b_1 + x b_2))), b_k = sum dense_ki u_i, 0 <= x <= 1.
//
// The derivative that a trial gives at its end is that of y(x): f(y1) is of no use there, since stiff systems multiply
// the error of y1 by their largest eigenvalues. So f is evaluated at the start of a trial, together with J.
#pragma once

#include "lib/problems/ode_ensemble/stepper/dense.hpp"
#include "lib/problems/ode_ensemble/stepper/steppers.hpp"

namespace halocline::ode_ensemble {
namespace {

constexpr int most_stages = 8, most_bends = 3;

struct Tableau {
  int stages = 0, bends = 0;
  double gamma = 0;
  double alpha[most_stages] = {}, gammas[most_stages] = {}, m[most_stages] = {}, e[most_stages] = {};
  double a[most_stages][most_stages] = {}, c[most_stages][most_stages] = {};
  double dense[most_bends][most_stages] = {};
};

// The method's k_1, k_2 are u_1/(h gamma) and (u_1 + u_2)/(h gamma); its k_3 has what k_1 and k_2 give apart.
constexpr Tableau ros23_tableau() {
  constexpr double root = 1.4142135623730951, d = 1 / (2 + root), e32 = 6 + root;
  Tableau k;
  k.stages = 3, k.bends = 1;
  k.gamma = d;
  k.alpha[1] = 0.5, k.alpha[2] = 1;
  k.gammas[0] = d, k.gammas[2] = -d;
  k.a[1][0] = 0.5 / d;
  k.a[2][0] = k.a[2][1] = k.m[0] = k.m[1] = 1 / d;
  k.c[1][0] = -1 / d;
  k.c[2][0] = -2 / d, k.c[2][1] = -e32 / d;
  k.e[0] = 1 / (6 * d), k.e[1] = (e32 - 2) / (6 * d), k.e[2] = 1 / (6 * d);
  k.dense[0][1] = -1 / (d * (1 - 2 * d));
  return k;
}

constexpr Tableau rodas5p_tableau() {
  return {
      8,
      3,
      0.21193756319429014,
      {0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1, 1, 1},
      {0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069},
      {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1, 1, 1},
      {0, 0, 0, 0, 0, 0, 0, 1},
      {{},
       {3.0},
       {2.849394379747939, 0.45842242204463923},
       {-6.954028509809101, 2.489845061869568, -10.358996098473584},
       {2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641},
       {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946},
       {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1},
       {-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946, 1, 1}},
      {{},
       {-14.155112264123755},
       {-17.97296035885952, -2.859693295451294},
       {147.12150275711716, -1.41221402718213, 71.68940251302358},
       {165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306},
       {24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471},
       {30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
        -28.087943162872662},
       {37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
        -54.66780262877968, -9.48861652309627}},
      {{25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022684204, 0.524948541321073,
        1.1241088310450404, 0.4272876194431874, -0.17202221070155493},
       {-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044,
        15.98066361424651, -6.789040303419874, -6.710236069923372},
       {11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654,
        -59.78993625266729, -0.15582684282751913, 4.883087185713722}}};
}

constexpr Tableau tableau_of(Method method) { return method == Method::ros23 ? ros23_tableau() : rodas5p_tableau(); }

// Weights of h y'(1).
struct EndSlope {
  double k[most_stages] = {};
};
constexpr EndSlope end_slope(const Tableau& k) {
  EndSlope slope;
  for (int i = 0; i < k.stages; ++i) {
    slope.k[i] = k.m[i];
    for (int b = 0; b < k.bends; ++b) slope.k[i] -= k.dense[b][i];
  }
  return slope;
}

// I/(h gamma) - J and its factors; of quadratures, which nothing depends on, the rows of J itself.
template <class R, int capacity>
struct Linear {
  static constexpr int columns = capacity < most_states ? capacity : most_states;
  R a[capacity * columns];
  Pivots<R, capacity> pivots;
  R by_time[capacity];  // df/dt
};

// f: the derivative at the start.
template <class R, class M, int capacity>
HALOCLINE_ODE void linearize(const M& m, const Start<R, M>& from, const R& diagonal, Linear<R, capacity>& w, R* f) {
  const int n = m.states;
  R d[M::time_capacity];
  m.at_time(from.t, from.s, d);
  m.linearized(from.t, from.y, d, from.s, f, w.a, w.by_time);
  for (int r = 0; r < m.rests; ++r)
    for (int i = 0; i < n; ++i) {
      if (!m.holds(r, i)) continue;
      const MaskOf<R> held = from.held[r] > R(0.5);
      for (int j = 0; j < n; ++j) w.a[i * n + j] = select(held, R(0.0), w.a[i * n + j]);
      w.by_time[i] = select(held, R(0.0), w.by_time[i]);
      f[i] = select(held, R(0.0), f[i]);
    }
  HALOCLINE_ODE_SMALL for (int i = 0; i < n; ++i) {
    HALOCLINE_ODE_SMALL for (int j = 0; j < n; ++j) w.a[i * n + j] = -w.a[i * n + j];
    w.a[i * n + i] = diagonal + w.a[i * n + i];
  }
  factorize(n, w.a, w.pivots);
}

// u in place of the right-hand side; exactly zero where a rest holds a state.
template <class R, class M, int capacity>
HALOCLINE_ODE void solve_stage(const M& m, const Linear<R, capacity>& w, const R& h_gamma, const R* held, R* u) {
  const int n = m.states;
  solve(n, w.a, w.pivots, u);
  for (int r = 0; r < m.rests; ++r)
    for (int i = 0; i < n; ++i)
      if (m.holds(r, i)) u[i] = select(held[r] > R(0.5), R(0.0), u[i]);
  for (int q = n; q < n + m.quadratures; ++q) {
    R sum = u[q];
    for (int j = 0; j < n; ++j) sum = sum + w.a[q * n + j] * u[j];
    u[q] = h_gamma * sum;
  }
}

// base + scale (k[0] u_0 + ... ), of the first `count` stages.
template <int capacity, class R>
HALOCLINE_ODE R weighted(const R& base, const R& scale, const double* k, int count, const R (*u)[capacity], int i) {
  R sum = R(k[0]) * u[0][i];
  HALOCLINE_ODE_SMALL for (int j = 1; j < count; ++j) sum = sum + R(k[j]) * u[j][i];
  return base + scale * sum;
}

template <Method method, class R, class M>
HALOCLINE_ODE void try_rosenbrock(const M& m, const Start<R, M>& from, Trial<R, M>& to) {
  static constexpr Tableau k = tableau_of(method);
  static constexpr EndSlope slope_at_end = end_slope(k);
  constexpr int capacity = M::state_capacity;
  const int n = m.states + m.quadratures;
  const R one(1.0), zero(0.0), h_gamma = R(k.gamma) * from.h;
  const R per_step = fn_divide(one, from.h);
  Linear<R, capacity> w;
  linearize(m, from, fn_divide(one, h_gamma), w, to.f);
  m.at_time(from.t + from.h, from.s, to.d);
  R u[k.stages][capacity], z[capacity];
  HALOCLINE_ODE_SMALL for (int s = 0; s < k.stages; ++s) {
    if (s > 0) {
      HALOCLINE_ODE_SMALL for (int i = 0; i < n; ++i) z[i] = weighted<capacity>(from.y[i], one, k.a[s], s, u, i);
      if (k.alpha[s] == 1) {
        end_stage(m, from, to, z, to.f);
      } else {
        stage(m, from, k.alpha[s], z, to.f);
      }
    }
    const R slope = R(k.gammas[s]) * from.h;
    HALOCLINE_ODE_SMALL for (int i = 0; i < n; ++i) {
      u[s][i] = to.f[i] + slope * w.by_time[i];
      if (s > 0) u[s][i] = weighted<capacity>(u[s][i], per_step, k.c[s], s, u, i);
    }
    solve_stage(m, w, h_gamma, from.held, u[s]);
  }
  HALOCLINE_ODE_SMALL for (int i = 0; i < n; ++i) {
    to.y[i] = weighted<capacity>(from.y[i], one, k.m, k.stages, u, i);
    to.e[i] = weighted<capacity>(zero, one, k.e, k.stages, u, i);
    to.f[i] = weighted<capacity>(zero, per_step, slope_at_end.k, k.stages, u, i);
  }
  if (m.events > 0 || m.extrema > 0 || records_inside(m)) {
    HALOCLINE_ODE_SMALL for (int i = 0; i < n; ++i) HALOCLINE_ODE_SMALL for (int b = 0; b < k.bends; ++b) to.k[b][i] =
        weighted<capacity>(zero, one, k.dense[b], k.stages, u, i);
  }
}

// State i of one system at share x of a step.
template <Method method, class M>
HALOCLINE_ODE double rosenbrock_between(const Start<double, M>& from, const Trial<double, M>& to, int i, double x) {
  constexpr int bends = tableau_of(method).bends;
  double bend = to.k[bends - 1][i];
  for (int b = bends - 2; b >= 0; --b) bend = to.k[b][i] + x * bend;
  return (1 - x) * from.y[i] + x * (to.y[i] + (1 - x) * bend);
}

// Its slope there.
template <Method method, class M>
HALOCLINE_ODE double rosenbrock_slope(const Start<double, M>& from, const Trial<double, M>& to, int i, double x) {
  constexpr int bends = tableau_of(method).bends;
  double bend = to.k[bends - 1][i], turn = 0;  // B(x) and B'(x)
  for (int b = bends - 2; b >= 0; --b) {
    turn = bend + x * turn;
    bend = to.k[b][i] + x * bend;
  }
  return fn_divide(to.y[i] - from.y[i] + (1 - 2 * x) * bend + x * (1 - x) * turn, from.h);
}

// --- All methods -----------------------------------------------------------------------------------------------------

template <Method method, class R, class M>
HALOCLINE_ODE void try_step(const M& m, const Start<R, M>& from, Trial<R, M>& to) {
  if constexpr (method == Method::rk4) try_rk4(m, from, to);
  if constexpr (method == Method::rkck45) try_rkck45(m, from, to);
  if constexpr (method == Method::dopri5 || method == Method::automatic) try_dopri5(m, from, to);
  if constexpr (is_implicit(method)) try_rosenbrock<method>(m, from, to);
  if constexpr (is_stochastic(method)) try_stochastic<method>(m, from, to);
}

// How many of Trial::k the continuous extension of a method needs; 0: it has none.
constexpr int extension_of(Method method) {
  return method == Method::dopri5 || method == Method::automatic ? 5
         : is_implicit(method)                                   ? tableau_of(method).bends
                                                                 : 0;
}

// State i of one system at share x of a step, by the continuous extension.
template <Method method, class M>
HALOCLINE_ODE double between(const Start<double, M>& from, const Trial<double, M>& to, int i, double x) {
  if constexpr (method == Method::dopri5 || method == Method::automatic) return dopri5_between(from, to, i, x);
  if constexpr (is_implicit(method)) return rosenbrock_between<method>(from, to, i, x);
  return to.y[i];
}

}  // namespace
}  // namespace halocline::ode_ensemble
