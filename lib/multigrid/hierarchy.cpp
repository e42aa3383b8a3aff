#include "lib/multigrid/hierarchy.hpp"

#include <utility>

namespace halocline::multigrid {

namespace {

// Numbers of a vector of a level. Kernels of larger levels take longer than their launches.
constexpr Index most_graphed = Index{1} << 19;

}  // namespace

template <class T>
Hierarchy<T>::Hierarchy(std::vector<std::unique_ptr<Level<T>>> levels, std::unique_ptr<CoarsestSolver<T>> coarsest,
                        const Replication& replication)
    : levels_(std::move(levels)),
      coarsest_(std::move(coarsest)),
      replicated_(replication.level),
      graphed_(first_graphed()) {
  require(replicated_ >= 0 && replicated_ <= this->levels(), "Hierarchy: no such level to replicate from");
  for (int l = 0; l < this->levels(); ++l) {
    const std::string name = "level " + std::to_string(l);
    names_.push_back({name + "/smooth", name + "/restrict", name + "/correct"});
  }
  if (replicated_ == this->levels()) return;
  const VectorSpace& space = level(replicated_).space();
  to_all_ = Gather<T>(space, replication.rows, replication.row_size, replication.holders);
}

template <class T>
void Hierarchy<T>::load(double factor, const Vector<double>& r) {
  const auto scope = team().scope(names_[0].smooth.c_str());
  level(0).load(factor, r);
  if (replicated_ == 0) to_all_.exchange(level(0).f());
}

template <class T>
void Hierarchy<T>::unload(double factor, Vector<double>& y) {
  const auto scope = team().scope(names_[0].smooth.c_str());
  level(0).unload(factor, y);
}

template <class T>
int Hierarchy<T>::first_graphed() const {
  int first = levels() - 1;
  const int alone = team().total_parts() > 1 ? replicated_ : 0;  // from here on parts exchange nothing
  if (first < alone || !coarsest_->repeats()) return levels();
  const auto fits = [](const Level<T>& level) {
    return level.repeats() && level.space().layout().size(0) <= most_graphed;
  };
  while (first > alone && fits(*levels_[first - 1])) --first;
  return first;
}

template <class T>
void Hierarchy<T>::forget_launches() {
  graphed_ = first_graphed();
  for (PartGraphs& graphs : graphs_) graphs.reset();
}

template <class T>
void Hierarchy<T>::cycle(CycleKind kind, int first, bool from_zero) {
  from_zero ? repeat(kind, first, true) : visit(kind, first, false);
}

template <class T>
void Hierarchy<T>::repeat(CycleKind kind, int first, bool from_zero) {
  if (level(first).idle()) return;
  if (first != graphed_) return visit(kind, first, from_zero);
  PartGraphs& graphs = graphs_[2 * static_cast<std::size_t>(kind) + (from_zero ? 1 : 0)];
  graphs.run(team(), [&] { visit(kind, first, from_zero); });
}

template <class T>
void Hierarchy<T>::visit(CycleKind kind, int first, bool from_zero) {
  if (level(first).idle()) return;
  if (first + 1 == levels()) return solve_coarsest();
  smooth_down(first, from_zero);
  restrict_from(first);
  repeat(kind, first + 1, true);
  if (kind != CycleKind::v && first + 2 < levels())
    repeat(kind == CycleKind::f ? CycleKind::v : kind, first + 1, false);
  correct(first);
  smooth_up(first);
}

template <class T>
void Hierarchy<T>::smooth_down(int level, bool from_zero) {
  const auto scope = team().scope(names_[level].smooth.c_str());
  levels_[level]->pre_smooth(from_zero);
}

template <class T>
void Hierarchy<T>::restrict_from(int level) {
  const auto scope = team().scope(names_[level].restrict.c_str());
  levels_[level]->restrict_to(*levels_[level + 1]);
  share(level + 1);
}

template <class T>
void Hierarchy<T>::correct(int level) {
  const auto scope = team().scope(names_[level].correct.c_str());
  levels_[level]->correct_from(*levels_[level + 1]);
}

template <class T>
void Hierarchy<T>::smooth_up(int level) {
  const auto scope = team().scope(names_[level].smooth.c_str());
  levels_[level]->post_smooth();
}

template <class T>
void Hierarchy<T>::solve_coarsest() {
  const auto scope = team().scope("coarsest");
  coarsest_->solve(levels_.back()->f(), levels_.back()->u());
}

template <class T>
Traffic Hierarchy<T>::sent() const {
  Traffic all = to_all_.sent();
  for (const auto& level : levels_) all += level->sent();
  return all;
}

template <class T>
double Hierarchy<T>::bytes(CycleKind kind) const {
  double all = 0, visits = 1;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    all += visits * levels_[l]->bytes();
    if (l + 2 >= levels_.size()) continue;  // the coarsest level is visited as often as the one before
    if (kind == CycleKind::w) visits *= 2;
    if (kind == CycleKind::f) visits += 1;
  }
  return all;
}

template class Hierarchy<double>;
template class Hierarchy<float>;

}  // namespace halocline::multigrid
