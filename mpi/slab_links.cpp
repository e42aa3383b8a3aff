#include "lib/base/error.hpp"
#include "mpi/halo.hpp"

namespace halocline {

std::vector<std::vector<Link>> slab_links(const Partition& partition, const Team& team, Index row_size, int width,
                                          bool periodic) {
  const int total = partition.parts();
  require(total == team.total_parts(), "slab_links: partition and team differ in parts");
  const Index count = row_size * width;
  std::vector<std::vector<Link>> links(static_cast<std::size_t>(team.parts()));
  for (int local = 0; local < team.parts(); ++local) {
    const int part = team.first_part() + local;
    const Index rows = partition.block(part).size();
    require(rows >= width, "slab_links: a part is thinner than its ghost rows");
    const IndexSet low_ghost = IndexSet::run(0, count), low_rows = IndexSet::run(count, count),
                   high_rows = IndexSet::run(rows * row_size, count),
                   high_ghost = IndexSet::run((rows + width) * row_size, count);
    const bool has_low = part > 0 || periodic, has_high = part + 1 < total || periodic;
    if (total == 1 && periodic) {  // links to itself: what is sent is received by the same link
      links[local] = {{0, high_rows, low_ghost}, {0, low_rows, high_ghost}};
      continue;
    }
    const Link low{(part + total - 1) % total, low_rows, low_ghost}, high{(part + 1) % total, high_rows, high_ghost};
    // By the number of the boundary, so that two parts that share both boundaries list them in the same order.
    if (part == 0) {
      if (has_high) links[local].push_back(high);
      if (has_low) links[local].push_back(low);
    } else {
      if (has_low) links[local].push_back(low);
      if (has_high) links[local].push_back(high);
    }
  }
  return links;
}

}  // namespace halocline
