// Operator<T>: y = A x on distributed vectors. A preconditioner is one too (y = M^-1 x).
#pragma once

#include <span>
#include <vector>

#include "lib/linalg/vector_sums.hpp"

namespace halocline {

// Everything here is collective. Operators that can fuse sums or the residual with the product.
template <class T>
class Operator {
 public:
  virtual ~Operator() = default;

  virtual void apply(const Vector<T>& x, Vector<T>& y) const = 0;  // x and y differ
  // r = b - A x
  virtual void residual(const Vector<T>& b, const Vector<T>& x, Vector<T>& r) const;
  // As apply, with yy and yw.
  virtual Dots apply_with_dots(const Vector<T>& x, Vector<T>& y, const Vector<T>& w) const;
  // As apply, with xy, the energy of x, and xw.
  virtual Dots apply_with_energy(const Vector<T>& x, Vector<T>& y, const Vector<T>& w) const;

  // As apply, w = A u, with the sums of conjugate gradients; `q` null: all but qu.
  virtual EnergySums apply_with_energy_sums(const Vector<T>& u, Vector<T>& w, const Vector<T>& r,
                                            const Vector<T>* q) const;
  // As apply, t = A x, with the sums of BiCGSTAB; s may be x.
  virtual StepSums apply_with_step_sums(const Vector<T>& x, Vector<T>& t, const Vector<T>& s,
                                        const Vector<T>& r0) const;

  // Whether products make launches alone, the same ones for the same vectors as long as a solve lasts, so that a
  // LaunchGraph can hold those below. Only with a single part of all ranks.
  virtual bool only_launches() const { return false; }
  // Where only_launches() says so: as apply_with_dots and apply_with_energy, with yy and yw, or xy and xw, left in
  // `sums`, in memory of the part's device.
  virtual void apply_with_device_dots(const Vector<T>& x, Vector<T>& y, const Vector<T>& w, double* sums) const;
  virtual void apply_with_device_energy(const Vector<T>& x, Vector<T>& y, const Vector<T>& w, double* sums) const;
  // Likewise apply_with_step_sums(s, t, s, r0), in the order of StepSums.
  virtual void apply_with_device_step_sums(const Vector<T>& s, Vector<T>& t, const Vector<T>& r0, double* sums) const;

  // A solver calls this once, before it applies the operator, with the residual it begins from: the place to choose
  // what must not change during a solve, as a scale.
  virtual void begin(const Vector<T>& /*r*/) const {}

  // For flexible methods, which need what a preconditioner gave once more: keep(slot, y) remembers y, just given by
  // apply(), add_kept(c, x) adds c_0 y_0 + c_1 y_1 + ... to x, y_j as it was given. Slots are used from 0 on. Kept here
  // as vectors of T; an operator that computes in less may keep what it computed.
  // One solver at a time keeps with an operator, from its slot 0 on: begun in turns, each needs an operator of its own.
  // keep_for() says who it is, keeps_for() whether nobody else came since.
  void keep_for(const void* solver) const { keeper_ = solver; }
  bool keeps_for(const void* solver) const { return keeper_ == solver; }
  virtual void keep(int slot, const Vector<T>& y) const;
  virtual void add_kept(std::span<const double> coefficients, Vector<T>& x) const;

 private:
  mutable std::vector<Vector<T>> kept_;
  mutable std::vector<const Vector<T>*> kept_pointers_;
  mutable const void* keeper_ = nullptr;
};

}  // namespace halocline
