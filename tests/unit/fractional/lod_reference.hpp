// The published LOD scheme once more, node by node in long double: order 0.6 in t on equal steps, constant D and sigma,
// Dirichlet sides.
#pragma once

#include <array>
#include <cmath>
#include <vector>

namespace halocline::fractional {

struct LodReference {
  using Real = long double;
  using Field = std::vector<Real>;

  int cells[3] = {5, 4, 6};
  Real size[3] = {1, 0.5L, 2};
  Real order = 0.6L, D = 0.3L, sigma = 1.5L, step = 0.1L;
  std::array<Real, 3> shares{};
  bool consistent = false;

  static Real on_sides(Real x, Real y, Real z, Real t) { return std::cos(y) + z * x + t * t; }
  static Real initial(Real x, Real y, Real z) { return std::cos(y) + z * x + std::sin(3 * x) * y; }
  static Real source(Real x, Real y, Real /*z*/, Real t) { return x * t + y * y; }

  // (z, y, x) after so many steps.
  Field after(int steps) {
    Field c = made([&](Real x, Real y, Real z) { return initial(x, y, z); });
    std::vector<Field> increments;
    for (int l = 1; l <= steps; ++l) {
      const Field before = c;
      advance(c, increments, l);
      Field increment(c.size());
      for (std::size_t n = 0; n < c.size(); ++n) increment[n] = c[n] - before[n];
      increments.push_back(increment);
    }
    return c;
  }

 private:
  std::size_t at(int i, int j, int k) const {
    return static_cast<std::size_t>((k * (cells[1] + 1) + j) * (cells[0] + 1) + i);
  }
  Real place(int axis, int n) const { return size[axis] * static_cast<Real>(n) / static_cast<Real>(cells[axis]); }
  bool end(int axis, int n) const { return n == 0 || n == cells[axis]; }
  bool side(int i, int j, int k) const { return end(0, i) || end(1, j) || end(2, k); }
  template <class Call>
  void on_each(const Call& call) const {
    for (int k = 0; k <= cells[2]; ++k)
      for (int j = 0; j <= cells[1]; ++j)
        for (int i = 0; i <= cells[0]; ++i) call(i, j, k);
  }
  template <class Formula>
  Field made(const Formula& formula) const {
    Field field(at(cells[0], cells[1], cells[2]) + 1);
    on_each([&](int i, int j, int k) { field[at(i, j, k)] = formula(place(0, i), place(1, j), place(2, k)); });
    return field;
  }
  Real weight(int l, int m) const {
    const Real far = std::pow(static_cast<Real>(l - m + 1), 1 - order),
               near = std::pow(static_cast<Real>(l - m), 1 - order);
    return (far - near) * std::pow(step, -order) / std::tgamma(2 - order);
  }
  // D times the second difference along an axis.
  Real second(const Field& f, int axis, std::array<int, 3> n) const {
    const auto value = [&](int by) {
      std::array<int, 3> m = n;
      m[static_cast<std::size_t>(axis)] += by;
      return f[at(m[0], m[1], m[2])];
    };
    const Real h = size[axis] / static_cast<Real>(cells[axis]);
    return D * (value(-1) - 2 * value(0) + value(1)) / (h * h);
  }

  void advance(Field& c, const std::vector<Field>& increments, int l) const {
    const Real t = step * static_cast<Real>(l), mu = 1 / (sigma * weight(l, l));
    Field given = made([&](Real x, Real y, Real z) { return source(x, y, z, t); });
    for (std::size_t n = 0; n < given.size(); ++n) {
      for (int m = 1; m < l; ++m) given[n] -= sigma * weight(l, m) * increments[static_cast<std::size_t>(m - 1)][n];
      given[n] *= mu;
    }
    const Field last = made([&](Real x, Real y, Real z) { return on_sides(x, y, z, t); });
    // Values on sides after the sweeps along x and y.
    Field second_values = last, first_values = last;
    if (consistent) {
      on_each([&](int i, int j, int k) {
        if (!end(2, k)) second_values[at(i, j, k)] -= mu * second(last, 2, {i, j, k}) + shares[2] * given[at(i, j, k)];
      });
      first_values = second_values;
      on_each([&](int i, int j, int k) {
        if (!end(1, j) && !end(2, k))
          first_values[at(i, j, k)] -= mu * second(second_values, 1, {i, j, k}) + shares[1] * given[at(i, j, k)];
      });
    }
    const Field* const values[3] = {&first_values, &second_values, &last};
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t n = 0; n < c.size(); ++n) c[n] += shares[static_cast<std::size_t>(axis)] * given[n];
      on_each([&](int i, int j, int k) {
        if (end(axis, axis == 0 ? i : axis == 1 ? j : k)) c[at(i, j, k)] = (*values[axis])[at(i, j, k)];
      });
      sweep(c, axis, mu);
    }
    on_each([&](int i, int j, int k) {
      if (side(i, j, k)) c[at(i, j, k)] = last[at(i, j, k)];
    });
  }

  // All lines along an axis, by elimination in a full matrix.
  void sweep(Field& c, int axis, Real mu) const {
    const auto count = static_cast<std::size_t>(cells[axis] + 1);
    const Real h = size[axis] / static_cast<Real>(cells[axis]), r = mu * D / (h * h);
    on_each([&](int i, int j, int k) {
      const std::array<int, 3> first{i, j, k};
      if (first[static_cast<std::size_t>(axis)] != 0) return;
      const auto place = [&](std::size_t n) {
        std::array<int, 3> m = first;
        m[static_cast<std::size_t>(axis)] = static_cast<int>(n);
        return at(m[0], m[1], m[2]);
      };
      std::vector<Field> rows(count, Field(count + 1, 0));
      for (std::size_t n = 0; n < count; ++n) {
        const bool given = n == 0 || n + 1 == count;
        rows[n][n] = given ? 1 : 1 + 2 * r;
        if (!given) rows[n][n - 1] = rows[n][n + 1] = -r;
        rows[n][count] = c[place(n)];
      }
      for (std::size_t n = 0; n < count; ++n)
        for (std::size_t m = 0; m < count; ++m) {
          if (m == n) continue;
          const Real factor = rows[m][n] / rows[n][n];
          for (std::size_t q = n; q <= count; ++q) rows[m][q] -= factor * rows[n][q];
        }
      for (std::size_t n = 0; n < count; ++n) c[place(n)] = rows[n][count] / rows[n][n];
    });
  }
};

}  // namespace halocline::fractional
