#include "lib/problems/sparse/sources/ventricle/numberings.hpp"

#include <algorithm>

#include "lib/base/hash.hpp"

namespace halocline::sparse {

namespace {

// The lowest 20 bits of a number, two places between them.
std::uint64_t spread(std::uint64_t x) {
  std::uint64_t bits = 0;
  for (int b = 0; b < 20; ++b) bits |= (x >> b & 1) << (3 * b);
  return bits;
}

class Feistel {
 public:
  Feistel(Index rows, std::uint64_t seed) : rows_(static_cast<std::uint64_t>(rows)), seed_(seed) {
    while (std::uint64_t{1} << (2 * width_) < rows_) ++width_;
  }
  Index operator()(Index row) const {
    auto x = static_cast<std::uint64_t>(row);
    do {
      x = once(x);
    } while (x >= rows_);
    return static_cast<Index>(x);
  }

 private:
  std::uint64_t once(std::uint64_t x) const {
    const std::uint64_t mask = (std::uint64_t{1} << width_) - 1;
    std::uint64_t left = x >> width_, right = x & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mix64(right ^ ((7919 * seed_ + 65537 * round) << 20)) & mask);
      left = right;
      right = next;
    }
    return left << width_ | right;
  }
  std::uint64_t rows_, seed_;
  int width_ = 1;
};

}  // namespace

std::vector<Index> morton_numbers(const Index (&n)[3], const std::vector<Index>& numbers) {
  struct Place {
    std::uint64_t block;
    Index node;
  };
  std::vector<Place> places;
  for (Index node = 0; node < static_cast<Index>(numbers.size()); ++node) {
    if (numbers[static_cast<std::size_t>(node)] < 0) continue;
    const Index line = node / n[0], at[3] = {node - line * n[0], line % n[1], line / n[1]};
    std::uint64_t block = 0;
    for (int axis = 0; axis < 3; ++axis) block |= spread(static_cast<std::uint64_t>(at[axis] / 8)) << axis;
    places.push_back({block, node});
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.block < b.block; });
  std::vector<Index> made(numbers.size(), -1);
  Index row = 0;
  for (const Place& place : places) made[static_cast<std::size_t>(place.node)] = row++;
  return made;
}

std::vector<Index> random_numbers(const std::vector<Index>& numbers, Index rows, std::uint64_t seed) {
  const Feistel permutation(rows, seed);
  std::vector<Index> made(numbers.size(), -1);
  for (std::size_t node = 0; node < numbers.size(); ++node)
    if (numbers[node] >= 0) made[node] = permutation(numbers[node]);
  return made;
}

}  // namespace halocline::sparse
