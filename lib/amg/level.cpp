#include "lib/amg/level.hpp"

#include <utility>

#include "lib/amg/level_kernels.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/formats/row_products.hpp"

namespace halocline::amg {
namespace {

template <class T>
VectorHalo<T> halo_of(const LevelMatrix<T>& m) {
  return VectorHalo<T>(*m.columns->space(), m.columns->links());
}

template <class T>
Index stored_on(const LevelMatrix<T>& m, int part) {
  return m.rows.pattern().part(part).stored_with_longs();
}

}  // namespace

template <class T>
Level<T>::Level(LevelMatrix<T> a, std::optional<Transfer<T>> transfer, VectorSpacePtr u_space,
                const SmootherOptions& smoother, double largest_row, EndsPtr ends, bool idle)
    : multigrid::Level<T>(a.columns->space(), u_space ? u_space : a.columns->space()),
      a_(std::move(a)),
      transfer_(std::move(transfer)),
      smoother_(smoother),
      largest_row_(largest_row),
      ends_(std::move(ends)),
      idle_(idle),
      a_halo_(halo_of(a_)) {
  y_.emplace_back(a_.columns->space());
  if (!transfer_) return;
  residual_.emplace(transfer_->restriction.columns->space());
  require(!transfer_->residuals_of_others || transfer_->restriction.columns == a_.columns, "amg: columns of residuals");
  if (!transfer_->residuals_of_others) r_halo_ = halo_of(transfer_->restriction);
  p_halo_ = halo_of(transfer_->prolongation);
  if (smoother_.kind != SmootherKind::chebyshev) return;
  for (int n = 0; n < 3; ++n) chebyshev_.emplace_back(a_.columns->space());
}

template <class T>
void Level<T>::renew(const ScaledValues& a, const ScaledValues* restriction, const ScaledValues* prolongation,
                     double largest_row) {
  const auto fill = [](LevelMatrix<T>& m, const ScaledValues& values) {
    m.rows.fill(values.matrix(), values.factors());
  };
  fill(a_, a);
  largest_row_ = largest_row;
  if (!transfer_) return;
  fill(transfer_->restriction, *restriction);
  fill(transfer_->prolongation, *prolongation);
}

// make_end(part) for the sums of all rows, those of others only if asked for; those without ghosts while ghosts travel.
// `halo`: null where ghosts are known.
template <class T>
template <class MakeEnd>
void Level<T>::multiply(const char* name, const LevelMatrix<T>& m, VectorHalo<T>* halo, const Vector<T>& x,
                        const MakeEnd& make_end, bool of_others) {
  if (halo == nullptr) {
    team().each([&](int p) {
      multiply_long_rows(m.rows, p, m.columns->columns(x, p));
      multiply_windows(name, m.rows, p, sparse::Windows::own, m.columns->columns(x, p), make_end(p));
    });
    return;
  }
  halo->start(x);
  team().each([&](int p) {
    multiply_windows(name, m.rows, p, sparse::Windows::inside, m.columns->columns(x, p), make_end(p));
  });
  halo->finish(x);
  const sparse::Windows late = of_others ? sparse::Windows::with_others : sparse::Windows::with_ghosts;
  team().each([&](int p) {
    multiply_long_rows(m.rows, p, m.columns->columns(x, p));
    multiply_windows(name, m.rows, p, late, m.columns->columns(x, p), make_end(p));
  });
}

template <class T>
Vector<T>& Level<T>::other() {
  if (at_ == 0 && y_.size() == 1) y_.emplace_back(a_.columns->space());
  return y_[at_ == 0 ? 1 : 0];
}

template <class T>
void Level<T>::sweep(Vector<T>& to) {
  f_is_known_ = f_is_known_ || at_ < 0;
  multiply("smooth", a_, halo_of_iterate(), iterate(), [&](int p) {
    return SweepEnd<T>{iterate().part(p).data, std::as_const(*this).f().part(p).data, to.part(p).data};
  });
}

template <class T>
void Level<T>::scale_to(T factor, const Vector<T>& x, Vector<T>& y) {
  team().each([&](int p) {
    launch(*team().executor(p), {"scale", 2.0 * sizeof(T) * static_cast<double>(rows(p))}, up_to(rows(p)),
           TimesBody<T>{factor, x.part(p).data, y.part(p).data});
  });
}

// Of the fourth kind, for eigenvalues up to the largest sum of a row.
template <class T>
void Level<T>::chebyshev(bool from_zero) {
  Vector<T>&r = chebyshev_[0], *d = &chebyshev_[1], *next = &chebyshev_[2], &y = y_[0];
  if (from_zero) {
    scale_to(1, this->f(), r);
    fill(y, 0);
  } else {
    multiply("residual", a_, halo_of_iterate(), y, [&](int p) {
      return sparse::ResidualEnd<T>{std::as_const(*this).f().part(p).data, r.part(p).data};
    });
  }
  scale_to(static_cast<T>(4 / (3 * largest_row_)), r, *d);
  axpy(1, *d, y);
  for (int j = 2; j <= smoother_.degree; ++j) {
    const double momentum = (2.0 * j - 3) / (2.0 * j + 1), rate = (8.0 * j - 4) / ((2.0 * j + 1) * largest_row_);
    multiply("smooth", a_, &a_halo_, *d, [&](int p) {
      return ChebyshevEnd<T>{static_cast<T>(momentum), static_cast<T>(rate), std::as_const(*d).part(p).data,
                             r.part(p).data,           next->part(p).data,   y.part(p).data};
    });
    std::swap(d, next);
  }
  at_ = 0;
}

template <class T>
void Level<T>::sweeps(int count) {
  for (int n = 0; n < count; ++n) {
    Vector<T>& to = other();
    sweep(to);
    at_ = &to == &y_[0] ? 0 : 1;
  }
}

template <class T>
void Level<T>::last_sweep() {
  sweep_is_due_ = ends_ != nullptr;
  if (!sweep_is_due_) sweep(this->u());
}

template <class T>
void Level<T>::pre_smooth(bool from_zero) {
  at_ = from_zero ? -1 : 0;
  f_is_known_ = iterate_is_known_ = false;
  if (!from_zero) scale_to(1, this->u(), y_[0]);
  if (smoother_.kind == SmootherKind::jacobi) return sweeps(from_zero ? smoother_.sweeps - 1 : smoother_.sweeps);
  for (int n = 0; n < smoother_.sweeps; ++n) chebyshev(from_zero && n == 0);
}

template <class T>
void Level<T>::restrict_to(multigrid::Level<T>& coarser) {
  const bool of_others = transfer_->residuals_of_others && (f_is_known_ || at_ < 0);
  const auto make_end = [&](int p) {
    return sparse::ResidualEnd<T>{std::as_const(*this).f().part(p).data, residual_->part(p).data};
  };
  multiply("residual", a_, &a_halo_, iterate(), make_end, of_others);
  VectorHalo<T>* halo = transfer_->residuals_of_others ? &a_halo_ : &r_halo_;
  const std::vector<Index>& to = transfer_->to;
  multiply("restrict", transfer_->restriction, of_others ? nullptr : halo, *residual_, [&](int p) {
    return sparse::StoreEnd<T>{coarser.f().part(p).data + (to.empty() ? 0 : to[static_cast<std::size_t>(p)])};
  });
}

template <class T>
void Level<T>::correct_from(multigrid::Level<T>& coarser) {
  Vector<T>& y = y_[at_ == 1 ? 1 : 0];
  const auto make_end = [&](int p) { return CorrectEnd<T>{iterate().part(p).data, y.part(p).data}; };
  multiply("prolong", transfer_->prolongation, &p_halo_, coarser.u(), make_end, transfer_->corrections_of_others);
  at_ = at_ == 1 ? 1 : 0;
  iterate_is_known_ = transfer_->corrections_of_others;
}

template <class T>
void Level<T>::post_smooth() {
  if (smoother_.kind == SmootherKind::jacobi) {
    sweeps(smoother_.sweeps - 1);
    return last_sweep();
  }
  for (int n = 0; n < smoother_.sweeps; ++n) chebyshev(false);
  if (ends_ == nullptr) scale_to(1, y_[0], this->u());
}

template <class T>
void Level<T>::sweep_from_zero(int count) {
  at_ = -1;
  iterate_is_known_ = false;
  sweeps(count - 2);
  last_sweep();
}

template <class T>
void Level<T>::load(double factor, const Vector<double>& r) {
  team().each([&](int p) {
    launch(*team().executor(p), {"to the cycle", (16.0 + sizeof(T)) * static_cast<double>(rows(p))}, up_to(rows(p)),
           ScaledBody<double, T>{factor, ends_->in.part(p).data, r.part(p).data, this->f().part(p).data});
  });
}

template <class T>
void Level<T>::unload(double factor, Vector<double>& y) {
  if (sweep_is_due_)
    return multiply("smooth", a_, halo_of_iterate(), iterate(), [&](int p) {
      return OutEnd<T>{factor, iterate().part(p).data, std::as_const(*this).f().part(p).data, ends_->out.part(p).data,
                       y.part(p).data};
    });
  team().each([&](int p) {
    launch(*team().executor(p), {"from the cycle", (16.0 + sizeof(T)) * static_cast<double>(rows(p))}, up_to(rows(p)),
           ScaledBody<T, double>{factor, ends_->out.part(p).data, iterate().part(p).data, y.part(p).data});
  });
}

template <class T>
Traffic Level<T>::sent() const {
  Traffic all = a_halo_.sent();
  all += r_halo_.sent();
  all += p_halo_.sent();
  return all;
}

template <class T>
double Level<T>::bytes() const {
  const auto matrix = [](const LevelMatrix<T>& m) {
    double entries = 0;
    for (int p = 0; p < m.rows.team().parts(); ++p) entries += static_cast<double>(stored_on(m, p));
    return entries * (sizeof(T) + sizeof(LocalIndex));
  };
  double all_rows = 0;
  for (int p = 0; p < team().parts(); ++p) all_rows += static_cast<double>(rows(p));
  const int products = smoother_.sweeps * (smoother_.kind == SmootherKind::jacobi ? 2 : 2 * smoother_.degree);
  double all = products * (matrix(a_) + 4.0 * sizeof(T) * all_rows);
  if (transfer_) all += matrix(transfer_->restriction) + matrix(transfer_->prolongation) + 4.0 * sizeof(T) * all_rows;
  return all;
}

template <class T>
Index Level<T>::stored(int part) const {
  const auto own = [part](const LevelMatrix<T>& m) { return m.rows.pattern().stored_of_own(part); };
  return transfer_ ? own(a_) + own(transfer_->restriction) + own(transfer_->prolongation) : own(a_);
}

template class Level<double>;
template class Level<float>;

}  // namespace halocline::amg
