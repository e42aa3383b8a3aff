#include "lib/problems/diffusion/steppers/largest_value.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace halocline::diffusion {

namespace {

constexpr std::size_t slots = 64;

}  // namespace

LargestValue::LargestValue(const Communicator& comm, const Team& team)
    : comm_(comm), team_(team), of_parts_(static_cast<std::size_t>(team.parts())) {
  for (int p = 0; p < team.parts(); ++p) parts_.push_back({make_array(team.executor(p), std::vector<Bits>(slots)), 0});
}

void LargestValue::start(int part) {
  Part& p = parts_[static_cast<std::size_t>(part)];
  p.used = (p.used + 1) % p.slots.size();
  if (p.used == 0) p.slots.assign(std::vector<Bits>(slots));
}

double LargestValue::value() {
  team_.each([&](int p) {
    Bits bits = 0;
    team_.executor(p)->copy_out(&bits, place(p), sizeof(bits));
    of_parts_[static_cast<std::size_t>(p)] = std::bit_cast<double>(bits);
  });
  std::array<double, 1> most{*std::max_element(of_parts_.begin(), of_parts_.end())};
  comm_.max(std::span<double>(most));
  return most[0];
}

}  // namespace halocline::diffusion
