#include "io/fingerprint.hpp"

#include <set>

#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

constexpr std::size_t most_told = 3;

}  // namespace

std::string Fingerprint::text() const {
  std::string text;
  for (const auto& [path, value] : keys) text += (value.may_change ? "~" : "=") + path + "\t" + value.text + "\n";
  return text;
}

Fingerprint read_fingerprint(const std::string& text) {
  Fingerprint made;
  for_each_line(text, [&made](std::string_view line) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab < 1) return;
    made.keys[std::string(line.substr(1, tab - 1))] = {std::string(line.substr(tab + 1)), line[0] == '~'};
  });
  return made;
}

// Whether a key may change is a matter of the program that is at work now; of keys that it does not have, of the other.
std::string differences(const Fingerprint& saved, const Fingerprint& now, bool may_change) {
  std::set<std::string> paths;
  for (const auto& [path, value] : saved.keys) paths.insert(path);
  for (const auto& [path, value] : now.keys) paths.insert(path);
  std::string told;
  std::size_t count = 0;
  for (const std::string& path : paths) {
    const auto before = saved.keys.find(path), after = now.keys.find(path);
    const bool was = before != saved.keys.end(), is = after != now.keys.end();
    if (may_change != (is ? after : before)->second.may_change) continue;
    const std::string old = was ? before->second.text : "", other = is ? after->second.text : "";
    if (was == is && old == other) continue;
    const auto value = [](bool given, const std::string& text) { return given && !text.empty() ? text : "not given"; };
    if (value(was, old) == value(is, other)) continue;
    if (++count <= most_told)
      told += (count > 1 ? ", " : "") + path + " was " + value(was, old) + " and is " + value(is, other) + " now";
  }
  return count > most_told ? formatted("{}, and {} more", told, count - most_told) : told;
}

}  // namespace halocline
