#include "lib/fields/measure.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "gpu/launch.hpp"
#include "lib/fields/measure_kernels.hpp"

namespace halocline {

namespace {

// Sums body(part) over the lines of all parts, or over their pieces.
template <class T, class Body>
double sum_lines(const SlabField<T>& field, const char* name, int arrays, bool pieces, const Body& body) {
  const Slabs<T>& slabs = field.slabs();
  std::vector<ExactSum> parts(static_cast<std::size_t>(slabs.parts()));
  slabs.team().each([&](int p) {
    const SlabLayout& slab = field.layout(p);
    const double bytes = static_cast<double>(slab.count(slab.rows()) * arrays) * sizeof(T);
    sum_chunks<1>(*slabs.team().executor(p), {name, bytes}, slab.lines() * (pieces ? slab.pieces() : 1), body(p),
                  std::span<ExactSum, 1>(&parts[static_cast<std::size_t>(p)], 1));
  });
  std::array<ExactSum, 1> sum;
  for (const ExactSum& part : parts) sum[0].add(part);
  slabs.comm().sum(sum);
  return sum[0].value();
}

}  // namespace

template <class T>
double total(const SlabField<T>& field) {
  return sum_lines(field, "sum of rows", 1, true, [&](int p) { return SumPiece<T>{field.layout(p), field.data(p)}; });
}

template <class T>
double weighted_total(const SlabField<T>& field, const SlabField<double>* factor) {
  const UniformGrid& grid = field.slabs().grid();
  require(field.slabs().grid().dimensions == 3 || !field.slabs().boxes().cut_along_y(),
          "weighted_total: lines are cut");
  return sum_lines(field, "weighted sum", factor ? 2 : 1, false, [&](int p) {
    require(!factor ||
                (&factor->slabs().team() == &field.slabs().team() && factor->layout(p).pitch == field.layout(p).pitch),
            "weighted_total: the factor lies elsewhere");
    SumWeightedLine<T> body{field.layout(p), field.data(p), factor ? factor->data(p) : nullptr, {}, {}};
    std::copy(grid.extent, grid.extent + 3, body.all);
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side)
        body.ends[axis][side] = axis < grid.dimensions ? grid.weight(axis, side * (grid.extent[axis] - 1)) : 1.0;
    return body;
  });
}

template <class T>
FieldRange extremes(const SlabField<T>& field) {
  const Slabs<T>& slabs = field.slabs();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Extremes start{infinity, -infinity, Extremes::none};
  std::vector<Extremes> parts(static_cast<std::size_t>(slabs.parts()), start);
  slabs.team().each([&](int p) {
    const SlabLayout& slab = field.layout(p);
    const Executor& executor = *slabs.team().executor(p);
    const Label label{"extremes", static_cast<double>(slab.count(slab.rows())) * sizeof(T)};
    Extremes& e = parts[static_cast<std::size_t>(p)];
    if (executor.backend() == Backend::cuda) {
      e = reduce(executor, label, Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}}, start, JoinExtremes{},
                 ExtremesOfUnknown<T>{slab, field.data(p)});
    } else {
      e = reduce(executor, label, Range<1>{{0}, {slab.lines()}}, start, JoinExtremes{},
                 ExtremesOfLine<T>{slab, field.data(p)});
    }
    const Index width = slab.extent[0], all = slabs.grid().extent[0], rows = slabs.grid().extent[1];
    if (e.first_bad != Extremes::none)
      e.first_bad = slab.global_line(e.first_bad / width, rows) * all + slab.first_along(0) + e.first_bad % width;
  });
  Extremes joined = start;
  for (const Extremes& part : parts) joined = JoinExtremes{}(joined, part);
  std::array<double, 2> low_high{-joined.low, joined.high};
  std::array<Index, 1> bad{-joined.first_bad};
  slabs.comm().max(low_high);
  slabs.comm().max(bad);
  return {-low_high[0], low_high[1], bad[0] == -Extremes::none ? -1 : -bad[0]};
}

template double total(const SlabField<double>&);
template double total(const SlabField<float>&);
template double weighted_total(const SlabField<double>&, const SlabField<double>*);
template double weighted_total(const SlabField<float>&, const SlabField<double>*);
template FieldRange extremes(const SlabField<double>&);
template FieldRange extremes(const SlabField<float>&);

}  // namespace halocline
