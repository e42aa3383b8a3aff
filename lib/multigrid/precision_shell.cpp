#include "lib/multigrid/precision_shell.hpp"

#include <cmath>

namespace halocline::multigrid {

namespace {

bool can_be_scaled(double norm) { return norm > 0 && std::isfinite(norm); }

}  // namespace

template <class T>
PrecisionShell<T>::PrecisionShell(Hierarchy<T>& hierarchy, double unknowns, CycleKind kind)
    : hierarchy_(&hierarchy), unknowns_(unknowns), kind_(kind) {}

template <class T>
double PrecisionShell<T>::scale_of(double norm) const {
  return std::exp2(std::ilogb(norm / std::sqrt(unknowns_)));
}

template <class T>
void PrecisionShell<T>::begin(const Vector<double>& r) const {
  const double size = hierarchy_->loaded_norm(r);
  scale_ = can_be_scaled(size) ? scale_of(size) : 0;
}

template <class T>
void PrecisionShell<T>::apply(const Vector<double>& x, Vector<double>& y) const {
  double scale = scale_;
  if (scale == 0) {
    const double size = hierarchy_->loaded_norm(x);
    if (!can_be_scaled(size)) return fill(y, size);
    scale = scale_of(size);
  }
  last_ = scale;
  hierarchy_->load(1 / scale, x);
  hierarchy_->cycle(kind_);
  hierarchy_->unload(scale, y);
}

template class PrecisionShell<double>;
template class PrecisionShell<float>;

}  // namespace halocline::multigrid
