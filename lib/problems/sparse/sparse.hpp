// Family sparse: large sparse systems A u = f, rows distributed over parts, by Krylov methods.
#pragma once

#include "lib/problems/problem.hpp"

namespace halocline {

const Family& sparse_family();

}  // namespace halocline
