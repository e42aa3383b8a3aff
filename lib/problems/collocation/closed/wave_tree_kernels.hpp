// The tree that joins strips of waves (wave_kernels.hpp): a binary heap over all strips, a node with one child being
// that child. What nodes L and R leave behind becomes what both do, and later what arrives at both becomes what arrives
// at each, in place:
//   waves: A = r_R A_L + A_R, B = B_L + r_L B_R;   A_in of R = r_L A_in + A_L, B_in of L = r_R B_in + B_R
//   pairs: u = T_R u_L + u_R;                      u_in of R = T_L u_in + u_L
// with the powers r_L, T_L of as many elements as L has.
#pragma once

#include "lib/problems/collocation/closed/wave_kernels.hpp"

namespace halocline::collocation {

// L in places `first` to `last`, R behind it to `end`; numbers of their powers.
struct WaveJoin {
  int first, last, end, left, right;
};

// Powers, two numbers each: r^n, or c and n of T^n.
struct WavePowers {
  ModeTable table;
  template <class P>
  HALOCLINE_HD P get(int power, int number, Index mode) const {
    return load<P>(table.at(2 * power + number, mode));
  }
};

// Joins of some pieces of the tree that do not depend on each other: those of piece p are joins[starts[p]] to
// joins[starts[p + 1]], small nodes first.
struct WaveTreeBody {
  WavePieces pieces;
  ModeTable rates;
  WavePowers powers;
  WaveSlots slots;
  const WaveJoin* joins;
  const int* starts;
  bool up;

  template <class P>
  HALOCLINE_HD void join(const Waves<P>*, const WaveJoin& j, Index mode) const {
    double* const a = slots.a(j.end + 1, mode);
    double* const b = slots.b(j.first, mode);
    store(a, powers.get<P>(j.right, 0, mode) * load<P>(slots.a(j.last + 1, mode)) + load<P>(a));
    store(b, powers.get<P>(j.left, 0, mode) * load<P>(slots.b(j.last + 1, mode)) + load<P>(b));
  }
  template <class P>
  HALOCLINE_HD void part(const Waves<P>*, const WaveJoin& j, Index mode) const {
    double* const a = slots.a(j.last + 1, mode);
    double* const b = slots.b(j.last + 1, mode);
    store(a, powers.get<P>(j.left, 0, mode) * load<P>(slots.a(j.first, mode)) + load<P>(a));
    store(b, powers.get<P>(j.right, 0, mode) * load<P>(slots.b(j.end + 1, mode)) + load<P>(b));
  }
  template <class P>
  HALOCLINE_HD WaveEnds<P> behind(int power, const WaveEnds<P>& u, Index mode) const {
    const P c = powers.get<P>(power, 0, mode), n = powers.get<P>(power, 1, mode);
    return {c * u.a + n * u.b, c * u.b + load<P>(rates.at(pair_s2, mode)) * (n * u.a)};
  }
  template <class P>
  HALOCLINE_HD void join(const Pairs<P>*, const WaveJoin& j, Index mode) const {
    double* const a = slots.a(j.end + 1, mode);
    double* const left_b = slots.b(j.first, mode);
    double* const right_b = slots.b(j.last + 1, mode);
    const WaveEnds<P> left{load<P>(slots.a(j.last + 1, mode)), load<P>(left_b)};
    const WaveEnds<P> u = behind<P>(j.right, left, mode);
    store(a, u.a + load<P>(a));
    store(left_b, u.b + load<P>(right_b));
    store(right_b, left.b);
  }
  template <class P>
  HALOCLINE_HD void part(const Pairs<P>*, const WaveJoin& j, Index mode) const {
    double* const a = slots.a(j.last + 1, mode);
    double* const left_b = slots.b(j.last + 1, mode);
    double* const right_b = slots.b(j.end + 1, mode);
    const WaveEnds<P> in{load<P>(slots.a(j.first, mode)), load<P>(right_b)};
    const WaveEnds<P> u = behind<P>(j.left, in, mode);
    store(a, u.a + load<P>(a));
    store(right_b, u.b + load<P>(left_b));
    store(left_b, in.b);
  }

  template <class Kind, class P>
  HALOCLINE_HD void run(Index mode, Index piece) const {
    const Kind* const kind = nullptr;
    const int begin = starts[piece], end = starts[piece + 1];
    for (int n = 0; n < end - begin; ++n) {
      if (up)
        join(kind, joins[begin + n], mode);
      else
        part(kind, joins[end - 1 - n], mode);
    }
  }
  template <class P>
  HALOCLINE_HD void operator()(Index n, Index, Index lane) const {
    run_by_kind<P>(*this, rates, pieces.mode(n, lane), pieces.piece(n));
  }
};

// What arrives at the ends of the axis from what all strips leave behind: two rows of two numbers.
struct WaveCloseBody {
  WavePieces pieces;
  ModeTable closing;
  WaveSlots slots;
  Index places;

  template <class P>
  HALOCLINE_HD void operator()(Index n, Index, Index lane) const {
    const Index mode = pieces.mode(n, lane);
    const P a = load<P>(slots.a(places, mode)), b = load<P>(slots.b(0, mode));
    const auto row = [&](int k) {
      return load<P>(closing.at(2 * k, mode)) * a + load<P>(closing.at(2 * k + 1, mode)) * b;
    };
    store(slots.a(0, mode), row(0));
    store(slots.b(places, mode), row(1));
  }
};

// Between slots and rows that travel, [node][a, b][mode]: what node t, places nodes[t] to nodes[t + 1], leaves behind,
// or what arrives there.
struct WaveRowsBody {
  WavePieces pieces;
  WaveSlots slots;
  ModeTable rows;
  const int* nodes;  // null: each place is a node
  bool arrives, into_rows;

  template <class P>
  HALOCLINE_HD void operator()(Index n, Index, Index lane) const {
    const Index mode = pieces.mode(n, lane), node = pieces.piece(n);
    const Index first = nodes == nullptr ? node : nodes[node], end = nodes == nullptr ? node + 1 : nodes[node + 1];
    double* const a = slots.a(arrives ? first : end, mode);
    double* const b = slots.b(arrives ? end : first, mode);
    double* const row_a = rows.at(2 * node, mode);
    double* const row_b = rows.at(2 * node + 1, mode);
    store(into_rows ? row_a : a, load<P>(into_rows ? a : row_a));
    store(into_rows ? row_b : b, load<P>(into_rows ? b : row_b));
  }
};

}  // namespace halocline::collocation
