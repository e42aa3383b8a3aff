#include "mpi/halo/moved_rows.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

// Rows first .. first + count - 1, which lie from row `at` on, counted from the first own row of who holds them.
struct Run {
  Index first, count, at;
  Index end() const { return first + count; }
};

// The rows lo .. end - 1 around the own ones of a part, in order; numbers beyond the rows go around or mean nothing.
void add_runs(const Partition& rows, Index lo, Index end, Index own, bool periodic, std::vector<Run>& runs) {
  const Index count = rows.count();
  while (lo < end) {
    const Index turn = lo < 0 ? -count : lo < count ? 0 : count;  // the numbers turn .. turn + count - 1 are rows
    const Index stop = std::min(end, turn + count);
    if (turn == 0 || periodic) runs.push_back({lo - turn, stop - lo, lo - own});
    lo = stop;
  }
}

class Moves {
 public:
  Moves(const Partition& from, const Partition& to, const RowGhosts& ghosts, bool with_own)
      : from_(from), to_(to), ghosts_(ghosts), with_own_(with_own) {
    require(from.count() == to.count() && std::max(ghosts.before, ghosts.behind) <= to.count(),
            "move_links: partitions of the same rows, and no more ghosts than rows");
  }

  // What a part is to receive.
  std::vector<Run> wanted(int part) const {
    std::vector<Run> runs;
    const Range<1> own = to_.block(part);
    if (own.size() == 0) return runs;
    const Index lo = own.lo[0], hi = own.hi[0];
    if (with_own_) {
      add_runs(to_, lo - ghosts_.before, hi + ghosts_.behind, lo, ghosts_.periodic, runs);
    } else {
      add_runs(to_, lo - ghosts_.before, lo, lo, ghosts_.periodic, runs);
      add_runs(to_, hi, hi + ghosts_.behind, lo, ghosts_.periodic, runs);
    }
    return runs;
  }
  // Calls use(sender, run) for the pieces of wanted(part), in order.
  template <class Use>
  void each_received(int part, const Use& use) const {
    for (const Run& run : wanted(part))
      for (Index row = run.first; row < run.end();) {
        const int sender = from_.owner(row);
        const Index end = std::min(from_.block(sender).hi[0], run.end());
        use(sender, Run{row, end - row, run.at + row - run.first});
        row = end;
      }
  }
  // Parts that want rows of those that `part` sends from, each once.
  std::vector<int> receivers(int part) const {
    std::vector<int> all;
    const Range<1> own = from_.block(part);
    if (own.size() == 0) return all;
    std::vector<Run> around;
    add_runs(to_, own.lo[0] - ghosts_.behind, own.hi[0] + ghosts_.before, 0, ghosts_.periodic, around);
    for (const Run& run : around)
      for (Index row = run.first; row < run.end();) {
        const int owner = to_.owner(row);
        if (std::find(all.begin(), all.end(), owner) == all.end()) all.push_back(owner);
        row = to_.block(owner).hi[0];
      }
    return all;
  }

 private:
  const Partition &from_, &to_;
  RowGhosts ghosts_;
  bool with_own_;
};

Links links_of(const Team& team, const Moves& moves, const Partition& from, Index row_size,
               std::span<const Index> from_at, std::span<const Index> to_at) {
  require(from.parts() == team.total_parts(), "move_links: partition and team differ in parts");
  Links links(static_cast<std::size_t>(team.parts()));
  for (int local = 0; local < team.parts(); ++local) {
    const int own = team.first_part() + local;
    const auto sent = [&](const Run& run) {
      return IndexSet::run(from_at[local] + (run.first - from.block(own).lo[0]) * row_size, run.count * row_size);
    };
    const auto received = [&](const Run& run) {
      return IndexSet::run(to_at[local] + run.at * row_size, run.count * row_size);
    };
    const IndexSet nothing = IndexSet::run(0, 0);
    std::vector<Link> behind;  // of a pair of parts both list first what the one of lower number sends
    moves.each_received(own, [&](int sender, const Run& run) {
      if (sender == own) {
        links[local].push_back({own, sent(run), received(run)});
      } else {
        (sender < own ? links[local] : behind).push_back({sender, nothing, received(run)});
      }
    });
    for (const int receiver : moves.receivers(own)) {
      if (receiver == own) continue;
      moves.each_received(receiver, [&](int sender, const Run& run) {
        if (sender == own) links[local].push_back({receiver, sent(run), nothing});
      });
    }
    links[local].insert(links[local].end(), behind.begin(), behind.end());
  }
  return links;
}

}  // namespace

Links move_links(const Team& team, const Partition& from, const Partition& to, const RowGhosts& ghosts, Index row_size,
                 std::span<const Index> from_at, std::span<const Index> to_at) {
  return links_of(team, Moves(from, to, ghosts, true), from, row_size, from_at, to_at);
}

Links ghost_row_links(const Team& team, const Partition& rows, const RowGhosts& ghosts, Index row_size,
                      std::span<const Index> at) {
  return links_of(team, Moves(rows, rows, ghosts, false), rows, row_size, at, at);
}

namespace {

// The stage of a gather before which everybody has `have` blocks, from the own one on and around the end.
class GatherStage {
 public:
  GatherStage(const Partition& rows, std::span<const int> holders, int have)
      : rows_(rows), holders_(holders), have_(have), count_(std::min(have, number() - have)) {}

  std::vector<Link> links(int index, Index row_size, Index offset) const {
    const int to = (index - have_ + number()) % number(), from = (index + have_) % number();
    const auto set = [&](const Range<1>& block) {
      return IndexSet::run(offset + block.lo[0] * row_size, block.size() * row_size);
    };
    std::vector<Link> all;
    if (to == from) {  // both list both ways
      const auto sends = runs(index), recvs = runs(from);
      for (int n = 0; n < 2; ++n) all.push_back({part(to), set(sends[n]), set(recvs[n])});
      return all;
    }
    for (const Range<1>& run : runs(index)) all.push_back({part(to), set(run), IndexSet::run(0, 0)});
    for (const Range<1>& run : runs(from)) all.push_back({part(from), IndexSet::run(0, 0), set(run)});
    return all;
  }

 private:
  int number() const { return static_cast<int>(holders_.empty() ? rows_.parts() : holders_.size()); }
  int part(int index) const { return holders_.empty() ? index : holders_[static_cast<std::size_t>(index)]; }
  // Rows of `count_` holders from that one on: up to the last one, and from the first one on.
  std::array<Range<1>, 2> runs(int index) const {
    const int end = std::min(index + count_, number()), around = index + count_ - end;
    std::array<Range<1>, 2> both{Range<1>{{rows_.block(part(index)).lo[0]}, {rows_.block(part(end - 1)).hi[0]}},
                                 Range<1>{{0}, {0}}};
    if (around > 0) both[1].hi[0] = rows_.block(part(around - 1)).hi[0];
    return both;
  }

  const Partition& rows_;
  std::span<const int> holders_;
  int have_, count_;
};

}  // namespace

std::vector<Links> gather_stages(const Team& team, const Partition& partition, Index row_size, Index offset,
                                 std::span<const int> holders) {
  require(partition.parts() == team.total_parts(), "gather_stages: partition and team differ in parts");
  require(std::is_sorted(holders.begin(), holders.end()), "gather_stages: holders in no order");
  const int number = static_cast<int>(holders.empty() ? team.total_parts() : holders.size());
  const auto index_of = [&](int part) {  // -1: none
    if (holders.empty()) return part;
    const auto at = std::lower_bound(holders.begin(), holders.end(), part);
    return at != holders.end() && *at == part ? static_cast<int>(at - holders.begin()) : -1;
  };
  const auto rows = [&](int part) {
    const Range<1> block = partition.block(part);
    return IndexSet::run(offset + block.lo[0] * row_size, block.size() * row_size);
  };
  std::vector<Links> stages;
  for (int have = 1; have < number; have = number <= most_direct ? number : 2 * have) {
    const GatherStage stage(partition, holders, have);
    Links& links = stages.emplace_back(static_cast<std::size_t>(team.parts()));
    for (int local = 0; local < team.parts(); ++local) {
      const int own = team.first_part() + local, index = index_of(own);
      require(index >= 0 || partition.block(own).size() == 0, "gather_stages: who owns rows holds them");
      if (index < 0) continue;
      if (number > most_direct) {
        links[local] = stage.links(index, row_size, offset);
        continue;
      }
      for (int n = 0; n < number; ++n) {
        const int other = holders.empty() ? n : holders[static_cast<std::size_t>(n)];
        if (other != own) links[local].push_back({other, rows(own), rows(other)});
      }
    }
  }
  return stages;
}

}  // namespace halocline
