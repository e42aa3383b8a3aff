// The pencil's eigenvectors (pencil_basis.hpp) as the y part and the x part of a separable inverse: dense products.
#pragma once

#include "lib/problems/collocation/direct/modes.hpp"
#include "lib/problems/collocation/direct/pencil_basis.hpp"

namespace halocline::collocation {

// 8 products of lines x (ny + 1) x (ny + 1) each way, 16 ny^3 operations for nx = ny. Memory: twice the basis and room
// for some lines. Results may depend on the partition in the last digits, as the library's products do.
std::unique_ptr<AlongY> make_dense_along(const PencilBasis& y, const NodalBlock& block, const ExecutorPtr& executor);

// x.values + shift + mode value, divided by; the same operations across lines. With several parts by AcrossByColumns.
std::unique_ptr<AcrossX> make_dense_across(const Communicator& comm, const Team& team,
                                           const std::vector<NodalBlock>& blocks, const PencilBasis& x, double shift,
                                           const std::vector<double>& mode_values);

}  // namespace halocline::collocation
