#include "lib/linalg/operator.hpp"

#include <array>

namespace halocline {

template <class T>
void Operator<T>::residual(const Vector<T>& b, const Vector<T>& x, Vector<T>& r) const {
  apply(x, r);
  combine(1, b, -1, 0, b, r);
}

template <class T>
Dots Operator<T>::apply_with_dots(const Vector<T>& x, Vector<T>& y, const Vector<T>& w) const {
  apply(x, y);
  const Dots own = dots(y, w);
  return {.yy = own.xx, .yw = own.xy};
}

template <class T>
Dots Operator<T>::apply_with_energy(const Vector<T>& x, Vector<T>& y, const Vector<T>& w) const {
  apply(x, y);
  std::array<double, 2> products;
  multi_dot<T>(std::array{static_cast<const Vector<T>*>(&y), &w}, x, products);
  return {.xy = products[0], .xw = products[1]};
}

template <class T>
EnergySums Operator<T>::apply_with_energy_sums(const Vector<T>& u, Vector<T>& w, const Vector<T>& r,
                                               const Vector<T>* q) const {
  apply(u, w);
  return q != nullptr ? energy_sums(u, w, r, *q) : energy_sums(u, w, r);
}

template <class T>
StepSums Operator<T>::apply_with_step_sums(const Vector<T>& x, Vector<T>& t, const Vector<T>& s,
                                           const Vector<T>& r0) const {
  apply(x, t);
  return step_sums(t, s, r0);
}

template <class T>
void Operator<T>::apply_with_device_dots(const Vector<T>& x, Vector<T>& y, const Vector<T>& w, double* sums) const {
  require(only_launches(), "Operator: products of this one are no launches alone");
  apply(x, y);
  device_dots(y, w, sums);
}

template <class T>
void Operator<T>::apply_with_device_energy(const Vector<T>& x, Vector<T>& y, const Vector<T>& w, double* sums) const {
  require(only_launches(), "Operator: products of this one are no launches alone");
  apply(x, y);
  device_pair_dot(y, w, x, sums);
}

template <class T>
void Operator<T>::apply_with_device_step_sums(const Vector<T>& s, Vector<T>& t, const Vector<T>& r0,
                                              double* sums) const {
  require(only_launches(), "Operator: products of this one are no launches alone");
  apply(s, t);
  device_step_sums(t, s, r0, sums);
}

template <class T>
void Operator<T>::keep(int slot, const Vector<T>& y) const {
  const auto n = static_cast<std::size_t>(slot);
  require(n <= kept_.size(), "Operator: slots are used in order");
  if (n == kept_.size()) {
    kept_.emplace_back(y.space_pointer());
    kept_pointers_.clear();
    for (const Vector<T>& kept : kept_) kept_pointers_.push_back(&kept);
  }
  copy(y, kept_[n]);
}

template <class T>
void Operator<T>::add_kept(std::span<const double> coefficients, Vector<T>& x) const {
  require(coefficients.size() <= kept_.size(), "Operator: more coefficients than results kept");
  multi_axpy<T>(coefficients, std::span(kept_pointers_).first(coefficients.size()), x);
}

template class Operator<double>;
template class Operator<float>;

}  // namespace halocline
