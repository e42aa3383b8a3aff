#include "lib/linalg/vector_space.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lib/base/error.hpp"

namespace halocline {

namespace {

// Either nothing or, for every part, a multiple of `unit` of at most `most(part)`.
template <class Most>
bool fits(const std::vector<Index>& numbers, int parts, Index unit, const Most& most) {
  if (numbers.empty()) return true;
  if (static_cast<int>(numbers.size()) != parts) return false;
  for (int p = 0; p < parts; ++p) {
    const Index n = numbers[static_cast<std::size_t>(p)];
    if (n < 0 || n % unit != 0 || n > most(p)) return false;
  }
  return true;
}

}  // namespace

VectorSpace::VectorSpace(const Communicator& comm, const Team& team, VectorLayout layout)
    : comm_(&comm), team_(&team), layout_(std::move(layout)) {
  const auto any = [](int) { return std::numeric_limits<Index>::max(); };
  require(static_cast<int>(layout_.groups.size()) == team.parts(), "VectorSpace: one group count per part");
  require(layout_.rows % 2 == 0, "VectorSpace: rows must be even");
  require(fits(layout_.before, team.parts(), lanes, any) && fits(layout_.behind, team.parts(), lanes, any),
          "VectorSpace: room for ghosts is a multiple of the lanes, per part");
  require(fits(layout_.used, team.parts(), 1, [this](int part) { return layout_.size(part); }),
          "VectorSpace: more numbers used than a part has");
}

void VectorSpace::clear_sums(int count) const {
  count_ = count;
  const auto needed = static_cast<std::size_t>(count) * static_cast<std::size_t>(team_->parts());
  if (sums_.size() < needed) sums_.resize(needed);
  std::fill_n(sums_.begin(), needed, ExactSum{});
}

void VectorSpace::join_sums(std::span<double> result) const {
  require(static_cast<int>(result.size()) == count_, "VectorSpace: join as many sums as were cleared");
  const auto scope = team_->scope("sums");
  const std::size_t count = result.size(), all = count * static_cast<std::size_t>(team_->parts());
  for (std::size_t i = count; i < all; ++i) sums_[i % count].add(sums_[i]);
  comm_->sum(std::span<ExactSum>(sums_.data(), count));
  for (std::size_t k = 0; k < count; ++k) result[k] = sums_[k].value();
}

}  // namespace halocline
