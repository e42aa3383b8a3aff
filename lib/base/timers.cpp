#include "lib/base/timers.hpp"

#include <algorithm>

namespace halocline {
namespace {

// Whether `path`, of a scope in `parent`, is that of the scope `name`, without building a string: scopes are opened
// inside iterations.
bool ends_scope(std::string_view path, std::string_view parent, std::string_view name) {
  return path.size() == parent.size() + (parent.empty() ? 0 : 1) + name.size() && path.ends_with(name);
}

}  // namespace

Timers::Scope Timers::scope(const char* name, bool fine) {
  const std::string_view parent = open_ == none ? std::string_view{} : std::string_view{entries_[open_].path};
  std::size_t entry = 0;
  while (entry < entries_.size() &&
         !(entries_[entry].parent == open_ && ends_scope(entries_[entry].path, parent, name)))
    ++entry;
  if (entry == entries_.size()) {
    const std::string path = parent.empty() ? std::string{} : std::string(parent) + "/";
    entries_.push_back({path + name, 0, 0, open_, fine});
  }
  open_ = entry;
  if (listener_.begin != nullptr) listener_.begin(name);
  return Scope(*this, entry);
}

double Timers::seconds(std::string_view path) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.path == path; });
  return found == entries_.end() ? 0 : found->seconds;
}

void Timers::close(std::size_t index, Clock::time_point start) {
  Entry& entry = entries_[index];
  entry.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  ++entry.calls;
  open_ = entry.parent;
  if (listener_.end != nullptr) listener_.end();
}

}  // namespace halocline
