// The block kernel of collocation lines, run on the host in place of the one in the library.
#include "lib/problems/collocation/schur/line_solve.cu"

#include <cstdlib>

namespace halocline {
namespace {

// HALOCLINE_TEST_SHARED_KIB: shared memory per block of the pretended device.
[[maybe_unused]] const bool limited = [] {
  const char* kib = std::getenv("HALOCLINE_TEST_SHARED_KIB");
  if (kib != nullptr) pretended_limits.shared_bytes = std::strtoul(kib, nullptr, 10) << 10;
  return kib != nullptr;
}();

}  // namespace
}  // namespace halocline
