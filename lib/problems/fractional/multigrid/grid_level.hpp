// GridLevel: a level of multigrid for unsplit steps: two sweeps by Jacobi with the factors of the polynomial of
// Chebyshev before and after the visit of the next level, so that a cycle is symmetric.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/fields/slabs.hpp"
#include "lib/linalg/vector_halo.hpp"
#include "lib/multigrid/coarsest.hpp"
#include "lib/multigrid/gather.hpp"
#include "lib/multigrid/level.hpp"
#include "lib/problems/fractional/multigrid/axis_level.hpp"
#include "lib/problems/fractional/multigrid/entry_kernels.hpp"
#include "mpi/partition.hpp"

namespace halocline::fractional {

/// What a level is made of.
struct LevelSetup {
  VectorSpacePtr space;          // room for a plane of ghosts, and some values more, around the values of a part
  std::vector<LevelGrid> grids;  // of the parts of the rank
  std::array<AxisLevel, 3> axes;
  std::array<AxisEntries, 3> entries;  // where `common`
  bool common = false;                 // has tables of the axes in place of fields of coefficients
  bool shared = false;                 // parts hold planes of their own
  bool gathers = false;                // the first level that is not shared by several parts
  double least = 2;                    // see LevelPlan
  Partition planes;                    // of the level, by parts of all ranks, even where each of them holds everything
};

class GridLevel final : public multigrid::Level<Real> {
 public:
  explicit GridLevel(const LevelSetup& setup);

  void pre_smooth(bool from_zero) override;
  void restrict_to(Level& coarser) override;
  void correct_from(Level& coarser) override;
  void post_smooth() override;
  Traffic sent() const override { return ghosts_.sent() + to_all_.sent(); }
  double bytes() const override;
  /// u = f over the diagonal, which solves where there is one unknown.
  void solve_single();

  /// Values from plane to plane.
  Index plane() const { return grids_.front().slab.plane; }
  /// Of the finest level.
  void set_edges(const std::vector<FirstEntries>& of, double scale);
  void set_masses(const std::vector<FirstEntries>& of, double scale, const std::vector<NodeValue>& nu);
  /// Tables of the axes.
  void set_inverse_nu(Real inverse_nu) { inverse_nu_ = inverse_nu; }
  /// From those of this level, by all parts for their planes, and then to whom it concerns.
  void make_edges_of(GridLevel& coarser);
  void make_masses_of(GridLevel& coarser);

 private:
  enum Field { along_x, along_y, along_z, mass };
  struct PartTables {
    Array<Real, 1> values;
    Transfer transfer;
    CommonEntries common;
  };
  const Team& team() const { return space().team(); }
  static PartTables tables_of(const LevelSetup& setup, const ExecutorPtr& executor);
  // Those of a part's planes on the next level that it computes, and where they lie there.
  SlabLayout computed(int part, const GridLevel& coarser) const;
  Index offset(int part, const GridLevel& coarser) const;
  void restrict_field(const Vector<Real>& of, GridLevel& coarser, Vector<Real>& to);
  void complete(Vector<Real>& of);
  void sweep(double factor);
  void first_sweep(double factor);
  template <class Launch>
  void with_entries(const Launch& launch);

  std::vector<LevelGrid> grids_;
  Partition planes_;
  bool common_, shared_;
  std::array<double, 2> factors_;
  std::vector<PartTables> tables_;
  std::vector<Vector<Real>> fields_;
  Vector<Real> work_;
  VectorHalo<Real> ghosts_;
  multigrid::Gather<Real> to_all_;
  Real inverse_nu_ = 0;
};

/// Of the finest level, by its coefficients in rows of Lambda. Collective.
double largest_edge(const Slabs<double>& slabs, const std::vector<FirstEntries>& of);

/// Of a level with one unknown, which outlives it.
std::unique_ptr<multigrid::CoarsestSolver<Real>> make_single_solver(GridLevel& level);

}  // namespace halocline::fractional
