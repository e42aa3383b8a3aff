#include "lib/problems/diffusion/steppers/measure.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "gpu/launch.hpp"
#include "lib/problems/diffusion/step_kernels.hpp"

namespace halocline::diffusion {

template <class T>
double total(const Context& context, const Field<T>& field) {
  std::vector<ExactSum> parts(static_cast<std::size_t>(context.team.parts()));
  context.team.each([&](int p) {
    const ConvolveBlock<T>& b = field.block(p);
    const double bytes = bytes_of(b, {0, b.slow_extent()}, 1);
    sum_chunks<1>(*context.team.executor(p), {"sum of rows", bytes}, b.extent[1] * b.extent[2], SumRow<T>{b},
                  std::span<ExactSum, 1>(&parts[static_cast<std::size_t>(p)], 1));
  });
  std::array<ExactSum, 1> sum;
  for (const ExactSum& part : parts) sum[0].add(part);
  context.comm.sum(sum);
  return sum[0].value();
}

template <class T>
FieldRange extremes(const Context& context, const Field<T>& field) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Extremes start{infinity, -infinity, Extremes::none};
  std::vector<Extremes> parts(static_cast<std::size_t>(context.team.parts()), start);
  context.team.each([&](int p) {
    const ConvolveBlock<T>& b = field.block(p);
    const Executor& executor = *context.team.executor(p);
    const Index rows = b.extent[1] * b.extent[2];
    const Label label{"extremes", bytes_of(b, {0, b.slow_extent()}, 1)};
    Extremes& e = parts[static_cast<std::size_t>(p)];
    if (executor.backend() == Backend::cuda) {
      e = reduce(executor, label, Range<2>{{0, 0}, {rows, b.extent[0]}}, start, JoinExtremes{}, ExtremesOfCell<T>{b});
    } else {
      e = reduce(executor, label, Range<1>{{0}, {rows}}, start, JoinExtremes{}, ExtremesOfRow<T>{b});
    }
    const Index plane = b.dimensions == 3 ? b.extent[0] * b.extent[1] : b.extent[0];
    if (e.first_bad != Extremes::none) e.first_bad += b.first * plane;
  });
  Extremes joined = start;
  for (const Extremes& part : parts) joined = JoinExtremes{}(joined, part);
  std::array<double, 2> low_high{-joined.low, joined.high};
  std::array<Index, 1> bad{-joined.first_bad};
  context.comm.max(low_high);
  context.comm.max(bad);
  return {-low_high[0], low_high[1], bad[0] == -Extremes::none ? -1 : -bad[0]};
}

template <class T>
Measures measures_of(const Context& context, const Field<T>& field, double volume) {
  Measures m;
  m.mass = total(context, field) * volume;
  const FieldRange range = extremes(context, field);
  m.low = range.low;
  m.high = range.high;
  const std::vector<ExactSum> sums = field.uptake();
  ExactSum all;
  for (std::size_t side = 0; side < 6; ++side) {
    m.uptake[side] = sums[side].value() * volume;
    all.add(sums[side]);
  }
  m.total_uptake = all.value() * volume;
  return m;
}

template double total<double>(const Context&, const Field<double>&);
template double total<float>(const Context&, const Field<float>&);
template FieldRange extremes<double>(const Context&, const Field<double>&);
template FieldRange extremes<float>(const Context&, const Field<float>&);
template Measures measures_of<double>(const Context&, const Field<double>&, double);
template Measures measures_of<float>(const Context&, const Field<float>&, double);

}  // namespace halocline::diffusion
