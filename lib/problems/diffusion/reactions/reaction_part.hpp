// ReactionPart: what a part keeps on its device for steps of several fields: their blocks and where programs find their
// variables, once for either of the two states that take turns, and the programs.
#pragma once

#include <memory>
#include <vector>

#include "lib/fields/lifted/lifted_looks.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/reactions/formulation.hpp"
#include "lib/problems/diffusion/reactions/placed_program.hpp"

namespace halocline::diffusion {

class ReactionPart {
 public:
  // Of part `part` of the fields.
  ReactionPart(const ExecutorPtr& executor, const Reactions& reactions,
               const std::vector<std::unique_ptr<Field<double>>>& fields, int part, FormulaPath path);

  // A box of cells of the new states at time t; `terms`: of every field. On the compute queue.
  void step(const ReactingTerms* terms, double t, const SlabBox& cells);
  // The largest rates of the old states, see ReactionRates. Waits.
  void largest_rates(double t, ReactionRates& rates);
  // The new states have become the old ones.
  void swap() { turn_ ^= 1; }

 private:
  template <int Dimensions>
  void step(const ReactionStep& step, double t, const SlabBox& cells);
  template <int Dimensions, int Own>
  void step_by_points(const ReactionStep& step, double t, const SlabBox& cells);
  template <int Own>
  void record_by_points(const ReactionStep& step, double t, const SlabBox& cells);
  template <int Own>
  void largest_by_points(double t);
  double* scratch(Index numbers);
  const PointInput* inputs() const { return inputs_[turn_].view().data; }
  const PointInput* inputs_of_rates() const { return inputs_of_rates_[turn_].view().data; }

  ExecutorPtr executor_;
  int count_;
  ConvolveBlock<double> block_;                // of the first field: layout and kinds of walls are those of all
  LiftedLooks lifted_sources_, lifted_rates_;  // by points: programs, and what rasters have on cells
  PlacedProgram sources_, rates_;
  Array<double, 1> coordinates_[3], scratch_;
  Array<PointInput, 1> inputs_[2], inputs_of_rates_[2];
  Array<ConvolveBlock<double>, 1> blocks_[2];
  Array<Bits, 1> largest_;
  int turn_ = 0;
};

}  // namespace halocline::diffusion
