// Norms of two vectors in one message.
#pragma once

#include <array>

#include "lib/linalg/vector.hpp"

namespace halocline {

// Euclidean, with the bits of norm(). Both of the same space. Collective.
template <class T>
std::array<double, 2> norms(const Vector<T>& x, const Vector<T>& y);

}  // namespace halocline
