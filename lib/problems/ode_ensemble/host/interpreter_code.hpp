// Code for the lane interpreter: a LoweredModel with registers assigned, numbers as parts of instructions, and products
// fused into the sums that use them.
#pragma once

#include <memory>
#include <vector>

#include "lib/problems/ode_ensemble/codegen/lowering.hpp"
#include "lib/problems/ode_ensemble/host/interpreter_view.hpp"

namespace halocline::ode_ensemble {

struct InterpretedFunction {
  std::vector<InterpretedLine> lines;
  int registers = 0;
};

// Owns what a view points to.
class InterpretedCode {
 public:
  // Throws DeckError when the model has more values than instructions can number (65535).
  explicit InterpretedCode(const LoweredModel& model);
  InterpretedCode(const InterpretedCode&) = delete;
  InterpretedCode& operator=(const InterpretedCode&) = delete;
  const InterpretedView& view() const { return view_; }
  int registers() const { return registers_; }  // the most of any function

 private:
  InterpretedLines keep(InterpretedFunction function);
  void add_events(const LoweredModel& model);
  void add_accumulators(const LoweredModel& model);

  InterpretedView view_;
  int registers_ = 0;
  std::vector<std::vector<InterpretedLine>> lines_;
  std::vector<InterpretedView::Event> events_;
  std::vector<InterpretedView::Rest> rests_;
  std::vector<InterpretedView::Accumulator> accumulators_, quadratures_;
  std::vector<InterpretedView::Extremum> extrema_;
  std::vector<TableShape> forcings_;
  std::vector<std::unique_ptr<bool[]>> holds_;
  std::vector<int> tolerance_, noise_state_;
};

}  // namespace halocline::ode_ensemble
