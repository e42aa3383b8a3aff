// What a run of the family is.
#pragma once

#include <memory>

#include "lib/problems/problem.hpp"

namespace halocline::fractional {

std::unique_ptr<Problem> make_problem(const Context& context, const Options& options);

}  // namespace halocline::fractional
