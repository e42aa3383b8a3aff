#include "lib/problems/collocation/multigrid/transfers.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/collocation/multigrid/transfer_kernels.hpp"

namespace halocline::collocation {

namespace {

constexpr double sigma = 0.21132486540518712;  // (1 - 1/sqrt 3) / 2

// Cubic Hermite functions (v0, w0, v1, w1) or their derivatives on [0, 1].
std::array<double, 4> hermite(double t, bool slope) {
  if (slope) return {6 * t * t - 6 * t, 1 - 4 * t + 3 * t * t, 6 * t - 6 * t * t, 3 * t * t - 2 * t};
  return {1 - 3 * t * t + 2 * t * t * t, t - 2 * t * t + t * t * t, 3 * t * t - 2 * t * t * t, t * t * t - t * t};
}

}  // namespace

std::array<std::array<double, 4>, 2> prolongation_rows(const Axis& fine, const Axis& coarse, Index node, bool project) {
  std::array<std::array<double, 4>, 2> rows{};
  const Index low = node / 2;
  if (node % 2 == 0) {
    rows[0][0] = 1;
    rows[1][1] = fine.scale(node) / coarse.scale(low);
  } else {
    const double h = coarse.length(low), t = fine.length(node - 1) / h;
    rows[0] = hermite(t, false);
    rows[1] = hermite(t, true);
    for (int m = 0; m < 4; ++m) {
      const double w = m % 2 == 1 ? h / coarse.scale(low + m / 2) : 1;  // s u' to h u'
      rows[0][m] *= w;
      rows[1][m] *= w * fine.scale(node) / h;
    }
  }
  if (project && !fine.periodic() && (node == 0 || node == fine.elements())) {
    const auto t = fine.tangent(node == 0 ? End::low : End::high);
    for (int m = 0; m < 4; ++m) {
      const double z = t[0] * rows[0][m] + t[1] * rows[1][m];
      rows[0][m] = t[0] * z;
      rows[1][m] = t[1] * z;
    }
  }
  return rows;
}

std::array<double, 4> restriction_row(const Axis& fine, const Axis& coarse, Index node, int q) {
  const Index g = coarse.gauss_of(node, q);
  if (g < 0) return {};
  const Index element = g / 2;
  const double h = coarse.length(element), first = fine.length(2 * element) / h;
  const std::array<double, 4> t{first * sigma, first * (1 - sigma), first + (1 - first) * sigma,
                                first + (1 - first) * (1 - sigma)};
  const std::array<double, 4> weight{first / 2, first / 2, (1 - first) / 2, (1 - first) / 2};  // sum 1
  double mean = 0, square = 0;
  for (int k = 0; k < 4; ++k) mean += weight[k] * t[k];
  for (int k = 0; k < 4; ++k) square += weight[k] * (t[k] - mean) * (t[k] - mean);
  const double at = q == 0 ? 1 - sigma : sigma;  // the equation before a node is the second of its element
  std::array<double, 4> row{};
  for (int k = 0; k < 4; ++k) row[k] = weight[k] * (1 + (at - mean) * (t[k] - mean) / square);
  return row;
}

template <class T>
Transfers<T>::Transfers(const Axis& fine_x, const Axis& fine_y, const Axis& coarse_x, const Axis& coarse_y,
                        const ExecutorPtr& executor, bool project) {
  const Index lines = fine_x.elements() + 1, coarse_lines = coarse_x.elements() + 1;
  std::vector<T> x(static_cast<std::size_t>(8 * (lines + coarse_lines)));
  for (Index i = 0; i < lines; ++i) {
    const auto rows = prolongation_rows(fine_x, coarse_x, i, project);
    for (int n = 0; n < 8; ++n) x[8 * i + n] = static_cast<T>(rows[n / 4][n % 4]);
  }
  for (Index i = 0; i < coarse_lines; ++i)
    for (int n = 0; n < 8; ++n)
      x[8 * (lines + i) + n] = static_cast<T>(restriction_row(fine_x, coarse_x, i, n / 4)[n % 4]);
  const Index ny = coarse_y.elements();
  view_.stride = (NodalBlock::margin + ny + 2 + 15) / 16 * 16;
  std::vector<T> y(static_cast<std::size_t>(24 * view_.stride), T{0});
  for (Index j = 0; j <= ny; ++j)
    for (int n = 0; n < 8; ++n) {
      const auto put = [&](int table, double value) {
        y[(8 * table + n) * view_.stride + NodalBlock::margin + j] = static_cast<T>(value);
      };
      put(0, prolongation_rows(fine_y, coarse_y, 2 * j, project)[n / 4][n % 4]);
      if (j < ny) put(1, prolongation_rows(fine_y, coarse_y, 2 * j + 1, project)[n / 4][n % 4]);
      put(2, restriction_row(fine_y, coarse_y, j, n / 4)[n % 4]);
    }
  x_ = make_array(executor, x);
  y_ = make_array(executor, y);
  view_.prolong_x = x_.view().data;
  view_.restrict_x = view_.prolong_x + 8 * lines;
  view_.prolong_even = y_.view().data;
  view_.prolong_odd = view_.prolong_even + 8 * view_.stride;
  view_.restrict_y = view_.prolong_odd + 8 * view_.stride;
}

namespace {

// `fine` and `coarse`: nodes of which all four numbers are read or written.
template <class T>
double bytes_of(Index fine, Index coarse) {
  return 4 * static_cast<double>(fine + coarse) * sizeof(T);
}

}  // namespace

template <class T>
void prolong_and_add(const Executor& executor, const TransferView<T>& tables, const NodalBlock& fine,
                     const NodalBlock& coarse, Range<1> lines, const NodalLines<T>& e, T* u) {
  const Index all = lines.size() * fine.nodes();
  launch_rows(executor, {"prolong", bytes_of<T>(2 * all, all / 4)},
              Range<2>{{lines.lo[0], 0}, {lines.hi[0], coarse.nodes()}}, ProlongBody<T>{tables, fine, coarse, e, u});
}

template <class T>
void restrict_residual(const Executor& executor, const TransferView<T>& tables, const NodalBlock& fine,
                       const NodalBlock& coarse, Index first, Index end, const T* r, T* f) {
  const Index written = (end - first) * coarse.nodes();
  launch_rows(executor, {"restrict", bytes_of<T>(4 * written, written)}, Range<2>{{first, 0}, {end, coarse.nodes()}},
              RestrictBody<T>{tables, fine, coarse, r, f});
}

#define HALOCLINE_INSTANTIATE(T)                                                                                 \
  template class Transfers<T>;                                                                                   \
  template void prolong_and_add(const Executor&, const TransferView<T>&, const NodalBlock&, const NodalBlock&,   \
                                Range<1>, const NodalLines<T>&, T*);                                             \
  template void restrict_residual(const Executor&, const TransferView<T>&, const NodalBlock&, const NodalBlock&, \
                                  Index, Index, const T*, T*);
HALOCLINE_INSTANTIATE(double)
HALOCLINE_INSTANTIATE(float)

}  // namespace halocline::collocation
