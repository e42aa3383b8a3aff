#include "lib/linalg/strips/strip_exchange.hpp"

#include "lib/linalg/strips/exchange_kernels.hpp"
#include "lib/linalg/strips/solve_fields.hpp"

namespace halocline::strips {

template <class T, class Line>
struct StripExchange<T, Line>::Part {
  OwnStrips own;
  Partition shares;    // lines for which each member of the line of parts solves above
  Index lines, share;  // lines of the part, and those it solves above
  int nodes;           // its own
  Array<JoinStep, 1> steps, steps_above;
  Array<NodePlaces::Node, 1> places;
  Array<T, 1> ends, up, above, down, back;  // down: L and R for all parts, back: those for this one

  // Tables with a place more at either end: of strips, of own nodes, of the nodes of all parts.
  Part(const ExecutorPtr& executor, const Partition& strips, int part, Index lines,
       const std::vector<Range<1>>& all_nodes)
      : own{strips.block(part).lo[0], strips.block(part).size()},
        shares(lines, lanes, std::vector<double>(static_cast<std::size_t>(strips.parts()), 1.0), 0),
        lines(lines),
        share(shares.block(part).size()) {
    const Index of_line = strips.count();
    std::vector<NodePlaces::Node> nodes_here;
    for (const Range<1>& node : top_nodes(of_line, strips.block(part)))
      nodes_here.push_back({static_cast<int>(node.lo[0] - own.first), static_cast<int>(node.hi[0] - own.first - 1)});
    nodes = static_cast<int>(nodes_here.size());
    steps = make_array(executor, join_steps(of_line, strips.block(part)));
    steps_above = make_array(executor, join_steps_above(of_line, all_nodes));
    places = make_array(executor, nodes_here);
    const auto table = [&](Index places_there, int kinds, Index of_lines) {
      return Array<T, 1>(executor, {EndTable<T>::size(places_there, kinds, of_lines)});
    };
    const auto all = static_cast<Index>(all_nodes.size());
    ends = table(own.count, Line::kinds, lines);
    if (strips.parts() == 1) return;
    up = table(nodes, Line::kinds, lines);
    above = table(all, Line::kinds, share);
    down = table(all, 1, share);
    back = table(nodes, 1, lines);
  }
  JoinSteps own_steps() const { return {steps.view().data, static_cast<int>(steps.size())}; }
  JoinSteps shared_steps() const { return {steps_above.view().data, static_cast<int>(steps_above.size())}; }
  NodePlaces own_nodes() const { return {places.view().data, nodes}; }
  // That launches read and write: ends of strips, and of nodes once.
  double bytes_of_ends() const {
    return static_cast<double>(2 * Line::kinds * lines * (2 * own.count + nodes)) * sizeof(T);
  }
  double bytes_above() const { return static_cast<double>((above.size() + down.size()) * sizeof(T)); }
};

template <class T, class Line>
StripExchange<T, Line>::StripExchange(const Communicator& comm, const Team& team, const PartLine& parts,
                                      const Partition& strips, std::span<const Index> lines, Index most_lines)
    : team_(&team) {
  require(strips.parts() == parts.count, "StripExchange: strips and line of parts differ in parts");
  require(static_cast<int>(lines.size()) == team.parts(), "StripExchange: lines of every part");
  std::vector<Range<1>> nodes;
  for (int part = 0; part < strips.parts(); ++part) {
    require(strips.block(part).size() > 0, "StripExchange: a part without strips");
    first_node_.push_back(static_cast<Index>(nodes.size()));
    const auto own = top_nodes(strips.count(), strips.block(part));
    nodes.insert(nodes.end(), own.begin(), own.end());
  }
  first_node_.push_back(static_cast<Index>(nodes.size()));
  for (int p = 0; p < team.parts(); ++p) {
    const Index of_part = lines[static_cast<std::size_t>(p)];
    require(of_part % lanes == 0, "StripExchange: a number of lines that is no multiple of lanes");
    parts_.emplace_back(team.executor(p), strips, parts.member(team.first_part() + p), of_part, nodes);
  }
  if (parts.count == 1) return;
  make_turns(comm, parts, most_lines);
  from_.resize(parts_.size());
  to_.resize(parts_.size());
}
template <class T, class Line>
StripExchange<T, Line>::~StripExchange() = default;
template <class T, class Line>
StripExchange<T, Line>::StripExchange(StripExchange&&) noexcept = default;
template <class T, class Line>
StripExchange<T, Line>& StripExchange<T, Line>::operator=(StripExchange&&) noexcept = default;

// Rows are nodes, columns are lines; a table has a place more at its front.
template <class T, class Line>
void StripExchange<T, Line>::make_turns(const Communicator& comm, const PartLine& parts, Index most_lines) {
  const Partition nodes = Partition::from_starts(first_node_);
  const auto turn = [&](Index kinds, TurnWay way) {
    std::vector<TurnShape> shapes;
    std::vector<TurnRows> rows;
    std::vector<Index> columns;
    for (const Part& part : parts_) {
      const Index place = 2 * kinds * part.lines;
      shapes.push_back({nodes, part.shares, 2 * kinds, 0});
      rows.push_back({place, place, part.lines});
      columns.push_back(2 * kinds * part.share);
    }
    const auto values = static_cast<double>(nodes.count() * 2 * kinds) * static_cast<double>(most_lines);
    const TurnStages stages = most_lines == 0 ? TurnStages::automatic
                              : turns_in_two_stages(parts.count, values / parts.count * sizeof(T)) ? TurnStages::two
                                                                                                   : TurnStages::one;
    return std::make_unique<Turn<T>>(comm, *team_, parts, shapes, way, rows, columns, stages);
  };
  up_ = turn(Line::kinds, TurnWay::to_columns);
  down_ = turn(1, TurnWay::to_rows);
}

template <class T, class Line>
OwnStrips StripExchange<T, Line>::own(int part) const {
  return parts_[part].own;
}
template <class T, class Line>
EndTable<T> StripExchange<T, Line>::ends(int part) {
  return {parts_[part].ends.view().data, parts_[part].lines, Line::kinds};
}
template <class T, class Line>
Traffic StripExchange<T, Line>::sent() const {
  Traffic traffic;
  if (up_) {
    traffic += up_->sent();
    traffic += down_->sent();
  }
  return traffic;
}

template <class T, class Line>
void StripExchange<T, Line>::pack(std::span<const Line> lines) {
  lines_.assign(lines.begin(), lines.end());
  if (!up_) return;
  team_->each([&](int p) {
    Part& part = parts_[p];
    const EndTable<T> up{part.up.view().data, part.lines, Line::kinds};
    launch_rows(*team_->executor(p), {"sweep join", part.bytes_of_ends()}, rows_of_lines(part.lines),
                JoinOwnBody<T, Line>{{part.lines}, lines_[p], part.own_steps(), part.own_nodes(), ends(p), up});
  });
  for (std::size_t p = 0; p < parts_.size(); ++p) from_[p] = parts_[p].up.view();
  up_->pack(from_);
}

template <class T, class Line>
void StripExchange<T, Line>::send() {
  if (up_) up_->send();
}

template <class T, class Line>
void StripExchange<T, Line>::turn() {
  if (!up_) return;
  for (std::size_t p = 0; p < parts_.size(); ++p) to_[p] = parts_[p].above.view();
  up_->finish(to_);
  team_->each([&](int p) {
    Part& part = parts_[p];
    const EndTable<T> above{part.above.view().data, part.share, Line::kinds};
    const EndTable<T> down{part.down.view().data, part.share, 1};
    launch_rows(*team_->executor(p), {"sweep tree", part.bytes_above()}, rows_of_lines(part.share),
                SolveAboveBody<T, Line>{
                    {part.share}, lines_[p], part.shared_steps(), static_cast<int>(first_node_.back()), above, down});
  });
  for (std::size_t p = 0; p < parts_.size(); ++p) from_[p] = parts_[p].down.view();
  down_->start(from_);
}

template <class T, class Line>
void StripExchange<T, Line>::finish() {
  if (!up_) {
    team_->each([&](int p) { solve_trees(*team_->executor(p), "sweep tree", lines_[p], ends(p)); });
    return;
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) to_[p] = parts_[p].back.view();
  down_->finish(to_);
  team_->each([&](int p) {
    Part& part = parts_[p];
    const EndTable<T> back{part.back.view().data, part.lines, 1};
    launch_rows(*team_->executor(p), {"sweep part", part.bytes_of_ends()}, rows_of_lines(part.lines),
                PartOwnBody<T, Line>{{part.lines}, lines_[p], part.own_steps(), part.own_nodes(), ends(p), back});
  });
}

template class StripExchange<double, CommonLine<double>>;
template class StripExchange<float, CommonLine<float>>;
template class StripExchange<double, OwnLine>;
template class StripExchange<float, OwnLine>;

}  // namespace halocline::strips
