// Vectors with random values for tests of their operations.
#pragma once

#include <vector>

#include "lib/linalg/vector.hpp"
#include "tests/unit/random_numbers.hpp"

namespace halocline {

// The values of all parts of this rank, one part behind the other.
template <class T>
std::vector<T> values_of(const Vector<T>& x) {
  std::vector<T> all;
  for (int p = 0; p < x.space().team().parts(); ++p) {
    const std::vector<T> own = x.to_host(p);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// Fills the used places; returns all values.
template <class T>
std::vector<T> randomize(Vector<T>& x, unsigned seed) {
  for (int p = 0; p < x.space().team().parts(); ++p) {
    std::vector<T> own(static_cast<std::size_t>(x.part(p).size()), T{0});
    const auto used = static_cast<std::size_t>(x.space().layout().used_size(p));
    const std::vector<double> random = random_numbers(used, seed + 100 * static_cast<unsigned>(p));
    for (std::size_t i = 0; i < used; ++i) own[i] = static_cast<T>(random[i]);
    x.assign(p, own);
  }
  return values_of(x);
}

// The sum of products, as good as exact.
template <class T>
double exact_dot(const std::vector<T>& a, const std::vector<T>& b) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
  return static_cast<double>(sum);
}

}  // namespace halocline
