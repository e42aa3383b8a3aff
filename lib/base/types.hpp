// Integer types and the mark for functions that run on host and device.
// Readable by g++, nvcc and NVRTC (which has no standard headers).
#pragma once

#if defined(__CUDACC_RTC__)
namespace halocline {
using Index = long;
using LocalIndex = int;
}  // namespace halocline
#else
#include <cstdint>
namespace halocline {
using Index = std::int64_t;       // global counts and positions
using LocalIndex = std::int32_t;  // positions inside one part
}  // namespace halocline
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HALOCLINE_HD __host__ __device__
#else
#define HALOCLINE_HD
#endif
