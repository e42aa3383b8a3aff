// Stochastic equations (Ito), dx_i = f_i dt + g_i dW_i: increments of Wiener processes, and steps with them.
//
// Every state with noise has a process of its own. Its normal numbers are functions of the seed, the system's number in
// the sweep, the state and the number of the draw, and of nothing else: Philox2x64-10 with the seed for its key, system
// and state in one word of its counter and the draw in the other gives two uniform numbers, and these two normal ones
// (Box, Muller, Ann. Math. Statist. 29, 1958). A step makes `fine_steps` draws, so that steps of different size can
// follow the same path.
#pragma once

#include "lib/problems/ode_ensemble/stepper/steppers.hpp"

namespace halocline::ode_ensemble {
namespace {

template <class M>
constexpr bool has_noise = requires(const M& m) {
  m.noises;
};

// The word of a counter that tells processes apart: systems are fewer than 2^48.
HALOCLINE_ODE unsigned long long process_of(long long system, int state) {
  return static_cast<unsigned long long>(system) | static_cast<unsigned long long>(state) << 48;
}

// Two uniform numbers in [0, 1) for each lane: draw number `draw` of its process.
HALOCLINE_ODE void draw_uniform(long long seed, const unsigned long long* process, double draw, double& first,
                                double& second) {
  const Words drawn =
      philox({process[0], static_cast<unsigned long long>(draw)}, static_cast<unsigned long long>(seed));
  first = unit_number(drawn.left);
  second = unit_number(drawn.right);
}

#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
typedef unsigned long long VectorWords __attribute__((vector_size(vector_bytes), may_alias));
typedef int VectorHalves __attribute__((vector_size(vector_bytes), may_alias));

// Products of the lower halves, which processors have instructions for: twice as fast as whole products one by one.
HALOCLINE_ODE VectorWords half_product(VectorWords a, VectorWords b) {
#if defined(__AVX512F__) && !defined(__clang__)
  return (VectorWords)__builtin_ia32_pmuludq512_mask((VectorHalves)a, (VectorHalves)b, VectorMask{}, -1);
#elif defined(__AVX2__) && !defined(__AVX512F__) && !defined(__clang__)
  return (VectorWords)__builtin_ia32_pmuludq256((VectorHalves)a, (VectorHalves)b);
#else
  return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

// philox() in lanes, in place of the counters.
template <int U>
HALOCLINE_ODE void philox_lanes(VectorWords (&left)[U], VectorWords (&right)[U], unsigned long long key) {
  const VectorWords zero{}, half = zero + 0xffffffff, factor_low = zero + 0xB1CE6E93, factor_high = zero + 0xD2B74407;
  for (int round = 0; round < 10; ++round, key += 0x9E3779B97F4A7C15) {
    HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) {
      const VectorWords upper = left[u] >> 32, lowest = half_product(left[u], factor_low);
      const VectorWords inner = half_product(upper, factor_low) + (lowest >> 32);
      const VectorWords outer = half_product(left[u], factor_high) + (inner & half);
      const VectorWords high = half_product(upper, factor_high) + (inner >> 32) + (outer >> 32);
      left[u] = high ^ (zero + key) ^ right[u];
      right[u] = (outer << 32) | (lowest & half);
    }
  }
}

template <int U>
HALOCLINE_ODE void draw_uniform(long long seed, const unsigned long long* process, const Lanes<U>& draw,
                                Lanes<U>& first, Lanes<U>& second) {
  VectorWords left[U], right[U];
  __builtin_memcpy(left, process, sizeof left);
  HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) right[u] =
      (VectorWords) __builtin_convertvector(draw.v[u], VectorMask);
  philox_lanes(left, right, static_cast<unsigned long long>(seed));
  HALOCLINE_ODE_UNROLL for (int u = 0; u < U; ++u) {
    first.v[u] = __builtin_convertvector((VectorMask)(left[u] >> 11), Vector) * 1.1102230246251565e-16;  // 2^-53
    second.v[u] = __builtin_convertvector((VectorMask)(right[u] >> 11), Vector) * 1.1102230246251565e-16;
  }
}
#endif

// Normal numbers 2 pair and 2 pair + 1 of the processes in the lanes.
template <class R>
HALOCLINE_ODE_RARE void draw_normals(long long seed, const unsigned long long* process, const R& pair, R& even,
                                     R& odd) {
  R uniform, turn;
  draw_uniform(seed, process, pair, uniform, turn);
  const R length = fn_sqrt(R(-2.0) * fn_log(R(1.0) - uniform));
  even = length * fn_cos2pi(turn);
  odd = length * fn_sin2pi(turn);
}

// What the systems in the lanes have drawn last; for models without noise, nothing.
template <class R, class M, bool = has_noise<M>>
struct Wiener {};
template <class R, class M>
struct Wiener<R, M, true> {
  R even[M::noise_capacity], odd[M::noise_capacity];
  R pair;                                       // the number of the draw, -1 where there is none
  R done;                                       // steps before this visit
  unsigned long long system[Traits<R>::lanes];  // whose processes they are

  HALOCLINE_ODE void begin(int l, unsigned long long number, long long steps) {
    system[l] = number;
    set_lane(pair, l, -1);
    set_lane(done, l, static_cast<double>(steps));
  }

  // The increments of all processes over step number `step` of size h.
  HALOCLINE_ODE void increments(const M& m, const Ensemble& a, const R& step, const R& h, R* dw) {
    const R draws(static_cast<double>(a.fine_steps)), root = fn_sqrt(h / draws);
    for (int k = 0; k < m.noises; ++k) dw[k] = R(0.0);
    for (long long j = 0; j < a.fine_steps; ++j) {
      const R number = step * draws + R(static_cast<double>(j)), wanted = fn_floor(R(0.5) * number);
      if (any(either(wanted<pair, wanted> pair))) draw(m, a, wanted);
      const MaskOf<R> is_odd = number > wanted + wanted;
      HALOCLINE_ODE_EACH for (int k = 0; k < m.noises; ++k) dw[k] = dw[k] + select(is_odd, odd[k], even[k]);
    }
    HALOCLINE_ODE_EACH for (int k = 0; k < m.noises; ++k) dw[k] = root * dw[k];
  }

 private:
  HALOCLINE_ODE void draw(const M& m, const Ensemble& a, const R& wanted) {
    pair = wanted;
    HALOCLINE_ODE_EACH for (int k = 0; k < m.noises; ++k) {
      unsigned long long process[Traits<R>::lanes];
      for (int l = 0; l < Traits<R>::lanes; ++l)
        process[l] = process_of(static_cast<long long>(system[l]), m.noise_state(k));
      draw_normals(a.noise_seed, process, pair, even[k], odd[k]);
    }
  }
};

// Euler and Maruyama, of strong order 1/2; Milstein's, of strong order 1, whose noise of a state depends on no other
// state with noise. Integrals by the trapezoidal rule. to.f is the drift at the end.
template <Method method, class R, class M>
HALOCLINE_ODE void try_stochastic(const M& m, const Start<R, M>& from, Trial<R, M>& to) {
  const int n = m.states + m.quadratures;
  const R half(0.5), zero(0.0);
  R g[M::noise_capacity], slope[M::noise_capacity];
  m.at_time(from.t, from.s, to.d);
  m.noise(from.t, from.y, to.d, from.s, g, slope);
  HALOCLINE_ODE_EACH for (int i = 0; i < n; ++i) {
    to.y[i] = from.y[i] + from.h * from.f[i];
    to.e[i] = zero;
  }
  HALOCLINE_ODE_EACH for (int k = 0; k < m.noises; ++k) {
    R& y = to.y[m.noise_state(k)];
    const R& dw = from.dw[k];
    R change = g[k] * dw;
    if constexpr (method == Method::milstein) {
      const R bend = half * g[k] * slope[k] * (dw * dw - from.h);
      // Where g is 0 its slope may have no value, as that of a root.
      change = change + select(either(g[k]<zero, g[k]> zero), bend, zero);
    }
    y = y + change;
  }
  m.at_time(from.t + from.h, from.s, to.d);
  end_stage(m, from, to, to.y, to.f);
  HALOCLINE_ODE_EACH for (int i = m.states; i < n; ++i) to.y[i] = from.y[i] + half * from.h * (from.f[i] + to.f[i]);
}

}  // namespace
}  // namespace halocline::ode_ensemble
