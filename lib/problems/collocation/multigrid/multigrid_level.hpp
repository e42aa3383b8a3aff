// MultigridLevel: one mesh of the hierarchy with its vectors, and the steps of a cycle that concern it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "lib/problems/collocation/discretization/nodal_kernels.hpp"
#include "lib/problems/collocation/multigrid/smoother.hpp"
#include "lib/problems/collocation/multigrid/transfers.hpp"

namespace halocline::collocation {

// Gives every part all lines of a replicated vector of which it has computed some.
template <class T>
class NodalGather {
 public:
  // `own`: lines computed by every part of all ranks.
  NodalGather(const NodalSpace& space, const std::vector<Range<1>>& own);
  void run(NodalVector<T>& f);
  Traffic sent() const { return halo_ ? halo_->sent() : Traffic{}; }

 private:
  std::unique_ptr<Halo<double>> halo_;
  std::vector<View<const double, 1>> owned_;
  std::vector<View<double, 1>> received_;
};

template <class T>
class MultigridLevel {
 public:
  // `views` of every part of this rank; `keep`: what they point to, if nobody else keeps it.
  MultigridLevel(const NodalSpace& space, const Axis& x, const Axis& y, std::vector<EquationView<T>> views,
                 std::vector<Equations<T>> keep);
  void make_smoother(Smoothing smoothing);
  // Tables to and from the next coarser level; `lines`: what each part of this rank computes of its right-hand side,
  // `gather`: whether that then has to be given to all.
  void connect(MultigridLevel& coarser, std::vector<Range<1>> lines, std::unique_ptr<NodalGather<T>> gather);

  const Level<T>& level() const { return level_; }
  NodalVector<T>& f() { return f_; }
  NodalVector<T>& u() { return u_; }

  void smooth(bool from_zero) { smoother_->sweep(f_, u_, from_zero); }
  // Right-hand side of the next level: the restricted residual.
  void restrict_to(MultigridLevel& coarser);
  // Adds the prolonged correction of the next level.
  void correct_from(MultigridLevel& coarser);
  Traffic sent() const;

 private:
  NodalSpace space_;
  Level<T> level_;
  std::vector<Equations<T>> kept_;
  std::vector<NodalProblem<T>> problems_;
  NodalVector<T> f_, u_, r_;
  NodalHalo<T> nearest_, residual_lines_, behind_;
  std::unique_ptr<Smoother<T>> smoother_;
  std::vector<Transfers<T>> transfers_;
  std::vector<Range<1>> coarse_lines_;
  std::unique_ptr<NodalGather<T>> gather_;
};

}  // namespace halocline::collocation
