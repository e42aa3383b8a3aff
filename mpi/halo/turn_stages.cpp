#include "mpi/halo/turn_stages.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {
namespace {

// What travels while a message is sent and received: 2 us at 25 GB/s. With fewer parts than these there is little to
// save.
constexpr double bytes_of_message = 50e3;
constexpr int least_parts = 16;

}  // namespace

TurnGrid turn_grid(int parts) {
  int rows = std::max(1, static_cast<int>(std::sqrt(static_cast<double>(parts)) + 0.5));
  while (parts % rows != 0) --rows;
  return {rows, parts / rows};
}

bool turns_in_two_stages(int parts, double bytes) {
  return parts >= least_parts && turn_grid(parts).rows > 1 && bytes / parts < bytes_of_message;
}

}  // namespace halocline
