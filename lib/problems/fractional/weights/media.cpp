#include "lib/problems/fractional/weights/media.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline::fractional {

std::string fault_of_coefficients(std::span<const double> coefficients) {
  bool any = false;
  for (const double c : coefficients) {
    if (!std::isfinite(c)) return "not finite";
    if (c < 0) return "negative";
    any = any || c > 0;
  }
  return any ? "" : "all zero";
}

std::string text_of_fault(const std::string& fault) {
  return fault == "all zero" ? "have no coefficient above 0 at " : "have a coefficient that is " + fault + " at ";
}

std::string text_of_too_many_media() {
  return formatted("have more than {} different sets of coefficients at the nodes; a common factor belongs into sigma",
                   MediaSet::most);
}

MediaSet::MediaSet(int terms) : terms_(terms) { require(terms >= 1, "MediaSet: no terms"); }

void MediaSet::add(std::span<const double> tuples) {
  const auto length = static_cast<std::size_t>(terms_);
  require(tuples.size() % length == 0, "MediaSet: tuples of another length");
  for (std::size_t at = 0; at < tuples.size() && !too_many(); at += length) {
    const std::span<const double> tuple = tuples.subspan(at, length);
    if (find(tuple) >= 0) continue;
    std::size_t place = 0;
    while (place < tuples_.size() &&
           std::lexicographical_compare(tuples_.begin() + static_cast<std::ptrdiff_t>(place),
                                        tuples_.begin() + static_cast<std::ptrdiff_t>(place + length), tuple.begin(),
                                        tuple.end()))
      place += length;
    tuples_.insert(tuples_.begin() + static_cast<std::ptrdiff_t>(place), tuple.begin(), tuple.end());
  }
}

int MediaSet::find(std::span<const double> tuple) const {
  for (int i = 0; i < count(); ++i)
    if (std::equal(tuple.begin(), tuple.end(), tuples_.begin() + i * terms_)) return i;
  return -1;
}

std::vector<Medium> MediaSet::media(std::span<const double> orders) const {
  require(static_cast<int>(orders.size()) == terms_, "MediaSet: one order per term");
  std::vector<Medium> media(static_cast<std::size_t>(count()));
  for (std::size_t i = 0; i < tuples_.size(); ++i)
    if (tuples_[i] > 0) media[i / orders.size()].push_back({orders[i % orders.size()], tuples_[i]});
  return media;
}

}  // namespace halocline::fractional
