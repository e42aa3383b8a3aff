// Precision: in which numbers a run keeps its field, its solves and its history.
#pragma once

namespace halocline::fractional {

enum class Precision { fp64, mixed, fp32, fp16_history };

// Field: of c. Line: of the right-hand side and the solution of a step. Slot: of increments, far values and states.
struct Fp64 {
  using Field = double;
  using Line = double;
  using Slot = double;
};
// Each step solves for the change of c, so floats lose a share of that change only.
struct Mixed {
  using Field = double;
  using Line = float;
  using Slot = float;
};
struct Fp32 {
  using Field = float;
  using Line = float;
  using Slot = float;
};

/// call(numbers) with the struct of a precision. Steps of fp16_history are those of Mixed: its history alone differs.
template <class Call>
auto with_precision(Precision precision, const Call& call) {
  if (precision == Precision::mixed || precision == Precision::fp16_history) return call(Mixed());
  if (precision == Precision::fp32) return call(Fp32());
  return call(Fp64());
}

}  // namespace halocline::fractional
