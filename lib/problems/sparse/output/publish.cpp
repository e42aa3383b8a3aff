#include "lib/problems/sparse/output/publish.hpp"

#include <algorithm>

namespace halocline::sparse {

Grid output_grid(const BoxLayout& layout) {
  Grid grid;
  for (int axis = 0; axis < 3; ++axis) {
    auto& nodes = grid.nodes[static_cast<std::size_t>(axis)];
    if (axis >= layout.dimensions) {
      nodes = {0};
    } else if (layout.points) {
      for (Index i = 0; i < layout.n[axis]; ++i) nodes.push_back(layout.center(axis, i));
    } else {
      for (Index i = 0; i <= layout.n[axis]; ++i) nodes.push_back(layout.face(axis, i));
    }
  }
  return grid;
}

void BoxPublisher::publish(FieldSink& sink, const std::string& name, const PartValues& values) const {
  const FieldInfo info{name, "1", layout_.points ? Centring::point : Centring::cell, AxisOrder::x_fastest};
  const auto whole = lines_.gather(values);
  for (int p = 0; p < rows_->team().parts(); ++p)
    publish_lines(sink, info, p, whole[static_cast<std::size_t>(p)].data(), *rows_->team().executor(p));
}

// The same number of boxes from every part, some of them empty, since calls of a sink are collective.
void BoxPublisher::publish_lines(FieldSink& sink, const FieldInfo& info, int part, const double* first_row,
                                 const Executor& executor) const {
  const Index begin = lines_.own(part).lo[0], stop = lines_.own(part).hi[0];
  const Index across = layout_.n[0], plane = layout_.n[1];
  const Index whole_from = std::min(stop, (begin + plane - 1) / plane * plane);
  const Index whole_to = std::max(whole_from, stop / plane * plane);
  const Index bounds[4] = {begin, whole_from, whole_to, stop};
  for (int piece = 0; piece < 3; ++piece) {
    const Index first = bounds[piece], end = bounds[piece + 1];
    Range<3> block{{0, 0, 0}, {0, 0, 0}};
    if (end > first) {
      const bool planes = piece == 1;
      const Index z = first / plane;
      block = {{0, planes ? 0 : first % plane, z},
               {across, planes ? plane : first % plane + (end - first), planes ? end / plane : z + 1}};
    }
    const double* from = end > first ? first_row + (first - begin) * across : nullptr;
    sink.field(info, part, block, View<const double, 3>(from, block.extent(2), block.extent(1), block.extent(0)),
               executor);
  }
}

void publish_columns(FieldSink& sink, const RowSpace& rows, const std::string& name, const PartValues& values) {
  for (int p = 0; p < rows.team().parts(); ++p)
    sink.column({name, "1"}, p, rows.own(p), values[static_cast<std::size_t>(p)].view(), *rows.team().executor(p));
}

void publish_columns(FieldSink& sink, const RowSpace& rows, const std::string& name,
                     const std::vector<PartValues>& values) {
  FieldInfo info{name, "1"};
  info.width = static_cast<Index>(values.size());
  for (int p = 0; p < rows.team().parts(); ++p) {
    std::vector<double> joined(values.size() * static_cast<std::size_t>(rows.own_size(p)));
    for (std::size_t c = 0; c < values.size(); ++c) {
      const std::vector<double> column = values[c][static_cast<std::size_t>(p)].to_host();
      for (std::size_t i = 0; i < column.size(); ++i) joined[i * values.size() + c] = column[i];
    }
    const Array<double, 1> made = make_array(rows.team().executor(p), joined);
    sink.column(info, p, rows.own(p), made.view(), *rows.team().executor(p));
  }
}

void publish_levels(FieldSink& sink, const amg::HierarchyFacts& facts) {
  const auto series = [&](const char* name, const auto& value) {
    std::vector<double> values;
    for (const amg::LevelFacts& level : facts.levels) values.push_back(static_cast<double>(value(level)));
    sink.series(std::string("levels_") + name, "1", values);
  };
  series("rows", [](const amg::LevelFacts& level) { return level.rows; });
  series("entries", [](const amg::LevelFacts& level) { return level.entries; });
  series("longest_row", [](const amg::LevelFacts& level) { return level.longest; });
  series("interpolation_entries", [](const amg::LevelFacts& level) { return level.weights; });
  series("rounds", [](const amg::LevelFacts& level) { return level.rounds; });
  series("smallest_weight", [](const amg::LevelFacts& level) { return level.smallest_weight; });
  series("mean_weight", [](const amg::LevelFacts& level) { return level.mean_weight; });
  series("fill", [](const amg::LevelFacts& level) { return level.fill; });
  series("guards_without_itself", [](const amg::LevelFacts& level) { return level.guards.without_itself; });
  series("guards_direct", [](const amg::LevelFacts& level) { return level.guards.direct; });
  series("bytes", [](const amg::LevelFacts& level) { return level.bytes; });
}

}  // namespace halocline::sparse
