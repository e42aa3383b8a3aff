// Bodies of node smoothing: half-sweeps over the nodes of one color, (i + j) mod 2, and whole sweeps for the host.
#pragma once

#include "lib/problems/collocation/multigrid/node_inverse_kernels.hpp"

namespace halocline::collocation {

// A half-sweep over the nodes of a color, out of place: `to` gets u with corrections at these nodes. The host's part.
template <class T>
struct HalfSweepBody {
  NodalProblem<T> problem;
  NodeInverses<T> inverses;
  const T* f;
  int color;
  bool from_zero;  // u = 0
  NodalLines<T> u;
  T* to;

  void row(Index i, Index begin, Index end) const {
    const NodalBlock& block = problem.view.block;
    const Index last = 2 * end < block.nodes() ? 2 * end : block.nodes();
    const rows::Three<T> lines{u.line(i - 1), u.line(i), u.line(i + 1)};
    line(lines, i, 2 * begin, last, color, from_zero, to + i * block.line_size());
  }

  // The same for nodes begin .. end - 1 of own line i (begin even), neighbors' lines and target given.
  void line(const rows::Three<T>& lines, Index i, Index begin, Index end, int which, bool zero, T* target) const {
    const NodalBlock& block = problem.view.block;
    const T* given = f + i * block.line_size();
    alignas(64) T scratch[4][rows::tile];
    const Mask masks;
    const T* mask = masks.of((block.first_line + i + which) % 2);
    for (Index j = begin; j < end; j += rows::tile) {
      const Index count = end - j < rows::tile ? end - j : rows::tile;
      const T* r[4] = {given + block.place(0, j), given + block.place(1, j), given + block.place(2, j),
                       given + block.place(3, j)};
      if (!zero) {
        T* const found[4] = {scratch[0], scratch[1], scratch[2], scratch[3]};
        residual_tile(problem, lines, given, i, j, count, found);
        for (int c = 0; c < 4; ++c) r[c] = scratch[c];
      }
      for (int c = 0; c < 4; ++c) {
        const T* old = zero ? nullptr : lines.line[1] + block.place(c, j);
        if (inverses.same) {
          correct_same(i, j, count, mask, c, r, old, target + block.place(c, j));
        } else {
          correct(i, j, count, mask, c, r, old, target + block.place(c, j));
        }
      }
    }
  }

 private:
  // Ones at every second node, from nodes with the given parity of the distance.
  struct Mask {
    T values[rows::tile + 1];
    Mask() {
      for (Index j = 0; j <= rows::tile; ++j) values[j] = j % 2 == 0 ? T{1} : T{0};
    }
    const T* of(Index parity) const { return values + parity; }
  };

  // target[j] = old[j] + (row c of the inverse times r) where the mask is 1, old[j] elsewhere; old null: zero
  void correct(Index i, Index begin, Index count, const T* mask, int c, const T* const (&r)[4], const T* old,
               T* __restrict target) const {
    const T *m0 = inverses.row(i, 4 * c) + begin, *m1 = inverses.row(i, 4 * c + 1) + begin,
            *m2 = inverses.row(i, 4 * c + 2) + begin, *m3 = inverses.row(i, 4 * c + 3) + begin;
    const T *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3];
    if (old == nullptr) {
#pragma omp simd
      for (Index j = 0; j < count; ++j)
        target[j] = mask[j] * (m0[j] * r0[j] + m1[j] * r1[j] + m2[j] * r2[j] + m3[j] * r3[j]);
    } else {
#pragma omp simd
      for (Index j = 0; j < count; ++j)
        target[j] = old[j] + mask[j] * (m0[j] * r0[j] + m1[j] * r1[j] + m2[j] * r2[j] + m3[j] * r3[j]);
    }
  }
  void correct_same(Index i, Index begin, Index count, const T* mask, int c, const T* const (&r)[4], const T* old,
                    T* __restrict target) const {
    const T* inner = inverses.data + (3 * NodeInverses<T>::kind(inverses.first_line + i, inverses.nx) + 1) * 16 + 4 * c;
    const T m0 = inner[0], m1 = inner[1], m2 = inner[2], m3 = inner[3];
    const T *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3];
    if (old == nullptr) {
#pragma omp simd
      for (Index j = 0; j < count; ++j) target[j] = mask[j] * (m0 * r0[j] + m1 * r1[j] + m2 * r2[j] + m3 * r3[j]);
    } else {
#pragma omp simd
      for (Index j = 0; j < count; ++j)
        target[j] = old[j] + mask[j] * (m0 * r0[j] + m1 * r1[j] + m2 * r2[j] + m3 * r3[j]);
    }
    const auto at_end = [&](Index j) {
      const T* m = inverses.same_matrix(i, begin + j) + 4 * c;
      target[j] = (old ? old[j] : T{0}) + mask[j] * (m[0] * r0[j] + m[1] * r1[j] + m[2] * r2[j] + m[3] * r3[j]);
    };
    if (begin == 0) at_end(0);
    if (problem.view.block.on_y_max(begin + count - 1)) at_end(count - 1);
  }
};

// What the correction of a node depends on beside u, fetched before anything is computed.
template <class T, Stored Storage>
struct NodeData {
  NodeCoefficients<T, Storage> coefficients;
  NodeInverse<T, Storage> inverse;
  T f[4];

  HALOCLINE_HD void read(const HalfSweepBody<T>& half, Index i, Index j, bool from_zero) {
    const NodalBlock& block = half.problem.view.block;
    if (!from_zero) coefficients.read(half.problem.view, i, j);
    inverse.read(half.inverses, i, j);
    for (int c = 0; c < 4; ++c) f[c] = read_only(half.f + i * block.line_size() + block.place(c, j));
  }
};

// The corrected u of node j of own line i, from those around it; from zero, whatever they are.
template <bool Uniform, class T, Stored Storage>
HALOCLINE_HD void correct_node(const HalfSweepBody<T>& half, const NodeData<T, Storage>& data, bool from_zero, Index i,
                               Index j, NodeValues<T>& node, T (&values)[4]) {
  T inverse[16], r[4];
  for (int c = 0; c < 4; ++c) {
    r[c] = data.f[c];
    values[c] = 0;
  }
  if (!from_zero) {
    T product[4];
    data.coefficients.get(half.problem.view, i, node.coefficient);
    node_product<Uniform>(half.problem, node, i, j, product);
    for (int c = 0; c < 4; ++c) {
      r[c] -= product[c];
      values[c] = node.u[1][1][c];
    }
  }
  data.inverse.get(half.inverses, i, inverse);
  for (int c = 0; c < 4; ++c)
    for (int e = 0; e < 4; ++e) values[c] = fma(inverse[4 * c + e], r[e], values[c]);
}

// Writes component c of nodes 2 pair and 2 pair + 1 of own line i: `changed` at the node of this parity, `kept` at the
// other one. Behind the last node there is room for a zero.
template <class T>
HALOCLINE_HD void write_pair(const HalfSweepBody<T>& half, Index i, Index pair, int c, Index parity, T changed,
                             T kept) {
  struct alignas(2 * sizeof(T)) Pair {
    T even, odd;
  };
  const NodalBlock& block = half.problem.view.block;
  *reinterpret_cast<Pair*>(half.to + i * block.line_size() + block.place(c, 2 * pair)) =
      parity == 0 ? Pair{changed, kept} : Pair{kept, changed};
}

// With the part of a GPU's threads, for one kind of problem.
template <class T, Stored Storage, bool Uniform>
struct NodeHalfSweepBody : HalfSweepBody<T> {
  static constexpr int resident_blocks = sizeof(T) == sizeof(float) ? 4 : 2;  // see NodeResidualBody

  // Nodes 2 pair and 2 pair + 1 of own line i, one of them of the color.
  HALOCLINE_HD void operator()(Index i, Index pair) const {
    const NodalBlock& block = this->problem.view.block;
    const Index parity = (block.first_line + i + this->color) % 2;
    const Index j = 2 * pair + parity, other = 2 * pair + 1 - parity;
    T kept[4] = {0, 0, 0, 0}, changed[4] = {0, 0, 0, 0};
    if (other < block.nodes() && !this->from_zero)
      for (int c = 0; c < 4; ++c) kept[c] = read_only(this->u.own + i * block.line_size() + block.place(c, other));
    if (j < block.nodes()) {
      NodeData<T, Storage> data;
      NodeValues<T> node;
      data.read(*this, i, j, this->from_zero);
      if (!this->from_zero) read_values(block, this->u, i, j, node);
      correct_node<Uniform>(*this, data, this->from_zero, i, j, node, changed);
    }
    for (int c = 0; c < 4; ++c) write_pair(*this, i, pair, c, parity, changed[c], kept[c]);
  }
};

// A whole sweep over a strip of own lines on the host, in one pass: the first color runs a line ahead into a buffer of
// three lines, so that everything but the buffer is read once. Reads and repeats the first color on a line either side
// of the strip, and writes its own lines only.
template <class T>
struct FusedSweepBody {
  HalfSweepBody<T> half;
  T* buffers;  // three lines for every strip
  Index strips;

  void operator()(Index strip) const {
    const NodalBlock& block = half.problem.view.block;
    const Index begin = block.lines() * strip / strips, end = block.lines() * (strip + 1) / strips;
    const Index size = block.line_size(), lines = block.lines();
    T* buffer = buffers + 3 * size * strip;
    // Line i after the first color; beyond the mesh that is a line of zeros.
    const auto first = [&](Index i) -> const T* {
      return i < 0 || i >= lines ? half.u.line(i) : buffer + (i + 3) % 3 * size;
    };
    for (Index i = begin - 1; i <= end; ++i) {
      if (i >= 0 && i < lines)
        half.line({half.u.line(i - 1), half.u.line(i), half.u.line(i + 1)}, i, 0, block.nodes(), 0, half.from_zero,
                  buffer + (i + 3) % 3 * size);
      if (i - 1 >= begin)
        half.line({first(i - 2), first(i - 1), first(i)}, i - 1, 0, block.nodes(), 1, false, half.to + (i - 1) * size);
    }
  }
};

}  // namespace halocline::collocation
