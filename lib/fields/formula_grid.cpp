#include "lib/fields/formula_grid.hpp"

#include "gpu/launch.hpp"

namespace halocline {

namespace {

// A line on the host.
template <class T>
struct GridLineBody {
  std::shared_ptr<const GridProgram> program;  // launches may be late
  FormulaGrid::Points points;
  FormulaGrid::Target<T> to;

  void operator()(Index n) const {
    std::vector<T*> results;
    for (int r = 0; r < program->result_count(); ++r) results.push_back(to.data + n * to.line + r * to.result);
    GridProgram::Scratch scratch;
    program->evaluate(points.first + n * points.step, points.low, points.high, results.data(), scratch);
  }
};

Array<double, 1> placed(const ExecutorPtr& executor, std::span<const double> values) {
  return make_array(executor, std::vector<double>(values.begin(), values.end()));
}

}  // namespace

FormulaGrid::FormulaGrid(const ExecutorPtr& executor, const Program& program, std::span<const double> x,
                         std::span<const double> y, FormulaPath path, GridProgram::Functions functions)
    : executor_(executor),
      host_(std::make_shared<GridProgram>(program, x, y, functions)),
      by_points_(by_points(*executor, path)) {
  if (!by_points_) return;
  x_values_ = placed(executor, host_->x_values());
  y_values_ = placed(executor, host_->y_values());
  std::vector<PointInput> inputs;
  for (Index r = 0; r < host_->values_per_x(); ++r)
    inputs.push_back({x_values_.view().data + r, 0, host_->values_per_x(), 0});
  for (Index r = 0; r < host_->values_per_y(); ++r)
    inputs.push_back({y_values_.view().data + r * static_cast<Index>(y.size()), 1, 0, 0});
  on_points_ = PointProgram(executor, host_->points(), inputs);
}

template <class T>
void FormulaGrid::evaluate(const Points& points, const Target<T>& to) const {
  if (by_points_) {
    const PointRange range{1, points.count, points.high - points.low, 0, points.first, points.step, points.low};
    on_points_.evaluate<T>(range, {to.data, to.result, to.line, 0});
  } else {
    const double bytes =
        static_cast<double>(points.count * (points.high - points.low) * host_->result_count()) * sizeof(T);
    launch_on_host(*executor_, {"formulas on a grid", bytes}, Range<1>{{0}, {points.count}},
                   GridLineBody<T>{host_, points, to});
  }
}

template void FormulaGrid::evaluate(const Points&, const Target<double>&) const;
template void FormulaGrid::evaluate(const Points&, const Target<float>&) const;

}  // namespace halocline
