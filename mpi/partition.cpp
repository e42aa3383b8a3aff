#include "mpi/partition.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

// Bounds, in chunks, within which every block keeps its least number of items.
struct Limits {
  Index need;        // chunks of every block but the last
  Index last_start;  // the last block begins here at the latest
};

// The last block has a whole chunk, unless blocks are so many that it must do with what is left over.
Limits limits(Index count, Index chunk, Index least, int parts) {
  const Index need = (least + chunk - 1) / chunk;
  const Index whole = least > 0 ? std::max<Index>(1, count / chunk) - 1 : count / chunk;
  const Index latest = (count - least) / chunk;
  return {need, whole >= need * (parts - 1) ? std::min(whole, latest) : latest};
}

[[noreturn]] void refuse(Index count, Index chunk, Index least, int parts, const Limits& limit) {
  std::string text = "cannot split " + std::to_string(count) + " items";
  if (chunk > 1) text += " (in units of " + std::to_string(chunk) + ")";
  text += " into " + std::to_string(parts) + " parts of at least " + std::to_string(least) + ": ";
  if (count < least) throw DeckError(text + "even one part would be too small; enlarge the problem");
  const Index fit = limit.last_start / limit.need + 1;
  throw DeckError(text + "at most " + std::to_string(fit) + (fit == 1 ? " part fits" : " parts fit") +
                  "; use fewer ranks or devices, or enlarge the problem");
}

}  // namespace

Partition::Partition(Index count, Index chunk, std::span<const double> weights, Index least) {
  require(count >= 0 && chunk >= 1 && least >= 0 && !weights.empty(), "Partition: count, chunk, least or weights");
  double total = 0;
  for (double weight : weights) {
    if (!(weight > 0 && std::isfinite(weight))) throw DeckError("weights of devices must be positive numbers");
    total += weight;
  }
  if (!std::isfinite(total)) throw DeckError("weights of devices are too large to be added");
  const int parts = static_cast<int>(weights.size());
  const Limits limit = limits(count, chunk, least, parts);
  if (count < least || limit.last_start < limit.need * (parts - 1)) refuse(count, chunk, least, parts, limit);

  const auto chunks = static_cast<double>(std::max<Index>(1, count / chunk));
  start_.assign(weights.size() + 1, 0);
  start_.back() = count;
  double before = 0;
  Index previous = 0;
  for (int part = 1; part < parts; ++part) {
    before += weights[part - 1];
    const Index wanted = std::llround(before / total * chunks);
    const Index latest = limit.last_start - limit.need * (parts - 1 - part);
    previous = std::clamp(wanted, previous + limit.need, latest);
    start_[part] = previous * chunk;
  }
}

Partition Partition::from_starts(std::vector<Index> starts) {
  require(starts.size() >= 2 && starts.front() == 0, "Partition::from_starts: blocks begin with 0");
  require(std::is_sorted(starts.begin(), starts.end()), "Partition::from_starts: blocks in no order");
  Partition partition;
  partition.start_ = std::move(starts);
  return partition;
}

int Partition::owner(Index item) const {
  require(item >= 0 && item < count(), "Partition::owner: no such item");
  return static_cast<int>(std::upper_bound(start_.begin(), start_.end(), item) - start_.begin()) - 1;
}

}  // namespace halocline
