// Variant: forms in which the psi-Caputo CUDA paper sums its history, for engines direct and series.
#pragma once

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

}  // namespace halocline::fractional
