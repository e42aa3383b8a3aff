// Counts calls of operator new in a test program that is linked with count_allocations.cpp.
#pragma once

namespace halocline {

long allocation_count();

}  // namespace halocline
