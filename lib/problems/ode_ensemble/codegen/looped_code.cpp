// Loops written out, for machines that have none.
#include <unordered_map>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/codegen/lowering.hpp"

namespace halocline::ode_ensemble {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

class Flattener {
 public:
  Flattener(const LoopedCode& from, int rows) : from_(from) {
    made_.results.resize(at(rows));
    run(from.items);
    for (const auto& [row, result] : from.rows) made_.results[at(row)] = operand(result);
  }
  Code take() { return std::move(made_); }

 private:
  void run(const std::vector<LoopedCode::Item>& items) {
    for (const LoopedCode::Item item : items) {
      if (item.loop) {
        loop(item.index);
      } else {
        const CodeLine& line = from_.lines[at(item.index)];
        const int operands = arity(line.operation);
        values_[item.index] =
            add({line.operation, line.turns, operand(line.a), operands > 1 ? operand(line.b) : Operand{},
                 operands > 2 ? operand(line.c) : Operand{}});
      }
    }
  }
  int add(const CodeLine& line) {
    made_.lines.push_back(line);
    return static_cast<int>(made_.lines.size()) - 1;
  }
  void loop(int index) {
    const LoopedCode::Loop& one = from_.loops[at(index)];
    // Loops that fill a table count the iterations of whatever index they have.
    int& count = one.inner ? inner_ : outer_;
    Operand sum;
    for (int n = 0; n < one.count; ++n) {
      count = n;
      if (!one.inner) inner_ = n;
      run(one.items);
      const Operand result = operand(one.result);
      if (!one.inner) {
        made_.results[at(one.first + n)] = result;
      } else {
        sum = n == 0 ? result : Operand{From::value, add({Operation::add, false, sum, result, {}})};
      }
    }
    if (one.inner) sums_[index] = sum;
  }
  Operand operand(const Operand& x) const {
    switch (x.from) {
      case From::value:
        return {From::value, values_.at(x.index)};
      case From::sum:
        return sums_.at(x.index);
      case From::counter:
        return {From::constant, 0, x.value + (x.inner ? inner_ : outer_)};
      case From::table:
        return {From::kept, x.index + (x.inner ? inner_ : outer_)};
      case From::element:
        return element(from_.elements[at(x.index)]);
      default:
        return x;
    }
  }
  Operand element(const LoopedCode::Element& one) const {
    const int number = one.number(outer_, inner_), wrapped = (number % one.count + one.count) % one.count;
    for (const auto& [where, value] : one.beyond)
      if (where == number) return operand(value);
    require(one.wraps || number == wrapped, "flattened: an element beyond its vector");
    return {From::state, one.first + wrapped};
  }

  const LoopedCode& from_;
  Code made_;
  std::unordered_map<int, int> values_;  // lines of the flat code, by line
  std::unordered_map<int, Operand> sums_;
  int outer_ = 0, inner_ = 0;
};

}  // namespace

Code flattened_rhs(const LoweredModel& model) {
  if (!model.loops) return model.rhs;
  return Flattener(model.looped_rhs, model.states + model.quadratures).take();
}

// Kept values of iterations use the others, which are values of the same code here.
Code flattened_setup(const LoweredModel& model) {
  Code made = model.setup;
  if (!model.loops) return made;
  const Code more = Flattener(model.looped_setup, model.kept).take();
  const int before = static_cast<int>(made.lines.size());
  const auto moved = [&](const Operand& x) {
    if (x.from == From::kept) return model.setup.results[at(x.index)];
    return x.from == From::value ? Operand{From::value, x.index + before} : x;
  };
  for (const CodeLine& line : more.lines)
    made.lines.push_back({line.operation, line.turns, moved(line.a), moved(line.b), moved(line.c)});
  for (std::size_t k = model.setup.results.size(); k < more.results.size(); ++k)
    made.results.push_back(moved(more.results[k]));
  return made;
}

}  // namespace halocline::ode_ensemble
