#include "lib/problems/collocation/multigrid/multigrid.hpp"

#include <cmath>
#include <optional>
#include <type_traits>

#include "lib/linalg/scaled_copy.hpp"
#include "lib/multigrid/precision_shell.hpp"
#include "lib/problems/collocation/multigrid/coarsest_mesh.hpp"
#include "lib/problems/collocation/multigrid/end_rounding.hpp"
#include "lib/problems/collocation/multigrid/full_multigrid.hpp"

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

}  // namespace

template <class T>
struct Multigrid<T>::State {
  State(VectorSpacePtr vectors, const Formulation& formulation, const MultigridPlan& given, const Partition& shares,
        const std::vector<const Equations<double>*>& finest, int host_threads)
      : space(std::move(vectors)),
        problem(formulation),
        plan(given),
        lines(shares),
        fine(finest),
        threads(host_threads) {
    std::vector<std::unique_ptr<multigrid::Level<T>>> all;
    for (int l = 0; l < plan.levels(); ++l) {
      auto level = make_level(l);
      levels.push_back(level.get());
      all.push_back(std::move(level));
    }
    for (int l = 0; l + 1 < plan.levels(); ++l) {
      levels[l]->connect(*levels[l + 1], computed_lines(l));
      levels[l]->make_smoother(plan.smoothing);
    }
    if (!std::is_same_v<T, double> && (has_tangents_to_round(problem.x) || has_tangents_to_round(problem.y)))
      levels[0]->round_on_sides(views_of(fine));
    auto coarsest = make_coarsest_solver(problem, levels.back()->mesh());
    const multigrid::Replication replication{plan.distributed, plan.lines(lines, plan.distributed),
                                             levels[plan.distributed]->mesh().space->block(0).line_size()};
    hierarchy = std::make_unique<multigrid::Hierarchy<T>>(std::move(all), std::move(coarsest), replication);
    shell.emplace(*hierarchy, static_cast<double>(problem.x.unknowns()) * static_cast<double>(problem.y.unknowns()));
  }

  const Team& team() const { return space->team(); }
  bool replicated(int l) const { return l >= plan.distributed && team().total_parts() > 1; }
  Range<1> all_lines(int l) const { return {{0}, {plan.x[l].elements() + 1}}; }
  // Of part `p` of this rank, on a level that is shared out.
  Range<1> own_lines(int l, int p) const { return plan.lines(lines, l).block(team().first_part() + p); }

  std::unique_ptr<MultigridLevel<T>> make_level(int l) const {
    const Axis &x = plan.x[l], &y = plan.y[l];
    std::vector<NodalBlock> blocks;
    std::vector<Equations<T>> equations;
    std::vector<EquationView<T>> views;
    std::vector<Index> own;
    for (int p = 0; p < team().parts(); ++p) {
      const Range<1> held = replicated(l) ? all_lines(l) : own_lines(l, p);
      blocks.push_back({held.lo[0], held.hi[0], x.elements(), y.elements()});
      if (l == 0) own.push_back((own_lines(0, p).lo[0] - held.lo[0]) * blocks[p].line_size());
      const ExecutorPtr& executor = team().executor(p);
      if (l == 0 && !replicated(l)) {
        if constexpr (std::is_same_v<T, double>) {
          views.push_back(fine[p]->view());
          continue;
        }
        equations.emplace_back(problem, x, y, blocks[p], executor, converted<T>(fine[p]->view(), executor));
      } else {
        equations.emplace_back(problem, x, y, blocks[p], executor, threads);
      }
      views.push_back(equations.back().view());
    }
    const NodalSpace level_space(space->comm(), team(), blocks, replicated(l));
    return std::make_unique<MultigridLevel<T>>(level_space, x, y, std::move(views), std::move(equations),
                                               std::move(own));
  }

  // What the parts of this rank compute on level l of the right-hand side of the next one.
  std::vector<Range<1>> computed_lines(int l) const {
    std::vector<Range<1>> all;
    for (int p = 0; p < team().parts(); ++p)
      all.push_back(l < plan.distributed ? own_lines(l + 1, p) : all_lines(l + 1));
    return all;
  }

  VectorSpacePtr space;
  const Formulation& problem;
  MultigridPlan plan;
  Partition lines;
  std::vector<const Equations<double>*> fine;
  int threads;
  std::vector<MultigridLevel<T>*> levels;  // of the hierarchy
  std::unique_ptr<multigrid::Hierarchy<T>> hierarchy;
  std::optional<multigrid::PrecisionShell<T>> shell;
};

template <class T>
Multigrid<T>::Multigrid(VectorSpacePtr space, const Formulation& problem, const MultigridPlan& plan,
                        const Partition& lines, const std::vector<const Equations<double>*>& fine, int threads)
    : state_(std::make_unique<State>(std::move(space), problem, plan, lines, fine, threads)) {}

template <class T>
Multigrid<T>::~Multigrid() = default;

template <class T>
void Multigrid<T>::begin(const Vector<double>& r) const {
  state_->shell->begin(r);
}

template <class T>
void Multigrid<T>::apply(const Vector<double>& x, Vector<double>& y) const {
  state_->shell->apply(x, y);
}

template <class T>
void Multigrid<T>::start(const Vector<double>& b, Vector<double>& x) const {
  State& s = *state_;
  const double size = norm(b);
  if (!(size > 0) || !std::isfinite(size) || s.plan.levels() == 1) return apply(b, x);
  full_multigrid(*s.hierarchy, s.levels, s.problem, s.plan, s.threads, s.shell->scale_of(size), b, x);
}

template <class T>
Traffic Multigrid<T>::sent() const {
  return state_->hierarchy->sent();
}

template <class T>
double Multigrid<T>::bytes_per_cycle() const {
  return state_->hierarchy->bytes(multigrid::CycleKind::v);
}

template class Multigrid<double>;
template class Multigrid<float>;

}  // namespace halocline::collocation
