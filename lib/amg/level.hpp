// Level: a level of algebraic multigrid, in T, scaled such that Jacobi's method with a weight per row reads no
// diagonal: y += g - A y. See setup/weights.hpp for the factors.
//
// f is g, u is y. The first smoothing from zero gives y = g, which is never written.
//
// What needs values of others, in the order of a cycle from zero: the residual those of g, the restriction those of the
// residual, the prolongation those of the next level's solution, the first smoothing after it those of y. Parts that
// hold rows of others form residuals and y of others as their owners do, from wider exchanges of the first and the
// third, and exchange twice. Residuals of others are not formed where the smoother is Chebyshev's, which does not
// exchange g, nor on the second visit of W and F cycles, whose g others may have changed.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lib/amg/level_values.hpp"
#include "lib/linalg/sparse/formats/column_space.hpp"
#include "lib/linalg/sparse/formats/product_rows.hpp"
#include "lib/multigrid/level.hpp"

namespace halocline::amg {

enum class SmootherKind { jacobi, chebyshev };

struct SmootherOptions {
  SmootherKind kind = SmootherKind::jacobi;
  int degree = 2;  // of chebyshev, which is for symmetric matrices
  int sweeps = 1;
};

// Rows of a scaled matrix, and vectors that hold its columns.
template <class T>
struct LevelMatrix {
  sparse::Rows<T> rows;
  std::shared_ptr<const sparse::ColumnSpace> columns;
};

// To the next level and back.
template <class T>
struct Transfer {
  LevelMatrix<T> restriction, prolongation;
  std::vector<Index> to;  // where in the next level's f, for every part, its rows of the restriction begin; empty: at 0
  // Whether parts hold rows of others of the level's matrix, those that the restriction refers to, and of the
  // prolongation, those that the matrix refers to. Where the first, the restriction has the columns of the matrix.
  bool residuals_of_others = false, corrections_of_others = false;
};

template <class T>
class Level final : public multigrid::Level<T> {
 public:
  // `largest_row`: no eigenvalue of the scaled matrix is larger. `u_space`: of the columns of the prolongation to the
  // level before; null on the finest. No `transfer`: for the last level. `ends`: of the finest
  // alone. `idle`: see multigrid::Level. Collective.
  Level(LevelMatrix<T> a, std::optional<Transfer<T>> transfer, VectorSpacePtr u_space, const SmootherOptions& smoother,
        double largest_row, EndsPtr ends, bool idle = false);

  // New values of the same patterns; transfers: null on the last level. Collective.
  void renew(const ScaledValues& a, const ScaledValues* restriction, const ScaledValues* prolongation,
             double largest_row);

  void pre_smooth(bool from_zero) override;
  void restrict_to(multigrid::Level<T>& coarser) override;
  void correct_from(multigrid::Level<T>& coarser) override;
  void post_smooth() override;  // on the finest level all but what unload() does
  // On the finest level the host has to know where a cycle has left its iterate.
  bool repeats() const override { return ends_ == nullptr; }
  bool idle() const override { return idle_; }
  void load(double factor, const Vector<double>& r) override;
  void unload(double factor, Vector<double>& y) override;
  double loaded_norm(const Vector<double>& r) const override { return norm_inside(*ends_, r); }

  // u after `count` sweeps of Jacobi's method from zero; the last one by unload() on the finest level.
  void sweep_from_zero(int count);

  Traffic sent() const override;
  double bytes() const override;
  // Entries of own rows that matrix and transfers store on a part of this rank.
  Index stored(int part) const;

 private:
  const Team& team() const { return this->space().team(); }
  Index rows(int part) const { return a_.rows.pattern().part(part).own(); }
  // x after smoothing: f itself, or one of y_.
  const Vector<T>& iterate() const { return at_ < 0 ? this->f() : y_[static_cast<std::size_t>(at_)]; }
  Vector<T>& other();  // of y_, than the iterate
  template <class MakeEnd>
  void multiply(const char* name, const LevelMatrix<T>& m, VectorHalo<T>* halo, const Vector<T>& x,
                const MakeEnd& make_end, bool of_others = false);
  // What brings ghosts of the iterate; null where they are known.
  VectorHalo<T>* halo_of_iterate() { return std::exchange(iterate_is_known_, false) ? nullptr : &a_halo_; }
  void sweep(Vector<T>& to);
  void sweeps(int count);
  void last_sweep();
  void chebyshev(bool from_zero);
  void scale_to(T factor, const Vector<T>& x, Vector<T>& y);

  LevelMatrix<T> a_;
  std::optional<Transfer<T>> transfer_;
  SmootherOptions smoother_;
  double largest_row_;
  EndsPtr ends_;
  bool idle_;
  std::vector<Vector<T>> y_;  // one or two
  int at_ = -1;
  bool sweep_is_due_ = false;  // of unload()
  // Whether ghosts of f and of the iterate are what their owners have.
  bool f_is_known_ = false, iterate_is_known_ = false;
  std::optional<Vector<T>> residual_;
  std::vector<Vector<T>> chebyshev_;  // residual, two directions
  VectorHalo<T> a_halo_, r_halo_, p_halo_;
};

}  // namespace halocline::amg
