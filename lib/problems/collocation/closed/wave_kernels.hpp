// Bodies of a u_xx + k u across equal elements, one equation per mode with its own k, by the two solutions of the
// equation without right-hand side: node by node they grow by r and by 1 / r, 0 < r <= 1. With
//   m = -k h^2 / a,  P = m / (2 + m/6),  Q = (4 + 4m/9) / (2 + m/18),  t = root(P / Q),  s = root(P Q)
// they are r^i (1, -s) and r^-i (1, s) with r = (1 - t) / (1 + t). A solution (v, w) = (A + B, s (B - A)) has A from
// the low end on, by r A and the right-hand sides passed, and B from the high end on likewise. Right-hand sides of an
// element lie at its two nodes, so what reaches a node from one side and what is its own add up separately.
//
// Where both hardly grow over the whole axis, A and B are nearly equal and large; there (v, w) themselves go from the
// low end on, by powers of [[c, n], [s^2 n, c]]. Lines are cut into strips of a length that no partition changes;
// strips are joined in a tree (wave_tree.hpp). Lanes are neighboring modes.
#pragma once

#include "lib/base/pack.hpp"
#include "lib/problems/collocation/direct/mode_layout.hpp"

namespace halocline::collocation {

// Numbers of some modes, [number][mode].
struct ModeTable {
  double* data;
  Index first_mode, modes;
  HALOCLINE_HD double* at(Index number, Index mode) const { return data + number * modes + mode - first_mode; }
};

// Numbers of ModeTable `rates`. The first is below 0 where (v, w) themselves are computed.
enum WaveNumber : int { wave_r, wave_own, wave_next, wave_slope };
enum PairNumber : int { pair_mark, pair_c, pair_n, pair_s2, pair_own_v, pair_own_w, pair_next_v, pair_next_w };
constexpr Index rate_numbers = 8;
constexpr int longest_strip = 16;  // but for the last one, which may be longer

// The lines in strips; the last one takes the remainder as well.
struct WaveStrips {
  Index nodes, length, count;
  bool fixed[2];  // u is given at the low, at the high end; else u_x
  HALOCLINE_HD Index first(Index s) const { return s * length; }
  HALOCLINE_HD Index end(Index s) const { return s + 1 == count ? nodes : (s + 1) * length; }
};

// What a strip or several leave behind: of waves A at the high end and B at the low one, of pairs v and w at the high
// end; a way of one element beyond their nodes, as if the axis went on. Later what arrives there from outside.
template <class P>
struct WaveEnds {
  P a, b;
};

// The lines of a strip for eight modes, or one. Row 0 of node i belongs to the element before it, row 1 to that behind;
// there is none beyond the axis.
template <class P>
struct WaveColumn {
  const ModeLines& lines;
  const WaveStrips& strips;
  Index width, mode;
  HALOCLINE_HD P before(Index i) const { return i == 0 ? zero<P>() : load<P>(lines.at(i, 0, mode, width)); }
  HALOCLINE_HD P behind(Index i) const {
    return i + 1 == strips.nodes ? zero<P>() : load<P>(lines.at(i, 1, mode, width));
  }
  HALOCLINE_HD P kept(Index i, int q) const { return load<P>(lines.at(i, q, mode, width)); }
  HALOCLINE_HD void keep(Index i, int q, const P& value) const { store(lines.at(i, q, mode, width), value); }
  HALOCLINE_HD void keep_unknowns(Index i, P v, P w) const {
    for (int end = 0; end < 2; ++end) {
      if (i != (end == 0 ? 0 : strips.nodes - 1)) continue;
      if (strips.fixed[end]) v = zero<P>();
      if (!strips.fixed[end]) w = zero<P>();
    }
    keep(i, 0, v);
    keep(i, 1, w);
  }
};

// A and B of a mode. `own` and `next`: what a right-hand side gives to the wave that has it before it, and to the
// other, which leaves the element at once.
template <class P>
struct Waves {
  P r, own, next, slope;
  HALOCLINE_HD Waves(const ModeTable& rates, Index mode)
      : r(load<P>(rates.at(wave_r, mode))),
        own(load<P>(rates.at(wave_own, mode))),
        next(load<P>(rates.at(wave_next, mode))),
        slope(load<P>(rates.at(wave_slope, mode))) {}

  HALOCLINE_HD WaveEnds<P> reduce(const WaveColumn<P>& column, Index first, Index end) const {
    P a = column.before(first), b = next * a, power = r;  // of the first node, without its row behind
    a = own * a;
    for (Index i = first; i + 1 < end; ++i) {
      const P behind = column.behind(i), before = column.before(i + 1);
      b = b + power * (own * behind + next * before);
      a = r * a + (next * behind + own * before);
      power = r * power;
    }
    const P behind = column.behind(end - 1);
    return {r * a + next * behind, b + power * (own * behind)};
  }

  HALOCLINE_HD void resolve(const WaveColumn<P>& column, Index first, Index end, const WaveEnds<P>& in) const {
    if (end - first == longest_strip) return resolve_whole(column, first, in);
    P a = in.a + own * column.before(first);
    for (Index i = first; i + 1 < end; ++i) {
      const P behind = column.behind(i), before = column.before(i + 1);
      column.keep(i, 0, a);
      column.keep(i, 1, own * behind + next * before);
      a = r * a + (next * behind + own * before);
    }
    P b = in.b + own * column.behind(end - 1);
    column.keep_unknowns(end - 1, a + b, slope * (b - a));
    for (Index i = end - 2; i >= first; --i) {
      a = column.kept(i, 0);
      b = r * b + column.kept(i, 1);
      column.keep_unknowns(i, a + b, slope * (b - a));
    }
  }
  // The same with what memory keeps meanwhile in registers.
  HALOCLINE_HD void resolve_whole(const WaveColumn<P>& column, Index first, const WaveEnds<P>& in) const {
    P a[longest_strip], g[longest_strip];
    a[0] = in.a + own * column.before(first);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = 0; i + 1 < longest_strip; ++i) {
      const P behind = column.behind(first + i), before = column.before(first + i + 1);
      g[i] = own * behind + next * before;
      a[i + 1] = r * a[i] + (next * behind + own * before);
    }
    P b = in.b + own * column.behind(first + longest_strip - 1);
    column.keep_unknowns(first + longest_strip - 1, a[longest_strip - 1] + b, slope * (b - a[longest_strip - 1]));
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = longest_strip - 2; i >= 0; --i) {
      b = r * b + g[i];
      column.keep_unknowns(first + i, a[i] + b, slope * (b - a[i]));
    }
  }
};

// (v, w) of a mode.
template <class P>
struct Pairs {
  P c, n, s2, own_v, own_w, next_v, next_w;
  HALOCLINE_HD Pairs(const ModeTable& rates, Index mode)
      : c(load<P>(rates.at(pair_c, mode))),
        n(load<P>(rates.at(pair_n, mode))),
        s2(load<P>(rates.at(pair_s2, mode))),
        own_v(load<P>(rates.at(pair_own_v, mode))),
        own_w(load<P>(rates.at(pair_own_w, mode))),
        next_v(load<P>(rates.at(pair_next_v, mode))),
        next_w(load<P>(rates.at(pair_next_w, mode))) {}

  // use(i, u) with u at node i, for every node of the strip from `u` before it on; returns u behind the strip.
  template <class Use>
  HALOCLINE_HD WaveEnds<P> walk(const WaveColumn<P>& column, Index first, Index end, WaveEnds<P> u,
                                const Use& use) const {
    for (Index i = first; i < end; ++i) {
      const P before = column.before(i), behind = column.behind(i);
      u = {u.a + own_v * before, u.b + own_w * before};
      use(i, u);
      u = {c * u.a + n * u.b + next_v * behind, c * u.b + s2 * (n * u.a) + next_w * behind};
    }
    return u;
  }
  HALOCLINE_HD WaveEnds<P> reduce(const WaveColumn<P>& column, Index first, Index end) const {
    return walk(column, first, end, {zero<P>(), zero<P>()}, [](Index, const WaveEnds<P>&) {});
  }
  HALOCLINE_HD void resolve(const WaveColumn<P>& column, Index first, Index end, const WaveEnds<P>& in) const {
    walk(column, first, end, in, [&](Index i, const WaveEnds<P>& u) { column.keep_unknowns(i, u.a, u.b); });
  }
};

// body.run<Kind, P>(mode, piece) with Waves or Pairs; for the modes of a pack one by one where they differ.
template <class P, class Body>
HALOCLINE_HD void run_by_kind(const Body& body, const ModeTable& rates, Index mode, Index piece) {
  const double* marks = rates.at(pair_mark, mode);
  int pairs = 0;
  constexpr int count = is_pack<P> ? lanes : 1;
  for (int k = 0; k < count; ++k) pairs += marks[k] < 0;
  if (pairs == 0) return body.template run<Waves<P>, P>(mode, piece);
  if (pairs == count) return body.template run<Pairs<P>, P>(mode, piece);
  for (int k = 0; k < count; ++k) {
    if (marks[k] < 0)
      body.template run<Pairs<double>, double>(mode + k, piece);
    else
      body.template run<Waves<double>, double>(mode + k, piece);
  }
}

// Ends of strips, or of nodes that join several, in places 0, 1, .. of a row, and one slot more than places. What place
// p leaves behind: a in slot p + 1, b in slot p. What arrives there: a in slot p, b in slot p + 1.
struct WaveSlots {
  ModeTable table;
  HALOCLINE_HD double* a(Index slot, Index mode) const { return table.at(2 * slot, mode); }
  HALOCLINE_HD double* b(Index slot, Index mode) const { return table.at(2 * slot + 1, mode); }
};

// Bodies below are launched for every group of eight modes and every piece, groups first.
struct WavePieces {
  Index groups, first_mode;
  HALOCLINE_HD Index mode(Index n, Index lane) const { return first_mode + n % groups * lanes + lane; }
  HALOCLINE_HD Index piece(Index n) const { return n / groups; }
};

// Slots of the modes that launches are for; their table may have room for more.
struct WaveChunk {
  WavePieces pieces;
  WaveSlots slots;
};

// What a part knows of its lines.
struct WavePart {
  WavePieces pieces;
  ModeTable rates;
  WaveStrips strips;
  ModeLines lines;
  Index width, first_strip;
  WaveSlots slots;

  template <class P>
  HALOCLINE_HD WaveColumn<P> column(Index mode) const {
    return {lines, strips, width, mode};
  }
};

struct WaveReduceBody {
  WavePart part;
  template <class Kind, class P>
  HALOCLINE_HD void run(Index mode, Index place) const {
    const Index s = part.first_strip + place;
    const WaveEnds<P> ends =
        Kind(part.rates, mode).reduce(part.template column<P>(mode), part.strips.first(s), part.strips.end(s));
    store(part.slots.a(place + 1, mode), ends.a);
    store(part.slots.b(place, mode), ends.b);
  }
  template <class P>
  HALOCLINE_HD void operator()(Index n, Index, Index lane) const {
    run_by_kind<P>(*this, part.rates, part.pieces.mode(n, lane), part.pieces.piece(n));
  }
};

struct WaveResolveBody {
  WavePart part;
  template <class Kind, class P>
  HALOCLINE_HD void run(Index mode, Index place) const {
    const Index s = part.first_strip + place;
    const WaveEnds<P> in{load<P>(part.slots.a(place, mode)), load<P>(part.slots.b(place + 1, mode))};
    Kind(part.rates, mode).resolve(part.template column<P>(mode), part.strips.first(s), part.strips.end(s), in);
  }
  template <class P>
  HALOCLINE_HD void operator()(Index n, Index, Index lane) const {
    run_by_kind<P>(*this, part.rates, part.pieces.mode(n, lane), part.pieces.piece(n));
  }
};

}  // namespace halocline::collocation
