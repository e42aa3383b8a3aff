// a u_xx + (eta + mode value) u across the lines of equal elements by growing and decaying solutions in strips of lines
// (wave_kernels.hpp), where no mode oscillates. Nothing is transposed: what strips of a part leave behind is joined
// there, in a tree that no partition changes, and of its nodes two numbers per mode go to the part that joins the rest
// for this mode, and two come back. The same bits for any number of parts.
#pragma once

#include "lib/problems/collocation/axes/axis.hpp"
#include "lib/problems/collocation/direct/modes.hpp"

namespace halocline::collocation {

// Parts begin at multiples of wave_strip_length() lines and have at least so many; a, c and eta as for only_waves().
// Several parts send in so many chunks of modes, by default in those of wave_chunks().
std::unique_ptr<AcrossX> make_wave_across(const Communicator& comm, const Team& team,
                                          const std::vector<NodalBlock>& blocks, const Axis& x, double a, double eta,
                                          const std::vector<double>& mode_values, Index chunks = 0);

// Numbers that a part with so many lines, less than all of them or all, has beside its vectors.
Index wave_numbers(Index lines, Index all_lines, Index ny);

}  // namespace halocline::collocation
