#include "lib/problems/sparse/publish.hpp"

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

BoxPublisher::BoxPublisher(const RowSpacePtr& space, const BoxLayout& layout) : rows_(space), layout_(layout) {
  const RowSpace& rows = *space;
  const Team& team = rows.team();
  const Index across = layout.n[0];
  std::vector<std::vector<Index>> wanted(static_cast<std::size_t>(team.parts()));
  const std::vector<Index> own(wanted.size(), 0);
  for (int p = 0; p < team.parts(); ++p) {
    const Range<1> block = rows.own(p);
    Lines lines{(block.lo[0] + across - 1) / across, (block.hi[0] + across - 1) / across, 0};
    lines.end = std::max(lines.first, lines.end);
    const Index end = lines.end > lines.first ? lines.end * across : block.hi[0];
    lines.ghosts = end - block.hi[0];
    for (Index row = block.hi[0]; row < end; ++row) wanted[static_cast<std::size_t>(p)].push_back(row);
    lines_.push_back(lines);
  }
  links_ = row_links(rows.comm(), team, rows.partition(), wanted, own);
}

void BoxPublisher::publish(FieldSink& sink, const std::string& name, const PartValues& values) const {
  const Team& team = rows_->team();
  const FieldInfo info{name, "1", layout_.points ? Centring::point : Centring::cell, AxisOrder::x_fastest};
  std::vector<Array<double, 1>> whole;
  std::vector<View<const double, 1>> from;
  std::vector<View<double, 1>> to;
  for (int p = 0; p < team.parts(); ++p) {
    const auto n = static_cast<std::size_t>(p);
    const Index own = rows_->own_size(p);
    whole.emplace_back(team.executor(p), std::array<Index, 1>{own + lines_[n].ghosts});
    if (own > 0)
      team.executor(p)->copy_async(whole[n].view().data, values[n].view().data,
                                   static_cast<std::size_t>(own) * sizeof(double), Queue::compute);
  }
  for (Array<double, 1>& part : whole) {
    from.push_back(part.view());
    to.push_back(part.view());
  }
  Halo<double> halo(rows_->comm(), team, links_);
  halo.start(from);
  halo.finish(to);
  for (int p = 0; p < team.parts(); ++p) {
    const auto n = static_cast<std::size_t>(p);
    publish_lines(sink, info, p, whole[n].view().data + (lines_[n].first * layout_.n[0] - rows_->own(p).lo[0]),
                  *team.executor(p));
  }
}

// The same number of boxes from every part, some of them empty, since calls of a sink are collective.
void BoxPublisher::publish_lines(FieldSink& sink, const FieldInfo& info, int part, const double* first_row,
                                 const Executor& executor) const {
  const Lines& lines = lines_[static_cast<std::size_t>(part)];
  const Index across = layout_.n[0], plane = layout_.n[1];
  const Index whole_from = std::min(lines.end, (lines.first + plane - 1) / plane * plane);
  const Index whole_to = std::max(whole_from, lines.end / plane * plane);
  const Index bounds[4] = {lines.first, whole_from, whole_to, lines.end};
  for (int piece = 0; piece < 3; ++piece) {
    const Index first = bounds[piece], end = bounds[piece + 1];
    Range<3> block{{0, 0, 0}, {0, 0, 0}};
    if (end > first) {
      const bool planes = piece == 1;
      const Index z = first / plane;
      block = {{0, planes ? 0 : first % plane, z},
               {across, planes ? plane : first % plane + (end - first), planes ? end / plane : z + 1}};
    }
    const double* from = end > first ? first_row + (first - lines.first) * across : nullptr;
    sink.field(info, part, block, View<const double, 3>(from, block.extent(2), block.extent(1), block.extent(0)),
               executor);
  }
}

void publish_columns(FieldSink& sink, const RowSpace& rows, const std::string& name, const PartValues& values) {
  for (int p = 0; p < rows.team().parts(); ++p)
    sink.column({name, "1"}, p, rows.own(p), values[static_cast<std::size_t>(p)].view(), *rows.team().executor(p));
}

void publish_levels(FieldSink& sink, const amg::HierarchyFacts& facts) {
  const auto series = [&](const char* name, const auto& value) {
    std::vector<double> values;
    for (const amg::LevelFacts& level : facts.levels) values.push_back(static_cast<double>(value(level)));
    sink.series(std::string("levels_") + name, "1", values);
  };
  series("rows", [](const amg::LevelFacts& level) { return level.rows; });
  series("entries", [](const amg::LevelFacts& level) { return level.entries; });
  series("interpolation_entries", [](const amg::LevelFacts& level) { return level.weights; });
  series("rounds", [](const amg::LevelFacts& level) { return level.rounds; });
  series("smallest_weight", [](const amg::LevelFacts& level) { return level.smallest_weight; });
  series("mean_weight", [](const amg::LevelFacts& level) { return level.mean_weight; });
}

}  // namespace halocline::sparse
