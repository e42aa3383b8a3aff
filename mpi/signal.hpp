// A number that threads wait on: one who waits looks for a while, which hands over within a microsecond, then sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace halocline {

// Alone on its cache line, so that looking at one signal slows nobody down who uses another.
class alignas(64) Signal {
 public:
  std::uint32_t now() const { return value_.load(std::memory_order_acquire); }

  // What is written before is seen by those whom the change wakes.
  void set(std::uint32_t value) {
    value_.store(value);
    value_.notify_all();  // costs nothing while nobody sleeps
  }
  // Counts down by one; who reaches zero wakes the others.
  void count_down() {
    if (value_.fetch_sub(1) == 1) value_.notify_all();
  }

  // Returns when arrived(now()), having looked for `looking` before it sleeps.
  template <class Arrived>
  void wait(std::chrono::nanoseconds looking, const Arrived& arrived) const {
    if (arrived(now())) return;
    if (looking.count() > 0) {
      const auto end = std::chrono::steady_clock::now() + looking;
      do {
        for (int look = 0; look < looks_per_yield; ++look) {
          if (arrived(now())) return;
          relax();
        }
        std::this_thread::yield();  // to whoever else needs this core
      } while (std::chrono::steady_clock::now() < end);
    }
    for (std::uint32_t seen = now(); !arrived(seen); seen = now()) value_.wait(seen);
  }

 private:
  static constexpr int looks_per_yield = 16;

  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::atomic<std::uint32_t> value_{0};
};

}  // namespace halocline
