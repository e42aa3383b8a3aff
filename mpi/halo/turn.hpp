// Turn: brings what parts hold by rows, all columns of each, to where they hold it by columns, all rows of each; or the
// way back. In one stage every part sends to every other one. In two stages parts stand in a grid, part p in row p / C
// and column p % C of it: values go first within columns of the grid, to the row of the part they are for, then within
// that row. They travel twice, in about 2 root(parts) messages of each part instead of parts - 1: turn_stages.hpp says
// where.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lib/base/array.hpp"
#include "mpi/halo/halo_in_halves.hpp"
#include "mpi/halo/turn_stages.hpp"

namespace halocline {

// Parts that turn among themselves: `count` of them in a line, `stride` apart, of parts in a table that such lines make
// up. count 0: all parts of the run.
struct PartLine {
  int count = 0, stride = 1;
  int member(int part) const { return part / stride % count; }
  // A member of the line of part `near`.
  int part(int near, int member) const { return near + (member - this->member(near)) * stride; }
};

struct TurnShape {
  Partition rows, columns;  // of the members of a line; members may have none
  Index kinds = 1;          // values at a row and column
  Index overlap = 0;        // rows behind its own that the way to rows brings to a part, too, where there are so many
};

// Where a part that holds rows has them: value k of row i and column j at offset + i * row + k * kind + j, i counted
// from its first row. A part that holds columns has the values of its n columns at offset + (i * kinds + k) * n + j, j
// counted from its first column.
struct TurnRows {
  Index offset, row, kind;
};

enum class TurnWay { to_columns, to_rows };

// T: double or float. Results do not depend on the number of stages.
template <class T>
class Turn {
 public:
  // `by_rows`, `by_columns` (offsets): of every part of this rank. Collective.
  Turn(const Communicator& comm, const Team& team, const TurnShape& shape, TurnWay way,
       std::span<const TurnRows> by_rows, std::span<const Index> by_columns, TurnStages stages = TurnStages::automatic);
  // In lines of parts, all at the same time; `shapes`: of the line of every part of this rank. Collective.
  Turn(const Communicator& comm, const Team& team, const PartLine& line, std::span<const TurnShape> shapes, TurnWay way,
       std::span<const TurnRows> by_rows, std::span<const Index> by_columns, TurnStages stages = TurnStages::automatic);

  // As of Halo and HaloInHalves: one view per part of this rank.
  void start(std::span<const View<const T, 1>> from);
  void pack(std::span<const View<const T, 1>> from);
  void send();
  // Between the stages of two: takes what the first brought and queues what collects it for the second, and sends it.
  // finish() does both where they were not called; in one stage they do nothing. With other turns under way: packed and
  // sent in one order by all ranks, as halos are.
  void pack_between();
  void send_between();
  void finish(std::span<const View<T, 1>> to);

  int stages() const { return second_ ? 2 : 1; }
  Traffic sent() const { return second_ ? first_->sent() + second_->sent() : first_->sent(); }

 private:
  std::vector<Array<T, 1>> middle_;  // between the stages
  std::vector<View<T, 1>> middle_views_;
  std::vector<View<const T, 1>> middle_from_;
  std::optional<HaloInHalves<T>> first_, second_;
  bool between_ = false;  // the second stage is under way
};

}  // namespace halocline
