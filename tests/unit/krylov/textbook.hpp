// CG and BiCGSTAB with preconditioner as textbooks have them, in long double on the host, to count iterations.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "tests/unit/krylov/chunk_matrix.hpp"

namespace halocline::textbook {

using Numbers = std::vector<long double>;
using Apply = std::function<Numbers(const Numbers&)>;

inline long double dot(const Numbers& a, const Numbers& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline Numbers sum(const Numbers& a, long double factor, const Numbers& b) {
  Numbers c = a;
  for (std::size_t i = 0; i < a.size(); ++i) c[i] += factor * b[i];
  return c;
}

inline Apply matrix(Index total, const MatrixShape& shape) {
  return [total, shape](const Numbers& x) {
    Numbers y(x.size());
    for (Index i = 0; i < total; ++i) {
      y[i] = shape.diagonal(i) * x[i];
      if (shape.left(i) != 0) y[i] += shape.left(i) * x[i - 1];
      if (shape.right(i) != 0 && i + 1 < total) y[i] += shape.right(i) * x[i + 1];
    }
    return y;
  };
}
inline Apply diagonal_inverse(const MatrixShape& shape) {
  return [shape](const Numbers& x) {
    Numbers y = x;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] /= shape.diagonal(static_cast<Index>(i));
    return y;
  };
}
inline Apply two_steps(Index total, const MatrixShape& shape) {
  const long double c = shape.largest_row_sum() / 1.5;
  return [A = matrix(total, shape), c](const Numbers& x) {
    Numbers y = A(x);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = (2 * x[i] - y[i] / c) / c;
    return y;
  };
}

// From x = 0 until |r| <= tolerance |b|; returns the iterations.
inline int cg(const Apply& A, const Apply& M, const Numbers& b, double tolerance) {
  Numbers r = b, p = M(r);
  long double rz = dot(r, p);
  for (int n = 0; n < 1000; ++n) {
    if (std::sqrt(dot(r, r)) <= tolerance * std::sqrt(dot(b, b))) return n;
    const Numbers q = A(p);
    r = sum(r, -rz / dot(p, q), q);
    const Numbers z = M(r);
    const long double next = dot(r, z);
    p = sum(z, next / rz, p);
    rz = next;
  }
  return 1000;
}
inline int bicgstab(const Apply& A, const Apply& M, const Numbers& b, double tolerance) {
  Numbers r = b, p = b;
  long double rho = dot(b, b);
  for (int n = 0; n < 1000; ++n) {
    if (std::sqrt(dot(r, r)) <= tolerance * std::sqrt(dot(b, b))) return n;
    const Numbers v = A(M(p));
    const long double alpha = rho / dot(b, v);
    const Numbers s = sum(r, -alpha, v), t = A(M(s));
    const long double omega = dot(t, s) / dot(t, t);
    r = sum(s, -omega, t);
    const long double next = dot(b, r), beta = next / rho * alpha / omega;
    p = sum(r, beta, sum(p, -omega, v));
    rho = next;
  }
  return 1000;
}

}  // namespace halocline::textbook
