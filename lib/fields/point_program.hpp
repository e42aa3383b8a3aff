// PointProgram: a program in memory of an executor, evaluated there at points in rows, a thread each. The way of GPUs;
// it runs everywhere, so that tests see on any machine what a GPU does.
#pragma once

#include <span>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/expression/program.hpp"
#include "lib/fields/point_program_kernels.hpp"

namespace halocline {

// Part of a program on the executor that evaluates it.
template <class T>
Array<T, 1> placed(const ExecutorPtr& executor, std::span<const T> values) {
  return make_array(executor, std::vector<T>(values.begin(), values.end()));
}

class PointProgram {
 public:
  PointProgram() = default;
  // `inputs`: one for each variable of the program, to memory of the executor.
  PointProgram(const ExecutorPtr& executor, const Program& program, std::span<const PointInput> inputs);

  // On the compute queue; this object may be destroyed before the work is done. T is double or float.
  template <class T>
  void evaluate(const PointRange& range, const PointTarget<T>& to, const PointGiven& given = {},
                const PointLargest& largest = {}) const;

 private:
  ExecutorPtr executor_;
  int registers_ = 1;
  Array<PointInstruction, 1> instructions_;
  Array<double, 1> constants_;
  Array<std::uint32_t, 1> results_;
  Array<PointInput, 1> inputs_;
  PointProgramView view_;
};

}  // namespace halocline
