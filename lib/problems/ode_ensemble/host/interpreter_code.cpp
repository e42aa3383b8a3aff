#include "lib/problems/ode_ensemble/host/interpreter_code.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>

#include "lib/base/error.hpp"

namespace halocline::ode_ensemble {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

Slot slot(Row row, int index) {
  if (index > std::numeric_limits<std::uint16_t>::max())
    throw DeckError("the model has too many values for the interpreter; a C++ compiler in PATH helps");
  return {static_cast<std::uint8_t>(row), static_cast<std::uint16_t>(index)};
}

// The slot of an input.
Slot input(const Operand& operand) {
  switch (operand.from) {
    case From::time:
      return slot(Row::time, 0);
    case From::state:
      return slot(Row::state, operand.index);
    case From::parameter:
      return slot(Row::parameter, operand.index);
    case From::accumulator:
      return slot(Row::accumulator, operand.index);
    case From::rate:
      return slot(Row::rate, operand.index);
    case From::kept:
      return slot(Row::kept, operand.index);
    case From::timed:
      return slot(Row::timed, operand.index);
    case From::constant:
    case From::value:
    case From::element:
    case From::table:
    case From::counter:
    case From::sum:
      break;
  }
  throw InternalError("interpreter: no input");
}

Opcode plain_step(const CodeLine& line) {
  if (line.turns) return line.operation == Operation::sin ? Opcode::sin2pi : Opcode::cos2pi;
  // In the order of Operation, from negate on.
  static constexpr Opcode steps[] = {
      Opcode::negate,   Opcode::sin,    Opcode::cos,   Opcode::tan,   Opcode::asin,       Opcode::acos,
      Opcode::atan,     Opcode::sinh,   Opcode::cosh,  Opcode::tanh,  Opcode::exp,        Opcode::log,
      Opcode::log10,    Opcode::sqrt,   Opcode::cbrt,  Opcode::erf,   Opcode::erfc,       Opcode::floor,
      Opcode::ceil,     Opcode::abs,    Opcode::sign,  Opcode::step,  Opcode::add,        Opcode::subtract,
      Opcode::multiply, Opcode::divide, Opcode::power, Opcode::atan2, Opcode::hypot,      Opcode::mod,
      Opcode::random,   Opcode::min,    Opcode::max,   Opcode::less,  Opcode::less_equal, Opcode::select};
  static_assert(std::size(steps) == static_cast<std::size_t>(Operation::select) - 1);
  return steps[static_cast<std::size_t>(line.operation) - static_cast<std::size_t>(Operation::negate)];
}

// An instruction whose operands are values still without registers.
struct Draft {
  Opcode step;
  std::vector<Operand> operands;
  double number = 0;
  int value;  // the line of Code it computes
};

// From lines of Code to drafts: numbers into instructions, products into sums.
class Drafter {
 public:
  explicit Drafter(const Code& code) : code_(code), uses_(code.lines.size(), 0) {
    for (const CodeLine& line : code.lines) {
      for (const Operand& operand : operands(line)) count(operand);
    }
    for (const Operand& result : code.results) {
      count(result);
      count(result);  // must be there by itself
    }
  }
  std::vector<Draft> run() {
    std::vector<Draft> drafts;
    std::vector<bool> fused(code_.lines.size(), false);
    for (std::size_t i = 0; i < code_.lines.size(); ++i)
      drafts.push_back(draft(code_.lines[i], static_cast<int>(i), fused));
    std::erase_if(drafts, [&](const Draft& d) { return fused[at(d.value)]; });
    return drafts;
  }

 private:
  static std::vector<Operand> operands(const CodeLine& line) {
    std::vector<Operand> list{line.a, line.b, line.c};
    list.resize(at(arity(line.operation)));
    return list;
  }
  void count(const Operand& operand) {
    if (operand.from == From::value) ++uses_[at(operand.index)];
  }
  static bool is_number(const Operand& operand) { return operand.from == From::constant; }
  // Whether the line that makes an operand has become part of another, as that of a difference times a number has.
  static bool gone(const Operand& operand, const std::vector<bool>& fused) {
    return operand.from == From::value && fused[at(operand.index)];
  }
  // The line that makes an operand, when this is its only use and it has this operation.
  const CodeLine* only(const Operand& operand, Operation operation) const {
    if (operand.from != From::value || uses_[at(operand.index)] != 1) return nullptr;
    const CodeLine& line = code_.lines[at(operand.index)];
    return line.operation == operation ? &line : nullptr;
  }
  Draft draft(const CodeLine& line, int value, std::vector<bool>& fused) const;
  std::optional<Draft> fuse_sum(const CodeLine& line, std::vector<bool>& fused) const;
  std::optional<Draft> with_number(const CodeLine& line, std::vector<bool>& fused) const;

  const Code& code_;
  std::vector<int> uses_;
};

Draft Drafter::draft(const CodeLine& line, int value, std::vector<bool>& fused) const {
  std::optional<Draft> found = fuse_sum(line, fused);
  if (!found) found = with_number(line, fused);
  if (!found) found = Draft{plain_step(line), operands(line), 0, value};
  found->value = value;
  return *found;
}

// Sums with a product that nothing else uses.
std::optional<Draft> Drafter::fuse_sum(const CodeLine& line, std::vector<bool>& fused) const {
  if (line.operation != Operation::add && line.operation != Operation::subtract) return std::nullopt;
  const bool add = line.operation == Operation::add;
  for (const bool left : {false, true}) {
    const Operand &product = left ? line.a : line.b, &other = left ? line.b : line.a;
    const CodeLine* const factors = only(product, Operation::multiply);
    if (factors == nullptr || is_number(other) || gone(factors->a, fused) || gone(factors->b, fused)) continue;
    fused[at(product.index)] = true;
    if (is_number(factors->a)) {
      const Opcode step = add    ? Opcode::number_product_add
                          : left ? Opcode::number_product_subtract
                                 : Opcode::subtract_number_product;
      return Draft{step, {factors->b, factors->b, other}, factors->a.value, 0};
    }
    const Opcode step = add ? Opcode::multiply_add : left ? Opcode::multiply_subtract : Opcode::subtract_product;
    return Draft{step, {factors->a, factors->b, other}, 0, 0};
  }
  return std::nullopt;
}

std::optional<Draft> Drafter::with_number(const CodeLine& line, std::vector<bool>& fused) const {
  if (arity(line.operation) != 2 || is_number(line.a) == is_number(line.b)) return std::nullopt;
  const bool first = is_number(line.a);
  const double number = first ? line.a.value : line.b.value;
  const Operand& other = first ? line.b : line.a;
  switch (line.operation) {
    case Operation::add:
      return Draft{Opcode::add_number, {other}, number, 0};
    case Operation::subtract:
      return first ? Draft{Opcode::number_subtract, {other}, number, 0}
                   : Draft{Opcode::add_number, {other}, -number, 0};
    case Operation::multiply:
      if (const CodeLine* const difference = only(other, Operation::subtract);
          difference != nullptr && !is_number(difference->a) && !is_number(difference->b) &&
          only(difference->a, Operation::multiply) == nullptr && only(difference->b, Operation::multiply) == nullptr) {
        fused[at(other.index)] = true;
        return Draft{Opcode::scale_difference, {difference->a, difference->b}, number, 0};
      }
      return Draft{Opcode::multiply_number, {other}, number, 0};
    case Operation::divide:
      return Draft{first ? Opcode::number_divide : Opcode::divide_number, {other}, number, 0};
    case Operation::power:
      if (!first) return Draft{Opcode::power_number, {other}, number, 0};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Places for the values of drafts: results lie where they are wanted, the rest in registers that are used again.
class Allocator {
 public:
  Allocator(const Code& code, const std::function<std::optional<Slot>(int)>& target)
      : drafts_(Drafter(code).run()), last_use_(code.lines.size(), -1), place_(code.lines.size()) {
    for (std::size_t i = 0; i < code.results.size(); ++i) {
      const std::optional<Slot> wanted = target(static_cast<int>(i));
      const Operand& result = code.results[i];
      if (wanted && result.from == From::value && !place_[at(result.index)]) place_[at(result.index)] = wanted;
    }
    for (std::size_t n = 0; n < drafts_.size(); ++n) {
      for (const Operand& operand : drafts_[n].operands) {
        if (operand.from == From::value) last_use_[at(operand.index)] = static_cast<int>(n);
      }
    }
    for (std::size_t n = 0; n < drafts_.size(); ++n) emit(static_cast<int>(n));
    for (std::size_t i = 0; i < code.results.size(); ++i) {
      if (const std::optional<Slot> wanted = target(static_cast<int>(i))) deliver(code.results[i], *wanted);
    }
  }
  InterpretedFunction function() && { return std::move(function_); }

 private:
  int take() {
    if (free_.empty()) return function_.registers++;
    const auto lowest = std::min_element(free_.begin(), free_.end());
    const int found = *lowest;
    free_.erase(lowest);
    return found;
  }
  // A number that no instruction can hold gets a register for a moment.
  Slot operand_slot(const Operand& operand, std::vector<int>& borrowed) {
    if (operand.from == From::value) return *place_[at(operand.index)];
    if (operand.from != From::constant) return input(operand);
    borrowed.push_back(take());
    const Slot place = slot(Row::value, borrowed.back());
    function_.lines.push_back({Opcode::number, {}, {}, {}, place, operand.value});
    return place;
  }
  void emit(int n) {
    const Draft& draft = drafts_[at(n)];
    std::array<Slot, 3> slots{};
    std::vector<int> done;
    for (std::size_t k = 0; k < draft.operands.size(); ++k) slots[k] = operand_slot(draft.operands[k], done);
    for (const Operand& operand : draft.operands) {
      if (operand.from != From::value || last_use_[at(operand.index)] != n) continue;
      const Slot place = *place_[at(operand.index)];
      const bool given_back = std::find(done.begin(), done.end(), place.index) != done.end();
      if (place.row == static_cast<std::uint8_t>(Row::value) && !given_back) done.push_back(place.index);
    }
    free_.insert(free_.end(), done.begin(), done.end());
    std::optional<Slot>& place = place_[at(draft.value)];
    if (!place) place = slot(Row::value, take());
    function_.lines.push_back({draft.step, slots[0], slots[1], slots[2], *place, draft.number});
  }
  void deliver(const Operand& result, const Slot& wanted) {
    if (result.from == From::constant) {
      function_.lines.push_back({Opcode::number, {}, {}, {}, wanted, result.value});
      return;
    }
    const Slot from = result.from == From::value ? *place_[at(result.index)] : input(result);
    if (from.row == wanted.row && from.index == wanted.index) return;
    function_.lines.push_back({Opcode::copy, from, {}, {}, wanted, 0});
  }

  std::vector<Draft> drafts_;
  std::vector<int> last_use_;
  std::vector<std::optional<Slot>> place_;  // by line of Code
  std::vector<int> free_;
  InterpretedFunction function_;
};

InterpretedFunction function(const Code& code, const std::function<std::optional<Slot>(int)>& target) {
  return Allocator(code, target).function();
}
InterpretedFunction to_first(const Code& code) {
  return function(code, [](int i) { return slot(Row::first, i); });
}
InterpretedFunction to_elements(const Code& code, const std::vector<int>& elements) {
  return function(code, [&](int i) { return slot(Row::first, elements[at(i)]); });
}
// The first half of the results and the second half.
InterpretedFunction to_halves(const Code& code) {
  const int half = static_cast<int>(code.results.size() / 2);
  return function(code, [half](int i) { return i < half ? slot(Row::first, i) : slot(Row::second, i - half); });
}

}  // namespace

InterpretedCode::InterpretedCode(const LoweredModel& model) {
  view_.states = model.states;
  view_.quadratures = model.quadratures;
  view_.parameters = model.parameters;
  view_.constants = model.kept;
  view_.times = model.timed;
  view_.uses_time = model.uses_time;
  view_.setup = keep(to_first(flattened_setup(model)));
  const int forced = 2 * static_cast<int>(model.forcings.size());
  view_.at_time = keep(function(model.at_time, [forced](int i) { return slot(Row::first, forced + i); }));
  view_.rhs = keep(to_first(flattened_rhs(model)));
  tolerance_ = model.tolerance;
  view_.tolerance = tolerance_.data();
  const int rows = model.states + model.quadratures, entries = rows * model.states;
  view_.linearized = keep(function(model.linearized, [rows, entries](int i) {
    if (i < rows) return slot(Row::first, i);
    return i < rows + entries ? slot(Row::second, i - rows) : slot(Row::third, i - rows - entries);
  }));
  forcings_ = model.forcings;
  view_.forcing = forcings_.data();
  view_.forcings = static_cast<int>(forcings_.size());
  view_.outputs = static_cast<int>(model.outputs.results.size());
  view_.inside = model.inside;
  view_.output_values = keep(to_first(model.outputs));
  noise_state_ = model.noise_state;
  view_.noise_state = noise_state_.data();
  const int noises = view_.noises = static_cast<int>(noise_state_.size());
  view_.noise_slopes = model.noise.results.size() > noise_state_.size();
  view_.noise = keep(function(
      model.noise, [noises](int i) { return i < noises ? slot(Row::first, i) : slot(Row::second, i - noises); }));
  add_events(model);
  add_accumulators(model);
}

// Vectors that move keep their memory.
InterpretedLines InterpretedCode::keep(InterpretedFunction function) {
  registers_ = std::max(registers_, function.registers);
  lines_.push_back(std::move(function.lines));
  return {lines_.back().data(), lines_.back().data() + lines_.back().size()};
}

void InterpretedCode::add_events(const LoweredModel& model) {
  view_.event_values = keep(to_halves(model.event_values));
  for (const LoweredModel::Event& event : model.events) {
    events_.push_back({event.direction, event.ends_phase, !event.assigned.empty(),
                       keep(to_elements(event.action, event.assigned)),
                       keep(to_elements(event.accumulate, event.accumulated))});
  }
  for (const LoweredModel::Rest& rest : model.rests) {
    holds_.push_back(std::make_unique<bool[]>(at(model.states)));
    for (const int state : rest.hold) holds_.back()[at(state)] = true;
    rests_.push_back({rest.event, rest.speed_state, rest.below, holds_.back().get(), keep(to_halves(rest.speed))});
  }
  view_.event = events_.data();
  view_.rest = rests_.data();
  view_.events = static_cast<int>(events_.size());
  view_.rests = static_cast<int>(rests_.size());
}

void InterpretedCode::add_accumulators(const LoweredModel& model) {
  view_.accumulator_start = keep(to_first(model.accumulator_start));
  view_.accumulator_step = keep(function(model.accumulator_step, [&](int k) -> std::optional<Slot> {
    const Operand& result = model.accumulator_step.results[at(k)];
    if (result.from == From::accumulator && result.index == k) return std::nullopt;  // stays as it is
    return slot(Row::first, k);
  }));
  view_.extremum_values = keep(to_halves(model.extremum_values));
  for (const bool one : model.keeps) accumulators_.push_back({one});
  for (const bool one : model.keeps_quadrature) quadratures_.push_back({one});
  for (const LoweredModel::Extremum& one : model.extrema) extrema_.push_back({one.accumulator, one.sign});
  view_.accumulator = accumulators_.data();
  view_.quadrature = quadratures_.data();
  view_.extremum = extrema_.data();
  view_.accumulators = static_cast<int>(accumulators_.size());
  view_.extrema = static_cast<int>(extrema_.size());
}

}  // namespace halocline::ode_ensemble
