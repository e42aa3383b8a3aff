#include "lib/expression/program_split.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "lib/base/error.hpp"

namespace halocline {

namespace {

// What an instruction reads or a result is: variables first, then constants, then values of instructions, by number.
// Unlike registers, values are never overwritten.
using Value = std::uint32_t;

struct Step {
  Operation operation;
  std::array<Value, 3> operands{};
  std::uint32_t raster = 0;
  int count() const { return arity(operation); }
};

// A program with registers resolved.
struct Steps {
  explicit Steps(const Program& program)
      : variables(static_cast<Value>(program.variable_count())),
        constants(program.constants().begin(), program.constants().end()),
        rasters(program.rasters()),
        first_step(variables + static_cast<Value>(constants.size())) {
    std::vector<Value> in_register(static_cast<std::size_t>(program.register_count()));
    const auto value = [&](std::uint32_t operand) {
      return operand < first_step ? operand : in_register[operand - first_step];
    };
    for (const Instruction& instruction : program.instructions()) {
      Step step{.operation = instruction.operation, .raster = instruction.raster};
      const std::uint32_t operands[3] = {instruction.a, instruction.b, instruction.c};
      for (int k = 0; k < step.count(); ++k) step.operands[k] = value(operands[k]);
      in_register[instruction.result] = first_step + static_cast<Value>(list.size());
      list.push_back(step);
    }
    for (const std::uint32_t result : program.results()) results.push_back(value(result));
  }
  bool is_step(Value value) const { return value >= first_step; }
  bool is_constant(Value value) const { return value >= variables && value < first_step; }
  const Step& step(Value value) const { return list[value - first_step]; }

  Value variables;
  std::vector<double> constants;
  std::vector<std::shared_ptr<const Raster>> rasters;
  Value first_step;
  std::vector<Step> list;
  std::vector<Value> results;
};

enum Part { along_x, along_y, at_points };

// Which part computes every value, and the values that `points` takes from the others.
class Cut {
 public:
  Cut(const Steps& steps, int most_rows) : steps_(steps), part_(steps.first_step + steps.list.size(), along_x) {
    part_[1] = along_y;
    for (std::size_t s = 0; s < steps.list.size(); ++s) {
      bool on_x = false, on_y = false;
      for (int k = 0; k < steps.list[s].count(); ++k) {
        const Value operand = steps.list[s].operands[k];
        if (steps.is_constant(operand)) continue;
        on_x = on_x || part_[operand] != along_y;
        on_y = on_y || part_[operand] != along_x;
      }
      part_[steps.first_step + s] = on_x && on_y ? at_points : (on_y ? along_y : along_x);
    }
    choose_rows(most_rows);
  }
  // Of along_x and along_y.
  const std::vector<Value>& rows(Part part) const { return rows_[part]; }

 private:
  // Users come after what they use, so walking back meets every value after all of its users.
  void choose_rows(int most_rows) {
    std::vector<bool> needed(part_.size(), false);
    for (const Value result : steps_.results) needed[result] = true;
    for (Value value = static_cast<Value>(part_.size()); value-- > 0;) {
      if (!needed[value] || steps_.is_constant(value)) continue;
      Part& part = part_[value];
      if (part != at_points) {
        std::vector<Value>& rows = rows_[part];
        if (!steps_.is_step(value) || static_cast<int>(rows.size()) < most_rows) {
          rows.push_back(value);
          continue;
        }
        part = at_points;
      }
      const Step& step = steps_.step(value);
      for (int k = 0; k < step.count(); ++k) needed[step.operands[k]] = true;
    }
  }

  const Steps& steps_;
  std::vector<Part> part_;
  std::array<std::vector<Value>, 2> rows_;
};

// Writes a flat program from steps, with as few registers as their order allows.
class Assembler {
 public:
  // `inputs`: the values that are variables of the new program.
  Assembler(const Steps& steps, const std::vector<Value>& inputs) : steps_(steps) {
    for (const Value input : inputs) place_.emplace(input, static_cast<std::uint32_t>(place_.size()));
    first_constant_ = static_cast<std::uint32_t>(inputs.size());
    first_register_ = first_constant_ + static_cast<std::uint32_t>(steps.constants.size());
  }

  Program program(const std::vector<Value>& results) {
    const std::vector<Value> order = order_for(results);
    count_uses(order, results);
    std::vector<Instruction> instructions;
    for (const Value value : order) {
      const Step& step = steps_.step(value);
      std::array<std::uint32_t, 3> operands{};
      for (int k = 0; k < step.count(); ++k) operands[k] = operand(step.operands[k]);
      // Operands are released first: the result may overwrite one of them, element by element.
      for (int k = 0; k < step.count(); ++k) release(step.operands[k]);
      const std::uint32_t to = take();
      place_[value] = first_register_ + to;
      instructions.push_back({step.operation, to, operands[0], operands[1], operands[2], step.raster});
    }
    std::vector<std::uint32_t> places;
    for (const Value result : results) places.push_back(operand(result));
    return Program(static_cast<int>(first_constant_), static_cast<int>(registers_), std::move(instructions),
                   steps_.constants, std::move(places), rasters_of(order));
  }

 private:
  // The steps needed for `results` that are not inputs, in their order in the whole program.
  std::vector<Value> order_for(const std::vector<Value>& results) const {
    std::vector<bool> needed(steps_.first_step + steps_.list.size(), false);
    for (const Value result : results) needed[result] = true;
    std::vector<Value> order;
    for (Value value = static_cast<Value>(needed.size()); value-- > steps_.first_step;) {
      if (!needed[value] || place_.contains(value)) continue;
      order.push_back(value);
      const Step& step = steps_.step(value);
      for (int k = 0; k < step.count(); ++k) needed[step.operands[k]] = true;
    }
    std::reverse(order.begin(), order.end());
    return order;
  }
  void count_uses(const std::vector<Value>& order, const std::vector<Value>& results) {
    for (const Value value : order) {
      const Step& step = steps_.step(value);
      for (int k = 0; k < step.count(); ++k) ++uses_[step.operands[k]];
    }
    for (const Value result : results) ++uses_[result];  // never given back
  }
  // Those of the whole program, so that numbers stay; none where nothing is looked up.
  std::vector<std::shared_ptr<const Raster>> rasters_of(const std::vector<Value>& order) const {
    for (const Value value : order)
      if (steps_.step(value).operation == Operation::look) return steps_.rasters;
    return {};
  }
  std::uint32_t operand(Value value) const {
    const auto found = place_.find(value);
    if (found != place_.end()) return found->second;
    require(steps_.is_constant(value), "split_program: a value is used before it is computed");
    return first_constant_ + value - steps_.variables;
  }
  void release(Value value) {
    if (--uses_[value] > 0) return;
    const std::uint32_t place = operand(value);
    if (place >= first_register_) free_.push_back(place - first_register_);
  }
  std::uint32_t take() {
    if (free_.empty()) return registers_++;
    const std::uint32_t last = free_.back();  // the one most likely in cache
    free_.pop_back();
    return last;
  }

  const Steps& steps_;
  std::map<Value, std::uint32_t> place_;  // as an operand; constants are not in it
  std::map<Value, int> uses_;
  std::vector<std::uint32_t> free_;
  std::uint32_t first_constant_, first_register_, registers_ = 0;
};

// What to take out of a program as still.
class StillCut {
 public:
  StillCut(const Steps& steps, int first) : steps_(steps), still_(steps.first_step + steps.list.size(), true) {
    for (Value v = static_cast<Value>(first); v < steps.variables; ++v) still_[v] = false;
    for (std::size_t s = 0; s < steps.list.size(); ++s)
      for (int k = 0; k < steps.list[s].count(); ++k)
        if (!still_[steps.list[s].operands[k]]) still_[steps.first_step + s] = false;
  }

  // Still values that others need, the dearest first.
  std::vector<Value> choose(int most) const {
    std::vector<bool> met(still_.size(), false);
    std::vector<std::pair<int, Value>> found;
    for (const Step& step : steps_.list)
      for (int k = 0; k < step.count(); ++k) {
        const Value operand = step.operands[k];
        const Value user = steps_.first_step + static_cast<Value>(&step - steps_.list.data());
        if (still_[user] || !still_[operand] || !steps_.is_step(operand) || met[operand]) continue;
        met[operand] = true;
        const int price = price_of(operand);
        if (price >= least_price) found.emplace_back(-price, operand);
      }
    std::sort(found.begin(), found.end());
    found.resize(std::min(found.size(), static_cast<std::size_t>(most)));
    std::vector<Value> values;
    for (const auto& [price, value] : found) values.push_back(value);
    return values;
  }

 private:
  static constexpr int least_price = 6;  // of a value in memory, in sums and products of SIMD registers

  // Of all steps that a value needs, each once.
  int price_of(Value value) const {
    std::vector<bool> needed(still_.size(), false);
    needed[value] = true;
    int price = 0;
    for (Value at = value + 1; at-- > steps_.first_step;) {
      if (!needed[at]) continue;
      const Step& step = steps_.step(at);
      price += price_of(step.operation);
      for (int k = 0; k < step.count(); ++k) needed[step.operands[k]] = true;
    }
    return price;
  }
  static int price_of(Operation operation) {
    switch (operation) {
      case Operation::negate:
      case Operation::abs:
      case Operation::sign:
      case Operation::step:
      case Operation::add:
      case Operation::subtract:
      case Operation::multiply:
      case Operation::min:
      case Operation::max:
      case Operation::less:
      case Operation::less_equal:
      case Operation::select:
        return 1;
      case Operation::divide:
      case Operation::sqrt:
        return 3;
      default:
        return 20;
    }
  }

  const Steps& steps_;
  std::vector<bool> still_;
};

// A program for each value of `taken`, and the rest, for which they are further variables.
StillParts taken_out(const Program& program, const Steps& steps, const std::vector<Value>& taken) {
  std::vector<Value> inputs;
  for (Value v = 0; v < steps.variables; ++v) inputs.push_back(v);
  StillParts parts;
  for (const Value value : taken) parts.still.push_back(Assembler(steps, inputs).program({value}));
  inputs.insert(inputs.end(), taken.begin(), taken.end());
  parts.rest = taken.empty() ? program : Assembler(steps, inputs).program(steps.results);
  return parts;
}

}  // namespace

ProgramParts split_program(const Program& program, int most_rows) {
  require(program.variable_count() == 2, "split_program: the program is one of x and y");
  const Steps steps(program);
  const Cut cut(steps, most_rows);
  const std::vector<Value> xy{0, 1};
  std::vector<Value> inputs = cut.rows(along_x);
  inputs.insert(inputs.end(), cut.rows(along_y).begin(), cut.rows(along_y).end());
  return {Assembler(steps, xy).program(cut.rows(along_x)), Assembler(steps, xy).program(cut.rows(along_y)),
          Assembler(steps, inputs).program(steps.results)};
}

StillParts split_looks(const Program& program) {
  const Steps steps(program);
  std::vector<Value> taken;
  for (std::size_t s = 0; s < steps.list.size(); ++s)
    if (steps.list[s].operation == Operation::look) taken.push_back(steps.first_step + static_cast<Value>(s));
  return taken_out(program, steps, taken);
}

StillParts split_still(const Program& program, int first, int most) {
  const Steps steps(program);
  return taken_out(program, steps, StillCut(steps, first).choose(most));
}

}  // namespace halocline
