#include "lib/linalg/sparse/formats/matrix_format.hpp"

#include <algorithm>
#include <array>

#include "gpu/launch.hpp"
#include "lib/base/error.hpp"
#include "lib/linalg/sparse/formats/pattern_kernels.hpp"

namespace halocline::sparse {
namespace {

constexpr double most_fill = 1.5;
// Up to 60,000 rows of matrices in fp32 an H200 gains by lanes, up to 300,000 it loses nothing; several, which have a
// part of the rows each, gain up to there.
constexpr Index most_shared_rows = 300000;

StoredRows stored_rows(const DistCrs& a, const StorageOrder& order, int part) {
  return {a.view(part).ptr.data, order.row_at(part), a.rows().own_size(part)};
}

// Of this rank: over the rows that its parts hold, each counted once.
template <class Op, class Count>
Index over_parts(const DistCrs& a, const Op& op, const Count& count) {
  std::vector<Index> of_parts(static_cast<std::size_t>(a.team().parts()));
  a.team().each([&](int p) { of_parts[p] = count(*a.team().executor(p), p); });
  Index all = of_parts[0];
  for (std::size_t p = 1; p < of_parts.size() && !a.rows().replicated(); ++p) all = op(all, of_parts[p]);
  return all;
}

double fill_of(const DistCrs& a, const StorageOrder& order, Index width) {
  const Index stored = over_parts(a, Plus{}, [&](const Executor& executor, int p) {
    const Index slices = (a.rows().own_size(p) + slice_rows - 1) / slice_rows;
    return slice_rows * reduce(executor, "width of slices", Range<1>{{0}, {slices}}, Index{0}, Plus{},
                               SliceWidth{stored_rows(a, order, p), width});
  });
  const Index used = over_parts(a, Plus{}, [&](const Executor& executor, int p) {
    return reduce(executor, "length of rows", Range<1>{{0}, {a.rows().own_size(p)}}, Index{0}, Plus{},
                  RowLength{stored_rows(a, order, p)});
  });
  std::array<Index, 2> sums{stored, used};
  if (!a.rows().replicated()) a.rows().comm().sum(sums);
  return sums[1] == 0 ? 1 : static_cast<double>(sums[0]) / static_cast<double>(sums[1]);
}

ChosenFormat sliced(const DistCrs& a, Index sigma) {
  auto order = std::make_shared<const StorageOrder>(a, sigma);
  const double fill = fill_of(a, *order, 0);
  return {FormatKind::sell, std::move(order), fill};
}

// Whether a thread a row would leave GPUs idle.
bool leaves_gpus_idle(const DistCrs& a) {
  Index other_devices = 0;
  for (int p = 0; p < a.team().parts(); ++p) other_devices += a.team().executor(p)->backend() != Backend::cuda ? 1 : 0;
  a.rows().comm().max(std::span<Index>(&other_devices, 1));
  return other_devices == 0 && a.rows().size() < most_shared_rows;
}

int lanes_for(const DistCrs& a) {
  const double mean = static_cast<double>(a.entries()) / static_cast<double>(std::max<Index>(1, a.rows().size()));
  return mean < 24 ? 4 : mean < 48 ? 8 : 16;
}

// of(p): a body that tells a number of a row of part p.
template <class Of>
Index largest_of_rows(const DistCrs& a, const Of& of) {
  Index largest = over_parts(a, Largest{}, [&](const Executor& executor, int p) {
    return reduce(executor, "longest row", Range<1>{{0}, {a.rows().own_size(p)}}, Index{0}, Largest{}, of(p));
  });
  if (!a.rows().replicated()) a.rows().comm().max(std::span<Index>(&largest, 1));
  return largest;
}

}  // namespace

Index longest_short_row(const DistCrs& a) {
  const StorageOrder natural(a.team().parts());
  return largest_of_rows(a, [&](int p) { return RowLength{stored_rows(a, natural, p)}; });
}

Index longest_row(const DistCrs& a) {
  return largest_of_rows(a, [&](int p) { return RowEntries{a.view(p).ptr.data}; });
}

ChosenFormat choose_format(const DistCrs& a, const MatrixFormat& wanted) {
  const auto natural = std::make_shared<const StorageOrder>(a.team().parts());
  switch (wanted.kind) {
    case FormatKind::sell:
      return sliced(a, wanted.sigma);
    case FormatKind::ell:
      return {FormatKind::ell, natural, fill_of(a, *natural, longest_short_row(a))};
    case FormatKind::crs:
      return {FormatKind::crs, natural, 1};
    case FormatKind::four: {
      require(longest_short_row(a) <= 4, "choose_format: more than four entries a row");
      const auto rows = static_cast<double>(a.rows().size()), entries = static_cast<double>(a.entries());
      return {FormatKind::four, natural, a.entries() == 0 ? 1 : 4 * rows / entries};
    }
    case FormatKind::automatic:
      break;
  }
  if (wanted.may_share && leaves_gpus_idle(a)) return {FormatKind::crs, natural, 1, lanes_for(a)};
  ChosenFormat chosen = sliced(a, 256);
  if (chosen.fill > most_fill) chosen = sliced(a, 1024);
  if (chosen.fill > most_fill) return {FormatKind::crs, natural, 1};
  return chosen;
}

}  // namespace halocline::sparse
