#include "lib/problems/sparse/sources/file/renumbered.hpp"

#include <memory>
#include <utility>

#include "mpi/parcels.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline::sparse {

namespace {

struct Placed {
  Index row;
  double value;
};

// The lists of all ranks, in their order, on rank 0; empty elsewhere.
std::vector<Index> on_first_rank(const Communicator& comm, const std::vector<Index>& mine) {
  std::vector<Index> all;
  for (const Parcel<Index>& parcel : exchange_lists<Index>(comm, {{0, mine}}))
    all.insert(all.end(), parcel.values.begin(), parcel.values.end());
  return all;
}

}  // namespace

Renumbering reorder(const Communicator& comm, Index rows, RowOrder order, Triplets& mine) {
  Renumbering made;
  {
    const std::vector<Index> row = on_first_rank(comm, mine.row), col = on_first_rank(comm, mine.col);
    if (comm.rank() == 0)
      made = order == RowOrder::rcm ? reverse_cuthill_mckee(rows, row, col) : bisection(rows, row, col);
  }
  made.to.resize(static_cast<std::size_t>(rows));
  made.from.resize(static_cast<std::size_t>(rows));
  comm.broadcast(std::span<Index>(made.to));
  for (std::size_t n = 0; n < made.to.size(); ++n)
    made.from[static_cast<std::size_t>(made.to[n])] = static_cast<Index>(n);
  for (Index& row : mine.row) row = made.to[static_cast<std::size_t>(row)];
  for (Index& col : mine.col) col = made.to[static_cast<std::size_t>(col)];
  return made;
}

RowNumbers numbers_of(Renumbering renumbering) {
  const auto known = std::make_shared<const Renumbering>(std::move(renumbering));
  return {[known](Index row) { return known->to[static_cast<std::size_t>(row)]; },
          [known](Index row) { return known->from[static_cast<std::size_t>(row)]; }};
}

PartValues moved(const RowSpace& rows, const std::function<Index(Index)>& number, PartValues values) {
  if (!number) return values;
  const PartRanks ranks(rows.comm(), rows.team());
  Parcels<Placed> parcels;
  std::vector<std::vector<double>> host;
  for (std::size_t p = 0; p < values.size(); ++p) {
    host.push_back(values[p].to_host());
    const Index first = rows.own(static_cast<int>(p)).lo[0];
    for (std::size_t n = 0; n < host[p].size(); ++n) {
      const Index row = number(first + static_cast<Index>(n));
      parcels.to(ranks.rank_of(rows.owner(row))).push_back({row, host[p][n]});
    }
  }
  for (const Parcel<Placed>& parcel : parcels.send(rows.comm()))
    for (const Placed& one : parcel.values) {
      const auto p = static_cast<std::size_t>(rows.owner(one.row) - rows.team().first_part());
      host[p][static_cast<std::size_t>(one.row - rows.own(static_cast<int>(p)).lo[0])] = one.value;
    }
  for (std::size_t p = 0; p < values.size(); ++p)
    if (!host[p].empty()) values[p].assign(host[p]);
  return values;
}

}  // namespace halocline::sparse
