// What the methods share that solve for the unknowns of all lines, as vectors in the layout of nodal_layout.hpp.
#pragma once

#include <memory>
#include <vector>

#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "lib/problems/collocation/discretization/row_scaling.hpp"
#include "lib/problems/collocation/solver.hpp"

namespace halocline::collocation {

// Lines of the parts of this rank, as the plan has shared them out.
std::vector<NodalBlock> nodal_blocks(const Context& context, const Formulation& problem);
// b = f - L G. DeckError, on all ranks, when f is not finite somewhere.
void load_right_hand_side(const Context& context, const Formulation& problem, const std::vector<NodalBlock>& blocks,
                          Vector<double>& b);

enum class Scaling { none, rows };  // rows: see row_scaling.hpp

// The equations of the parts of this rank, and the operator that they make.
struct NodalSystem {
  NodalSystem(const Context& context, const Formulation& problem, const std::vector<NodalBlock>& blocks,
              const VectorSpacePtr& space, Scaling scaling);
  // With rows scaled: right-hand sides likewise.
  void scale(Vector<double>& b) const;

  std::vector<ScaledEquations> parts;
  std::vector<const Equations<double>*> equations;  // of the parts
  std::unique_ptr<NodalOperator> product;
};

// Saves and restores vectors line by line, in the order of the mesh.
class NodalArchive final : public VectorArchive<double> {
 public:
  NodalArchive(StateArchive& state, const std::vector<NodalBlock>& blocks) : state_(state), blocks_(blocks) {}
  void vector(const char* name, Vector<double>& x) const override;

 private:
  StateArchive& state_;
  const std::vector<NodalBlock>& blocks_;
};

class NodalSolver : public Solver {
 public:
  void unknowns(int part, double* to) override { copy_part(x_, part, to); }
  Range<1> lines(int part) const final { return {{blocks_[part].first_line}, {blocks_[part].end_line}}; }

 protected:
  // Loads the right-hand side, unscaled. Collective; DeckError when f is not finite somewhere.
  NodalSolver(const Context& context, const Formulation& problem);

  Context context_;
  const Formulation& problem_;
  std::vector<NodalBlock> blocks_;
  VectorSpacePtr space_;
  Vector<double> b_, x_;
};

// By an iteration on the equations of all lines. Whoever derives makes krylov_, and has begin() start it.
class NodalIteration : public NodalSolver {
 public:
  bool iterate(int n) final { return krylov_->iterate(n); }
  const SolveReport& report() const final { return krylov_->report(); }
  void archive(StateArchive& state) final;

 protected:
  NodalIteration(const Context& context, const Formulation& problem, Scaling scaling = Scaling::none)
      : NodalSolver(context, problem), system_(context, problem, blocks_, space_, scaling) {}

  NodalSystem system_;
  std::unique_ptr<KrylovSolver<double>> krylov_;
  const char* archived_x_ = "x";  // name of the solution in checkpoints
};

}  // namespace halocline::collocation
