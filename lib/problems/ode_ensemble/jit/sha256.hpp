// SHA-256 (FIPS 180-4), the key of compiled code in the cache.
#pragma once

#include <string>
#include <string_view>

namespace halocline::ode_ensemble {

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace halocline::ode_ensemble
