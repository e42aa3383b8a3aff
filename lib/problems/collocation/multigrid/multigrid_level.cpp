#include "lib/problems/collocation/multigrid/multigrid_level.hpp"

#include "lib/problems/collocation/discretization/nodal_problem.hpp"
#include "lib/problems/collocation/discretization/residual.hpp"

namespace halocline::collocation {

template <class T>
NodalGather<T>::NodalGather(const NodalSpace& space, const std::vector<Range<1>>& own) {
  const Team& team = space.team();
  if (team.total_parts() == 1) return;
  std::vector<std::vector<Link>> links(static_cast<std::size_t>(team.parts()));
  for (int p = 0; p < team.parts(); ++p) {
    const Index words = space.block(p).line_size() * static_cast<Index>(sizeof(T)) / static_cast<Index>(sizeof(double));
    const auto run = [words](const Range<1>& lines) {
      return IndexSet::run((NodalSpace::ghosts + lines.lo[0]) * words, lines.size() * words);
    };
    const int part = team.first_part() + p;
    for (int other = 0; other < team.total_parts(); ++other)
      if (other != part) links[p].push_back({other, run(own[part]), run(own[other])});
  }
  halo_ = std::make_unique<Halo<double>>(space.comm(), team, std::move(links));
  owned_.resize(static_cast<std::size_t>(team.parts()));
  received_.resize(static_cast<std::size_t>(team.parts()));
}

template <class T>
void NodalGather<T>::run(NodalVector<T>& f) {
  if (!halo_) return;
  for (std::size_t p = 0; p < owned_.size(); ++p) {
    received_[p] = f.words(static_cast<int>(p));
    owned_[p] = received_[p];
  }
  halo_->start(owned_);
  halo_->finish(received_);
}

template <class T>
MultigridLevel<T>::MultigridLevel(const NodalSpace& space, const Axis& x, const Axis& y,
                                  std::vector<EquationView<T>> views, std::vector<Equations<T>> keep)
    : space_(space),
      level_{&x, &y, &space_, std::move(views)},
      kept_(std::move(keep)),
      f_(space_),
      u_(space_),
      r_(space_),
      nearest_(space_, 1, 1),
      residual_lines_(space_, 2, 1),
      behind_(space_, 0, 1) {
  for (int p = 0; p < space_.team().parts(); ++p) problems_.push_back(nodal_problem(level_.view(p), x, y));
}

template <class T>
void MultigridLevel<T>::make_smoother(Smoothing smoothing) {
  smoother_ = smoothing == Smoothing::node ? make_node_smoother(level_) : make_line_smoother(level_, smoothing);
}

template <class T>
void MultigridLevel<T>::connect(MultigridLevel& coarser, std::vector<Range<1>> lines,
                                std::unique_ptr<NodalGather<T>> gather) {
  coarse_lines_ = std::move(lines);
  gather_ = std::move(gather);
  for (int p = 0; p < space_.team().parts(); ++p)
    transfers_.emplace_back(*level_.x, *level_.y, *coarser.level_.x, *coarser.level_.y, space_.team().executor(p));
}

template <class T>
void MultigridLevel<T>::restrict_to(MultigridLevel& coarser) {
  const Team& team = space_.team();
  each_line_range(nearest_, u_, [&](int p, Index begin, Index end) {
    launch_residual(*team.executor(p), {{begin}, {end}},
                    ResidualBody<T>{problems_[p], std::as_const(u_).lines(p), std::as_const(f_).own(p), r_.own(p)});
  });
  residual_lines_.start(r_);
  residual_lines_.finish(r_);
  team.each([&](int p) {
    restrict_residual(*team.executor(p), transfers_[p].view(), space_.block(p), coarser.space_.block(p),
                      coarse_lines_[p].lo[0], coarse_lines_[p].hi[0], std::as_const(r_).own(p), coarser.f_.own(p));
  });
  if (gather_) gather_->run(coarser.f_);
}

template <class T>
void MultigridLevel<T>::correct_from(MultigridLevel& coarser) {
  const Team& team = space_.team();
  coarser.behind_.start(coarser.u_);
  coarser.behind_.finish(coarser.u_);
  team.each([&](int p) {
    prolong_and_add(*team.executor(p), transfers_[p].view(), space_.block(p), coarser.space_.block(p),
                    std::as_const(coarser.u_).lines(p), u_.own(p));
  });
}

template <class T>
Traffic MultigridLevel<T>::sent() const {
  Traffic all;
  const auto add = [&all](const Traffic& one) {
    all.messages += one.messages;
    all.bytes += one.bytes;
  };
  add(nearest_.sent());
  add(residual_lines_.sent());
  add(behind_.sent());
  if (smoother_) add(smoother_->sent());
  if (gather_) add(gather_->sent());
  return all;
}

template class NodalGather<double>;
template class NodalGather<float>;
template class MultigridLevel<double>;
template class MultigridLevel<float>;

}  // namespace halocline::collocation
