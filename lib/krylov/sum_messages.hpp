// SumMessages: how many waits for sums over ranks the iterations of Krylov methods take.
#pragma once

#include "lib/base/describe.hpp"

namespace halocline {

// Separate: each sum when it is first of use. Fused: sums wait for one another where recurrences allow, which halves
// the waits of CG and of BiCGSTAB with half steps and takes one of three from BiCGSTAB. GMRES knows no difference.
enum class SumMessages { separate, fused };
constexpr auto words_of(SumMessages) {
  return std::to_array<Word<SumMessages>>({{"separate", SumMessages::separate}, {"fused", SumMessages::fused}});
}

}  // namespace halocline
