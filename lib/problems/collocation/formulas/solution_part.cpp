#include "lib/problems/collocation/formulas/solution_part.hpp"

#include <algorithm>
#include <span>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/gauss_columns.hpp"
#include "lib/problems/collocation/formulas/column_cut.hpp"
#include "lib/problems/collocation/formulas/solution_kernels.hpp"

namespace halocline::collocation {

namespace {

Array<double, 1> scales(const ExecutorPtr& executor, const Axis& axis) {
  std::vector<double> values;
  for (Index i = 0; i <= axis.elements(); ++i) values.push_back(axis.scale(i));
  return make_array(executor, values);
}

Label label(const char* name, Index numbers) { return {name, static_cast<double>(numbers) * sizeof(double)}; }

}  // namespace

SolutionPart::SolutionPart(const ExecutorPtr& executor, const Formulation& problem, const NodalBlock& block,
                           int threads, FormulaPath path)
    : executor_(with_threads(executor, threads)),
      problem_(problem),
      block_(block),
      path_(path),
      u_(executor_, {block.size() + block.line_size()}),
      scale_x_(scales(executor_, problem.x)),
      scale_y_(scales(executor_, problem.y)) {}

std::size_t SolutionPart::bytes(const Formulation& problem, Index lines) {
  return static_cast<std::size_t>(NodalBlock{0, lines + 1, problem.x.elements(), problem.y.elements()}.size()) *
         sizeof(double);
}

void SolutionPart::close_lines(Index lines) {
  if (!problem_.y.periodic()) return;
  launch(*executor_, label("last nodes", 8 * lines), Range<2>{{0, 0}, {lines, 4}},
         CopyFirstNode{block_, u_.view().data});
}

void SolutionPart::close_columns() {
  const auto bytes = static_cast<std::size_t>(block_.line_size()) * sizeof(double);
  executor_->copy_async(u_.view().data + block_.nx * block_.line_size(), u_.view().data, bytes, Queue::compute);
}

std::vector<double> SolutionPart::line(Index i) const {
  std::vector<double> values(static_cast<std::size_t>(block_.line_size()));
  executor_->copy_out(values.data(), u_.view().data + i * block_.line_size(), values.size() * sizeof(double));
  return values;
}

Array<double, 1> SolutionPart::field(int which) const {
  Array<double, 1> values(executor_, {block_.lines() * block_.nodes()});
  launch(*executor_, label("field of nodes", 2 * values.size()), Range<2>{{0, 0}, {block_.lines(), block_.nodes()}},
         CopyField{{block_, u_.view().data, scale_x_.view().data, scale_y_.view().data}, which, values.view().data});
  return values;
}

void SolutionPart::add_errors(ErrorShares& shares) const {
  const Index nodes = block_.nodes();
  const ColumnCut cut(*executor_, path_, block_.lines(), nodes);
  const auto x = std::span(problem_.x.nodes()).subspan(block_.first_line, block_.lines());
  const FormulaGrid grid(executor_, problem_.exact, x, problem_.y.nodes(), path_, GridProgram::Functions::exact);
  Array<double, 1> exact(executor_, {4 * cut.step * nodes});
  for (Index first = 0; first < block_.lines(); first += cut.step) {
    const Index count = std::min(cut.step, block_.lines() - first), numbers = 8 * count * nodes;
    grid.evaluate<double>({first, count, 1, 0, nodes}, {exact.view().data, 4 * nodes, nodes});
    const NodeErrors errors{
        {block_, u_.view().data, scale_x_.view().data, scale_y_.view().data}, exact.view().data, first};
    const FourErrors worst = reduce(*executor_, label("largest errors", numbers), Range<2>{{0, 0}, {count, nodes}},
                                    FourErrors{{0, 0, 0, 0}}, LargestOfFour{}, ErrorsOfNode{errors});
    sum_chunks<4>(*executor_, label("squares of errors", numbers), count * cut.pieces,
                  SumErrors{errors, cut.chunk, cut.pieces}, std::span<ExactSum, 4>(shares.squares));
    for (int k = 0; k < 4; ++k) shares.max[k] = larger(shares.max[k], worst.k[k]);
  }
}

void SolutionPart::add_residual(ResidualShares& shares) const {
  const Index rows = problem_.y.unknowns(), begin = 2 * block_.first_line;
  const Index columns = 2 * std::min(block_.lines(), block_.nx - block_.first_line);
  if (columns <= 0) return;
  const ColumnCut cut(*executor_, path_, columns, rows);
  const auto x = std::span(problem_.x.gauss()).subspan(begin, columns);
  const FormulaGrid f(executor_, problem_.f, x, problem_.y.gauss(), path_, GridProgram::Functions::exact);
  GaussColumns gauss(executor_, problem_, numbers(begin, begin + columns), numbers(0, rows), cut.step, path_);
  Array<double, 1> given(executor_, {cut.step * rows}), r(executor_, {cut.step * rows});
  for (Index first = 0; first < columns; first += cut.step) {
    const Index count = std::min(cut.step, columns - first), size = count * rows;
    const Range<2> points{{0, 0}, {count, rows}};
    f.evaluate<double>({first, count, 1, 0, rows}, {given.view().data, rows, 0});
    launch_rows(*executor_, label("residual at points", size * (problem_.constants ? 3 : 9)), points,
                ResidualAtPoints{block_, u_.view().data, begin + first, gauss.at(first, count), given.view().data,
                                 r.view().data});
    const ResidualAndF worst = reduce(*executor_, label("largest residual", 2 * size), points, ResidualAndF{0, 0},
                                      LargerOfBoth{}, SizesAtPoint{r.view().data, given.view().data, rows});
    sum_chunks<1>(
        *executor_, label("squares of residuals", size), count * cut.pieces,
        SumResidual{r.view().data, rows, begin + first, problem_.x.periodic() ? -1 : block_.nx, cut.chunk, cut.pieces},
        std::span<ExactSum, 1>(shares.squares));
    shares.largest = {larger(shares.largest[0], worst.r), larger(shares.largest[1], worst.f)};
  }
}

}  // namespace halocline::collocation
