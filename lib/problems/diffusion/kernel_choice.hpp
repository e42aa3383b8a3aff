// diffusion.time.kernel
#pragma once

#include "lib/base/words.hpp"

namespace halocline::diffusion {

enum class KernelChoice { automatic, fused, blocked, resident, tiled };
constexpr auto words_of(KernelChoice) {
  return std::to_array<Word<KernelChoice>>({{"auto", KernelChoice::automatic},
                                            {"fused", KernelChoice::fused},
                                            {"blocked", KernelChoice::blocked},
                                            {"resident", KernelChoice::resident},
                                            {"tiled", KernelChoice::tiled}});
}

}  // namespace halocline::diffusion
