#include "mpi/halo/turn.hpp"

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

// Rows of parts that follow each other at equal distances.
struct Group {
  Index first, rows, blocks, distance;
};

// Links of one part, which is a member of a line.
class TurnLinks {
 public:
  // `place`: of the part's rows, `at`: of its columns.
  TurnLinks(const PartLine& line, int part, const TurnShape& shape, TurnWay way, const TurnRows& place, Index at)
      : line_(line), part_(part), own_(line.member(part)), shape_(shape), way_(way), place_(place), at_(at) {
    require(shape.rows.parts() == line.count && shape.columns.parts() == line.count,
            "Turn: partitions and lines differ in parts");
  }

  std::vector<Link> direct() const {
    std::vector<Link> links;
    for (int other = 0; other < line_.count; ++other)
      add(links, other, of_rows(rows_of(own_), columns_of(other)),
          run_of_columns(rows_of(other).lo[0], rows_of(other).size()));
    return links;
  }

  // Between rows and the middle, along columns of the grid.
  std::vector<Link> outer(const TurnGrid& grid) const {
    std::vector<Link> links;
    const int row = own_ / grid.columns, column = own_ % grid.columns;
    const Index line = shape_.kinds * columns_of(grid, row).size();
    Index at = 0;  // rows in the middle
    for (int other = 0; other < grid.rows; ++other) {
      const int member = grid.part(other, column);
      const Index rows = rows_of(member).size();
      add(links, member, of_rows(rows_of(own_), columns_of(grid, other)), IndexSet::run(at * line, rows * line));
      at += rows;
    }
    return links;
  }

  // Between the middle and columns, along rows of the grid.
  std::vector<Link> inner(const TurnGrid& grid) const {
    std::vector<Link> links;
    const int row = own_ / grid.columns, column = own_ % grid.columns;
    const Range<1> all = columns_of(grid, row);
    const std::vector<Group> mine = groups(grid, column);
    for (int other = 0; other < grid.columns; ++other) {
      const Range<1> columns = columns_of(grid.part(row, other));
      const std::vector<Group> theirs = groups(grid, other);
      Index at = 0;  // rows in the middle
      for (std::size_t g = 0; g < std::max(mine.size(), theirs.size()); ++g) {
        IndexSet middle, turned;
        if (g < mine.size()) {
          const Index rows = mine[g].blocks * mine[g].rows, line = shape_.kinds * all.size();
          middle = {
              at * line + columns.lo[0] - all.lo[0], {rows, shape_.kinds, columns.size()}, {line, all.size(), 1}, {}};
          at += rows;
        }
        if (g < theirs.size()) turned = of_columns(theirs[g]);
        add(links, grid.part(row, other), std::move(middle), std::move(turned));
      }
    }
    return links;
  }

  Index middle_size(const TurnGrid& grid) const {
    Index rows = 0;
    for (int other = 0; other < grid.rows; ++other) rows += rows_of(grid.part(other, own_ % grid.columns)).size();
    return rows * shape_.kinds * columns_of(grid, own_ / grid.columns).size();
  }

 private:
  // `near`: of the side of rows, `far`: of that of columns.
  void add(std::vector<Link>& links, int other, IndexSet near, IndexSet far) const {
    if (near.size() == 0 && far.size() == 0) return;
    const int part = line_.part(part_, other);
    if (way_ == TurnWay::to_columns)
      links.push_back({part, std::move(near), std::move(far)});
    else
      links.push_back({part, std::move(far), std::move(near)});
  }

  Range<1> rows_of(int member) const {
    Range<1> rows = shape_.rows.block(member);
    if (way_ == TurnWay::to_rows) rows.hi[0] = std::min(rows.hi[0] + shape_.overlap, shape_.rows.count());
    return rows;
  }
  Range<1> columns_of(int member) const { return shape_.columns.block(member); }
  Range<1> columns_of(const TurnGrid& grid, int row) const {
    return {{columns_of(grid.part(row, 0)).lo[0]}, {columns_of(grid.part(row, grid.columns - 1)).hi[0]}};
  }

  // Rows of the members in a column of the grid.
  std::vector<Group> groups(const TurnGrid& grid, int column) const {
    std::vector<Group> groups;
    for (int row = 0; row < grid.rows; ++row) {
      const Range<1> rows = rows_of(grid.part(row, column));
      if (rows.size() == 0) continue;
      if (!groups.empty()) {
        Group& last = groups.back();
        const Index distance = rows.lo[0] - last.first - (last.blocks - 1) * last.distance;
        if (last.rows == rows.size() && (last.blocks == 1 || last.distance == distance)) {
          last.distance = distance;
          ++last.blocks;
          continue;
        }
      }
      groups.push_back({rows.lo[0], rows.size(), 1, 0});
    }
    return groups;
  }

  IndexSet of_rows(const Range<1>& rows, const Range<1>& columns) const {
    return {
        place_.offset + columns.lo[0], {rows.size(), shape_.kinds, columns.size()}, {place_.row, place_.kind, 1}, {}};
  }
  // Values of a row of the part's columns.
  Index line_of() const { return shape_.kinds * columns_of(own_).size(); }
  IndexSet run_of_columns(Index first, Index rows) const {
    return IndexSet::run(at_ + first * line_of(), rows * line_of());
  }
  IndexSet of_columns(const Group& group) const {
    IndexSet set = run_of_columns(group.first, group.rows);
    set.extent[0] = group.blocks;
    set.stride[0] = group.distance * line_of();
    return set;
  }

  PartLine line_;
  int part_, own_;  // own_: member of the line
  const TurnShape& shape_;
  TurnWay way_;
  const TurnRows& place_;
  Index at_;
};

// The same on all ranks: lines may differ in what their parts have.
template <class T>
bool in_two_stages(const Communicator& comm, const PartLine& line, std::span<const TurnShape> shapes,
                   const TurnGrid& grid, TurnStages stages, bool one_line) {
  if (stages != TurnStages::automatic) return stages == TurnStages::two && grid.rows > 1;
  if (!turns_in_two_stages(line.count, 0)) return false;  // whatever the size
  std::array<double, 1> values{0};
  for (const TurnShape& shape : shapes)
    values[0] = std::max(
        values[0], static_cast<double>(shape.rows.count() * shape.kinds) * static_cast<double>(shape.columns.count()));
  if (!one_line) comm.max(values);
  return turns_in_two_stages(line.count, values[0] / line.count * sizeof(T));
}

}  // namespace

template <class T>
Turn<T>::Turn(const Communicator& comm, const Team& team, const TurnShape& shape, TurnWay way,
              std::span<const TurnRows> by_rows, std::span<const Index> by_columns, TurnStages stages)
    : Turn(comm, team, PartLine{}, std::vector<TurnShape>(static_cast<std::size_t>(team.parts()), shape), way, by_rows,
           by_columns, stages) {}

template <class T>
Turn<T>::Turn(const Communicator& comm, const Team& team, const PartLine& of_parts, std::span<const TurnShape> shapes,
              TurnWay way, std::span<const TurnRows> by_rows, std::span<const Index> by_columns, TurnStages stages) {
  const auto parts = static_cast<std::size_t>(team.parts());
  require(shapes.size() == parts && by_rows.size() == parts && by_columns.size() == parts,
          "Turn: a shape and a place per part");
  PartLine line = of_parts;
  if (line.count == 0) line = {team.total_parts(), 1};
  require(line.stride >= 1 && team.total_parts() % (line.count * line.stride) == 0,
          "Turn: lines are no table of parts");
  const TurnGrid grid = turn_grid(line.count);
  const bool twice = in_two_stages<T>(comm, line, shapes, grid, stages, line.count == team.total_parts());
  const bool to_columns = way == TurnWay::to_columns;
  Links links(parts), inner(parts);
  for (std::size_t p = 0; p < parts; ++p) {
    const int own = static_cast<int>(p);
    const TurnLinks of(line, team.first_part() + own, shapes[p], way, by_rows[p], by_columns[p]);
    links[p] = twice ? of.outer(grid) : of.direct();
    if (!twice) continue;
    inner[p] = of.inner(grid);
    middle_.emplace_back(team.executor(own), std::array<Index, 1>{of.middle_size(grid)});
    middle_views_.push_back(middle_.back().view());
    middle_from_.push_back(middle_.back().view());
  }
  if (!twice || to_columns) {
    first_.emplace(comm, team, links);
    if (twice) second_.emplace(comm, team, inner);
    return;
  }
  first_.emplace(comm, team, inner);
  second_.emplace(comm, team, links);
}

template <class T>
void Turn<T>::start(std::span<const View<const T, 1>> from) {
  pack(from);
  send();
}

template <class T>
void Turn<T>::pack(std::span<const View<const T, 1>> from) {
  first_->pack(from);
}

template <class T>
void Turn<T>::send() {
  first_->send();
}

template <class T>
void Turn<T>::pack_between() {
  if (!second_) return;
  first_->finish(middle_views_);
  second_->pack(middle_from_);
  between_ = true;
}

template <class T>
void Turn<T>::send_between() {
  if (second_) second_->send();
}

template <class T>
void Turn<T>::finish(std::span<const View<T, 1>> to) {
  if (!second_) return first_->finish(to);
  if (!between_) {
    pack_between();
    send_between();
  }
  between_ = false;
  second_->finish(to);
}

template class Turn<double>;
template class Turn<float>;

}  // namespace halocline
