#include "lib/amg/setup/coarse_rows.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/amg/setup/coarse_kernels.hpp"
#include "mpi/exchange.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline::amg {
namespace {

constexpr Index unit = 4096;  // parts begin at its multiples

Range<1> up_to(Index count) { return {{0}, {count}}; }

// Numbers of consecutive rows first, first + 1, ...
struct Stretch {
  Index first;
  std::vector<Index> numbers;
  Index end() const { return first + static_cast<Index>(numbers.size()); }
};

// Those of the C-points of every part.
std::vector<Stretch> coarse_stretches(const sparse::DistCrs& fine, const CoarseNumbers& chosen,
                                      const std::vector<Array<Index, 1>>& numbers) {
  const Team& team = fine.team();
  std::vector<Stretch> result(static_cast<std::size_t>(team.parts()));
  team.each([&](int p) {
    const int part = fine.rows().replicated() ? 0 : team.first_part() + p;
    const Index first = chosen.first(part);
    Array<Index, 1> list(team.executor(p), {chosen.first(part + 1) - first});
    launch(*team.executor(p), "numbers of coarse rows", up_to(fine.rows().own_size(p)),
           OfCoarseRowBody{chosen.of_own_rows(p), numbers[p].view().data, first, list.view()});
    result[p] = {first, list.to_host()};
  });
  return result;
}

// Words of a message: first, count, numbers ...
std::vector<Stretch> send_to_owners(const sparse::RowSpace& coarse, const std::vector<Stretch>& stretches) {
  const PartRanks ranks(coarse.comm(), coarse.team());
  std::vector<Parcel<Index>> outgoing;
  for (int r = 0; r < coarse.comm().size(); ++r) outgoing.push_back({r, {}});
  for (const Stretch& stretch : stretches) {
    for (Index row = stretch.first; row < stretch.end();) {
      const int owner = coarse.owner(row);
      const Index end = std::min(coarse.partition().block(owner).hi[0], stretch.end());
      std::vector<Index>& words = outgoing[static_cast<std::size_t>(ranks.rank_of(owner))].values;
      words.insert(words.end(), {row, end - row});
      words.insert(words.end(), stretch.numbers.begin() + (row - stretch.first),
                   stretch.numbers.begin() + (end - stretch.first));
      row = end;
    }
  }
  std::vector<Stretch> received;
  for (const Parcel<Index>& parcel : exchange_lists(coarse.comm(), outgoing))
    for (auto word = parcel.values.begin(); word != parcel.values.end();) {
      received.push_back({word[0], {word + 2, word + 2 + word[1]}});
      word += 2 + word[1];
    }
  return received;
}

// A matrix on the host, by global numbers of columns.
struct HostRows {
  std::vector<Index> lengths, col;
  std::vector<double> val;
};

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

HostRows to_host(const sparse::DistCrs& a, int p) {
  const Executor& executor = *a.team().executor(p);
  const sparse::CrsView<double> rows = a.view(p);
  HostRows host{std::vector<Index>(static_cast<std::size_t>(rows.rows() + 1)), global_columns(a, p).to_host(),
                std::vector<double>(static_cast<std::size_t>(rows.entries()))};
  executor.copy_out(host.lengths.data(), rows.ptr.data, host.lengths.size() * sizeof(Index));
  if (!host.val.empty()) executor.copy_out(host.val.data(), rows.val.data, host.val.size() * sizeof(double));
  for (std::size_t i = 0; i + 1 < host.lengths.size(); ++i) host.lengths[i] = host.lengths[i + 1] - host.lengths[i];
  host.lengths.pop_back();
  return host;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
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

sparse::RowSpacePtr distributed_rows(const sparse::RowSpace& fine, Index rows, std::span<const double> weights) {
  return std::make_shared<sparse::RowSpace>(fine.comm(), fine.team(), Partition(rows, unit, weights, 0));
}

sparse::RowSpacePtr replicated_rows(const sparse::RowSpace& distributed) {
  return std::make_shared<sparse::RowSpace>(distributed.comm(), distributed.team(), distributed.partition(), true);
}

std::vector<Array<Index, 1>> of_coarse_rows(const sparse::DistCrs& fine, const CoarseNumbers& chosen,
                                            const std::vector<Array<Index, 1>>& numbers,
                                            const sparse::RowSpace& coarse) {
  std::vector<Stretch> stretches = coarse_stretches(fine, chosen, numbers);
  const Team& team = fine.team();
  std::vector<Array<Index, 1>> result;
  if (fine.rows().replicated()) {
    for (int p = 0; p < team.parts(); ++p) result.push_back(make_array(team.executor(p), stretches[p].numbers));
    return result;
  }
  if (coarse.replicated()) {
    std::vector<Index> own;
    for (const Stretch& stretch : stretches) append(own, stretch.numbers);
    const std::vector<Index> all = gather_lists(coarse.comm(), own).values;
    for (int p = 0; p < team.parts(); ++p) result.push_back(make_array(team.executor(p), all));
    return result;
  }
  const std::vector<Stretch> received = send_to_owners(coarse, stretches);
  for (int p = 0; p < team.parts(); ++p) {
    const Range<1> own = coarse.own(p);
    std::vector<Index> list(static_cast<std::size_t>(own.size()));
    for (const Stretch& stretch : received)
      if (stretch.first >= own.lo[0] && stretch.first < own.hi[0])
        std::copy(stretch.numbers.begin(), stretch.numbers.end(), list.begin() + (stretch.first - own.lo[0]));
    result.push_back(make_array(team.executor(p), list));
  }
  return result;
}

sparse::DistCrs replicated(const sparse::DistCrs& a, const sparse::RowSpacePtr& rows) {
  HostRows own;
  for (int p = 0; p < a.team().parts(); ++p) {
    const HostRows part = to_host(a, p);
    append(own.lengths, part.lengths);
    append(own.col, part.col);
    append(own.val, part.val);
  }
  const Communicator& comm = a.rows().comm();
  std::vector<Index> ptr{0};
  for (const Index length : gather_lists(comm, own.lengths).values) ptr.push_back(ptr.back() + length);
  const std::vector<Index> col = gather_lists(comm, own.col).values;
  const std::vector<double> val = gather_lists(comm, own.val).values;
  std::vector<sparse::GlobalRows> parts;
  for (int p = 0; p < a.team().parts(); ++p) {
    const ExecutorPtr& executor = a.team().executor(p);
    parts.push_back({make_array(executor, ptr), make_array(executor, col), make_array(executor, val)});
  }
  return {rows, rows, std::move(parts)};
}

sparse::DistCrs with_replicated_columns(const sparse::DistCrs& a, const sparse::RowSpacePtr& columns) {
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
