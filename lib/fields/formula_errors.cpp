#include "lib/fields/formula_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/launch.hpp"
#include "lib/fields/error_kernels.hpp"
#include "lib/fields/slab_formula.hpp"

namespace halocline {

namespace {

constexpr Index gpu_unknowns = 1 << 24, host_unknowns = 1 << 18;  // whose known values are kept at a time

struct PartErrors {
  ExactSum square;
  double largest = 0;
};

// Adds the errors of `count` lines.
template <class T>
void add_errors(const Executor& executor, bool points, const UnknownErrors<T>& errors, Index count, PartErrors& sums) {
  const Index across = errors.slab.extent[0];
  sum_chunks<1>(executor, "squares of errors", count * errors.slab.pieces(), SumSquares<T>{errors},
                std::span<ExactSum, 1>(&sums.square, 1));
  const LargestError<T> body{errors};
  const double largest = points
                             ? reduce(executor, "largest error", Range<2>{{0, 0}, {count, across}}, 0.0, Larger{}, body)
                             : reduce(executor, "largest error", Range<1>{{0}, {count}}, 0.0, Larger{}, body);
  sums.largest = std::max(sums.largest, largest);
}

template <class T>
PartErrors errors_of_part(const SlabField<T>& field, int part, const KnownRows& known, FormulaPath path) {
  const ExecutorPtr& executor = field.slabs().team().executor(part);
  const SlabLayout& slab = field.layout(part);
  const bool points = by_points(*executor, path);
  const Index row = slab.extent[0] * slab.inner(), rows = slab.slow_extent();
  const Index most = (points ? gpu_unknowns : host_unknowns * executor->threads()) / row;
  const Index step = std::clamp<Index>(most, 1, std::max<Index>(rows, 1));
  Array<double, 1> values(executor, {step * row});
  PartErrors sums;
  for (Index first = 0; first < rows; first += step) {
    const Index end = std::min(first + step, rows);
    known({first, end}, values.view().data);
    add_errors(*executor, points, UnknownErrors<T>{field.data(part), slab, first, values.view().data},
               (end - first) * slab.inner(), sums);
  }
  return sums;
}

}  // namespace

template <class T>
ErrorSums errors_against(const SlabField<T>& field, const std::function<KnownRows(int)>& known, FormulaPath path) {
  const Slabs<T>& slabs = field.slabs();
  std::vector<PartErrors> parts(static_cast<std::size_t>(slabs.parts()));
  slabs.team().each([&](int p) { parts[static_cast<std::size_t>(p)] = errors_of_part(field, p, known(p), path); });
  ExactSum squares;
  std::array<double, 1> largest{0};
  for (const PartErrors& part : parts) {
    squares.add(part.square);
    largest[0] = std::max(largest[0], part.largest);
  }
  slabs.comm().sum({&squares, 1});
  slabs.comm().max(largest);
  return {squares.value(), std::isnan(squares.value()) ? squares.value() : largest[0]};
}

template <class T>
ErrorSums formula_errors(const SlabField<T>& field, const Program& program, double t, FormulaPath path) {
  const auto known = [&](int p) -> KnownRows {
    const SlabLayout& slab = field.layout(p);
    const auto formula =
        std::make_shared<SlabFormula>(field.slabs().team().executor(p), field.slabs().grid(), program, slab, path);
    const Index across = slab.extent[0], row = across * slab.inner();
    return [=](SlabRows rows, double* to) {
      formula->template evaluate<double>(rows, t, nullptr, {to - rows.lo * row, across, row});
    };
  };
  return errors_against<T>(field, known, path);
}

template <class T>
void set_to_formula(SlabField<T>& field, const Program& program, FormulaPath path) {
  const Slabs<T>& slabs = field.slabs();
  slabs.team().each([&](int p) {
    const ExecutorPtr& executor = slabs.team().executor(p);
    const SlabLayout& slab = field.layout(p);
    SlabFormula(executor, slabs.grid(), program, slab, path)
        .evaluate<T>(slab.rows(), 0, nullptr, {field.data(p), slab.pitch, slab.plane});
    launch(*executor, "padding", Range<2>{{0, 0}, {slab.lines(), slab.pitch - slab.extent[0]}},
           ClearPadding<T>{field.data(p), slab});
  });
}

template ErrorSums errors_against(const SlabField<double>&, const std::function<KnownRows(int)>&, FormulaPath);
template ErrorSums errors_against(const SlabField<float>&, const std::function<KnownRows(int)>&, FormulaPath);
template ErrorSums formula_errors(const SlabField<double>&, const Program&, double, FormulaPath);
template ErrorSums formula_errors(const SlabField<float>&, const Program&, double, FormulaPath);
template void set_to_formula(SlabField<double>&, const Program&, FormulaPath);
template void set_to_formula(SlabField<float>&, const Program&, FormulaPath);

}  // namespace halocline
