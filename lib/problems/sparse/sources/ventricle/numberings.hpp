// Other orders of the nodes of a lattice than that of the lattice itself.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline::sparse {

// From rows in the order of the lattice, -1 for nodes that have none, to rows by blocks of 8^3 nodes along a Morton
// curve, in a block as before.
std::vector<Index> morton_numbers(const Index (&n)[3], const std::vector<Index>& numbers);

// The same to rows at random: a Feistel network of four rounds, walked until it is back among the rows.
std::vector<Index> random_numbers(const std::vector<Index>& numbers, Index rows, std::uint64_t seed);

}  // namespace halocline::sparse
