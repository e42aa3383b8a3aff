// Family collocation: 2D elliptic problems by bicubic Hermite collocation. See docs/collocation.md.
#pragma once

#include "lib/problems/problem.hpp"

namespace halocline {

const Family& collocation_family();

}  // namespace halocline
