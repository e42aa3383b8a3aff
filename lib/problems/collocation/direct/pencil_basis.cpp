#include "lib/problems/collocation/direct/pencil_basis.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "lib/linalg/lapack.hpp"
#include "lib/problems/collocation/direct/modes.hpp"

namespace halocline::collocation {

namespace {

constexpr int lapack_threads = 2;

// Calls use(g, i, value) for the entries of the eliminated matrix K_order.
template <class Use>
void each_entry(const Axis& axis, int order, const Use& use) {
  for (Index g = 0; g < axis.unknowns(); ++g) {
    const auto row = axis.eliminated_row(order, g);
    for (int m = 0; m < 4; ++m) {
      const Index i = 2 * (g / 2) - 1 + m;
      if (i >= 0 && i < axis.unknowns()) use(g, i, row[m]);
    }
  }
}

// sum over g of weight_g K0[g][i] K_order[g][k]
std::vector<double> product(const Axis& axis, const std::vector<double>& weight, int order) {
  const Index size = axis.unknowns();
  std::vector<double> sum(static_cast<std::size_t>(size * size), 0.0);
  for (Index g = 0; g < size; ++g) {
    const auto left = axis.eliminated_row(0, g), right = axis.eliminated_row(order, g);
    const Index first = 2 * (g / 2) - 1;
    for (Index m = 0; m < 4; ++m)
      for (Index k = 0; k < 4; ++k)
        if (std::min(m, k) + first >= 0 && std::max(m, k) + first < size)
          sum[(first + m) * size + first + k] += weight[g] * left[m] * right[k];
  }
  return sum;
}

std::vector<double> weights(const Axis& axis) {
  std::vector<double> w;
  for (Index e = 0; e < axis.elements(); ++e) w.insert(w.end(), 2, axis.length(e) / 2);
  return w;
}

void symmetrize(std::vector<double>& a, Index size) {
  for (Index i = 0; i < size; ++i)
    for (Index k = 0; k < i; ++k) a[i * size + k] = a[k * size + i] = 0.5 * (a[i * size + k] + a[k * size + i]);
}

std::vector<double> mode_values(const std::vector<double>& values, Index n, Index width) {
  std::vector<double> placed;
  for (Index h = 0; h < 2; ++h)
    for (Index l = 0; l < width; ++l) placed.push_back(values[h * n + std::min(l, n - 1)]);
  return placed;
}

}  // namespace

PencilMatrices pencil_matrices(const Axis& axis, const std::vector<double>& c) {
  std::vector<double> plain = weights(axis), divided = plain;
  for (std::size_t g = 0; g < divided.size(); ++g) divided[g] /= c[g];
  return {product(axis, plain, 2), product(axis, divided, 0)};
}

namespace {

// On rank `root`; nothing elsewhere.
PencilEigenvalues solved_on(int root, const Axis& axis, const std::vector<double>& c, const Communicator& comm) {
  if (comm.rank() != root) return {};
  PencilMatrices matrices = pencil_matrices(axis, c);
  symmetrize(matrices.stiffness, axis.unknowns());
  return solve_pencil(axis.unknowns(), std::move(matrices.stiffness), std::move(matrices.mass), lapack_threads);
}

void send_to_all(int root, std::vector<double>& values, Index count, const Communicator& comm) {
  constexpr std::size_t piece = std::size_t{1} << 27;  // a message of MPI ends at 2^31 - 1
  values.resize(static_cast<std::size_t>(count));
  const std::span<double> all(values);
  for (std::size_t at = 0; at < all.size(); at += piece)
    comm.broadcast(all.subspan(at, std::min(piece, all.size() - at)), root);
}

PencilBasis basis_of(const Axis& axis, const std::vector<double>& c, PencilEigenvalues pencil, int root,
                     const Communicator& comm) {
  const Index n = axis.elements(), size = 2 * n;
  send_to_all(root, pencil.values, size, comm);
  send_to_all(root, pencil.vectors, size * size, comm);

  PencilBasis basis;
  basis.n = n;
  basis.width = mode_width(n);
  basis.values = mode_values(pencil.values, n, basis.width);
  for (auto* blocks : {&basis.into, &basis.out})
    for (auto& row : *blocks)
      for (auto& block : row) block.assign(static_cast<std::size_t>((n + 1) * basis.width), 0.0);
  const std::vector<double> w = weights(axis);
  const auto component = [&](Index mode, Index i) { return pencil.vectors[mode * size + i]; };
  for (Index mode = 0; mode < size; ++mode) {
    const Index h = mode / n, l = mode % n;
    each_entry(axis, 0, [&](Index g, Index i, double value) {
      basis.into[(g + 1) % 2][h][(g + 1) / 2 * basis.width + l] += component(mode, i) * value * w[g] / c[g];
    });
    for (int slope = 0; slope < 2; ++slope) {
      double* to = basis.out[h][slope].data() + l * basis.width;
      to[0] = axis.tangent(End::low)[slope] * component(mode, 0);
      for (Index j = 1; j < n; ++j) to[j] = component(mode, 2 * j - 1 + slope);
      to[n] = axis.tangent(End::high)[slope] * component(mode, size - 1);
    }
  }
  return basis;
}

}  // namespace

PencilBasis pencil_basis(const Axis& axis, const std::vector<double>& c, const Communicator& comm) {
  return basis_of(axis, c, solved_on(0, axis, c, comm), 0, comm);
}

std::array<PencilBasis, 2> pencil_bases(const Axis& x, const std::vector<double>& a, const Axis& y,
                                        const std::vector<double>& c, const Communicator& comm) {
  const int last = comm.size() - 1;
  PencilEigenvalues of_x = solved_on(0, x, a, comm), of_y = solved_on(last, y, c, comm);
  PencilBasis first = basis_of(x, a, std::move(of_x), 0, comm);
  return {std::move(first), basis_of(y, c, std::move(of_y), last, comm)};
}

std::vector<double> transposed(const std::vector<double>& matrix, Index n, Index width) {
  std::vector<double> result(matrix.size(), 0.0);
  for (Index i = 0; i <= n; ++i)
    for (Index j = 0; j <= n; ++j) result[j * width + i] = matrix[i * width + j];
  return result;
}

}  // namespace halocline::collocation
