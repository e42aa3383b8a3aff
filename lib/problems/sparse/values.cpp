#include "lib/problems/sparse/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gpu/launch.hpp"
#include "lib/problems/sparse/values_kernels.hpp"

namespace halocline::sparse {

namespace {

constexpr Index chunk = 1024;  // rows whose squares are added the ordinary way

PartValues room_for(const RowSpace& rows) {
  PartValues made;
  for (int p = 0; p < rows.team().parts(); ++p)
    made.emplace_back(rows.team().executor(p), std::array<Index, 1>{rows.own_size(p)});
  return made;
}

// Of every part, at the same time.
template <class MakeBody>
void each_row(const PartValues& values, const char* name, const MakeBody& make_body) {
  for (std::size_t p = 0; p < values.size(); ++p)
    launch(*values[p].executor(), {name, 8.0 * static_cast<double>(values[p].size())},
           Range<1>{{0}, {values[p].size()}}, make_body(p));
}

}  // namespace

PartValues constant_values(const RowSpace& rows, double value) {
  PartValues made = room_for(rows);
  each_row(made, "constant values", [&](std::size_t p) { return SetBody{value, made[p].view()}; });
  return made;
}

PartValues random_values(const RowSpace& rows, Index seed) {
  PartValues made = room_for(rows);
  each_row(made, "random values", [&](std::size_t p) {
    return RandomBody{static_cast<std::uint64_t>(seed), rows.own(static_cast<int>(p)).lo[0], made[p].view()};
  });
  return made;
}

PartValues box_values(const RowSpace& rows, const BoxLayout& layout, const Expression& formula, double t) {
  PartValues made(static_cast<std::size_t>(rows.team().parts()));
  rows.team().each([&](int p) {
    made[static_cast<std::size_t>(p)] = at_unknowns(rows.team().executor(p), layout, formula, rows.own(p), t);
  });
  return made;
}

PartValues box_conductivity(const RowSpace& rows, const BoxSource& box, double t) {
  PartValues made(static_cast<std::size_t>(rows.team().parts()));
  rows.team().each(
      [&](int p) { made[static_cast<std::size_t>(p)] = box.conductivity(rows.team().executor(p), rows.own(p), t); });
  return made;
}

PartValues copy_of(const PartValues& values) {
  PartValues made;
  for (const Array<double, 1>& part : values) {
    made.emplace_back(part.executor(), std::array<Index, 1>{part.size()});
    made.back().assign(part);
  }
  return made;
}

void scale(PartValues& values, double factor) {
  if (factor == 1) return;
  each_row(values, "scale values", [&](std::size_t p) { return ScaleBody{factor, values[p].view()}; });
}

void take_magnitudes(PartValues& values) {
  each_row(values, "magnitudes", [&](std::size_t p) { return MagnitudeBody{values[p].view()}; });
}

Index first_not_finite(const RowSpace& rows, const PartValues& values) {
  Index lowest = rows.size();
  for (std::size_t p = 0; p < values.size(); ++p)
    lowest = std::min(
        lowest, reduce(*values[p].executor(), "finite values", Range<1>{{0}, {values[p].size()}}, rows.size(),
                       LowerRow{}, NotFiniteBody{values[p].view(), rows.own(static_cast<int>(p)).lo[0], rows.size()}));
  Index highest = -lowest;
  rows.comm().max(std::span(&highest, 1));
  return -highest == rows.size() ? -1 : -highest;
}

Differences differences(const RowSpace& rows, const PartValues& u, const PartValues& known) {
  ExactSum sum;
  double largest = 0;
  for (std::size_t p = 0; p < u.size(); ++p) {
    const Executor& executor = *u[p].executor();
    const Index count = u[p].size();
    sum_chunks<1>(executor, {"squares of errors", 16.0 * static_cast<double>(count)}, (count + chunk - 1) / chunk,
                  SquaresBody{u[p].view(), known[p].view(), chunk}, std::span<ExactSum, 1>(&sum, 1));
    const DifferenceBody body{u[p].view(), known[p].view(), std::numeric_limits<double>::infinity()};
    largest = std::max(largest, reduce(executor, {"largest error", 16.0 * static_cast<double>(count)},
                                       Range<1>{{0}, {count}}, 0.0, LargerSize{}, body));
  }
  rows.comm().sum(std::span(&sum, 1));
  rows.comm().max(std::span(&largest, 1));
  return {largest, std::sqrt(sum.value() / static_cast<double>(rows.size()))};
}

}  // namespace halocline::sparse
