// Counts calls of operator new, and lets one of them fail, in a test program that is linked with count_allocations.cpp.
#pragma once

namespace halocline {

long allocation_count();

// The call of this number from now on fails, the first being 1; 0: none. Returns how many were to come up to the
// failure that was wished before, 0 when it has happened.
long fail_allocation(long number);

}  // namespace halocline
