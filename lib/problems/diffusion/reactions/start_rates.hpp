// What formulas are at t = 0 on the cells of a grid, all of them or evenly chosen ones, on the host.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "lib/expression/program.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/diffusion/reactions/rates_layout.hpp"
#include "lib/problems/diffusion/walls.hpp"

namespace halocline::diffusion {

// The largest value of a program of x, y, z, t and one more; what is negative or not finite does not count, and the
// first such value is told with its place.
double largest_at_start(const UniformGrid& grid, const Program& program,
                        const std::function<void(const std::string& place, double value)>& tell_bad);

// The same on walls that something passes, all places of those in 2D.
double largest_on_walls(const UniformGrid& grid, const Walls& walls, const Program& program,
                        const std::function<void(const std::string& place, double value)>& tell_bad);

// The largest values of `entries`, of x, y, z, t and all fields, with fields as they begin: `initial`, of x, y, z, t
// and one more, of which they do not use t. What is not finite does not count.
ReactionRates rates_at_start(const UniformGrid& grid, std::span<const Program* const> initial, const Program& entries);

}  // namespace halocline::diffusion
