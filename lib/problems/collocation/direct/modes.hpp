// Modes: what is left of separable equations when their y part is diagonal. In place of the equations of a line, and
// later of its unknowns, stand coefficients of eigenvectors along y: component qx + 2 h, number l at the place of node
// l, h = 0, 1 and l = 0 .. ny, in the layout of nodal_layout.hpp. Two of these 2 ny + 2 places have no eigenvector and
// hold 0.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/operator.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"
#include "mpi/halo.hpp"

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

// Turns the modes of all parts so that every part has all lines of some groups of eight modes, and back. Sends all but
// 1/parts of every part's numbers each way.
class ModeExchange {
 public:
  // `blocks`: of every part of this rank; `starts`: first line of every part of the run, and the number of lines.
  ModeExchange(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks,
               const std::vector<Index>& starts);
  // Modes of a part of this rank, [line][component][column].
  double* data(int part) { return turned_[part].view().data; }
  Index first_column(int part) const { return first_column(part + team_->first_part(), 0); }
  Index columns(int part) const { return first_column(part + team_->first_part(), 1) - first_column(part); }
  void gather(const Vector<double>& modes);
  void scatter(Vector<double>& modes);
  Traffic sent() const;

 private:
  Index first_column(int global, int after) const;
  const Team* team_;
  Index width_;
  std::vector<Array<double, 1>> turned_;
  std::unique_ptr<Halo<double>> gather_, scatter_;
  std::vector<View<const double, 1>> from_;
  std::vector<View<double, 1>> to_;
};

// First line of every part of the run, and the number of lines; collective.
std::vector<Index> part_starts(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks);

}  // namespace halocline::collocation
