// Timers: nested scopes of wall time. app/ reduces the entries over ranks.
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
  struct Entry {
    std::string path;  // "solve/iterate/exchange"
    double seconds = 0;
    Index calls = 0;
  };
  // What a profiler is told, on the thread of the scopes. Null: nothing.
  struct Listener {
    void (*begin)(const char* name) = nullptr;
    void (*end)() = nullptr;
  };
  class Scope {
   public:
    explicit Scope(Timers& timers, std::size_t entry) : timers_(&timers), entry_(entry), start_(Clock::now()) {}
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Timers* timers_;
    std::size_t entry_;
    Clock::time_point start_;
  };
  Timers() = default;
  explicit Timers(Listener listener) : listener_(listener) {}

  // Time until the end of the returned object counts for `name` below the scope now open. One thread only.
  [[nodiscard]] Scope scope(const char* name);
  const std::vector<Entry>& entries() const { return entries_; }  // in order of first appearance
  // Of the entry with this path; 0 when there is none.
  double seconds(std::string_view path) const;
  // Since the timers were made.
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  friend class Scope;
  std::vector<Entry> entries_;
  std::vector<std::size_t> open_;
  Listener listener_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace halocline
