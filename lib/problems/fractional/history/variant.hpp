// Variant: forms in which the psi-Caputo CUDA paper sums its history, for engines direct and series.
#pragma once

#include <type_traits>

#include "lib/base/half.hpp"

namespace halocline::fractional {

/// What sums over the history are computed in. direct stores its increments in fp64 all the same, series its states as
/// numbers of this kind; fp16 are numbers of two bytes whose products are summed in fp32.
enum class Arithmetic { fp64, fp32, fp16 };

struct Variant {
  Arithmetic arithmetic = Arithmetic::fp64;
  int vector = 1;       // neighbors of a thread of a GPU: 1, 2 or 4; no result depends on it
  bool tensor = false;  // series in fp16: sums by products of tiles
  /// Of a number of a state.
  int state_bytes() const { return arithmetic == Arithmetic::fp64 ? 8 : arithmetic == Arithmetic::fp32 ? 4 : 2; }
  bool plain() const { return arithmetic == Arithmetic::fp64 && vector == 1; }
};

/// call(neighbors) with the neighbors of a thread as a constant.
template <class Call>
void with_neighbors(const Variant& variant, const Call& call) {
  if (variant.vector == 4) return call(std::integral_constant<int, 4>());
  if (variant.vector == 2) return call(std::integral_constant<int, 2>());
  call(std::integral_constant<int, 1>());
}

/// call(number) with a number of the type of an arithmetic.
template <class Call>
auto with_number(Arithmetic arithmetic, const Call& call) {
  if (arithmetic == Arithmetic::fp16) return call(Half{});
  if (arithmetic == Arithmetic::fp32) return call(0.0F);
  return call(0.0);
}

}  // namespace halocline::fractional
