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
    wake();
  }
  // Counts down by one; who reaches zero wakes the others.
  void count_down() {
    if (value_.fetch_sub(1) == 1) wake();
  }

  // Returns when arrived(now()), having looked for `looking` before it sleeps.
  template <class Arrived>
  void wait(std::chrono::nanoseconds looking, const Arrived& arrived) const;

 private:
  // Looks, and leaves the core to whoever else needs it in between. Where others want it for work of their own, each
  // yield costs a slice of some milliseconds, where a thread that sleeps gets the core as soon as it is woken: returns
  // false then.
  template <class Arrived>
  bool look(std::chrono::nanoseconds looking, const Arrived& arrived) const;

  void sleep(std::uint32_t seen) const;  // until it changes, or for less
  void wake() {                          // costs nothing while nobody sleeps
    if (sleepers_.load() > 0) wake_all();
  }
  void wake_all();

  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::atomic<std::uint32_t> value_{0};
  mutable std::atomic<std::uint32_t> sleepers_{0};
};

template <class Arrived>
void Signal::wait(std::chrono::nanoseconds looking, const Arrived& arrived) const {
  constexpr int waits_in_a_crowd = 1000;
  thread_local int crowded = 0;  // so many waits sleep at once
  if (arrived(now())) return;
  if (crowded > 0) {
    --crowded;
  } else if (!look(looking, arrived)) {
    crowded = waits_in_a_crowd;
  }
  for (std::uint32_t seen = now(); !arrived(seen); seen = now()) sleep(seen);
}

template <class Arrived>
bool Signal::look(std::chrono::nanoseconds looking, const Arrived& arrived) const {
  using Clock = std::chrono::steady_clock;
  constexpr int looks_per_yield = 16, least_yields = 4;
  constexpr std::chrono::milliseconds slice(1);
  Clock::time_point before = Clock::now();
  const Clock::time_point end = before + looking;
  for (int yields = 0; yields < least_yields || before < end; ++yields) {
    for (int looks = 0; looks < looks_per_yield; ++looks) {
      if (arrived(now())) return true;
      relax();
    }
    std::this_thread::yield();
    const Clock::time_point after = Clock::now();
    if (after - before > slice) return false;
    before = after;
  }
  return true;
}

}  // namespace halocline
