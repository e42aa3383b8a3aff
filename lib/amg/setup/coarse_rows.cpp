#include "lib/amg/setup/coarse_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/amg/setup/coarse_kernels.hpp"
#include "lib/base/index_range.hpp"
#include "mpi/parcels.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline::amg {
namespace {

constexpr Index unit = 4096;  // parts begin at its multiples

// Values of consecutive rows first, first + 1, ...
template <class T>
struct Stretch {
  Index first;
  std::vector<T> values;
  Index end() const { return first + static_cast<Index>(values.size()); }
};

// What the parts of this rank get of rows that others hold, or they themselves.
template <class T>
std::vector<Stretch<T>> send_to_owners(const sparse::RowSpace& to, const std::vector<Stretch<T>>& stretches) {
  static_assert(sizeof(T) == sizeof(Index));
  const PartRanks ranks(to.comm(), to.team());
  Parcels<Index> parcels;  // of every stretch its first row, how many there are, and the bits of their values
  for (const Stretch<T>& stretch : stretches) {
    for (Index row = stretch.first; row < stretch.end();) {
      const int owner = to.owner(row);
      const Index end = std::min(to.partition().block(owner).hi[0], stretch.end());
      std::vector<Index>& words = parcels.to(ranks.rank_of(owner));
      words.insert(words.end(), {row, end - row});
      for (; row < end; ++row) words.push_back(std::bit_cast<Index>(stretch.values[row - stretch.first]));
    }
  }
  std::vector<Stretch<T>> received;
  for (const Parcel<Index>& parcel : parcels.send(to.comm()))
    for (auto word = parcel.values.begin(); word != parcel.values.end();) {
      Stretch<T>& stretch = received.emplace_back(Stretch<T>{word[0], {}});
      const auto end = word + 2 + word[1];
      for (word += 2; word != end; ++word) stretch.values.push_back(std::bit_cast<T>(*word));
    }
  return received;
}

Array<Index, 1> global_columns(const sparse::DistCrs& a, int p) {
  const ExecutorPtr& executor = a.team().executor(p);
  const sparse::CrsView<double> rows = a.view(p);
  const sparse::GlobalNumbers global = global_numbers(executor, a.columns().own(p), a.ghosts(p));
  Array<Index, 1> col(executor, {rows.entries()});
  launch(*executor, "global columns", up_to(rows.entries()),
         GlobalColumnBody{rows.col.data, global.view(), col.view().data});
  executor->synchronize();  // the numbers are in use until then
  return col;
}

// Of every row of a part its length, then the global column and the bits of the value of each entry.
std::vector<Index> to_host(const sparse::DistCrs& a, int p) {
  const Executor& executor = *a.team().executor(p);
  const sparse::CrsView<double> rows = a.view(p);
  const std::vector<Index> col = global_columns(a, p).to_host();
  std::vector<Index> ptr(static_cast<std::size_t>(rows.rows() + 1)), val(col.size()), words;
  executor.copy_out(ptr.data(), rows.ptr.data, ptr.size() * sizeof(Index));
  if (!val.empty()) executor.copy_out(val.data(), rows.val.data, val.size() * sizeof(double));
  words.reserve(ptr.size() + 2 * val.size());
  for (std::size_t i = 0; i + 1 < ptr.size(); ++i) {
    words.push_back(ptr[i + 1] - ptr[i]);
    for (Index e = ptr[i]; e < ptr[i + 1]; ++e) words.insert(words.end(), {col[e], val[e]});
  }
  return words;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// The lists of all ranks, in their order, on the ranks that have holders of `rows`; nothing elsewhere.
template <class T>
std::vector<T> for_holders(const sparse::RowSpace& rows, const std::vector<T>& own) {
  if (!rows.held_by_few()) return gather_lists(rows.comm(), own).values;
  const PartRanks ranks(rows.comm(), rows.team());
  Parcels<T> parcels;
  for (int rank = 0; rank <= ranks.rank_of(rows.holders() - 1); ++rank) parcels.to(rank) = own;
  std::vector<T> all;
  for (const Parcel<T>& parcel : parcels.send(rows.comm())) append(all, parcel.values);
  return all;
}

// `values`, or none, for a part.
template <class T>
Array<T, 1> if_held(const sparse::RowSpace& rows, int part, const std::vector<T>& values) {
  return make_array(rows.team().executor(part), rows.own_size(part) > 0 ? values : std::vector<T>());
}

}  // namespace

CoarseNumbers::CoarseNumbers(const sparse::DistCrs& a, const LocalValues<PointKind>& kind) : number_(a), first_(1, 0) {
  const Team& team = a.team();
  std::vector<Array<Index, 1>> before(static_cast<std::size_t>(team.parts()));
  std::vector<Index> counts(before.size());
  team.each([&](int p) {
    const ExecutorPtr& executor = team.executor(p);
    const Index rows = a.rows().own_size(p);
    before[p] = {executor, {rows + 1}};
    launch(*executor, "is coarse", up_to(rows), IsCoarseBody{kind.own(p), before[p].view()});
    counts[p] = scan_counts(executor, before[p].view());
  });
  if (a.rows().replicated()) {
    a.rows().tell(std::span<Index>(counts.data(), 1));
    first_.push_back(counts[0]);
  } else {
    for (const Index count : gather_lists(a.rows().comm(), counts).values) first_.push_back(first_.back() + count);
  }
  team.each([&](int p) {
    const Index first = a.rows().replicated() ? 0 : first_[static_cast<std::size_t>(team.first_part() + p)];
    launch(*team.executor(p), "number coarse rows", up_to(a.rows().own_size(p)),
           NumberCoarseBody{kind.own(p), std::as_const(before[p]).view(), first, number_.own(p)});
    team.executor(p)->synchronize();  // `before` is in use until then
  });
  GhostExchange<Index>(a).forward(number_);
}

sparse::RowSpacePtr distributed_rows(const sparse::RowSpace& fine, Index rows, std::span<const double> weights,
                                     int most) {
  const auto used = std::min(weights.size(), static_cast<std::size_t>(most));
  const Partition few(rows, unit, weights.first(used), 0);
  std::vector<Index> starts;
  for (std::size_t q = 0; q < used; ++q) starts.push_back(few.block(static_cast<int>(q)).lo[0]);
  starts.resize(weights.size() + 1, rows);
  return std::make_shared<sparse::RowSpace>(fine.comm(), fine.team(), Partition::from_starts(std::move(starts)));
}

sparse::RowSpacePtr replicated_rows(const sparse::RowSpace& distributed, int holders) {
  const Partition& shares = distributed.partition();
  if (shares.block(holders - 1).hi[0] == shares.count())
    return std::make_shared<sparse::RowSpace>(distributed.comm(), distributed.team(), shares, holders);
  std::vector<Index> first(static_cast<std::size_t>(shares.parts()) + 1, shares.count());
  first.front() = 0;
  return std::make_shared<sparse::RowSpace>(distributed.comm(), distributed.team(), Partition::from_starts(first),
                                            holders);
}

template <class T>
std::vector<Array<T, 1>> moved(const sparse::RowSpace& from, const std::vector<Array<T, 1>>& values,
                               const sparse::RowSpace& to) {
  const Team& team = from.team();
  std::vector<Stretch<T>> stretches;
  for (int p = 0; p < team.parts(); ++p) stretches.push_back({from.own(p).lo[0], values[p].to_host()});
  std::vector<Array<T, 1>> result;
  if (from.replicated()) {
    for (int p = 0; p < team.parts(); ++p) result.push_back(make_array(team.executor(p), stretches[p].values));
    return result;
  }
  if (to.replicated()) {
    std::vector<T> own;
    for (const Stretch<T>& stretch : stretches) append(own, stretch.values);
    const std::vector<T> all = for_holders(to, own);
    for (int p = 0; p < team.parts(); ++p) result.push_back(if_held(to, p, all));
    return result;
  }
  const std::vector<Stretch<T>> received = send_to_owners(to, stretches);
  for (int p = 0; p < team.parts(); ++p) {
    const Range<1> own = to.own(p);
    std::vector<T> list(static_cast<std::size_t>(own.size()));
    for (const Stretch<T>& stretch : received)
      if (stretch.first >= own.lo[0] && stretch.first < own.hi[0])
        std::copy(stretch.values.begin(), stretch.values.end(), list.begin() + (stretch.first - own.lo[0]));
    result.push_back(make_array(team.executor(p), list));
  }
  return result;
}

template std::vector<Array<Index, 1>> moved(const sparse::RowSpace&, const std::vector<Array<Index, 1>>&,
                                            const sparse::RowSpace&);
template std::vector<Array<double, 1>> moved(const sparse::RowSpace&, const std::vector<Array<double, 1>>&,
                                             const sparse::RowSpace&);

sparse::RowSpacePtr rows_as_found(const sparse::RowSpace& fine, std::vector<Index> starts) {
  const Index rows = starts.back();
  starts.resize(static_cast<std::size_t>(fine.team().total_parts()) + 1, rows);
  return std::make_shared<sparse::RowSpace>(fine.comm(), fine.team(), Partition::from_starts(starts), fine.holders());
}

std::vector<Array<Index, 1>> of_coarse_rows(const sparse::DistCrs& fine, const CoarseNumbers& chosen,
                                            const std::vector<Array<Index, 1>>& numbers,
                                            const sparse::RowSpace& coarse) {
  const sparse::RowSpacePtr found = chosen.space(fine.rows());
  std::vector<Array<Index, 1>> of_chosen(numbers.size());
  fine.team().each([&](int p) {
    const ExecutorPtr& executor = fine.team().executor(p);
    of_chosen[p] = {executor, {found->own_size(p)}};
    launch(*executor, "numbers of coarse rows", up_to(fine.rows().own_size(p)),
           OfCoarseRowBody{chosen.of_own_rows(p), numbers[p].view().data, found->own(p).lo[0], of_chosen[p].view()});
  });
  return moved(*found, of_chosen, coarse);
}

sparse::DistCrs replicated(const sparse::DistCrs& a, const sparse::RowSpacePtr& rows) {
  std::vector<Index> words;
  for (int p = 0; p < a.team().parts(); ++p) append(words, to_host(a, p));
  std::vector<Index> ptr{0}, col;
  std::vector<double> val;
  words = for_holders(*rows, words);
  for (auto word = words.begin(); word != words.end();) {
    ptr.push_back(ptr.back() + *word++);
    for (; static_cast<Index>(col.size()) < ptr.back(); word += 2) {
      col.push_back(word[0]);
      val.push_back(std::bit_cast<double>(word[1]));
    }
  }
  std::vector<sparse::GlobalRows> parts;
  for (int p = 0; p < a.team().parts(); ++p) {
    const bool held = rows->own_size(p) > 0;
    parts.push_back({make_array(a.team().executor(p), held ? ptr : std::vector<Index>{0}), if_held(*rows, p, col),
                     if_held(*rows, p, val)});
  }
  return {rows, rows, std::move(parts)};
}

sparse::DistCrs with_columns(const sparse::DistCrs& a, const sparse::RowSpacePtr& columns) {
  std::vector<sparse::GlobalRows> parts(static_cast<std::size_t>(a.team().parts()));
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const sparse::CrsView<double> rows = a.view(p);
    parts[p] = {{executor, {rows.rows() + 1}}, global_columns(a, p), {executor, {rows.entries()}}};
    executor->copy_async(parts[p].ptr.view().data, rows.ptr.data,
                         static_cast<std::size_t>(rows.rows() + 1) * sizeof(Index), Queue::compute);
    executor->copy_async(parts[p].val.view().data, rows.val.data,
                         static_cast<std::size_t>(rows.entries()) * sizeof(double), Queue::compute);
  });
  return {a.rows_pointer(), columns, std::move(parts)};
}

}  // namespace halocline::amg
