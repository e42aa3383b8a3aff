// EquationView: the collocation equations of one part as kernels read them; see equations.hpp, which makes them.
//
// Everything is a table along x, a table along y and the coefficients at the Gauss points:
// L u = sum over k of coefficient_k (X_k kron Y_k) U. Layouts and the meaning of components: nodal_layout.hpp.
#pragma once

#include <cmath>

#include "lib/base/half.hpp"
#include "lib/problems/collocation/axes/side_layout.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"

namespace halocline::collocation {

// Four numbers of 16 bits that a thread of a GPU reads at once, as multiples of a power of two that is kept elsewhere.
struct alignas(8) FourHalves {
  Half of[4];
};

// Rows of the one-dimensional equations of all nodes of an axis: coefficients of the derivative of order p at the Gauss
// point 2i - 1 + q over the unknowns (v, w) of the element's lower node (m = 0, 1) and upper node (m = 2, 3). That is
// element i - 1 for q = 0, element i for q = 1, on a periodic axis counted around. Rows that do not exist are zero.
template <class T>
struct AxisRows {
  const T* data;
  Index stride;  // at least margin + n + 2
  // Along i the table is contiguous.
  HALOCLINE_HD const T* row(int q, int p, int m) const {
    return data + ((q * 3 + p) * 4 + m) * stride + NodalBlock::margin;
  }
  HALOCLINE_HD T operator()(int q, int p, int m, Index i) const { return row(q, p, m)[i]; }
};

// Trivially copyable; passed by value into kernel bodies. T is double or float.
template <class T>
struct EquationView {
  NodalBlock block;
  AxisRows<T> x, y;                    // tables of all nodes of the mesh
  const T* sampled;                    // [own line][coefficient 6][component 4][sample_width], or null
  T constant[6];                       // where nothing is sampled
  T tangent_x[2][2], tangent_y[2][2];  // [low, high][v, w]
  // Room for the even nodes of a line where they stand before the odd ones, so that threads of nodes of one color read
  // one stream; 0: nodes stand in order.
  Index split = 0;
  // In the place of `sampled`, for preconditioners on GPUs: [own line][coefficient 6][sample_width], all components of
  // a node as one, to be multiplied by the power of two of [own line][coefficient 6].
  const FourHalves* halves = nullptr;
  const T* half_scales = nullptr;
  // Where conditions vary along sides, in the place of tangent_x and tangent_y: of every node on a side, numbered as in
  // side_layout.hpp, two tangents (side_conditions.hpp).
  const T* side_tangents = nullptr;

  HALOCLINE_HD bool constant_coefficients() const { return sampled == nullptr && halves == nullptr; }
  // Of the coefficients of a node.
  Index coefficient_bytes() const { return 24 * static_cast<Index>(halves ? sizeof(Half) : sampled ? sizeof(T) : 0); }
  HALOCLINE_HD Index sample_width() const { return split > 0 ? 2 * split : block.stride(); }
  HALOCLINE_HD Index sample_slot(Index j) const { return split > 0 ? j % 2 * split + j / 2 : NodalBlock::margin + j; }

  // Coefficient k of the equation of component c at node j of own line i.
  HALOCLINE_HD T coefficient(int k, Index i, int c, Index j) const {
    if (halves) return half_scales[6 * i + k] * to_float(halves[(6 * i + k) * sample_width() + sample_slot(j)].of[c]);
    return sampled ? sampled[((i * 6 + k) * 4 + c) * sample_width() + sample_slot(j)] : constant[k];
  }

  // The 4 x 4 block that couples the equations of node j of own line i to the unknowns of node (i + di, j + dj) of the
  // mesh; di, dj = -1, 0, 1. Row: component of the equation, column: component of the unknown.
  HALOCLINE_HD void block_of(Index i, Index j, int di, int dj, T (&m)[4][4]) const {
    const Index line = block.first_line + i;
    const bool outside = (!block.periodic_x && (line + di < 0 || line + di > block.nx)) ||
                         (!block.periodic_y && (j + dj < 0 || j + dj > block.ny));
    for (int qy = 0; qy < 2; ++qy)
      for (int qx = 0; qx < 2; ++qx)
        for (int ys = 0; ys < 2; ++ys)
          for (int xs = 0; xs < 2; ++xs) {
            // Equation q lies in the element below the node for q = 0, above it for q = 1; offset +1 is reached by the
            // latter alone, -1 by the former alone.
            const bool reaches = !outside && (di == 0 || (di > 0) == (qx == 1)) && (dj == 0 || (dj > 0) == (qy == 1));
            T sum = 0;
            if (reaches) {
              const int mx = (di > 0 || (di == 0 && qx == 0) ? 2 : 0) + xs;
              const int my = (dj > 0 || (dj == 0 && qy == 0) ? 2 : 0) + ys;
              constexpr int px[6] = {2, 1, 0, 1, 0, 0}, py[6] = {0, 1, 2, 0, 1, 0};
              for (int k = 0; k < 6; ++k)
                sum +=
                    (k == 1 ? 2 : 1) * coefficient(k, i, qx + 2 * qy, j) * x(qx, px[k], mx, line) * y(qy, py[k], my, j);
            }
            m[qx + 2 * qy][xs + 2 * ys] = sum;
          }
  }

  // Turns columns for (v, w) of node (i, j) (i counted in the mesh) into columns for the unknowns that are left there:
  // on a side the one unknown z across it stands in the place of the one equation (component 1 at the low end, 0 at the
  // high end) and the other column is zero.
  HALOCLINE_HD void reduce_columns(Index i, Index j, T (&m)[4][4]) const {
    for (int row = 0; row < 4; ++row) reduce(i, j, m[row]);
  }
  // The same for four numbers with components as columns; also takes expanded unknowns (v, w) to z, as t is a unit
  // vector. Fused by hand: left to compilers, z has other bits in every place that uses it.
  HALOCLINE_HD void reduce(Index i, Index j, T (&a)[4]) const {
    if (side_tangents != nullptr) return reduce_by_node(i, j, a);
    if (block.on_x_min(i) || block.on_x_max(i)) {
      const T* t = tangent_x[i == 0 ? 0 : 1];
      for (int ys = 0; ys < 2; ++ys) {
        const T z = std::fma(a[2 * ys], t[0], a[2 * ys + 1] * t[1]);
        a[2 * ys] = i == 0 ? 0 : z;
        a[2 * ys + 1] = i == 0 ? z : 0;
      }
    }
    if (block.on_y_min(j) || block.on_y_max(j)) {
      const T* t = tangent_y[j == 0 ? 0 : 1];
      for (int xs = 0; xs < 2; ++xs) {
        const T z = std::fma(a[xs], t[0], a[xs + 2] * t[1]);
        a[xs] = j == 0 ? 0 : z;
        a[xs + 2] = j == 0 ? z : 0;
      }
    }
  }
  // Back from the unknowns that are left at node (i, j) to (v, w).
  HALOCLINE_HD void expand(Index i, Index j, T (&a)[4]) const {
    if (side_tangents != nullptr) return expand_by_node(i, j, a);
    if (block.on_x_min(i) || block.on_x_max(i)) {
      const T* t = tangent_x[i == 0 ? 0 : 1];
      for (int ys = 0; ys < 2; ++ys) {
        const T z = i == 0 ? a[2 * ys + 1] : a[2 * ys];
        a[2 * ys] = z * t[0];
        a[2 * ys + 1] = z * t[1];
      }
    }
    if (block.on_y_min(j) || block.on_y_max(j)) {
      const T* t = tangent_y[j == 0 ? 0 : 1];
      for (int xs = 0; xs < 2; ++xs) {
        const T z = j == 0 ? a[xs + 2] : a[xs];
        a[xs] = z * t[0];
        a[xs + 2] = z * t[1];
      }
    }
  }
  // Whether component c of node (i, j) has an equation (and, reduced, an unknown).
  HALOCLINE_HD bool exists(Index i, Index j, int c) const {
    const int qx = c % 2, qy = c / 2;
    return !(block.on_x_min(i) && qx == 0) && !(block.on_x_max(i) && qx == 1) && !(block.on_y_min(j) && qy == 0) &&
           !(block.on_y_max(j) && qy == 1);
  }

 private:
  HALOCLINE_HD const T* tangents_of(Index i, Index j) const {
    const SideNodes nodes{block.nx, block.ny};
    return block.on_side(i, j) ? side_tangents + 8 * nodes.number(i, j) : nullptr;
  }
  // The unknowns that are left are factors of the node's tangents, at the places of its equations.
  HALOCLINE_HD void reduce_by_node(Index i, Index j, T (&a)[4]) const {
    const T* t = tangents_of(i, j);
    if (t == nullptr) return;
    const T first = along(t, a), second = along(t + 4, a);
    bool filled = false;
    for (int c = 0; c < 4; ++c) {
      const bool there = exists(i, j, c);
      a[c] = there ? (filled ? second : first) : T{0};
      filled = filled || there;
    }
  }
  HALOCLINE_HD void expand_by_node(Index i, Index j, T (&a)[4]) const {
    const T* t = tangents_of(i, j);
    if (t == nullptr) return;
    T first = 0, second = 0;
    bool filled = false;
    for (int c = 0; c < 4; ++c) {
      if (!exists(i, j, c)) continue;
      (filled ? second : first) = a[c];
      filled = true;
    }
    for (int c = 0; c < 4; ++c) a[c] = std::fma(second, t[4 + c], first * t[c]);
  }
  HALOCLINE_HD static T along(const T* t, const T (&a)[4]) {
    return std::fma(a[3], t[3], std::fma(a[2], t[2], std::fma(a[1], t[1], a[0] * t[0])));
  }
};

}  // namespace halocline::collocation
