#include "lib/problems/collocation/multigrid/multigrid_level.hpp"

#include <algorithm>

#include "lib/problems/collocation/discretization/nodal_problem.hpp"
#include "lib/problems/collocation/discretization/residual.hpp"
#include "lib/problems/collocation/discretization/split_samples.hpp"
#include "lib/problems/collocation/multigrid/end_rounding.hpp"
#include "mpi/halo/moved_rows.hpp"

namespace halocline::collocation {

template <class T>
MultigridLevel<T>::MultigridLevel(const NodalSpace& space, const Axis& x, const Axis& y,
                                  std::vector<EquationView<T>> views, std::vector<Equations<T>> keep,
                                  std::vector<Index> own)
    : multigrid::Level<T>(space.vectors(), std::move(own)),
      space_(space),
      mesh_{&x, &y, &space_, std::move(views)},
      kept_(std::move(keep)),
      r_(space.vectors()),
      nearest_(space.halo<T>(1, 1)),
      residual_lines_(space.halo<T>(2, 1)) {
  for (int p = 0; p < space_.team().parts(); ++p) problems_.push_back(nodal_problem(mesh_.view(p), x, y));
}

template <class T>
void MultigridLevel<T>::make_smoother(Smoothing smoothing) {
  smoother_ = smoothing == Smoothing::node ? make_node_smoother(mesh_) : make_line_smoother(mesh_, smoothing);
}

template <class T>
void MultigridLevel<T>::connect(const MultigridLevel& coarser, std::vector<Range<1>> lines) {
  coarser_ = &coarser.space_;
  coarser_nearest_ = coarser_->halo<T>(1, 1);
  coarse_lines_ = std::move(lines);
  make_transfers(coarser);
}

template <class T>
void MultigridLevel<T>::connect(const MultigridLevel& coarser, const Partition& computed, const Partition& taken) {
  const NodalSpace& theirs = coarser.space_;
  const Team& team = space_.team();
  NodalSpace here(space_.comm(), team, computed, *coarser.mesh_.x, *coarser.mesh_.y);
  const Index size = here.block(0).line_size();
  std::vector<Index> at, of_theirs;
  for (int p = 0; p < team.parts(); ++p) {
    const Range<1> own = taken.block(team.first_part() + p);
    require(own.size() == 0 || theirs.holds(p), "MultigridLevel: lines for a part that does not hold the level");
    at.push_back(NodalSpace::ghosts * size);
    of_theirs.push_back((NodalSpace::ghosts + own.lo[0] - theirs.block(p).first_line) * size);
    coarse_lines_.push_back(computed.block(team.first_part() + p));
  }
  VectorHalo<T> there(*here.vectors(), move_links(team, computed, taken, {}, size, at, of_theirs));
  VectorHalo<T> back(*here.vectors(),
                     move_links(team, taken, computed, {1, 1, mesh_.x->periodic()}, size, of_theirs, at));
  Vector<T> f(here.vectors()), u(here.vectors());
  elsewhere_ = std::make_unique<Elsewhere>(
      Elsewhere{std::move(here), std::move(f), std::move(u), std::move(there), std::move(back)});
  coarser_ = &elsewhere_->space;
  make_transfers(coarser);
}

template <class T>
void MultigridLevel<T>::make_transfers(const MultigridLevel& coarser) {
  for (int p = 0; p < space_.team().parts(); ++p)
    transfers_.emplace_back(*mesh_.x, *mesh_.y, *coarser.mesh_.x, *coarser.mesh_.y, space_.team().executor(p),
                            mesh_.view(p).side_tangents == nullptr);
}

template <class T>
void MultigridLevel<T>::restrict_to(multigrid::Level<T>& coarser) {
  const Team& team = space_.team();
  Vector<T>&f = this->f(), &u = this->u();
  each_line_range(space_, nearest_, u, [&](int p, Index begin, Index end) {
    launch_residual(*team.executor(p), {{begin}, {end}},
                    ResidualBody<T>{problems_[p], space_.lines(u, p), f.part(p).data, r_.part(p).data});
  });
  restrict_from(r_, coarser);
}

template <class T>
void MultigridLevel<T>::restrict_from(const Vector<T>& r, multigrid::Level<T>& coarser) {
  const Team& team = space_.team();
  Vector<T>& f = elsewhere_ ? elsewhere_->f : coarser.f();
  const auto lines = [&](int p, Index first, Index end) {
    if (first >= end) return;
    restrict_residual(*team.executor(p), transfers_[p].view(), space_.block(p), coarser_->block(p), first, end,
                      r.part(p).data, f.part(p).data);
  };
  // Those that need no line of another part while these travel.
  residual_lines_.start(r);
  team.each([&](int p) {
    const Range<1> inner = inner_coarse_lines(p);
    lines(p, inner.lo[0], inner.hi[0]);
  });
  residual_lines_.finish(r);
  team.each([&](int p) {
    const Range<1> inner = inner_coarse_lines(p);
    lines(p, coarse_lines_[p].lo[0], inner.lo[0]);
    lines(p, inner.hi[0], coarse_lines_[p].hi[0]);
  });
  if (!elsewhere_) return;
  elsewhere_->there.start(f);
  elsewhere_->there.finish(coarser.f());
}

template <class T>
Range<1> MultigridLevel<T>::inner_coarse_lines(int p) const {
  const Range<1> all = coarse_lines_[p];
  if (!space_.exchanges()) return all;
  const NodalBlock& own = space_.block(p);  // line i takes 2i - 2 to 2i + 2
  const Index first = std::clamp((own.first_line + 3) / 2, all.lo[0], all.hi[0]);
  return {{first}, {std::clamp((own.end_line - 1) / 2, first, all.hi[0])}};
}

template <class T>
void MultigridLevel<T>::restrict_values_to(MultigridLevel& coarser) {
  restrict_from(this->f(), coarser);
}

template <class T>
void MultigridLevel<T>::take_coefficient(int k) {
  if (kept_.empty()) return;
  const Team& team = space_.team();
  team.each([&](int p) {
    if (!space_.holds(p)) return;
    set_coefficient(*team.executor(p), kept_[p].view(), k, std::as_const(this->f()).part(p).data, kept_[p].samples());
  });
}

template <class T>
void MultigridLevel<T>::correct_from(multigrid::Level<T>& coarser) {
  const Team& team = space_.team();
  const Vector<T>& u = elsewhere_ ? elsewhere_->u : coarser.u();
  const auto lines = [&](int p, Index first, Index end) {
    if (first >= end) return;
    prolong_and_add(*team.executor(p), transfers_[p].view(), space_.block(p), coarser_->block(p), {{first}, {end}},
                    coarser_->lines(u, p), this->u().part(p).data);
  };
  const bool beside = !elsewhere_ && coarser_->exchanges();  // there are lines to do while those of other parts travel
  if (elsewhere_) {
    elsewhere_->back.start(coarser.u());
    elsewhere_->back.finish(u);
  } else {
    coarser_nearest_.start(u);
    team.each([&](int p) { lines(p, 0, beside ? fine_lines_inside(p) : 0); });
    coarser_nearest_.finish(u);
  }
  team.each([&](int p) {
    const Range<1> all = lines_and_nearest(p);
    lines(p, all.lo[0], beside ? 0 : all.hi[0]);
    if (beside) lines(p, fine_lines_inside(p), all.hi[0]);
    if (mesh_.view(p).side_tangents != nullptr)
      round_ends(*team.executor(p), mesh_.view(p), all, this->u().part(p).data);
  });
}

template <class T>
Range<1> MultigridLevel<T>::lines_and_nearest(int p) const {
  const NodalBlock& own = space_.block(p);
  if (!space_.exchanges() || own.lines() == 0) return {{0}, {own.lines()}};
  const bool before = own.periodic_x || own.first_line > 0;
  const bool behind = own.periodic_x || own.end_line < mesh_.x->distinct_nodes();
  return {{before ? -1 : 0}, {own.lines() + (behind ? 1 : 0)}};
}

template <class T>
Index MultigridLevel<T>::fine_lines_inside(int p) const {
  const NodalBlock& own = space_.block(p);
  if (!coarser_->exchanges()) return own.lines();
  return std::clamp<Index>(2 * (coarser_->block(p).end_line - 1) - own.first_line, 0, own.lines());
}

template <class T>
void MultigridLevel<T>::unload(double factor, Vector<double>& y) {
  multigrid::Level<T>::unload(factor, y);
  if (rounded_.empty()) return;
  const Team& team = space_.team();
  team.each([&](int p) {
    const EquationView<double>& view = rounded_[p];
    round_ends(*team.executor(p), view, {{0}, {view.block.lines()}}, y.part(p).data);
  });
}

template <class T>
Traffic MultigridLevel<T>::sent() const {
  Traffic all = nearest_.sent();
  all += residual_lines_.sent();
  all += coarser_nearest_.sent();
  if (smoother_) all += smoother_->sent();
  if (elsewhere_) all += elsewhere_->there.sent();
  if (elsewhere_) all += elsewhere_->back.sent();
  return all;
}

// 39 vectors with sampled coefficients and 15.3 with constant ones, all levels together; a level has 3/4 of that.
template <class T>
double MultigridLevel<T>::bytes() const {
  const double unknowns = static_cast<double>(mesh_.x->unknowns()) * static_cast<double>(mesh_.y->unknowns());
  return (mesh_.view(0).constant_coefficients() ? 11.5 : 29.25) * static_cast<double>(sizeof(T)) * unknowns;
}

template class MultigridLevel<double>;
template class MultigridLevel<float>;

}  // namespace halocline::collocation
