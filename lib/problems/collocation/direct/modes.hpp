// Modes: what is left of separable equations when their y part is diagonal. In place of the equations of a line, and
// later of its unknowns, stand coefficients of eigenvectors along y: component qx + 2 h, number l at the place of node
// l, h = 0, 1 and l = 0 .. ny, in the layout of nodal_layout.hpp. Two of these 2 ny + 2 places have no eigenvector and
// hold 0.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lib/linalg/operator.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "mpi/halo/turn.hpp"

namespace halocline::collocation {

// Places of l that are computed: whole groups of eight.
inline Index mode_width(Index ny) { return (ny + lanes) / lanes * lanes; }

// Into and out of modes, on the lines of one part, in memory of its executor. Pointers are to the first own line.
class AlongY {
 public:
  virtual ~AlongY() = default;
  virtual void analyze(Index lines, const double* f, double* modes) = 0;  // f and modes differ
  virtual void synthesize(Index lines, double* modes) = 0;                // to unknowns, in place
};

// For every mode, equations along x to unknowns, in place. Collective.
class AcrossX {
 public:
  virtual ~AcrossX() = default;
  virtual void solve(Vector<double>& modes) = 0;
  virtual Traffic sent() const { return {}; }
};

// x = A^-1 f of a separable operator; f: equations, x: unknowns, see nodal_layout.hpp. Memory: what its parts hold; the
// modes lie in x.
class SeparableInverse final : public Operator<double> {
 public:
  SeparableInverse(std::vector<NodalBlock> blocks, std::vector<std::unique_ptr<AlongY>> along,
                   std::unique_ptr<AcrossX> across);
  void apply(const Vector<double>& f, Vector<double>& x) const override;
  Traffic sent() const { return across_->sent(); }

 private:
  std::vector<NodalBlock> blocks_;
  std::vector<std::unique_ptr<AlongY>> along_;
  std::unique_ptr<AcrossX> across_;
};

// AcrossX that solves for whole columns of modes. With several parts the modes of all of them are turned so that every
// part has all lines of some groups of eight modes, and back; each way sends all but 1/parts of every part's numbers,
// twice where there are many parts (mpi/halo/turn.hpp). A group is what the vector unit of a host computes in the time
// of a single mode, so parts beyond one per group find nothing to do.
class AcrossByColumns : public AcrossX {
 public:
  void solve(Vector<double>& modes) final;
  Traffic sent() const final { return gather_ ? gather_->sent() + scatter_->sent() : Traffic{}; }

 protected:
  // `blocks`: of every part of this rank. Collective.
  AcrossByColumns(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks);
  // Equations to unknowns of all lines, in memory of a part: `columns` modes (whole groups of eight) from `first` on,
  // component c of line i at data + i * line_size + c * stride.
  virtual void solve_columns(int part, double* data, Index columns, Index line_size, Index stride, Index first) = 0;

  const Team* team_;
  std::vector<NodalBlock> blocks_;
  Index width_;

 private:
  Range<1> columns(int part) const { return columns_.block(team_->first_part() + part); }

  Partition columns_;                     // of all parts
  std::vector<Array<double, 1>> turned_;  // [line][component][column]
  std::optional<Turn<double>> gather_, scatter_;
  std::vector<View<double, 1>> modes_views_, turned_views_;
};

// First line of every part of the run, and the number of lines; collective.
std::vector<Index> part_starts(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks);

}  // namespace halocline::collocation
