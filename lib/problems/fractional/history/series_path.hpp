// The series in fp16 by products of tiles, for GPUs with tensor cores; SeriesBody<Half> specifies it.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/base/half.hpp"
#include "lib/base/profile/label.hpp"

namespace halocline::fractional {

/// What SeriesBody has, of nodes 0 to `nodes` - 1: a multiple of 16, as the distance of states and their number is.
struct SeriesTiles {
  double *slot, *first;
  Half* states;
  Index distance, nodes;
  int terms;
  bool takes;
  const double *decay, *into, *out;
  double scale;
};

/// Whether series_tiles() applies: GPUs, in builds with CUDA.
bool plan_series_tiles(const Executor& executor, int terms);
/// Sums of 16 nodes at a time; they differ from those of SeriesBody by rounding in float.
void series_tiles(const Executor& executor, const Label& label, const SeriesTiles& of);

}  // namespace halocline::fractional
