// Bodies of the solves across lines, one system per mode: block tridiagonal in the nodes of x with 2 x 2 blocks, whose
// first row reaches the node before and whose second row reaches the node behind. Lanes are neighboring modes.
//
// The lines are cut into strips of a length that no partition changes. The first line of every strip but the first is
// an interface; the others are eliminated strip by strip, which leaves the same kind of system for the interfaces.
// Elimination is block by block with the inverse of a 2 x 2 block as its pivot.
#pragma once

#include "lib/base/pack.hpp"
#include "lib/problems/collocation/direct/mode_layout.hpp"

namespace halocline::collocation {

HALOCLINE_HD inline double reciprocal(double a) { return 1 / a; }
HALOCLINE_HD inline Pack<double> reciprocal(Pack<double> a) {
  for (int i = 0; i < Pack<double>::registers; ++i) a.r[i] = 1 / a.r[i];
  return a;
}

template <class P>
struct Pair {
  P v, w;
};
template <class P>
HALOCLINE_HD inline P dot(const Pair<P>& a, const Pair<P>& b) {
  return a.v * b.v + a.w * b.w;
}

// Coefficients of the rows of all nodes: of the plain terms and of those that the mode's value multiplies.
struct StripRows {
  const double* data;  // [node][row][plain, times the mode's value][lower v, lower w, upper v, upper w]
  // Of the lower (0) or upper (1) node that row q of node i touches.
  template <class P>
  HALOCLINE_HD Pair<P> part(Index i, int q, int upper, const P& value) const {
    const double* c = data + (i * 2 + q) * 8 + 2 * upper;
    return {plus(c[0], c[4] * value), plus(c[1], c[5] * value)};
  }
  template <class P>
  HALOCLINE_HD Pair<P> before(Index i, const P& value) const {  // of node i on node i - 1
    return part(i, 0, 0, value);
  }
  template <class P>
  HALOCLINE_HD Pair<P> behind(Index i, const P& value) const {  // of node i on node i + 1
    return part(i, 1, 1, value);
  }

 private:
  HALOCLINE_HD static double plus(double a, double b) { return a + b; }
  HALOCLINE_HD static Pack<double> plus(double a, Pack<double> b) {
    for (int i = 0; i < Pack<double>::registers; ++i) b.r[i] += a;
    return b;
  }
};

// A node's block with what precedes it eliminated: g = D^-1 f, p = D^-1 e_2.
template <class P>
struct Eliminated {
  Pair<P> g, p;
  HALOCLINE_HD void set(const Pair<P>& row0, const Pair<P>& row1, const P& f0, const P& f1) {
    const P inverse = reciprocal(row0.v * row1.w - row0.w * row1.v);
    g = {inverse * (row1.w * f0 - row0.w * f1), inverse * (row0.v * f1 - row1.v * f0)};
    p = {zero<P>() - inverse * row0.w, inverse * row0.v};
  }
};

struct Strips {
  static constexpr int longest = 63;  // lines of the last one; the others have at most 32
  Index nodes, length, count;         // length: of all but the last, which takes the remainder as well
  HALOCLINE_HD Index first(Index s) const { return s * length; }
  HALOCLINE_HD Index first_inner(Index s) const { return s == 0 ? 0 : s * length + 1; }
  HALOCLINE_HD Index last(Index s) const { return s + 1 == count ? nodes - 1 : (s + 1) * length - 1; }
};

// What all bodies know. Mode l of component h has number h * width + l; a group is eight modes.
struct StripModes {
  Strips strips;
  StripRows rows;
  const double* values;  // of the modes
  Index width;
};

// Numbers per strip and mode, for some strips and modes: [strip][number][mode].
struct StripTable {
  double* data;
  Index numbers, first_strip, first_mode, modes;
  HALOCLINE_HD double* at(Index s, Index k, Index mode) const {
    return data + ((s - first_strip) * numbers + k) * modes + mode - first_mode;
  }
};
// Reduced: what reaches the next interface, and the two rows of the own one. Solved: the unknowns of the interface.
constexpr Index reduced_numbers = 3, solved_numbers = 2, factor_numbers = 4, pivot_numbers = 2;

// Unknowns of the inner lines of a strip.
template <class P>
struct StripSystem {
  const StripModes& all;
  Index s;
  P value;
  Eliminated<P> nodes[Strips::longest];

  // f(i, q): right-hand side of row q of node i.
  template <class F>
  HALOCLINE_HD void eliminate(const F& f) {
    const Index first = all.strips.first_inner(s), last = all.strips.last(s);
    for (Index i = first; i <= last; ++i) {
      Pair<P> row0 = all.rows.part(i, 0, 1, value);
      const Pair<P> row1 = all.rows.part(i, 1, 0, value);
      P f0 = f(i, 0);
      if (i > first) {
        const Eliminated<P>& previous = nodes[i - 1 - first];
        const Pair<P> left = all.rows.before(i, value), right = all.rows.behind(i - 1, value);
        const P factor = dot(left, previous.p);
        row0 = {row0.v - factor * right.v, row0.w - factor * right.w};
        f0 = f0 - dot(left, previous.g);
      }
      nodes[i - first].set(row0, row1, f0, f(i, 1));
    }
  }
  // Calls use(i, unknowns) from the last inner line to the first, and returns those of the first.
  template <class Use>
  HALOCLINE_HD Pair<P> substitute(const Use& use) const {
    const Index first = all.strips.first_inner(s), last = all.strips.last(s);
    Pair<P> u = nodes[last - first].g;
    use(last, u);
    for (Index i = last - 1; i >= first; --i) {
      const Eliminated<P>& node = nodes[i - first];
      const P factor = dot(all.rows.behind(i, value), u);
      u = {node.g.v - node.p.v * factor, node.g.w - node.p.w * factor};
      use(i, u);
    }
    return u;
  }
  HALOCLINE_HD Pair<P> at_end() const { return nodes[all.strips.last(s) - all.strips.first_inner(s)].g; }
};

// How a strip answers to its two neighbors: unit right-hand sides at its ends. Factors: of the next interface's first
// row to the unit at the first and last inner line, then of the own interface's second row.
struct FactorBody {
  StripModes all;
  StripTable factors;

  HALOCLINE_HD static double one(double) { return 1; }
  HALOCLINE_HD static Pack<double> one(Pack<double> p) {
    for (int i = 0; i < Pack<double>::registers; ++i) p.r[i] += 1;
    return p;
  }

  template <class P>
  HALOCLINE_HD void operator()(Index group, Index s, Index lane) const {
    const Index mode = factors.first_mode + group * lanes + lane;
    StripSystem<P> system{all, s, load<P>(all.values + mode), {}};
    const Index first = all.strips.first_inner(s), last = all.strips.last(s);
    for (int side = 0; side < 2; ++side) {
      system.eliminate([&](Index i, int q) {
        const P value = zero<P>();
        return i == (side == 0 ? first : last) && q == side ? one(value) : value;
      });
      const Pair<P> front = system.substitute([](Index, const Pair<P>&) {});
      if (s + 1 < all.strips.count)
        store(factors.at(s, side, mode), dot(all.rows.before(last + 1, system.value), system.at_end()));
      if (s > 0) store(factors.at(s, 2 + side, mode), dot(all.rows.behind(first - 1, system.value), front));
    }
  }
};

// Solves the inner lines of own strips with zero at the interfaces, and leaves what the interfaces see of it.
struct ReduceBody {
  StripModes all;
  ModeLines lines;
  StripTable reduced;
  Index first_strip;

  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    const Index s = first_strip + piece, mode = group * lanes + lane;
    StripSystem<P> system{all, s, load<P>(all.values + mode), {}};
    const auto f = [&](Index i, int q) { return load<P>(lines.at(i, q, mode, all.width)); };
    system.eliminate(f);
    if (s + 1 < all.strips.count)
      store(reduced.at(s, 0, mode), dot(all.rows.before(all.strips.last(s) + 1, system.value), system.at_end()));
    if (s == 0) return;
    const Index i = all.strips.first(s);
    const Pair<P> front = system.substitute([](Index, const Pair<P>&) {});
    store(reduced.at(s, 1, mode), f(i, 0));
    store(reduced.at(s, 2, mode), f(i, 1) - dot(all.rows.behind(i, system.value), front));
  }
};

// The system of the interfaces, all of them for a group of modes.
struct InterfaceBody {
  StripModes all;
  StripTable factors, reduced, pivots, solved;

  // Coefficients of interface s on the one before, and on the one behind.
  template <class P>
  HALOCLINE_HD Pair<P> before(Index s, Index mode, const P& value) const {
    const P factor = load<P>(factors.at(s - 1, 0, mode));
    const Pair<P> left = all.rows.before(all.strips.first(s - 1) + 1, value);
    return {zero<P>() - factor * left.v, zero<P>() - factor * left.w};
  }
  template <class P>
  HALOCLINE_HD Pair<P> behind(Index s, Index mode, const P& value) const {
    const P factor = load<P>(factors.at(s, 3, mode));
    const Pair<P> right = all.rows.behind(all.strips.last(s), value);
    return {zero<P>() - factor * right.v, zero<P>() - factor * right.w};
  }

  template <class P>
  HALOCLINE_HD void operator()(Index group, Index, Index lane) const {
    const Index mode = factors.first_mode + group * lanes + lane, count = all.strips.count;
    const P value = load<P>(all.values + mode);
    Eliminated<P> node{};
    for (Index s = 1; s < count; ++s) {
      const Index i = all.strips.first(s);
      Pair<P> row0 = all.rows.part(i, 0, 1, value), row1 = all.rows.part(i, 1, 0, value);
      const Pair<P> left = all.rows.behind(i - 1, value), right = all.rows.before(i + 1, value);
      const P from_left = load<P>(factors.at(s - 1, 1, mode));
      const P from_right = load<P>(factors.at(s, 2, mode));
      row0 = {row0.v - from_left * left.v, row0.w - from_left * left.w};
      row1 = {row1.v - from_right * right.v, row1.w - from_right * right.w};
      P f0 = load<P>(reduced.at(s, 1, mode)) - load<P>(reduced.at(s - 1, 0, mode));
      if (s > 1) {
        const Pair<P> lower = before(s, mode, value), upper = behind(s - 1, mode, value);
        const P factor = dot(lower, node.p);
        row0 = {row0.v - factor * upper.v, row0.w - factor * upper.w};
        f0 = f0 - dot(lower, node.g);
      }
      node.set(row0, row1, f0, load<P>(reduced.at(s, 2, mode)));
      store(solved.at(s, 0, mode), node.g.v);
      store(solved.at(s, 1, mode), node.g.w);
      store(pivots.at(s, 0, mode), node.p.v);
      store(pivots.at(s, 1, mode), node.p.w);
    }
    Pair<P> u = node.g;
    for (Index s = count - 2; s > 0; --s) {
      const P factor = dot(behind(s, mode, value), u);
      u = {load<P>(solved.at(s, 0, mode)) - load<P>(pivots.at(s, 0, mode)) * factor,
           load<P>(solved.at(s, 1, mode)) - load<P>(pivots.at(s, 1, mode)) * factor};
      store(solved.at(s, 0, mode), u.v);
      store(solved.at(s, 1, mode), u.w);
    }
  }
};

// Solves the inner lines of own strips between the known interfaces, in place.
struct ResolveBody {
  StripModes all;
  ModeLines lines;
  StripTable solved;
  Index first_strip;

  template <class P>
  HALOCLINE_HD Pair<P> interface(Index s, Index mode) const {
    return {load<P>(solved.at(s, 0, mode)), load<P>(solved.at(s, 1, mode))};
  }

  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    const Index s = first_strip + piece, mode = group * lanes + lane;
    StripSystem<P> system{all, s, load<P>(all.values + mode), {}};
    const Index first = all.strips.first_inner(s), last = all.strips.last(s);
    P at_first = zero<P>(), at_last = zero<P>();  // what the interfaces contribute
    if (s > 0) at_first = dot(all.rows.before(first, system.value), interface<P>(s, mode));
    if (s + 1 < all.strips.count) at_last = dot(all.rows.behind(last, system.value), interface<P>(s + 1, mode));
    system.eliminate([&](Index i, int q) {
      const P f = load<P>(lines.at(i, q, mode, all.width));
      if (q == 0) return i == first ? f - at_first : f;
      return i == last ? f - at_last : f;
    });
    const auto keep = [&](Index i, const Pair<P>& u) {
      store(lines.at(i, 0, mode, all.width), u.v);
      store(lines.at(i, 1, mode, all.width), u.w);
    };
    system.substitute(keep);
    if (s > 0) keep(all.strips.first(s), interface<P>(s, mode));
  }
};

}  // namespace halocline::collocation
