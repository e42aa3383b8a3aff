#include "lib/base/timers.hpp"

#include <algorithm>

namespace halocline {
namespace {

// Whether `path` is `parent`/`name`, without building that string: scopes are opened inside iterations.
bool is_child(std::string_view path, std::string_view parent, std::string_view name) {
  if (parent.empty()) return path == name;
  return path.size() == parent.size() + 1 + name.size() && path.starts_with(parent) && path[parent.size()] == '/' &&
         path.ends_with(name);
}

}  // namespace

Timers::Scope Timers::scope(const char* name) {
  const std::string_view parent = open_.empty() ? std::string_view{} : std::string_view{entries_[open_.back()].path};
  std::size_t entry = 0;
  while (entry < entries_.size() && !is_child(entries_[entry].path, parent, name)) ++entry;
  if (entry == entries_.size()) {
    std::string path = parent.empty() ? std::string{} : std::string(parent) + "/";
    entries_.push_back({path + name, 0, 0});
  }
  open_.push_back(entry);
  if (listener_.begin != nullptr) listener_.begin(name);
  return Scope(*this, entry);
}

double Timers::seconds(std::string_view path) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.path == path; });
  return found == entries_.end() ? 0 : found->seconds;
}

Timers::Scope::~Scope() {
  Entry& entry = timers_->entries_[entry_];
  entry.seconds += std::chrono::duration<double>(Clock::now() - start_).count();
  ++entry.calls;
  timers_->open_.pop_back();
  if (timers_->listener_.end != nullptr) timers_->listener_.end();
}

}  // namespace halocline
