#include "lib/linalg/sparse/rows_from_triplets.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/base/error.hpp"
#include "mpi/parcels.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline::sparse {
namespace {

struct Entry {
  Index row, col;
  double value;
};

// What goes to every rank, in the order of the file.
Parcels<Entry> sorted_by_rank(const Communicator& comm, const RowSpace& rows, const Triplets& mine) {
  require(mine.row.size() == mine.col.size() && mine.row.size() == mine.value.size(), "triplets of unequal lists");
  const PartRanks ranks(comm, rows.team());
  std::vector<int> rank_of(mine.row.size());
  std::map<int, std::size_t> counts;
  for (std::size_t n = 0; n < mine.row.size(); ++n) {
    require(mine.col[n] >= 0, "a triplet with a negative column");
    rank_of[n] = ranks.rank_of(rows.owner(mine.row[n]));
    ++counts[rank_of[n]];
  }
  Parcels<Entry> parcels;
  for (const auto& [rank, count] : counts) parcels.to(rank).reserve(count);
  for (std::size_t n = 0; n < mine.row.size(); ++n)
    parcels.to(rank_of[n]).push_back({mine.row[n], mine.col[n], mine.value[n]});
  return parcels;
}

// Rows of one part on the host.
struct HostRows {
  std::vector<Index> ptr, col;
  std::vector<double> val;
};

// Sorts by column, stable, and sums what has the same place; returns the end.
Entry* join(Entry* first, Entry* last) {
  std::stable_sort(first, last, [](const Entry& a, const Entry& b) { return a.col < b.col; });
  Entry* end = first;
  for (Entry* entry = first; entry < last; ++entry) {
    if (end > first && (end - 1)->col == entry->col) {
      (end - 1)->value += entry->value;
    } else {
      *end++ = *entry;
    }
  }
  return end;
}

HostRows gather_rows(const std::vector<Parcel<Entry>>& parcels, const Range<1>& own, int threads) {
  const Index rows = own.size();
  std::vector<Index> start(static_cast<std::size_t>(rows) + 2, 0);
  const auto each = [&](const auto& work) {
    for (const Parcel<Entry>& parcel : parcels)
      for (const Entry& entry : parcel.values)
        if (entry.row >= own.lo[0] && entry.row < own.hi[0]) work(entry);
  };
  each([&](const Entry& entry) { ++start[entry.row - own.lo[0] + 2]; });
  for (std::size_t i = 2; i < start.size(); ++i) start[i] += start[i - 1];
  std::vector<Entry> entries(static_cast<std::size_t>(start.back()));
  each([&](const Entry& entry) { entries[start[entry.row - own.lo[0] + 1]++] = entry; });

  HostRows result;
  result.ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < rows; ++i)
    result.ptr[i + 1] = join(entries.data() + start[i], entries.data() + start[i + 1]) - (entries.data() + start[i]);
  for (Index i = 0; i < rows; ++i) result.ptr[i + 1] += result.ptr[i];
  result.col.resize(static_cast<std::size_t>(result.ptr.back()));
  result.val.resize(result.col.size());
#pragma omp parallel for num_threads(threads) schedule(static)
  for (Index i = 0; i < rows; ++i) {
    for (Index e = result.ptr[i]; e < result.ptr[i + 1]; ++e) {
      const Entry& entry = entries[start[i] + e - result.ptr[i]];
      result.col[e] = entry.col;
      result.val[e] = entry.value;
    }
  }
  return result;
}

}  // namespace

std::vector<GlobalRows> rows_from_triplets(const Communicator& comm, const RowSpace& rows, Triplets mine) {
  require(!rows.replicated(), "rows_from_triplets: every row has one owner");
  Parcels<Entry> outgoing = sorted_by_rank(comm, rows, mine);
  mine = {};
  const std::vector<Parcel<Entry>> incoming = outgoing.send(comm);
  std::vector<GlobalRows> result;
  for (int p = 0; p < rows.team().parts(); ++p) {
    const ExecutorPtr& executor = rows.team().executor(p);
    const HostRows own = gather_rows(incoming, rows.own(p), executor->threads());
    result.push_back({make_array(executor, own.ptr), make_array(executor, own.col), make_array(executor, own.val)});
  }
  return result;
}

}  // namespace halocline::sparse
