// RowProgram: a program evaluated on lines of points by rows of values, which vector units take several at a time. The
// way of host devices, beside PointProgram, the way of GPUs; on a host device both give the same bits.
#pragma once

#include "lib/base/array.hpp"
#include "lib/expression/program.hpp"
#include "lib/fields/point_program_kernels.hpp"

namespace halocline {

struct FormulaLines;

class RowProgram {
 public:
  RowProgram() = default;
  /// At most 8 variables and 8 results. `inputs`: one for each variable, to memory of the executor, which has to be a
  /// host device; `along` is 1, values without gaps, or 0, one for a line.
  RowProgram(const ExecutorPtr& executor, const Program& program, std::span<const PointInput> inputs);

  /// As PointProgram::evaluate. Of one call at a time.
  template <class T>
  void evaluate(const PointRange& range, const PointTarget<T>& to, const PointGiven& given = {},
                const PointLargest& largest = {});
  /// For bodies that evaluate pieces of lines themselves, see row_program_kernels.hpp; of one result.
  FormulaLines lines(const PointGiven& given) const;

 private:
  ProgramView view() const;

  ExecutorPtr executor_;
  Program program_;
  Array<Instruction, 1> instructions_;
  Array<double, 1> constants_, scratch_;
  Array<std::uint32_t, 1> results_;
  Array<PointInput, 1> inputs_;
};

}  // namespace halocline
