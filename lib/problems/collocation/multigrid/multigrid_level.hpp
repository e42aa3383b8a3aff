// MultigridLevel: one mesh of the hierarchy: its equations, smoother, and transfers to and from the next coarser mesh,
// which may live on fewer parts.
#pragma once

#include <memory>
#include <vector>

#include "lib/multigrid/level.hpp"
#include "lib/problems/collocation/discretization/nodal_kernels.hpp"
#include "lib/problems/collocation/multigrid/smoother.hpp"
#include "lib/problems/collocation/multigrid/transfers.hpp"

namespace halocline::collocation {

template <class T>
class MultigridLevel final : public multigrid::Level<T> {
 public:
  // `views` of every part of this rank; `keep`: what they point to, if nobody else keeps it; `own`: as for
  // multigrid::Level.
  MultigridLevel(const NodalSpace& space, const Axis& x, const Axis& y, std::vector<EquationView<T>> views,
                 std::vector<Equations<T>> keep, std::vector<Index> own);
  void make_smoother(Smoothing smoothing);
  // Makes tables to and from the next coarser level, which outlives this; `lines`: what each part of this rank computes
  // of its right-hand side, and that level holds.
  void connect(const MultigridLevel& coarser, std::vector<Range<1>> lines);
  // The same for a level on fewer parts. Lines of all parts: those that they compute, those that they are to have, or
  // to give to all who hold the level. Collective.
  void connect(const MultigridLevel& coarser, const Partition& computed, const Partition& taken);
  // Of the finest level, where corrections in single precision come to sides of kind robin: has unload() round there.
  // `fine`: equations of the own lines of every part of this rank.
  void round_on_sides(std::vector<EquationView<double>> fine) { rounded_ = std::move(fine); }

  const LevelMesh<T>& mesh() const { return mesh_; }

  // New values of the coefficients, one after the other: f holds those of coefficient k, which become this level's, and
  // gives their restriction to the f of the coarser level; in the end the smoother follows. On a level that uses the
  // equations of others these have their values already.
  void take_coefficient(int k);
  void restrict_values_to(MultigridLevel& coarser);
  void refresh_smoother() {
    if (smoother_) smoother_->refresh();
  }

  void pre_smooth(bool from_zero) override {
    smoother_->sweep(this->f(), this->u(), from_zero ? SweepStart::zero : SweepStart::own_lines);
  }
  // Leaves the nearest lines of other parts in u; correct_from() corrects them too, so that what comes next need not
  // exchange them once more.
  void restrict_to(multigrid::Level<T>& coarser) override;
  void correct_from(multigrid::Level<T>& coarser) override;
  // Of what correct_from() has just left.
  void post_smooth() override { smoother_->sweep(this->f(), this->u(), SweepStart::nearest_lines); }
  // Sweeps may exchange the memory of u; after the second one of a cycle it is what it was.
  bool repeats() const override { return true; }
  bool idle() const override { return !space_.holds_anything(); }
  void unload(double factor, Vector<double>& y) override;
  Traffic sent() const override;
  // By the model of docs/performance/collocation.md.
  double bytes() const override;

 private:
  // Of values at the points of equations, whose ghosts this fills.
  void restrict_from(const Vector<T>& r, multigrid::Level<T>& coarser);

  void make_transfers(const MultigridLevel& coarser);

  // Own lines of part `p`, counted from the first one, with the nearest ones of other parts.
  Range<1> lines_and_nearest(int p) const;
  // Of the lines of part `p`, what a transfer can do without lines of other parts: coarse ones of the mesh, and so many
  // own fine ones from the first on.
  Range<1> inner_coarse_lines(int p) const;
  Index fine_lines_inside(int p) const;

  // The next level's lines where parts compute them, and the way from and to where they live.
  struct Elsewhere {
    NodalSpace space;
    Vector<T> f, u;
    VectorHalo<T> there, back;  // back: with the nearest lines
  };

  NodalSpace space_;
  LevelMesh<T> mesh_;
  std::vector<Equations<T>> kept_;
  std::vector<NodalProblem<T>> problems_;
  Vector<T> r_;
  VectorHalo<T> nearest_, residual_lines_, coarser_nearest_;
  std::unique_ptr<Smoother<T>> smoother_;
  const NodalSpace* coarser_ = nullptr;  // whose lines transfers meet: of the next level, or of elsewhere_
  std::unique_ptr<Elsewhere> elsewhere_;
  std::vector<Transfers<T>> transfers_;
  std::vector<Range<1>> coarse_lines_;
  std::vector<EquationView<double>> rounded_;
};

}  // namespace halocline::collocation
