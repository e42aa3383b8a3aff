#include "lib/expression/functions.hpp"

namespace halocline {

namespace {

constexpr Function table[] = {
    {"sin", Operation::sin},     {"cos", Operation::cos},   {"tan", Operation::tan},     {"asin", Operation::asin},
    {"acos", Operation::acos},   {"atan", Operation::atan}, {"atan2", Operation::atan2}, {"sinh", Operation::sinh},
    {"cosh", Operation::cosh},   {"tanh", Operation::tanh}, {"exp", Operation::exp},     {"log", Operation::log},
    {"log10", Operation::log10}, {"sqrt", Operation::sqrt}, {"cbrt", Operation::cbrt},   {"abs", Operation::abs},
    {"min", Operation::min},     {"max", Operation::max},   {"sign", Operation::sign},   {"step", Operation::step},
    {"hypot", Operation::hypot}, {"pow", Operation::power}, {"mod", Operation::mod},     {"floor", Operation::floor},
    {"ceil", Operation::ceil},   {"erf", Operation::erf},   {"erfc", Operation::erfc},   {"random", Operation::random},
};

}  // namespace

std::span<const Function> functions() { return table; }

const Function* find_function(std::string_view name) {
  for (const Function& function : table) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace halocline
