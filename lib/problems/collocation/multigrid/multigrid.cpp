#include "lib/problems/collocation/multigrid/multigrid.hpp"

#include <cmath>
#include <optional>
#include <type_traits>

#include "lib/linalg/scaled_copy.hpp"
#include "lib/multigrid/precision_shell.hpp"
#include "lib/problems/collocation/discretization/split_samples.hpp"
#include "lib/problems/collocation/multigrid/coarsest_mesh.hpp"
#include "lib/problems/collocation/multigrid/end_rounding.hpp"
#include "lib/problems/collocation/multigrid/full_multigrid.hpp"
#include "lib/problems/collocation/multigrid/halves.hpp"

namespace halocline::collocation {

namespace {

// Coefficients of one precision from another; nothing where they are constant.
template <class T>
Array<T, 1> converted(const EquationView<double>& view, const ExecutorPtr& executor) {
  if (view.sampled == nullptr) return {};
  const Index size = view.block.line_size(), rows = view.block.lines() * 6;
  Array<T, 1> values(executor, {rows * size});
  scaled_copy(*executor, "convert coefficients", rows, size, 1, view.sampled, values.view().data);
  return values;
}

std::vector<EquationView<double>> views_of(const std::vector<const Equations<double>*>& equations) {
  std::vector<EquationView<double>> views;
  for (const auto* part : equations) views.push_back(part->view());
  return views;
}

// Collective.
bool all_on_gpus(const VectorSpace& space) {
  bool all = true;
  for (int p = 0; p < space.team().parts(); ++p) all = all && space.team().executor(p)->backend() == Backend::cuda;
  return space.comm().agree(all);
}

template <class T>
class CollocationCycle final : public Multigrid {
 public:
  CollocationCycle(VectorSpacePtr vectors, const Formulation& formulation, const MultigridPlan& given,
                   const Partition& shares, const std::vector<const Equations<double>*>& finest, int host_threads)
      : space_(std::move(vectors)),
        problem_(formulation),
        plan_(given),
        lines_(shares),
        whole_lines_(plan_.lines(lines_, plan_.distributed)),
        fine_(finest),
        threads_(host_threads),
        on_gpus_(all_on_gpus(*space_)) {
    std::vector<std::unique_ptr<multigrid::Level<T>>> all;
    for (int l = 0; l < plan_.levels(); ++l) {
      auto level = make_level(l);
      levels_.push_back(level.get());
      all.push_back(std::move(level));
    }
    for (int l = 0; l + 1 < plan_.levels(); ++l) {
      connect(l);
      levels_[l]->make_smoother(plan_.smoothing);
    }
    const bool tangents = problem_.boundary.conditions() != nullptr || has_tangents_to_round(problem_.x) ||
                          has_tangents_to_round(problem_.y);
    if (!std::is_same_v<T, double> && tangents) levels_[0]->round_on_sides(views_of(fine_));
    auto coarsest = make_coarsest_solver(problem_, levels_.back()->mesh());
    const multigrid::Replication replication{plan_.distributed, whole_lines_,
                                             levels_[plan_.distributed]->mesh().space->block(0).line_size(),
                                             plan_.holders(lines_)};
    hierarchy_ = std::make_unique<multigrid::Hierarchy<T>>(std::move(all), std::move(coarsest), replication);
    shell_.emplace(*hierarchy_, problem_.unknowns());
  }

  void begin(const Vector<double>& r) const override { shell_->begin(r); }
  void apply(const Vector<double>& x, Vector<double>& y) const override { shell_->apply(x, y); }
  void start(const Vector<double>& b, Vector<double>& x) const override {
    const double size = norm(b);
    if (!(size > 0) || !std::isfinite(size) || plan_.levels() == 1) return apply(b, x);
    full_multigrid(*hierarchy_, levels_, problem_, plan_, threads_, shell_->scale_of(size), b, x);
  }
  void refresh() override {
    const auto scope = team().scope("refresh");
    require(!problem_.constants && problem_.nonlinear, "Multigrid: coefficients that change, as the formulation says");
    const NodalBlock whole = nodal_block({{0}, {plan_.x.back().distinct_nodes()}}, plan_.x.back(), plan_.y.back());
    std::vector<double> coarsest(static_cast<std::size_t>(coefficient_count * whole.size()));
    Vector<double> values(space_);
    for (int k = 0; k < coefficient_count; ++k) {
      for (int p = 0; p < team().parts(); ++p)
        get_coefficient(*team().executor(p), fine_[p]->view(), k, values.part(p).data);
      hierarchy_->load(1, values);
      for (int l = 0; l < plan_.levels(); ++l) {
        if (l > 0) {
          levels_[l - 1]->restrict_values_to(*levels_[l]);
          hierarchy_->share(l);
        }
        levels_[l]->take_coefficient(k);
      }
      keep_coarsest(k, coarsest);
    }
    for (MultigridLevel<T>* level : levels_) level->refresh_smoother();
    hierarchy_->replace_coarsest(make_coarsest_solver(problem_, levels_.back()->mesh(), coarsest));
  }
  Traffic sent() const override { return hierarchy_->sent(); }
  double bytes_per_cycle() const override { return hierarchy_->bytes(multigrid::CycleKind::v); }

 private:
  const Team& team() const { return space_->team(); }
  bool replicated(int l) const { return l >= plan_.distributed && team().total_parts() > 1; }
  // What part `p` of this rank holds of a level, or of a coarser one than is distributed.
  Range<1> held_lines(int l, int p, const Partition& lines) const {
    const Range<1> own = lines.block(team().first_part() + p);
    if (l < plan_.distributed) return own;
    return {{0}, {plan_.places.size() > 1 && own.size() == 0 ? 0 : plan_.x[l].distinct_nodes()}};
  }
  Partition lines_of(int l) const { return l < plan_.distributed ? plan_.lines(lines_, l) : whole_lines_; }

  void connect(int l) {
    if (l < plan_.distributed) {
      const Partition computed = plan_.computed(lines_, l + 1), taken = plan_.lines(lines_, l + 1);
      if (!(computed == taken)) return levels_[l]->connect(*levels_[l + 1], computed, taken);
    }
    // What the parts of this rank compute on level l of the right-hand side of the next one.
    std::vector<Range<1>> all;
    for (int p = 0; p < team().parts(); ++p)
      all.push_back(l < plan_.distributed ? plan_.lines(lines_, l + 1).block(team().first_part() + p)
                                          : held_lines(l + 1, p, whole_lines_));
    levels_[l]->connect(*levels_[l + 1], std::move(all));
  }

  std::unique_ptr<MultigridLevel<T>> make_level(int l) const {
    const Axis &x = plan_.x[l], &y = plan_.y[l];
    std::vector<NodalBlock> blocks;
    std::vector<Equations<T>> equations;
    std::vector<EquationView<T>> views;
    std::vector<Index> own;
    const Partition lines = lines_of(l);
    for (int p = 0; p < team().parts(); ++p) {
      const Range<1> held = held_lines(l, p, lines);
      blocks.push_back(nodal_block(held, x, y));
      if (l == 0) own.push_back((lines_.block(team().first_part() + p).lo[0] - held.lo[0]) * blocks[p].line_size());
      const ExecutorPtr& executor = team().executor(p);
      if (held.size() == 0) {
        equations.emplace_back(problem_, x, y, blocks[p], executor, Array<T, 1>());
        views.push_back(equations.back().view());
        continue;
      }
      if (l == 0 && !replicated(l)) {
        if constexpr (std::is_same_v<T, double>) {
          views.push_back(fine_[p]->view());
          continue;
        }
        if (splits(*executor)) {
          equations.push_back(split(fine_[p]->view(), x, y, executor));
        } else {
          equations.emplace_back(problem_, x, y, blocks[p], executor, converted<T>(fine_[p]->view(), executor));
        }
      } else {
        equations.emplace_back(problem_, x, y, blocks[p], executor, threads_);
        if (splits(*executor)) equations.back() = split(equations.back().view(), x, y, executor);
      }
      views.push_back(equations.back().view());
    }
    const NodalSpace level_space = replicated(l) || plan_.places.size() == 1
                                       ? NodalSpace(space_->comm(), team(), blocks, replicated(l))
                                       : NodalSpace(space_->comm(), team(), lines, x, y);
    return std::make_unique<MultigridLevel<T>>(level_space, x, y, std::move(views), std::move(equations),
                                               std::move(own));
  }

  // Coefficient k of the coarsest level, which f holds on every part that has the level, to `to` in the layout of
  // EquationView::sampled.
  void keep_coarsest(int k, std::vector<double>& to) const {
    const NodalSpace& space = *levels_.back()->mesh().space;
    int part = 0;
    while (part < team().parts() && !space.holds(part)) ++part;
    if (part == team().parts()) return;
    const NodalBlock& block = space.block(part);
    const std::vector<T> held = std::as_const(*levels_.back()).f().to_host(part);
    for (Index i = 0; i < block.lines(); ++i)
      for (Index n = 0; n < block.line_size(); ++n)
        to[(i * coefficient_count + k) * block.line_size() + n] = static_cast<double>(held[i * block.line_size() + n]);
  }

  // Threads of a GPU go over the nodes of one color.
  bool splits(const Executor& executor) const { return executor.backend() == Backend::cuda; }

  // Equations with the coefficients of `view`, even nodes before odd ones; in single precision in 16 bits, unless they
  // get new values.
  template <class From>
  Equations<T> split(const EquationView<From>& view, const Axis& x, const Axis& y, const ExecutorPtr& executor) const {
    if (std::is_same_v<T, float> && view.sampled != nullptr && !problem_.nonlinear && on_gpus_)
      return {problem_, x, y, view.block, executor, halved_samples(executor, view), split_of(view.block)};
    return {problem_, x, y, view.block, executor, split_samples<T>(executor, view), split_of(view.block)};
  }

  VectorSpacePtr space_;
  const Formulation& problem_;
  MultigridPlan plan_;
  Partition lines_, whole_lines_;  // of the finest level; of the first one that is not distributed
  std::vector<const Equations<double>*> fine_;
  int threads_;
  bool on_gpus_;                            // all parts, so that all round coefficients in the same way
  std::vector<MultigridLevel<T>*> levels_;  // of the hierarchy_
  std::unique_ptr<multigrid::Hierarchy<T>> hierarchy_;
  std::optional<multigrid::PrecisionShell<T>> shell_;
};

}  // namespace

template <class T>
std::unique_ptr<Multigrid> make_multigrid(VectorSpacePtr space, const Formulation& problem, const MultigridPlan& plan,
                                          const Partition& lines, const std::vector<const Equations<double>*>& fine,
                                          int threads) {
  return std::make_unique<CollocationCycle<T>>(std::move(space), problem, plan, lines, fine, threads);
}

template std::unique_ptr<Multigrid> make_multigrid<double>(VectorSpacePtr, const Formulation&, const MultigridPlan&,
                                                           const Partition&,
                                                           const std::vector<const Equations<double>*>&, int);
template std::unique_ptr<Multigrid> make_multigrid<float>(VectorSpacePtr, const Formulation&, const MultigridPlan&,
                                                          const Partition&,
                                                          const std::vector<const Equations<double>*>&, int);

}  // namespace halocline::collocation
