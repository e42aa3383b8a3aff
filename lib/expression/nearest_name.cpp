#include <algorithm>
#include <numeric>

#include "lib/expression/scope.hpp"

namespace halocline {

namespace {

constexpr std::size_t longest = 64;  // of names that are compared

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein distance that ignores case.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  if (name.empty() || name.size() > longest) return "";
  // A third of the letters may differ, and never all of them.
  std::size_t best = std::min(name.size(), (name.size() + 2) / 3 + 1);
  std::string nearest;
  for (const std::string& candidate : known) {
    if (candidate.size() > longest) continue;
    const std::size_t d = distance(name, candidate);
    if (d >= best) continue;
    best = d;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace halocline
