// The texts of the stepper (ensemble.hpp to advance.hpp) joined, as the program carries them for compilation at run
// time. Made by embed.cmake.
#pragma once

#include <string_view>

namespace halocline::ode_ensemble {

std::string_view stepper_text();

}  // namespace halocline::ode_ensemble
