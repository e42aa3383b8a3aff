#include "mpi/signal.hpp"

#include <limits>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace halocline {

// Not std::atomic::wait where that can be helped: in libstdc++ it yields a few times first.
void Signal::sleep(std::uint32_t seen) const {
  sleepers_.fetch_add(1);  // before the value is looked at again; set() writes it before it looks for sleepers
#if defined(__linux__)
  static_assert(sizeof(value_) == sizeof(std::uint32_t), "what the kernel compares");
  syscall(SYS_futex, &value_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);  // not if it has changed
#else
  value_.wait(seen);
#endif
  sleepers_.fetch_sub(1);
}

void Signal::wake_all() {
#if defined(__linux__)
  syscall(SYS_futex, &value_, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
#else
  value_.notify_all();
#endif
}

}  // namespace halocline
