#include "lib/problems/ode_ensemble/codegen/print_code.hpp"

#include <cmath>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline::ode_ensemble {

namespace {

// How an operation is written: a function, or an operator between two operands.
struct Spelling {
  const char* name;
  bool infix = false;
};

// In the order of Operation, from negate on.
constexpr Spelling spellings[] = {
    {"-"},         {"fn_sin"},    {"fn_cos"},  {"fn_tan"},   {"fn_asin"},       {"fn_acos"},
    {"fn_atan"},   {"fn_sinh"},   {"fn_cosh"}, {"fn_tanh"},  {"fn_exp"},        {"fn_log"},
    {"fn_log10"},  {"fn_sqrt"},   {"fn_cbrt"}, {"fn_erf"},   {"fn_erfc"},       {"fn_floor"},
    {"fn_ceil"},   {"fn_fabs"},   {"fn_sign"}, {"fn_step"},  {" + ", true},     {" - ", true},
    {" * ", true}, {"fn_divide"}, {"fn_pow"},  {"fn_atan2"}, {"fn_hypot"},      {"fn_mod"},
    {"fn_random"}, {"fn_min"},    {"fn_max"},  {"fn_less"},  {"fn_less_equal"}, {"fn_select"}};
static_assert(std::size(spellings) == static_cast<std::size_t>(Operation::select) - 1);

const Spelling& spelling(Operation operation) {
  require(arity(operation) > 0, "codegen: a leaf is no operation");
  return spellings[static_cast<std::size_t>(operation) - static_cast<std::size_t>(Operation::negate)];
}

// The power x^c whose c is a fraction n/m but for rounding; "" for other ones.
std::string root_power(const std::string& x, const Operand& c, const Names& names) {
  constexpr int most_roots = 10, most_factors = 16;
  if (c.from != From::constant || !(std::abs(c.value) <= most_factors)) return "";
  for (int m = 1; m <= most_roots; ++m) {
    const double n = std::nearbyint(c.value * m), rest = std::fma(c.value, m, -n);
    if (n == 0 || std::abs(rest) > 1e-15 * std::abs(n)) continue;
    return "fn_root_power<" + std::to_string(static_cast<int>(n)) + ", " + std::to_string(m) + ">(" + x + ", " +
           print(c, names) + ", " + print_number(rest / m) + ")";
  }
  return "";
}

}  // namespace

std::string print_number(double value) {
  if (std::isnan(value)) return "(0.0 / 0.0)";  // NVRTC has no builtin for it
  if (std::isinf(value)) return value > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)";
  return formatted("{:a}", value);
}

std::string element(const char* array, int index) { return std::string(array) + "[" + std::to_string(index) + "]"; }

std::string print(const Operand& operand, const Names& names) {
  switch (operand.from) {
    case From::constant:
      return std::string(names.number) + "(" + print_number(operand.value) + ")";
    case From::time:
      return names.t;
    case From::state:
      return element(names.y, operand.index);
    case From::parameter:
      return element("p", operand.index);
    case From::accumulator:
      return element(names.a, operand.index);
    case From::rate:
      return element(names.f, operand.index);
    case From::kept:
      return element(names.s, operand.index);
    case From::timed:
      return element(names.d, operand.index);
    case From::value:
      return "v" + std::to_string(operand.index);
    case From::table:
      return std::string(names.s) + "[" + std::to_string(operand.index) + " + " + (operand.inner ? "j" : "i") + "]";
    case From::counter:
      return std::string(names.number) + "(" + print_number(operand.value) + " + " + (operand.inner ? "j" : "i") + ")";
    case From::sum:
      return "sum" + std::to_string(operand.index);
    case From::element:
      return "e" + std::to_string(operand.index);
  }
  throw InternalError("codegen: an operand from nowhere");
}

std::string print(const CodeLine& line, const std::vector<CodeLine>& lines, const Names& names) {
  const Spelling how = spelling(line.operation);
  const std::string a = print(line.a, names);
  if (line.turns) return std::string(how.name) + "2pi(" + a + ")";
  const int operands = arity(line.operation);
  if (operands == 1) return std::string(how.name) + "(" + a + ")";
  const std::string b = print(line.b, names);
  if (how.infix) return a + how.name + b;
  if (line.operation == Operation::power) {
    const std::string root = root_power(a, line.b, names);
    if (!root.empty()) return root;
  }
  if (operands == 2) return std::string(how.name) + "(" + a + ", " + b + ")";
  const std::string c = print(line.c, names);
  // A comparison serves as it is, without becoming a number.
  if (line.a.from == From::value) {
    const CodeLine& test = lines[static_cast<std::size_t>(line.a.index)];
    if (test.operation == Operation::less || test.operation == Operation::less_equal)
      return "select(" + print(test.a, names) + (test.operation == Operation::less ? " < " : " <= ") +
             print(test.b, names) + ", " + b + ", " + c + ")";
  }
  return std::string(how.name) + "(" + a + ", " + b + ", " + c + ")";
}

}  // namespace halocline::ode_ensemble
