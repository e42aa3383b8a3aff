#include "lib/base/profile/kernel_profile.hpp"

#include <algorithm>

namespace halocline {

using Clock = std::chrono::steady_clock;

void KernelProfile::begin(const Executor&, Queue, Span& span) { span.start = Clock::now(); }

void KernelProfile::end(const Executor&, Queue, const Span& span) noexcept {
  add(span, std::chrono::duration<double>(Clock::now() - span.start).count());
}

// A scope launches few kinds of kernels, so they are looked for one by one.
void KernelProfile::add(const Span& span, double seconds) {
  const std::lock_guard lock(mutex_);
  const std::size_t place = span.scope + 1;  // none becomes 0
  if (by_scope_.size() <= place) by_scope_.resize(place + 1);
  std::vector<Entry>& entries = by_scope_[place];
  auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == span.label.name; });
  if (entry == entries.end()) entry = entries.insert(entry, {span.scope, span.label.name});
  ++entry->calls;
  entry->seconds += seconds;
  entry->bytes += span.label.bytes;
}

std::vector<KernelProfile::Entry> KernelProfile::entries() {
  settle();
  const std::lock_guard lock(mutex_);
  std::vector<Entry> all;
  for (const std::vector<Entry>& entries : by_scope_) all.insert(all.end(), entries.begin(), entries.end());
  return all;
}

std::shared_ptr<KernelProfile> make_host_profile(const Timers* scopes) {
  return scopes == nullptr ? nullptr : std::make_shared<KernelProfile>(*scopes);
}

}  // namespace halocline
