// The matrix of a cube, and the rules for options.
#include <cmath>

#include "lib/problems/sparse/sources/elastic/elastic_box.hpp"

namespace halocline::sparse {

namespace {

constexpr const char* path = "sparse.matrix.elastic_box.elements";

// Derivatives of the hat functions of the corners at a point of the cube.
std::array<std::array<double, 3>, 8> gradients(const std::array<double, 3>& x) {
  std::array<std::array<double, 3>, 8> made{};
  for (std::size_t corner = 0; corner < 8; ++corner)
    for (std::size_t along = 0; along < 3; ++along) {
      double value = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool high = (corner >> axis & 1) != 0;
        value *= axis == along ? (high ? 1.0 : -1.0) : (high ? x[axis] : 1 - x[axis]);
      }
      made[corner][along] = value;
    }
  return made;
}

std::size_t place(std::size_t a, std::size_t c, std::size_t b, std::size_t d) { return ((a * 3 + c) * 8 + b) * 3 + d; }

}  // namespace

// sum over points of lambda div(v_a) div(v_b) + 2 mu eps(v_a) : eps(v_b), which for hat functions in components c, d is
// lambda g_ac g_bd + mu (g_ad g_bc + [c = d] g_a . g_b).
std::array<double, 576> cube_matrix(double young, double poisson) {
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
  const double low = 0.5 - std::sqrt(3.0) / 6, points[2] = {low, 1 - low};
  std::array<double, 576> made{};
  for (int point = 0; point < 8; ++point) {
    const auto g = gradients({points[point & 1], points[point >> 1 & 1], points[point >> 2]});
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b < 8; ++b)
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t d = 0; d < 3; ++d) {
            const double along = c == d ? g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2] : 0;
            made[place(a, c, b, d)] += (lambda * g[a][c] * g[b][d] + mu * (g[a][d] * g[b][c] + along)) / 8;
          }
  }
  // Products of three numbers round differently in another order.
  for (std::size_t i = 0; i < 24; ++i)
    for (std::size_t j = 0; j < i; ++j) made[i * 24 + j] = made[j * 24 + i] = (made[i * 24 + j] + made[j * 24 + i]) / 2;
  return made;
}

std::optional<ElasticModel> make_elastic_model(const ElasticOptions& options, Faults& faults) {
  ElasticModel made{{}, options.young, options.poisson};
  if (options.elements.size() != 3) {
    faults.at(path, "has " + std::to_string(options.elements.size()) + " numbers; expected 3");
    return std::nullopt;
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    made.layout.elements[axis] = static_cast<Index>(options.elements[axis]);
    if (options.elements[axis] == std::floor(options.elements[axis])) continue;
    faults.at(std::string(path) + "[" + std::to_string(axis) + "]", "must be a whole number");
    return std::nullopt;
  }
  return made;
}

}  // namespace halocline::sparse
