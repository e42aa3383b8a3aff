// Timers: nested scopes of wall time. app/ reduces the entries over ranks. Kernels are counted for the scope that is
// open when they are launched, see kernel_profile.hpp.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

class Timers {
  using Clock = std::chrono::steady_clock;

 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);  // no entry
  struct Entry {
    std::string path;  // "solve/iterate/halo"
    double seconds = 0;
    Index calls = 0;
    std::size_t parent = none;  // the entry of the scope around it
    bool fine = false;          // of a profile, too small for the table of phases
  };
  // What another observer, such as the ranges of a vendor's profiler, is told on the thread of the scopes. Null:
  // nothing.
  struct Listener {
    void (*begin)(const char* name) = nullptr;
    void (*end)() = nullptr;
  };
  class Scope {
   public:
    Scope() = default;  // measures nothing
    Scope(Timers& timers, std::size_t entry) : timers_(&timers), entry_(entry), start_(Clock::now()) {}
    ~Scope() {
      if (timers_ != nullptr) timers_->close(entry_, start_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Timers* timers_ = nullptr;
    std::size_t entry_ = none;
    Clock::time_point start_;
  };
  Timers() = default;
  explicit Timers(Listener listener) : listener_(listener) {}

  // Time until the end of the returned object counts for `name` below the scope now open. One thread only.
  // `fine`: the entry is for a profile.
  [[nodiscard]] Scope scope(const char* name, bool fine = false);
  // The entry of the innermost open scope, or none. From other threads only while no scope begins or ends.
  std::size_t open() const { return open_; }
  const std::vector<Entry>& entries() const { return entries_; }  // in order of first appearance
  // Of the entry with this path; 0 when there is none.
  double seconds(std::string_view path) const;
  // Since the timers were made.
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  void close(std::size_t entry, Clock::time_point start);

  std::vector<Entry> entries_;
  std::size_t open_ = none;
  Listener listener_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace halocline
