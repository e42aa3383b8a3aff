// Names with subscripts, indices and sums replaced in expressions.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "lib/expression/graph.hpp"
#include "lib/problems/ode_ensemble/vectors/vectors.hpp"

namespace halocline::ode_ensemble {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

const Expression unknown = std::numeric_limits<double>::quiet_NaN();  // stands for what had a fault

bool is_whole(const Expression& e) {
  return e.is_constant() && e.value() == std::round(e.value()) && std::abs(e.value()) < 1e6;
}

}  // namespace

void Vectors::fault(const Context& context, const Name& name, const std::string& message) {
  const bool here = context.text.text.find(name.text) != std::string::npos;
  const Formula& text = here ? context.text : name.met;
  fault(text, std::min(text.text.find(name.text), text.text.size()), message);
}

// Why an index has no value.
std::string Vectors::no_index(const Context& context, const std::string& index) {
  if (std::find(context.hidden.begin(), context.hidden.end(), index) != context.hidden.end())
    return "a sum inside another one cannot use its index '" + index + "'";
  return "'" + index + "' is not an index here: it is one in its own equation, definition or sum only";
}

Expression Vectors::variable(int number) const { return {graph_, graph_->variable(system_->loop_variable(number))}; }

std::optional<Expression> Vectors::resolve(const Expression& e, const Formula& text, const Range* range) {
  Context context{text};
  if (range != nullptr) context.indices[range->index] = {range->first, 1, 0};
  if (range != nullptr) context.outer = range->count();
  const int before = faults_;
  const Expression made = replaced(e, context);
  if (faults_ > before) return std::nullopt;
  return made;
}

Expression Vectors::replaced(const Expression& e, const Context& context) {
  if (e.is_constant() || name_at_.empty()) return e;
  const int root = e.node();
  std::unordered_map<int, int> made;
  for (const int index : graph_->reachable(std::span(&root, 1))) {
    const ExpressionGraph::Node node = graph_->node(index);  // a copy: the graph grows below
    int result = index;
    if (node.operation == Operation::variable) {
      const auto name = name_at_.find(node.operands[0]);
      if (name != name_at_.end()) {
        const Expression other = replacement(names_[at(name->second)], context);
        result = other.is_constant() ? graph_->constant(other.value()) : other.node();
      }
    } else if (node.operation != Operation::constant) {
      std::array<int, 3> x{-1, -1, -1};
      for (std::size_t k = 0; static_cast<int>(k) < arity(node.operation); ++k) x[k] = made.at(node.operands[k]);
      if (x != node.operands) result = graph_->make(node.operation, x[0], x[1], x[2]);
    }
    made[index] = result;
  }
  const int result = made.at(root);
  if (graph_->is_constant(result)) return graph_->node(result).value;
  return {graph_, result};
}

Expression Vectors::replacement(const Name& name, const Context& context) {
  if (name.kind == Kind::index) return index_value(name, context);
  return name.kind == Kind::sum ? sum(name, context) : element(name, context);
}

Expression Vectors::index_value(const Name& name, const Context& context) {
  const auto found = context.indices.find(name.text);
  if (found == context.indices.end()) {
    fault(context, name, no_index(context, name.text));
    return unknown;
  }
  const LoopNumber& number = found->second;
  const auto counter = [this](bool inner, int first) {
    return variable(system_->loops.add(Loops::Counter{inner, first}));
  };
  if (number.is_constant()) return number.at;
  if (number.by_outer == 1 && number.by_inner == 0) return counter(false, number.at);
  if (number.by_outer == 0 && number.by_inner == 1) return counter(true, number.at);
  Expression value = number.at;
  if (number.by_outer != 0) value = value + number.by_outer * counter(false, 0);
  if (number.by_inner != 0) value = value + number.by_inner * counter(true, 0);
  return value;
}

// The subscript of a name, in iterations.
std::optional<LoopNumber> Vectors::subscript(const Name& name, const Context& context) {
  const Piece piece = subscripted(name.text)->subscript;
  std::vector<FormulaFault> found;
  const auto parsed = subscripts_->parse({only(name.text, piece), {"", 1, 1}}, found);
  for (const FormulaFault& one : found) fault(context, name, "in '" + name.text + "': " + one.message);
  if (!found.empty()) return std::nullopt;
  LoopNumber made;
  Expression rest = *parsed;
  std::vector<double> zero(indices_.size(), 0);
  for (std::size_t k = 0; k < indices_.size(); ++k) {
    if (parsed->is_constant() || !parsed->depends_on(static_cast<int>(k))) continue;
    const auto index = context.indices.find(indices_[k].first);
    if (index == context.indices.end()) {
      fault(context, name, "in '" + name.text + "': " + no_index(context, indices_[k].first));
      return std::nullopt;
    }
    const Expression by = derivative(*parsed, static_cast<int>(k));
    if (!is_whole(by)) {
      fault(context, name, "'" + name.text + "': a subscript is a whole number plus whole multiples of indices");
      return std::nullopt;
    }
    const int factor = static_cast<int>(by.value());
    made.at += factor * index->second.at;
    made.by_outer += factor * index->second.by_outer;
    made.by_inner += factor * index->second.by_inner;
  }
  const Expression offset = evaluate(*parsed, zero);
  if (!is_whole(offset)) {
    fault(context, name, "'" + name.text + "': a subscript is a whole number plus whole multiples of indices");
    return std::nullopt;
  }
  made.at += static_cast<int>(offset.value());
  return made;
}

Expression Vectors::element(const Name& name, const Context& context) {
  const std::string base = subscripted(name.text)->name;
  const std::optional<LoopNumber> number = subscript(name, context);
  if (!number) return unknown;
  for (std::size_t v = 0; v < vectors_.size(); ++v)
    if (vectors_[v].name == base) return vector_element(name, static_cast<int>(v), *number, context);
  for (Definition& one : definitions_)
    if (one.name == base) return definition(name, one, *number, context);
  std::vector<std::string> known;
  for (const Vector& one : vectors_) known.push_back(one.name);
  for (const Definition& one : definitions_) known.push_back(one.name);
  const std::string near = nearest_name(base, known);
  fault(context, name,
        "'" + base + "' has no elements: no equation or definition has it with an index" +
            (near.empty() ? "" : "; did you mean '" + near + "'?"));
  return unknown;
}

// Element `number` of a vector as a state, or the value given beyond its ends.
Expression Vectors::state(int vector, int number, bool& there) {
  const Vector& one = vectors_[at(vector)];
  const int count = one.range.count(), from_first = number - one.range.first;
  const int wrapped = one.range.periodic ? (from_first % count + count) % count : from_first;
  there = true;
  if (wrapped >= 0 && wrapped < count) return {graph_, graph_->variable(system_->state(one.state + wrapped))};
  Bound* const bound = bound_at(vector, number);
  there = bound != nullptr;
  if (bound == nullptr) return unknown;
  if (!bound->parsed) {
    bound->parsed = true;
    const auto parsed = parse_(bound->text, bound->from);
    if (!parsed) ++faults_;
    bound->open = true;
    if (parsed) bound->value = replaced(*parsed, Context{bound->text});
    bound->open = false;
  }
  if (bound->open)
    fault(bound->text, 0, "circular definition: the value of '" + one.name + "' beyond its ends uses itself");
  return bound->open ? unknown : bound->value.value_or(unknown);
}

Expression Vectors::vector_element(const Name& name, int vector, const LoopNumber& number, const Context& context) {
  const Vector& one = vectors_[at(vector)];
  Loops::Element made{one.state, one.range.count(), one.range.periodic, number};
  made.number.at -= one.range.first;
  for (int n = 0; n < context.outer && !one.range.periodic; ++n)
    for (int m = 0; m < context.inner; ++m) {
      const int where = number(n, m);
      if (where >= one.range.first && where <= one.range.last) continue;
      const bool met = std::any_of(made.beyond.begin(), made.beyond.end(),
                                   [&](const auto& other) { return other.first == where - one.range.first; });
      if (met) continue;
      bool there = false;
      const Expression value = state(vector, where, there);
      const std::string element = one.name + "[" + std::to_string(where) + "]";
      if (!there) {
        fault(context, name,
              "'" + name.text + "' " + (number.is_constant() ? "" : "reaches " + element + ", which ") +
                  "does not exist: '" + one.name + "' has the elements " + std::to_string(one.range.first) + " to " +
                  std::to_string(one.range.last) + "; end its range with ', periodic' or give " + element +
                  " in `definitions`");
        return unknown;
      }
      made.beyond.emplace_back(where - one.range.first, value);
    }
  bool there = true;
  if (number.is_constant()) return state(vector, number.at, there);
  return variable(system_->loops.add(made));
}

Expression Vectors::definition(const Name& name, Definition& one, const LoopNumber& number, const Context& context) {
  for (int n = 0; n < context.outer; ++n)
    for (int m = 0; m < context.inner; ++m) {
      const int where = number(n, m);
      if (where >= one.range.first && where <= one.range.last) continue;
      fault(context, name,
            "'" + name.text + "' reaches " + one.name + "[" + std::to_string(where) + "]; '" + one.name +
                "' is defined from " + std::to_string(one.range.first) + " to " + std::to_string(one.range.last));
      return unknown;
    }
  if (!one.parsed) {
    one.parsed = true;
    one.body = parse_(one.text, one.from);
    if (!one.body) ++faults_;
  }
  if (one.open) fault(one.text, 0, "circular definition: '" + one.name + "' uses itself");
  if (one.open || !one.body) return unknown;
  one.open = true;
  const Expression made =
      replaced(*one.body, {one.text, {{one.range.index, number}}, context.outer, context.inner, context.in_sum});
  one.open = false;
  return made;
}

Expression Vectors::sum(const Name& name, const Context& context) {
  Sum& one = sums_[at(name.sum)];
  if (!one.parsed) {
    one.parsed = true;
    one.parsed_body = parse_(one.body, 0);
    if (!one.parsed_body) ++faults_;
  }
  if (!one.parsed_body) return unknown;
  const Range range = one.range;
  if (range.last < range.first) return 0;
  Context inside{one.body, {}, context.outer, range.count(), true};
  for (const auto& [index, number] : context.indices)  // a sum inside another one knows nothing of its index
    if (number.by_inner == 0) {
      inside.indices[index] = number;
    } else {
      inside.hidden.push_back(index);
    }
  inside.indices[range.index] = {range.first, 0, 1};
  const Expression body = replaced(*one.parsed_body, inside);
  if (body.is_constant()) return range.count() * body.value();
  return variable(system_->loops.add(Loops::Sum{range.count(), body}));
}

}  // namespace halocline::ode_ensemble
