// Fuzz target: lines of the input are definitions, the last one is a formula. Whatever parses must print, parse again
// to the same value, differentiate and run as a program.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/expression/program.hpp"
#include "lib/expression/scope.hpp"
#include "tests/unit/expression/expression_text.hpp"

namespace halocline {
namespace {

constexpr const char* variables[] = {"x", "y", "t"};
constexpr double point[] = {0.75, -1.5, 2.0};

void check(bool condition) {
  if (!condition) std::abort();
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void exercise(const Expression& e) {
  const double value = e.is_constant() ? e.value() : evaluate(e, point);
  const Expression expressions[] = {e, derivative(e, 0)};
  double outputs[2];
  std::vector<std::span<const double>> in;
  for (const double& p : point) in.emplace_back(&p, 1);
  const std::vector<std::span<double>> out{std::span(outputs, 1), std::span(outputs + 1, 1)};
  evaluate(Program(expressions, 3), in, out);
  check(same(outputs[0], value));

  const std::string text = to_string(e);
  std::vector<FormulaFault> faults;
  const std::optional<Expression> again = Scope(variables).parse({text, {}}, faults);
  // The text of a large graph may exceed the limits of a formula.
  if (again) check(same(again->is_constant() ? again->value() : evaluate(*again, point), value));
}

void run(const std::string& input) {
  Definitions definitions;
  std::size_t begin = 0;
  for (std::size_t end = input.find('\n'); end != std::string::npos; end = input.find('\n', begin)) {
    definitions.definitions.push_back({input.substr(begin, end - begin), {"deck", 1, 1}});
    begin = end + 1;
  }
  std::vector<FormulaFault> faults;
  const Scope scope(variables, definitions, faults);
  const bool good = faults.empty();
  const std::optional<Expression> e = scope.parse({input.substr(begin), {"deck", 2, 1}}, faults);
  for (const FormulaFault& fault : faults) check(!fault.message.empty());
  if (e && good) exercise(*e);
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    halocline::run(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const halocline::DeckError&) {  // the graph grew too large
  }
  return 0;
}
