#include "lib/fields/formula_grid.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/fields/lifted/lifted_looks.hpp"

namespace halocline {

namespace {

// Some lines on the host, one after the other in the same scratch memory.
template <class T>
struct GridLinesBody {
  std::shared_ptr<const GridProgram> program;  // launches may be late
  FormulaGrid::Points points;
  FormulaGrid::Target<T> to;
  Index lines;

  void operator()(Index group) const {
    std::vector<T*> results(static_cast<std::size_t>(program->result_count()));
    GridProgram::Scratch scratch;
    for (Index n = group * lines; n < std::min((group + 1) * lines, points.count); ++n) {
      for (std::size_t r = 0; r < results.size(); ++r)
        results[r] = to.data + n * to.line + static_cast<Index>(r) * to.result;
      program->evaluate(points.first + n * points.step, points.low, points.high, results.data(), scratch);
    }
  }
};

// What a step of `host`'s points looks up, on all points, [x][y].
std::vector<double> sampled(const GridProgram& host, const Program& look, std::size_t nx, std::size_t ny) {
  const auto of_x = static_cast<std::size_t>(host.values_per_x()), of_y = static_cast<std::size_t>(host.values_per_y());
  std::vector<double> values(nx * ny);
  std::vector<std::span<const double>> inputs(of_x + of_y);
  for (std::size_t r = 0; r < of_y; ++r) inputs[of_x + r] = host.y_values().subspan(r * ny, ny);
  for (std::size_t i = 0; i < nx; ++i) {
    for (std::size_t r = 0; r < of_x; ++r) inputs[r] = host.x_values().subspan(i * of_x + r, 1);
    const std::span<double> line(values.data() + i * ny, ny);
    halocline::evaluate(look, inputs, std::span(&line, 1));
  }
  return values;
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
  LiftedLooks lifted = lift_looks(executor, host_->points(),
                                  [&](const Program& look) { return sampled(*host_, look, x.size(), y.size()); });
  for (const auto& values : lifted.values) inputs.push_back({values.view().data, 1, static_cast<Index>(y.size()), 0});
  looked_up_ = std::move(lifted.values);
  on_points_ = PointProgram(executor, lifted.rest, inputs);
}

template <class T>
void FormulaGrid::evaluate(const Points& points, const Target<T>& to) const {
  if (by_points_) {
    const PointRange range{1, points.count, points.high - points.low, 0, points.first, points.step, points.low};
    on_points_.evaluate<T>(range, {to.data, to.result, to.line, 0});
  } else {
    const double bytes =
        static_cast<double>(points.count * (points.high - points.low) * host_->result_count()) * sizeof(T);
    const Index lines = std::clamp<Index>(points.count / (4 * executor_->threads()), 1, 16);
    launch_on_host(*executor_, {"formulas on a grid", bytes}, Range<1>{{0}, {(points.count + lines - 1) / lines}},
                   GridLinesBody<T>{host_, points, to, lines});
  }
}

template void FormulaGrid::evaluate(const Points&, const Target<double>&) const;
template void FormulaGrid::evaluate(const Points&, const Target<float>&) const;

}  // namespace halocline
