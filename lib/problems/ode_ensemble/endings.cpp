#include "lib/problems/ode_ensemble/endings.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/format.hpp"

namespace halocline::ode_ensemble {

std::string bits_text() {
  std::string text;
  for (const Reason& reason : reasons)
    text += (text.empty() ? "" : ", ") + std::to_string(reason.bit) + " " + reason.name;
  return text;
}

Endings endings_of(const Communicator& comm, const std::vector<Part>& parts) {
  Endings all;
  std::array<double, reasons.size() + 1> first{};
  all.times.fill(-std::numeric_limits<double>::infinity());
  first.fill(std::numeric_limits<double>::infinity());
  for (const Part& part : parts)
    for (long long i = 0; i < part.systems(); ++i) {
      const long long status = part.counter(Counter::status)[i];
      if ((status & Status::unwell) != 0) ++all.unwell;
      if (part.below_tolerances(i)) {
        ++all.below;
        first.back() = std::min(first.back(), static_cast<double>(part.first() + i));
      }
      for (std::size_t r = 0; r < reasons.size(); ++r) {
        if ((status & reasons[r].bit) == 0) continue;
        ++all.counts[r];
        first[r] = std::min(first[r], static_cast<double>(part.first() + i));
      }
    }
  comm.sum(std::span(&all.unwell, 1));
  comm.sum(std::span(&all.below, 1));
  comm.sum(all.counts);
  comm.min(first);
  for (std::size_t r = 0; r < reasons.size(); ++r) {
    if (all.counts[r] == 0) continue;
    all.first[r] = static_cast<Index>(first[r]);
    for (const Part& part : parts)
      if (all.first[r] >= part.first() && all.first[r] < part.first() + part.systems())
        all.times[r] = part.state(part.rows() - 5)[all.first[r] - part.first()];
  }
  comm.max(all.times);  // one part has each
  if (all.below > 0) all.first_below = static_cast<Index>(first.back());
  return all;
}

std::string Endings::text() const {
  if (unwell == 0) return "";
  std::string text;
  for (std::size_t r = 0; r < reasons.size(); ++r) {
    if (counts[r] == 0 || (reasons[r].bit & Status::unwell) == 0) continue;
    text += (text.empty() ? "" : "; ") + std::to_string(counts[r]) + " " + reasons[r].words + ", the first number " +
            std::to_string(first[r]);
    if ((reasons[r].bit & Status::failed) != 0) text += formatted(" at t = {:.6g}", times[r]);
    if (*reasons[r].advice != '\0') text += std::string(" (think of: ") + reasons[r].advice + ")";
  }
  return std::to_string(unwell) + (unwell == 1 ? " system" : " systems") + " did not end well: " + text;
}

std::string Endings::advice() const {
  if (below == 0) return "";
  return "the states of " + std::to_string(below) + (below == 1 ? " system" : " systems") + " (the first number " +
         std::to_string(first_below) +
         ") begin or stay below `solver.atol`, so that nothing controls their errors: give a smaller `atol`, below "
         "1e-17 with "
         "`controller: rms`";
}

}  // namespace halocline::ode_ensemble
