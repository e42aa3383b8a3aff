// Strength of couplings for aggregation, the same in both directions where the matrix is symmetric.
#pragma once

#include "lib/amg/setup/strength.hpp"

namespace halocline::amg {

// Rows i and j are coupled strongly if s a_ij is negative and a_ij^2 >= theta^2 m_i m_j, m_i = max_k(-s a_ik), s the
// sign of a_ii. A row has a diagonal other than zero, or is zero. Collective.
Strength symmetric_strength(const sparse::DistCrs& a, double theta);

}  // namespace halocline::amg
