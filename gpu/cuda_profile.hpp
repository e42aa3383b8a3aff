// The profile of a CUDA executor: events in its queues around every kernel, read when they have passed.
#pragma once

#include <memory>

#include "lib/base/profile/kernel_profile.hpp"

namespace halocline {

// Nothing waits for a kernel because it is measured. A time holds the gap to the kernel before, some microseconds, when
// the host does not keep the queue filled. Null for null.
std::shared_ptr<KernelProfile> make_cuda_profile(const Timers* scopes);

}  // namespace halocline
