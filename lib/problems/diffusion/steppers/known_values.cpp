#include "lib/problems/diffusion/steppers/known_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/launch.hpp"
#include "lib/problems/diffusion/steppers/cell_formula.hpp"

namespace halocline::diffusion {

namespace {

constexpr Index segment = 256;                              // cells of a piece of a row that a thread of a GPU adds
constexpr Index gpu_cells = 1 << 24, host_cells = 1 << 18;  // whose known values are kept at a time

// Known values of the cells of a part, some rows at a time.
class KnownRows {
 public:
  KnownRows(const ExecutorPtr& executor, const UniformGrid& geometry, const KnownSolution& known,
            const CellLayout& cells, Index first, FormulaPath path)
      : executor_(executor), known_(known), cells_(cells), first_(first) {
    if (const auto* formula = std::get_if<FormulaAtTime>(&known))
      formula_.emplace(executor, geometry, *formula->program, cells, first, 0, path);
  }

  // On rows (planes) of the slow axis, to[row][x].
  void fill(Rows rows, double* to) {
    const Index across = cells_.extent[0], row = across * cells_.inner(), count = (rows.hi - rows.lo) * cells_.inner();
    const auto fill_cells = [&](const auto& cell) {
      launch(*executor_, "known solution", Range<2>{{0, 0}, {count, across}},
             FillKnown<std::decay_t<decltype(cell)>>{cell, cells_, rows.lo, first_, to});
    };
    if (const auto* formula = std::get_if<FormulaAtTime>(&known_)) {
      formula_->evaluate(rows, formula->t, nullptr, to - rows.lo * row, across, row);
    } else if (const auto* cell = std::get_if<CarburizingCell>(&known_)) {
      fill_cells(*cell);
    } else {
      fill_cells(std::get<BenchmarkCell>(known_));
    }
  }

 private:
  ExecutorPtr executor_;
  const KnownSolution& known_;
  CellLayout cells_;
  Index first_;
  std::optional<CellFormula> formula_;
};

struct PartErrors {
  ExactSum square;
  double largest = 0;
};

// Adds the errors of `count` rows of cells.
template <class T>
void add_errors(const Executor& executor, bool by_points, const CellErrors<T>& errors, Index count, PartErrors& sums) {
  const Index across = errors.cells.extent[0], length = by_points ? segment : across;
  const Index segments = (across + length - 1) / length;
  sum_chunks<1>(executor, "squares of errors", count * segments, SumSquares<T>{errors, segments, length},
                std::span<ExactSum, 1>(&sums.square, 1));
  const LargestError<T> body{errors};
  const double largest = by_points
                             ? reduce(executor, "largest error", Range<2>{{0, 0}, {count, across}}, 0.0, Larger{}, body)
                             : reduce(executor, "largest error", Range<1>{{0}, {count}}, 0.0, Larger{}, body);
  sums.largest = std::max(sums.largest, largest);
}

template <class T>
PartErrors errors_of_part(const ExecutorPtr& executor, const UniformGrid& geometry, const KnownSolution& known,
                          const ConvolveBlock<T>& b, FormulaPath path) {
  const CellLayout cells = layout_of(b);
  const bool points = by_points(*executor, path);
  const Index row = cells.extent[0] * cells.inner(), rows = b.slow_extent();
  const Index step = std::clamp<Index>((points ? gpu_cells : host_cells * executor->threads()) / row, 1, rows);
  KnownRows known_rows(executor, geometry, known, cells, b.first, path);
  Array<double, 1> values(executor, {step * row});
  PartErrors sums;
  for (Index first = 0; first < rows; first += step) {
    const Index end = std::min(first + step, rows);
    known_rows.fill({first, end}, values.view().data);
    add_errors(*executor, points, CellErrors<T>{b.c, cells, first, values.view().data}, (end - first) * cells.inner(),
               sums);
  }
  return sums;
}

}  // namespace

template <class T>
void set_to_formula(const Context& context, const UniformGrid& geometry, const Program& program, Field<T>& field,
                    FormulaPath path) {
  context.team.each([&](int p) {
    const ExecutorPtr& executor = context.team.executor(p);
    const ConvolveBlock<T>& b = field.block(p);
    const CellLayout cells = layout_of(b);
    CellFormula(executor, geometry, program, cells, b.first, 0, path)
        .evaluate(Rows{0, b.slow_extent()}, 0, nullptr, b.c, b.pitch, b.plane);
    launch(*executor, "padding", Range<2>{{0, 0}, {b.slow_extent() * cells.inner(), b.pitch - b.extent[0]}},
           ClearPadding<T>{b.c, cells});
  });
}

template <class T>
ErrorSums errors_of(const Context& context, const UniformGrid& geometry, const KnownSolution& known,
                    const Field<T>& field, FormulaPath path) {
  std::vector<PartErrors> parts(static_cast<std::size_t>(context.team.parts()));
  context.team.each([&](int p) {
    parts[static_cast<std::size_t>(p)] =
        errors_of_part(context.team.executor(p), geometry, known, field.block(p), path);
  });
  ExactSum squares;
  std::array<double, 1> largest{0};
  for (const PartErrors& part : parts) {
    squares.add(part.square);
    largest[0] = std::max(largest[0], part.largest);
  }
  context.comm.sum({&squares, 1});
  context.comm.max(largest);
  return {squares.value(), std::isnan(squares.value()) ? squares.value() : largest[0]};
}

template void set_to_formula(const Context&, const UniformGrid&, const Program&, Field<double>&, FormulaPath);
template void set_to_formula(const Context&, const UniformGrid&, const Program&, Field<float>&, FormulaPath);
template ErrorSums errors_of(const Context&, const UniformGrid&, const KnownSolution&, const Field<double>&,
                             FormulaPath);
template ErrorSums errors_of(const Context&, const UniformGrid&, const KnownSolution&, const Field<float>&,
                             FormulaPath);

}  // namespace halocline::diffusion
