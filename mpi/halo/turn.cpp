#include "mpi/halo/turn.hpp"

#include <algorithm>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

// Rows of parts that follow each other at equal distances.
struct Group {
  Index first, rows, blocks, distance;
};

class TurnLinks {
 public:
  TurnLinks(const Team& team, const TurnShape& shape, TurnWay way, std::span<const TurnRows> by_rows,
            std::span<const Index> by_columns)
      : team_(team), shape_(shape), way_(way), by_rows_(by_rows), by_columns_(by_columns) {
    require(shape.rows.parts() == team.total_parts() && shape.columns.parts() == team.total_parts(),
            "Turn: partitions and team differ in parts");
    require(static_cast<int>(by_rows.size()) == team.parts() && by_columns.size() == by_rows.size(),
            "Turn: a place per part");
  }

  Links direct() const {
    Links links = none();
    each([&](int p, int own) {
      for (int other = 0; other < team_.total_parts(); ++other)
        add(links[p], other, of_rows(p, rows_of(own), columns_of(other)),
            run_of_columns(p, rows_of(other).lo[0], rows_of(other).size()));
    });
    return links;
  }

  // Between rows and the middle, along columns of the grid.
  Links outer(const TurnGrid& grid) const {
    Links links = none();
    each([&](int p, int own) {
      const int row = own / grid.columns, column = own % grid.columns;
      const Index line = shape_.kinds * columns_of(grid, row).size();
      Index at = 0;  // rows in the middle
      for (int other = 0; other < grid.rows; ++other) {
        const int part = grid.part(other, column);
        const Index rows = rows_of(part).size();
        add(links[p], part, of_rows(p, rows_of(own), columns_of(grid, other)), IndexSet::run(at * line, rows * line));
        at += rows;
      }
    });
    return links;
  }

  // Between the middle and columns, along rows of the grid.
  Links inner(const TurnGrid& grid) const {
    Links links = none();
    each([&](int p, int own) {
      const int row = own / grid.columns, column = own % grid.columns;
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
          if (g < theirs.size()) turned = of_columns(p, theirs[g]);
          add(links[p], grid.part(row, other), std::move(middle), std::move(turned));
        }
      }
    });
    return links;
  }

  Index middle_size(const TurnGrid& grid, int p) const {
    const int own = team_.first_part() + p;
    Index rows = 0;
    for (int other = 0; other < grid.rows; ++other) rows += rows_of(grid.part(other, own % grid.columns)).size();
    return rows * shape_.kinds * columns_of(grid, own / grid.columns).size();
  }

 private:
  Links none() const { return Links(static_cast<std::size_t>(team_.parts())); }

  template <class Work>
  void each(const Work& work) const {
    for (int p = 0; p < team_.parts(); ++p) work(p, team_.first_part() + p);
  }

  // `near`: of the side of rows, `far`: of that of columns.
  void add(std::vector<Link>& links, int other, IndexSet near, IndexSet far) const {
    if (near.size() == 0 && far.size() == 0) return;
    if (way_ == TurnWay::to_columns)
      links.push_back({other, std::move(near), std::move(far)});
    else
      links.push_back({other, std::move(far), std::move(near)});
  }

  Range<1> rows_of(int part) const {
    Range<1> rows = shape_.rows.block(part);
    if (way_ == TurnWay::to_rows) rows.hi[0] = std::min(rows.hi[0] + shape_.overlap, shape_.rows.count());
    return rows;
  }
  Range<1> columns_of(int part) const { return shape_.columns.block(part); }
  Range<1> columns_of(const TurnGrid& grid, int row) const {
    return {{columns_of(grid.part(row, 0)).lo[0]}, {columns_of(grid.part(row, grid.columns - 1)).hi[0]}};
  }

  // Rows of the parts in a column of the grid.
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

  IndexSet of_rows(int p, const Range<1>& rows, const Range<1>& columns) const {
    const TurnRows& place = by_rows_[p];
    return {place.offset + columns.lo[0], {rows.size(), shape_.kinds, columns.size()}, {place.row, place.kind, 1}, {}};
  }
  // Values of a row of the part's columns.
  Index line_of(int p) const { return shape_.kinds * columns_of(team_.first_part() + p).size(); }
  IndexSet run_of_columns(int p, Index first, Index rows) const {
    return IndexSet::run(by_columns_[p] + first * line_of(p), rows * line_of(p));
  }
  IndexSet of_columns(int p, const Group& group) const {
    IndexSet set = run_of_columns(p, group.first, group.rows);
    set.extent[0] = group.blocks;
    set.stride[0] = group.distance * line_of(p);
    return set;
  }

  const Team& team_;
  const TurnShape& shape_;
  TurnWay way_;
  std::span<const TurnRows> by_rows_;
  std::span<const Index> by_columns_;
};

bool in_two_stages(TurnStages stages, const TurnGrid& grid, double bytes) {
  if (stages == TurnStages::automatic) return turns_in_two_stages(grid.rows * grid.columns, bytes);
  return stages == TurnStages::two && grid.rows > 1;
}

}  // namespace

template <class T>
Turn<T>::Turn(const Communicator& comm, const Team& team, const TurnShape& shape, TurnWay way,
              std::span<const TurnRows> by_rows, std::span<const Index> by_columns, TurnStages stages) {
  const TurnLinks links(team, shape, way, by_rows, by_columns);
  const TurnGrid grid = turn_grid(team.total_parts());
  const auto values =
      static_cast<double>(shape.rows.count() * shape.kinds) * static_cast<double>(shape.columns.count());
  if (!in_two_stages(stages, grid, values / team.total_parts() * sizeof(T))) {
    first_.emplace(comm, team, links.direct());
    return;
  }
  for (int p = 0; p < team.parts(); ++p) {
    middle_.emplace_back(team.executor(p), std::array<Index, 1>{links.middle_size(grid, p)});
    middle_views_.push_back(middle_.back().view());
    middle_from_.push_back(middle_.back().view());
  }
  const bool to_columns = way == TurnWay::to_columns;
  first_.emplace(comm, team, to_columns ? links.outer(grid) : links.inner(grid));
  second_.emplace(comm, team, to_columns ? links.inner(grid) : links.outer(grid));
}

template <class T>
void Turn<T>::start(std::span<const View<const T, 1>> from) {
  first_->start(from);
}

template <class T>
void Turn<T>::finish(std::span<const View<T, 1>> to) {
  if (!second_) return first_->finish(to);
  first_->finish(middle_views_);
  second_->start(middle_from_);
  second_->finish(to);
}

template class Turn<double>;
template class Turn<float>;

}  // namespace halocline
