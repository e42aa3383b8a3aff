// Which keys of a family may change when a run is continued; all others decide its result.
#pragma once

#include <span>
#include <string_view>

namespace halocline {

// Paths of keys, and of blocks with all their keys, as "diffusion.time.end". By the table of families (registry.cpp).
// docs/cluster.md lists them.
std::span<const char* const> keys_free_on_restart(std::string_view family);

}  // namespace halocline
