// Functions with loops as text.
#include <algorithm>
#include <set>

#include "lib/problems/ode_ensemble/codegen/print_code.hpp"

namespace halocline::ode_ensemble {

namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::string times(int factor, const char* index) {
  if (factor == 0) return "";
  const std::string size = std::abs(factor) == 1 ? "" : std::to_string(std::abs(factor)) + " * ";
  return (factor < 0 ? " - " : " + ") + size + index;
}

class LoopText {
 public:
  LoopText(const LoopedCode& code, const Names& names, const char* array, bool tables)
      : code_(code), names_(names), array_(array), tables_(tables) {}

  std::string body() {
    std::string text = run(code_.items, "    ");
    for (const auto& [row, result] : code_.rows)
      text += "    " + element(array_, row) + " = " + print(result, names_) + ";\n";
    return text;
  }

 private:
  // Iterations low ... high - 1, in which no element wraps or lies beyond its vector.
  struct Inside {
    int low = 0, high = 0;
  };

  std::string run(const std::vector<LoopedCode::Item>& items, const std::string& indent) {
    std::string text;
    for (const LoopedCode::Item item : items) {
      if (item.loop) {
        const LoopedCode::Loop& loop = code_.loops[at(item.index)];
        text += loop.inner ? sum(loop, item.index, indent) : family(loop, indent);
      } else {
        text += indent + "const " + names_.number + " v" + std::to_string(item.index) + " = " +
                print(code_.lines[at(item.index)], code_.lines, names_) + ";\n";
      }
    }
    return text;
  }

  // The elements that a loop uses, those of sums in it included.
  void collect(const LoopedCode::Loop& loop, std::set<int>& found) const {
    const auto note = [&found](const Operand& x) {
      if (x.from == From::element) found.insert(x.index);
    };
    note(loop.result);
    for (const LoopedCode::Item item : loop.items) {
      if (item.loop) {
        collect(code_.loops[at(item.index)], found);
      } else {
        const CodeLine& line = code_.lines[at(item.index)];
        note(line.a), note(line.b), note(line.c);
      }
    }
  }

  std::string number(const LoopedCode::Element& one, int offset) const {
    return std::to_string(offset + one.number.at) + times(one.number.by_outer, "i") + times(one.number.by_inner, "j");
  }
  // `inside`: where it neither wraps nor lies beyond its vector.
  std::string load(int index, bool inside, const std::string& indent) const {
    const LoopedCode::Element& one = code_.elements[at(index)];
    std::string value = std::string(names_.y) + "[" + number(one, one.first) + "]";
    const std::string where = number(one, 0);
    if (!inside && one.wraps)
      value = std::string(names_.y) + "[" + std::to_string(one.first) + " + wrapped(" + where + ", " +
              std::to_string(one.count) + ")]";
    if (!inside)
      for (const auto& [beyond, operand] : one.beyond)
        value = where + " == " + std::to_string(beyond) + " ? " + print(operand, names_) + " : " + value;
    return indent + "const " + names_.number + " e" + std::to_string(index) + " = " + value + ";\n";
  }

  std::string sum(const LoopedCode::Loop& loop, int index, const std::string& indent) {
    std::set<int> used;
    collect(loop, used);
    const std::string name = "sum" + std::to_string(index), more = indent + "  ";
    std::string text = indent + names_.number + " " + name + "(0.0);\n" + indent +
                       "HALOCLINE_ODE_LOOP for (int j = 0; j < " + std::to_string(loop.count) + "; ++j) {\n";
    for (const int one : used) {
      const LoopNumber& n = code_.elements[at(one)].number;
      if (n.by_inner == 0) continue;
      bool inside = true;
      for (const int i : {0, outer_ - 1})
        for (const int j : {0, loop.count - 1}) inside = inside && is_inside(code_.elements[at(one)], i, j);
      text += load(one, inside, more);
    }
    text += run(loop.items, more);
    return text + more + name + " = " + name + " + " + print(loop.result, names_) + ";\n" + indent + "}\n";
  }

  static bool is_inside(const LoopedCode::Element& one, int outer, int inner) {
    const int number = one.number(outer, inner);
    return number >= 0 && number < one.count;
  }
  Inside inside(const std::set<int>& used, int count) const {
    const auto good = [&](int n) {
      return std::all_of(used.begin(), used.end(), [&](int one) {
        const LoopedCode::Element& element = code_.elements[at(one)];
        return element.number.by_inner != 0 || is_inside(element, n, 0);
      });
    };
    Inside found;
    while (found.low < count && !good(found.low)) ++found.low;
    found.high = found.low;
    while (found.high < count && good(found.high)) ++found.high;
    return found;
  }

  std::string iteration(const LoopedCode::Loop& loop, const std::set<int>& used, bool plain) {
    const std::string indent = "      ";
    std::string text;
    for (const int one : used)
      if (code_.elements[at(one)].number.by_inner == 0) text += load(one, plain, indent);
    text += run(loop.items, indent);
    return text + indent + array_ + "[" + std::to_string(loop.first) + " + i] = " + print(loop.result, names_) +
           ";\n    }\n";
  }

  // First the iterations at both ends, then those inside.
  std::string family(const LoopedCode::Loop& loop, const std::string& indent) {
    std::set<int> used;
    collect(loop, used);
    outer_ = loop.count;
    const Inside plain = inside(used, loop.count);
    const int skipped = plain.high - plain.low, ends = loop.count - skipped;
    std::string text;
    if (ends > 0)
      text += indent + "HALOCLINE_ODE_ROLLED for (int n = 0; n < " + std::to_string(ends) + "; ++n) {\n" + indent +
              "  const int i = n < " + std::to_string(plain.low) + " ? n : n + " + std::to_string(skipped) + ";\n" +
              iteration(loop, used, false);
    if (skipped > 0)
      text += indent + "HALOCLINE_ODE_LOOP for (int i = " + std::to_string(plain.low) + "; i < " +
              std::to_string(plain.high) + "; ++i) {\n" +
              (tables_ ? indent + "  const int j = i;\n" + indent + "  (void)j;\n" : "") + iteration(loop, used, true);
    outer_ = 1;
    return text;
  }

  const LoopedCode& code_;
  const Names& names_;
  const char* array_;
  bool tables_;
  int outer_ = 1;
};

}  // namespace

std::string looped_body(const LoopedCode& code, const Names& names, const char* array, bool tables) {
  return LoopText(code, names, array, tables).body();
}

}  // namespace halocline::ode_ensemble
