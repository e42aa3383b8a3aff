// What a deck with several fields leads to, beside the problem of one field (../problem.cpp).
#pragma once

#include <memory>

#include "lib/problems/diffusion/options.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::diffusion {

Plan plan_reactions(const DiffusionOptions& options, const Shape& shape, Faults& faults);
std::unique_ptr<Problem> make_reaction_problem(const Context& context, const DiffusionOptions& options);

}  // namespace halocline::diffusion
