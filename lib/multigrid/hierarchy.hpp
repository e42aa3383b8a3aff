// Hierarchy: levels of multigrid, the finest first, and the cycles on them.
//
// The first levels may be distributed, every part holding its own rows; the others are replicated, every part holding
// all rows and computing the same: once the right-hand side of the first of these has been given to all, nothing is
// sent any more. The coarsest level is replicated as well, unless its solver takes it as it is distributed. Coarse
// levels may live on fewer parts than finer ones; ranks whose parts hold nothing of a level go past it.
//
// Kernels of small levels take less than their launches. On a single part, and where every part holds all of them, what
// a cycle does on them is one graph of launches of each part, where levels repeat themselves.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "lib/multigrid/coarsest.hpp"
#include "lib/multigrid/gather.hpp"
#include "lib/multigrid/level.hpp"
#include "lib/multigrid/part_graphs.hpp"
#include "mpi/partition.hpp"

namespace halocline::multigrid {

// How a level gets its correction from the next one: by one visit; by two; by one of the same kind, then one of kind v.
// The coarsest level, solved exactly, is visited once.
enum class CycleKind { v, w, f };

// From which level on every part holds everything, and what each part of all ranks computes of its right-hand side:
// rows of `row_size` numbers. A level behind the coarsest: none is replicated. `holders`: the parts that hold
// everything, ascending; empty: all.
struct Replication {
  int level;
  Partition rows;
  Index row_size;
  std::vector<int> holders = {};
};

template <class T>
class Hierarchy {
 public:
  // Collective.
  Hierarchy(std::vector<std::unique_ptr<Level<T>>> levels, std::unique_ptr<CoarsestSolver<T>> coarsest,
            const Replication& replication);

  // Another one of the same level: its matrix has new values.
  void replace_coarsest(std::unique_ptr<CoarsestSolver<T>> solver) {
    coarsest_ = std::move(solver);
    forget_launches();
  }
  // To be called when the steps of levels have got other memory or factors.
  void forget_launches();

  int levels() const { return static_cast<int>(levels_.size()); }
  Level<T>& level(int number) { return *levels_[static_cast<std::size_t>(number)]; }

  // After a part has set its own rows of f of the first replicated level: gives them to all.
  void share(int level) {
    if (level == replicated_) to_all_.exchange(levels_[static_cast<std::size_t>(level)]->f());
  }
  // u for f of the finest level, which is `factor` times r; y = factor u.
  void load(double factor, const Vector<double>& r);
  double loaded_norm(const Vector<double>& r) const { return levels_.front()->loaded_norm(r); }
  void unload(double factor, Vector<double>& y);
  // One cycle for A u = f on level `first`, from the u that is there or from zero. Begun on coarser levels it serves
  // full multigrid. On the coarsest level it solves. Cycles from zero are taken to be repeated.
  void cycle(CycleKind kind, int first = 0, bool from_zero = true);

  Traffic sent() const;  // by this rank, since construction
  // Bytes that a cycle on the finest level must move at least, all parts together.
  double bytes(CycleKind kind) const;

 private:
  // The scopes of a level in a profile: "level 2/smooth".
  struct ScopeNames {
    std::string smooth, restrict, correct;
  };
  const Team& team() const { return levels_.front()->space().team(); }
  int first_graphed() const;
  // A cycle, as the graph of its launches where there is one.
  void repeat(CycleKind kind, int first, bool from_zero);
  void visit(CycleKind kind, int first, bool from_zero);
  // Every step of a cycle passes through one of these.
  void smooth_down(int level, bool from_zero);
  void restrict_from(int level);
  void correct(int level);
  void smooth_up(int level);
  void solve_coarsest();

  std::vector<std::unique_ptr<Level<T>>> levels_;
  std::vector<ScopeNames> names_;
  std::unique_ptr<CoarsestSolver<T>> coarsest_;
  int replicated_;    // the first such level
  Gather<T> to_all_;  // gives its right-hand side to all parts that hold it
  int graphed_;       // the level whose cycles are graphs; levels(): none
  static constexpr const char* small_levels = "small levels of a cycle";
  std::array<PartGraphs, 6> graphs_{PartGraphs(small_levels), PartGraphs(small_levels), PartGraphs(small_levels),
                                    PartGraphs(small_levels), PartGraphs(small_levels), PartGraphs(small_levels)};
};

}  // namespace halocline::multigrid
