// Program: one or several expressions compiled to a flat list of instructions that computes each common part once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/expression/expression.hpp"
#include "lib/expression/program_kernels.hpp"

namespace halocline {

class Program {
 public:
  Program() = default;
  // Result number i of the program is expressions[i]. `variables` is the length of the scope's list of variables.
  // Expressions that are not numbers come from one scope.
  Program(std::span<const Expression> expressions, int variables);
  // From flat parts, for the parts of this library. Operands as Instruction describes them.
  Program(int variables, int registers, std::vector<Instruction> instructions, std::vector<double> constants,
          std::vector<std::uint32_t> results, std::vector<std::shared_ptr<const Raster>> rasters = {});

  int variable_count() const { return variables_; }
  int register_count() const { return registers_; }  // rows of scratch; at least 1
  int result_count() const { return static_cast<int>(results_.size()); }
  // Whether variable number `variable` is read; the input of one that is not may be left null.
  bool uses(int variable) const { return used_[static_cast<std::size_t>(variable)]; }

  // The flat parts, to be copied into memory of an executor.
  std::span<const Instruction> instructions() const { return instructions_; }
  std::span<const double> constants() const { return constants_; }
  std::span<const std::uint32_t> results() const { return results_; }
  // What steps look up.
  const std::vector<std::shared_ptr<const Raster>>& rasters() const { return rasters_; }
  // The program in host memory, valid while this object lives.
  ProgramView view() const;

 private:
  std::vector<Instruction> instructions_;
  std::vector<double> constants_;
  std::vector<std::uint32_t> results_;
  std::vector<bool> used_;
  std::vector<std::shared_ptr<const Raster>> rasters_;
  std::vector<RasterView> raster_views_;  // of these
  int variables_ = 0;
  int registers_ = 1;
};

// Evaluates on the calling thread, in blocks of 256 points. variables[v] holds one value per point or a single one for
// all (or none, when the program does not use it); all results have the same length. Any number of threads may
// call at once with one program. Results may not overlap variables.
void evaluate(const Program& program, std::span<const std::span<const double>> variables,
              std::span<const std::span<double>> results);

}  // namespace halocline
