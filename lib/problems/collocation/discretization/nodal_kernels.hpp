// Bodies of the operator by sum factorization: first along x at a Gauss column, for the three derivatives, then along
// y.
//
// node_product() computes the four equations of one node, for a thread of a GPU; residual_tile() those of the nodes of
// a line, for the host: tile by tile, with the contractions along x in cache and loops along the line that vectorize.
#pragma once

#include <type_traits>

#include "lib/base/fma.hpp"
#include "lib/base/memory/read_only.hpp"
#include "lib/problems/collocation/discretization/equation_kernels.hpp"

namespace halocline::collocation {

// The equations of a part with what is equal on all lines taken out of tables. Trivially copyable.
template <class T>
struct NodalProblem {
  EquationView<T> view;
  bool uniform_x, uniform_y;           // then x_rows, y_rows hold for every node, up to equations that do not exist
  T x_rows[2][3][4], y_rows[2][3][4];  // [q][derivative][unknown] as in AxisRows
};

// How coefficients are stored.
enum class Stored { constant, sampled, halves };

// Calls call(stored, uniform) with what is known of the problem as std::integral_constant: how coefficients are stored,
// and whether both axes are uniform. Asked once per kernel, not per number, a GPU can have all numbers of a node under
// way at the same time, which is worth a factor of two.
template <class T, class Call>
void with_kind(const NodalProblem<T>& problem, const Call& call) {
  const auto stored_as = [&](auto stored) {
    problem.uniform_x&& problem.uniform_y ? call(stored, std::true_type()) : call(stored, std::false_type());
  };
  if constexpr (std::is_same_v<T, float>)
    if (problem.view.halves != nullptr) return stored_as(std::integral_constant<Stored, Stored::halves>());
  problem.view.sampled != nullptr ? stored_as(std::integral_constant<Stored, Stored::sampled>())
                                  : stored_as(std::integral_constant<Stored, Stored::constant>());
}

// As one read.
HALOCLINE_HD inline FourHalves read_four(const FourHalves* from) {
#if defined(__CUDA_ARCH__)
  const uint2 bits = __ldg(reinterpret_cast<const uint2*>(from));
  FourHalves four;
  memcpy(&four, &bits, sizeof four);
  return four;
#else
  return *from;
#endif
}

// The coefficients of a node as a thread fetches them, before it computes anything.
template <class T, Stored Storage>
struct NodeCoefficients {
  T number[Storage == Stored::halves ? 1 : 24];
  FourHalves four[Storage == Stored::halves ? 6 : 1];

  HALOCLINE_HD void read(const EquationView<T>& view, Index i, Index j) {
    const Index width = view.sample_width(), slot = view.sample_slot(j);
    if constexpr (Storage == Stored::halves)
      for (int k = 0; k < 6; ++k) four[k] = read_four(view.halves + (6 * i + k) * width + slot);
    if constexpr (Storage == Stored::sampled)
      for (int n = 0; n < 24; ++n) number[n] = read_only(view.sampled + (24 * i + n) * width + slot);
    if constexpr (Storage == Stored::constant)
      for (int n = 0; n < 24; ++n) number[n] = view.constant[n / 4];
  }
  HALOCLINE_HD void get(const EquationView<T>& view, Index i, T (&to)[6][4]) const {
    for (int k = 0; k < 6; ++k) {
      const T scale = Storage == Stored::halves ? read_only(view.half_scales + 6 * i + k) : T{1};
      for (int c = 0; c < 4; ++c) {
        if constexpr (Storage == Stored::halves) {
          to[k][c] = scale * to_float(four[k].of[c]);
        } else {
          to[k][c] = number[4 * k + c];
        }
      }
    }
  }
};

// What the equations of a node depend on.
template <class T>
struct NodeValues {
  T u[3][3][4];         // [line i - 1, i, i + 1][node j - 1, j, j + 1][component]
  T coefficient[6][4];  // [k][component]
};

template <class T>
HALOCLINE_HD void read_values(const NodalBlock& block, const NodalLines<T>& u, Index i, Index j, NodeValues<T>& node) {
  for (int l = 0; l < 3; ++l)
    for (int c = 0; c < 4; ++c) {
      const T* from = u.line(i - 1 + l) + block.place(c, j - 1);
      for (int n = 0; n < 3; ++n) node.u[l][n][c] = read_only(from + n);
    }
  if (!block.periodic_y || (j > 0 && j + 1 < block.ny)) return;
  for (int n = 0; n < 3; n += 2) {  // around the end
    const Index other = block.wrapped_node(j - 1 + n);
    for (int l = 0; l < 3; ++l)
      for (int c = 0; c < 4; ++c) node.u[l][n][c] = read_only(u.line(i - 1 + l) + block.place(c, other));
  }
}

template <class T>
HALOCLINE_HD T fused_dot(const T (&a)[4], T b0, T b1, T b2, T b3) {
  return fma(a[3], b3, fma(a[2], b2, fma(a[1], b1, a[0] * b0)));
}

// A u at node j of own line i. Fused by hand, so that kernels that do this for one node have the same bits.
template <bool Uniform, class T>
HALOCLINE_HD void node_product(const NodalProblem<T>& problem, const NodeValues<T>& node, Index i, Index j,
                               T (&product)[4]) {
  const EquationView<T>& view = problem.view;
  const NodalBlock& block = view.block;
  const Index line = block.first_line + i;
  for (int qx = 0; qx < 2; ++qx) {
    const T(&lower)[3][4] = node.u[qx];
    const T(&upper)[3][4] = node.u[qx + 1];
    T t[3][3][2];  // [derivative along x][node][v, w along y]
    for (int p = 0; p < 3; ++p) {
      T x[4];
      for (int m = 0; m < 4; ++m) x[m] = Uniform ? problem.x_rows[qx][p][m] : read_only(view.x.row(qx, p, m) + line);
      for (int n = 0; n < 3; ++n)
        for (int s = 0; s < 2; ++s)
          t[p][n][s] = fused_dot(x, lower[n][2 * s], lower[n][2 * s + 1], upper[n][2 * s], upper[n][2 * s + 1]);
    }
    for (int qy = 0; qy < 2; ++qy) {
      T y[3][4];
      for (int p = 0; p < 3; ++p)
        for (int m = 0; m < 4; ++m) y[p][m] = Uniform ? problem.y_rows[qy][p][m] : read_only(view.y.row(qy, p, m) + j);
      const auto derivative = [&](int px, int py) {
        const T(&low)[2] = t[px][qy];
        const T(&high)[2] = t[px][qy + 1];
        return fused_dot(y[py], low[0], low[1], high[0], high[1]);
      };
      const int c = qx + 2 * qy;
      const auto k = [&](int n) { return node.coefficient[n][c]; };
      T sum = k(0) * derivative(2, 0);
      sum = fma(2 * k(1), derivative(1, 1), sum);
      sum = fma(k(2), derivative(0, 2), sum);
      sum = fma(k(3), derivative(1, 0), sum);
      sum = fma(k(4), derivative(0, 1), sum);
      sum = fma(k(5), derivative(0, 0), sum);
      product[c] = view.exists(line, j, c) ? sum : T{0};
    }
  }
}

namespace rows {

constexpr Index tile = 128;

// Scratch of a tile: values at its nodes and one more on either side.
template <class T>
struct Contracted {
  static constexpr Index room = tile + 32;
  alignas(64) T value[3][2][room];  // [derivative along x][v, w along y][16 + node in the tile]
  const T* at(int p, int s) const { return value[p][s] + 16; }
  T* at(int p, int s) { return value[p][s] + 16; }
};

// Lines i - 1, i and i + 1.
template <class T>
struct Three {
  const T* line[3];
};

// Along x, at Gauss column qx of line i, for nodes begin - 1 .. begin + count.
template <class T>
inline void contract(const EquationView<T>& view, const Three<T>& u, Index i, int qx, Index begin, Index count,
                     Contracted<T>& t) {
  const NodalBlock& block = view.block;
  const T *lower = u.line[qx], *upper = u.line[qx + 1];
  T x[3][4];
  for (int p = 0; p < 3; ++p)
    for (int m = 0; m < 4; ++m) x[p][m] = view.x(qx, p, m, block.first_line + i);
  for (int s = 0; s < 2; ++s) {
    const T *lv = lower + block.place(2 * s, begin), *lw = lower + block.place(2 * s + 1, begin);
    const T *uv = upper + block.place(2 * s, begin), *uw = upper + block.place(2 * s + 1, begin);
    T *t0 = t.at(0, s), *t1 = t.at(1, s), *t2 = t.at(2, s);
#pragma omp simd
    for (Index j = -1; j <= count; ++j) {
      const T a = lv[j], b = lw[j], c = uv[j], d = uw[j];
      t0[j] = x[0][0] * a + x[0][1] * b + x[0][2] * c + x[0][3] * d;
      t1[j] = x[1][0] * a + x[1][1] * b + x[1][2] * c + x[1][3] * d;
      t2[j] = x[2][0] * a + x[2][1] * b + x[2][2] * c + x[2][3] * d;
    }
  }
  if (!block.periodic_y) return;
  const auto around = [&](Index to, Index node) {  // beside the first and the last node
    for (int s = 0; s < 2; ++s)
      for (int p = 0; p < 3; ++p) {
        const Index v = block.place(2 * s, node), w = block.place(2 * s + 1, node);
        t.at(p, s)[to] = x[p][0] * lower[v] + x[p][1] * lower[w] + x[p][2] * upper[v] + x[p][3] * upper[w];
      }
  };
  if (begin == 0) around(-1, block.ny - 1);
  if (begin + count == block.ny) around(count, 0);
}

// Numbers along a line, one for each node or the same for all. Named variables of it, not arrays of pointers: those the
// compiler would not hold in registers.
template <class T, bool Same>
struct Along {
  const T* values;
  T same;
  Along(const T* from, T constant) : values(from), same(constant) {}
  T operator[](Index j) const { return Same ? same : values[j]; }
};

// Along y: the equations of component qx + 2 qy at nodes begin .. begin + count - 1, to r; f null: the product.
template <class T, bool Sampled, bool Uniform>
inline void combine(const NodalProblem<T>& problem, const Contracted<T>& t, const T* f, Index i, int component,
                    Index begin, Index count, T* __restrict r) {
  const EquationView<T>& view = problem.view;
  const NodalBlock& block = view.block;
  const int qy = component / 2;
  const auto row = [&](int p, int m) {
    return Along<T, Uniform>(view.y.row(qy, p, m) + begin, problem.y_rows[qy][p][m]);
  };
  const auto coefficient = [&](int k) {
    const T* from = Sampled ? view.sampled + (i * 6 + k) * block.line_size() + block.place(component, begin) : nullptr;
    return Along<T, !Sampled>(from, view.constant[k]);
  };
  const auto y00 = row(0, 0), y01 = row(0, 1), y02 = row(0, 2), y03 = row(0, 3);
  const auto y10 = row(1, 0), y11 = row(1, 1), y12 = row(1, 2), y13 = row(1, 3);
  const auto y20 = row(2, 0), y21 = row(2, 1), y22 = row(2, 2), y23 = row(2, 3);
  const auto a = coefficient(0), b = coefficient(1), c = coefficient(2), d = coefficient(3), e = coefficient(4),
             eta = coefficient(5);
  const T *v0 = t.at(0, 0) + qy - 1, *w0 = t.at(0, 1) + qy - 1, *v1 = t.at(1, 0) + qy - 1, *w1 = t.at(1, 1) + qy - 1,
          *v2 = t.at(2, 0) + qy - 1, *w2 = t.at(2, 1) + qy - 1;
#pragma omp simd
  for (Index j = 0; j < count; ++j) {
    // In the order u_xx, u_x, u, each with what y needs of it.
    const T xx = y00[j] * v2[j] + y01[j] * w2[j] + y02[j] * v2[j + 1] + y03[j] * w2[j + 1];
    const T x = y00[j] * v1[j] + y01[j] * w1[j] + y02[j] * v1[j + 1] + y03[j] * w1[j + 1];
    const T xy = y10[j] * v1[j] + y11[j] * w1[j] + y12[j] * v1[j + 1] + y13[j] * w1[j + 1];
    const T u = y00[j] * v0[j] + y01[j] * w0[j] + y02[j] * v0[j + 1] + y03[j] * w0[j + 1];
    const T y = y10[j] * v0[j] + y11[j] * w0[j] + y12[j] * v0[j + 1] + y13[j] * w0[j + 1];
    const T yy = y20[j] * v0[j] + y21[j] * w0[j] + y22[j] * v0[j + 1] + y23[j] * w0[j + 1];
    r[j] = a[j] * xx + 2 * b[j] * xy + c[j] * yy + d[j] * x + e[j] * y + eta[j] * u;
  }
  if (f != nullptr) {
    const T* given = f + block.place(component, begin);
#pragma omp simd
    for (Index j = 0; j < count; ++j) r[j] = given[j] - r[j];
  }
  // Equations that do not exist.
  if (qy == 0 && block.on_y_min(begin)) r[0] = 0;
  if (qy == 1 && block.on_y_max(begin + count - 1)) r[count - 1] = 0;
}

}  // namespace rows

// Residuals of a tile of line i, component c to r[c][0 .. count - 1]; f: the line's, or null for the product.
template <class T>
inline void residual_tile(const NodalProblem<T>& problem, const rows::Three<T>& u, const T* f, Index i, Index begin,
                          Index count, T* const (&r)[4]) {
  for (int qx = 0; qx < 2; ++qx) {
    rows::Contracted<T> t;
    rows::contract(problem.view, u, i, qx, begin, count, t);
    for (int c = qx; c < 4; c += 2) {
      const bool sampled = problem.view.sampled != nullptr;
      const auto call = sampled ? (problem.uniform_y ? rows::combine<T, true, true> : rows::combine<T, true, false>)
                                : (problem.uniform_y ? rows::combine<T, false, true> : rows::combine<T, false, false>);
      call(problem, t, f, i, c, begin, count, r[c]);
    }
  }
}

// r = f - A u, or A u where f is null; own lines. The host's part.
template <class T>
struct ResidualBody {
  NodalProblem<T> problem;
  NodalLines<T> u;
  const T* f;
  T* r;

  void row(Index i, Index begin, Index end) const {
    const NodalBlock& block = problem.view.block;
    T* to = r + i * block.line_size();
    const T* given = f ? f + i * block.line_size() : nullptr;
    const rows::Three<T> lines{u.line(i - 1), u.line(i), u.line(i + 1)};
    for (Index j = begin; j < end; j += rows::tile) {
      const Index count = end - j < rows::tile ? end - j : rows::tile;
      T* const at[4] = {to + block.place(0, j), to + block.place(1, j), to + block.place(2, j), to + block.place(3, j)};
      residual_tile(problem, lines, given, i, j, count, at);
    }
  }
};

// With the part of a GPU's threads, for one kind of problem.
template <class T, Stored Storage, bool Uniform>
struct NodeResidualBody : ResidualBody<T> {
  // Enough registers for all numbers of a node, which are fetched at the same time.
  static constexpr int resident_blocks = sizeof(T) == sizeof(float) || Uniform ? 4 : 2;

  HALOCLINE_HD void operator()(Index i, Index j) const {
    const NodalBlock& block = this->problem.view.block;
    const Index base = i * block.line_size();
    NodeCoefficients<T, Storage> coefficients;
    NodeValues<T> node;
    coefficients.read(this->problem.view, i, j);
    read_values(block, this->u, i, j, node);
    T given[4], product[4];
    for (int c = 0; c < 4; ++c) given[c] = this->f ? read_only(this->f + base + block.place(c, j)) : T{0};
    coefficients.get(this->problem.view, i, node.coefficient);
    node_product<Uniform>(this->problem, node, i, j, product);
    for (int c = 0; c < 4; ++c) this->r[base + block.place(c, j)] = this->f ? given[c] - product[c] : product[c];
  }
};

}  // namespace halocline::collocation
