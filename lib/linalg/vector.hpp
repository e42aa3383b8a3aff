// Vector<T>: distributed values of type double or float, one array per part of this rank, and the fused operations that
// Krylov methods need. Sums: see vector_space.hpp.
//
// Places that no unknown uses hold zero and stay zero under every operation here. Room for ghosts before and behind the
// values of a part is zero at first; operations leave it alone, only whoever exchanges values writes there.
// Infinite or undefined coefficients break that promise; fill(x, 0) mends it. Coefficients are given as double and
// rounded to T once. Operations are asynchronous on devices unless they return
// sums.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/linalg/vector_space.hpp"

namespace halocline {

template <class T>
class Vector {
 public:
  explicit Vector(VectorSpacePtr space);  // all zero
  const VectorSpace& space() const { return *space_; }
  const VectorSpacePtr& space_pointer() const { return space_; }

  // The values of a part, `part` counted within the rank.
  View<T, 1> part(int part) {
    return View<T, 1>(arrays_[part].view().data + space_->layout().room_before(part), space_->layout().size(part));
  }
  View<const T, 1> part(int part) const {
    return View<const T, 1>(arrays_[part].view().data + space_->layout().room_before(part),
                            space_->layout().size(part));
  }
  // The same with the ghosts: those before, the values, those behind, in one piece.
  View<T, 1> whole(int part) { return arrays_[part].view(); }
  View<const T, 1> whole(int part) const { return arrays_[part].view(); }
  // For who exchanges: ghosts are no part of what a vector is worth, and are filled in vectors that are read only.
  View<T, 1> whole_for_ghosts(int part) const {
    const View<const T, 1> all = arrays_[part].view();
    return View<T, 1>(const_cast<T*>(all.data), all.size());
  }

  // Copies of the values of a part from and to the host; they wait for the device.
  void assign(int part, std::span<const T> values);
  std::vector<T> to_host(int part) const;

  // Both of the same space; ghosts go along.
  void swap(Vector& other);

 private:
  VectorSpacePtr space_;
  std::vector<Array<T, 1>> arrays_;
};

// Inner products by name; those that a function does not compute are NaN.
struct Dots {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double xx = unknown, xy = unknown, xw = unknown, yy = unknown, yw = unknown;
};
// Those of a residual with itself and with another vector.
struct ResidualDots {
  double rr, rw;
};

// Sets the used numbers; zero also the unused ones. Values other than zero keep the promise about unused places where
// layouts say what is used.
template <class T>
void fill(Vector<T>& x, double value);
template <class T>
void copy(const Vector<T>& from, Vector<T>& to);
// x_i += a for every used number; the promise as for fill().
template <class T>
void add_constant(double a, Vector<T>& x);
// y += a x; reads 2, writes 1 vector
template <class T>
void axpy(double a, const Vector<T>& x, Vector<T>& y);
// p = r + b p + c v; reads 3, writes 1 vector
template <class T>
void direction(const Vector<T>& r, double b, double c, const Vector<T>& v, Vector<T>& p);
// y = a x + b y + c z; reads 3, writes 1 vector; z may be y
template <class T>
void combine(double a, const Vector<T>& x, double b, double c, const Vector<T>& z, Vector<T>& y);

// xx and xy; reads 2 vectors. Collective.
template <class T>
Dots dots(const Vector<T>& x, const Vector<T>& y);
// The same for the only part of all ranks, with xx and xy left in `sums`, in memory of its device: one launch, no wait.
template <class T>
void device_dots(const Vector<T>& x, const Vector<T>& y, double* sums);
template <class T>
double norm(const Vector<T>& x);  // Euclidean. Collective.
// x += a p + o r; r -= o t; dots of the new r: reads 5, writes 2 vectors. Collective.
template <class T>
ResidualDots update(double a, const Vector<T>& p, double o, const Vector<T>& t, Vector<T>& x, Vector<T>& r,
                    const Vector<T>& w);
// p = u + beta p, s = w + beta s, x += alpha p, r -= alpha s; returns (r, r): reads 6, writes 4 vectors. Collective.
template <class T>
double cg_update(double alpha, double beta, const Vector<T>& u, const Vector<T>& w, Vector<T>& p, Vector<T>& s,
                 Vector<T>& x, Vector<T>& r);

// result[j] = (v_j, y), eight vectors v_j a pass over y, all sums in one message. Collective.
template <class T>
void multi_dot(std::span<const Vector<T>* const> v, const Vector<T>& y, std::span<double> result);
// (v, y) and (w, y) for the only part of all ranks, left in `sums` as by device_dots().
template <class T>
void device_pair_dot(const Vector<T>& v, const Vector<T>& w, const Vector<T>& y, double* sums);
// y += sum of c_j v_j, j ascending, eight vectors v_j a pass over y.
template <class T>
void multi_axpy(std::span<const double> c, std::span<const Vector<T>* const> v, Vector<T>& y);

}  // namespace halocline
