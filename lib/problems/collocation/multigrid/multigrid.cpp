#include "lib/problems/collocation/multigrid/multigrid.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <type_traits>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/assembly.hpp"
#include "lib/problems/collocation/multigrid/coarse_solver.hpp"
#include "lib/problems/collocation/multigrid/multigrid_level.hpp"

namespace halocline::collocation {

namespace {

// Lines x groups of four numbers.
template <class From, class To>
struct ScaleBody {
  const From* from;
  To* to;
  double factor;
  Index size;  // of a line, in numbers

  // A thread moves four numbers as one.
  HALOCLINE_HD void operator()(Index line, Index n) const {
    struct alignas(4 * sizeof(From)) Source {
      From number[4];
    };
    struct alignas(4 * sizeof(To)) Target {
      To number[4];
    };
    const Index at = line * size + 4 * n;
    const Source source = *reinterpret_cast<const Source*>(from + at);
    Target target;
    for (int k = 0; k < 4; ++k) target.number[k] = static_cast<To>(factor * source.number[k]);
    *reinterpret_cast<Target*>(to + at) = target;
  }
  void row(Index line, Index begin, Index end) const {
    const From* source = from + line * size;
    To* target = to + line * size;
#pragma omp simd
    for (Index n = 4 * begin; n < 4 * end; ++n) target[n] = static_cast<To>(factor * source[n]);
  }
};

template <class From, class To>
void scale_lines(const Executor& executor, const char* name, Index lines, Index size, double factor, const From* from,
                 To* to) {
  launch_rows(executor, name, Range<2>{{0, 0}, {lines, size / 4}}, ScaleBody<From, To>{from, to, factor, size});
}

// Coefficients of one precision from another; nothing where they are constant.
template <class T>
Array<T, 1> converted(const EquationView<double>& view, const ExecutorPtr& executor) {
  if (view.sampled == nullptr) return {};
  const Index size = view.block.line_size(), rows = view.block.lines() * 6;
  Array<T, 1> values(executor, {rows * size});
  scale_lines(*executor, "convert coefficients", rows, size, 1, view.sampled, values.view().data);
  return values;
}

template <class T>
struct AddBody {
  const T* from;
  T* to;
  Index size;  // of a line
  HALOCLINE_HD void operator()(Index line, Index n) const { to[line * size + n] += from[line * size + n]; }
  void row(Index line, Index begin, Index end) const {
#pragma omp simd
    for (Index n = line * size + begin; n < line * size + end; ++n) to[n] += from[n];
  }
};

// Takes unknowns on a side to the nearest multiple of its tangent: rounded to single precision they would leave the
// space in which the side's condition holds, and nothing brings them back.
struct EndsBody {
  EquationView<double> view;
  double* u;
  HALOCLINE_HD void operator()(Index i, Index j) const {
    double a[4];
    double* line = u + i * view.block.line_size();
    for (int c = 0; c < 4; ++c) a[c] = line[view.block.place(c, j)];
    view.reduce(view.block.first_line + i, j, a);
    view.expand(view.block.first_line + i, j, a);
    for (int c = 0; c < 4; ++c) line[view.block.place(c, j)] = a[c];
  }
};

bool has_tangents_to_round(const Axis& axis) {
  for (const End end : {End::low, End::high})
    if (!axis.condition(end).dirichlet() && !axis.condition(end).neumann()) return true;
  return false;
}

// The problem on the mesh without every second node. Data of sides keep their values and slopes.
Formulation coarsened(const Formulation& fine, const Axis& x, const Axis& y) {
  std::array<SideData, 4> sides;
  for (std::size_t side = 0; side < 4; ++side) {
    const Axis &along = side < 2 ? y : x, &before = side < 2 ? fine.y : fine.x;
    const SideData& data = fine.boundary.side(static_cast<Side>(side));
    for (Index i = 0; i <= along.elements(); ++i) {
      sides[side].push_back(data[4 * i]);
      sides[side].push_back(data[4 * i + 1] * along.scale(i) / before.scale(2 * i));
    }
  }
  Formulation coarse = fine;
  coarse.x = x;
  coarse.y = y;
  coarse.boundary = Boundary(std::move(sides), x, y);
  return coarse;
}

// What the sides give, in the layout of a part's lines.
template <class T>
std::vector<T> boundary_part(const Formulation& problem, const NodalBlock& block, double factor) {
  std::vector<T> values(static_cast<std::size_t>(block.size()), T{0});
  for (Index i = 0; i < block.lines(); ++i) {
    const Index line = block.first_line + i;
    const bool on_side = line == 0 || line == block.nx;
    for (Index j = 0; j <= block.ny; j += on_side ? 1 : block.ny)
      for (int c = 0; c < 4; ++c)
        values[i * block.line_size() + block.place(c, j)] =
            static_cast<T>(factor * problem.boundary.value(line, c % 2, j, c / 2));
  }
  return values;
}

}  // namespace

template <class T>
struct Multigrid<T>::State {
  State(VectorSpacePtr vectors, const Formulation& formulation, const MultigridPlan& given,
        const std::vector<const Equations<double>*>& fine, int host_threads)
      : space(std::move(vectors)), problem(formulation), plan(given), threads(host_threads) {
    for (const auto* part : fine) {
      fine_blocks.push_back(part->block());
      fine_views.push_back(part->view());
    }
    rounds_ends = !std::is_same_v<T, double> && (has_tangents_to_round(problem.x) || has_tangents_to_round(problem.y));
    for (int l = 0; l < plan.levels(); ++l) levels.push_back(make_level(l, fine));
    const std::vector<Range<1>> owned = all_lines();
    for (int l = 0; l + 1 < plan.levels(); ++l) {
      connect(l, l + 1 == plan.distributed, owned);
      levels[l]->make_smoother(plan.smoothing);
    }
    coarsest = std::make_unique<CoarseSolver<T>>(problem, levels.back()->level());
    if (plan.distributed == 0 && team().total_parts() > 1)
      gather = std::make_unique<NodalGather<T>>(*levels[0]->level().space, owned);
  }

  const Team& team() const { return space->team(); }

  std::unique_ptr<MultigridLevel<T>> make_level(int l, const std::vector<const Equations<double>*>& fine) {
    const bool replicated = l >= plan.distributed && team().total_parts() > 1;
    std::vector<NodalBlock> blocks;
    std::vector<Equations<T>> equations;
    std::vector<EquationView<T>> views;
    for (int p = 0; p < team().parts(); ++p) {
      blocks.push_back(plan.block(fine_blocks[p], l));
      const ExecutorPtr& executor = team().executor(p);
      if (l == 0 && !replicated) {
        if constexpr (std::is_same_v<T, double>) {
          views.push_back(fine[p]->view());
          continue;
        }
        equations.emplace_back(problem, plan.x[0], plan.y[0], blocks[p], executor,
                               converted<T>(fine[p]->view(), executor));
      } else {
        equations.emplace_back(problem, plan.x[l], plan.y[l], blocks[p], executor, threads);
      }
      views.push_back(equations.back().view());
    }
    const NodalSpace level_space(space->comm(), team(), blocks, replicated);
    return std::make_unique<MultigridLevel<T>>(level_space, plan.x[l], plan.y[l], std::move(views),
                                               std::move(equations));
  }

  // Lines of the finest mesh that every part of all ranks owns.
  std::vector<Range<1>> all_lines() const {
    const int parts = team().total_parts();
    std::vector<double> first(static_cast<std::size_t>(parts), 0.0);
    for (int p = 0; p < team().parts(); ++p)
      first[team().first_part() + p] = static_cast<double>(fine_blocks[p].first_line);
    space->comm().max(first);
    std::vector<Range<1>> lines;
    for (int p = 0; p < parts; ++p)
      lines.push_back({{static_cast<Index>(first[p])},
                       {p + 1 < parts ? static_cast<Index>(first[p + 1]) : problem.x.elements() + 1}});
    return lines;
  }

  void connect(int l, bool gathers, const std::vector<Range<1>>& owned) {
    const Index step = Index{1} << (l + 1), all = plan.x[l + 1].elements() + 1;
    std::vector<Range<1>> coarse, own;
    for (const Range<1>& lines : owned) coarse.push_back({{lines.lo[0] / step}, {(lines.hi[0] + step - 1) / step}});
    const bool shared = l < plan.distributed;  // the fine lines are
    for (int p = 0; p < team().parts(); ++p)
      own.push_back(shared ? coarse[team().first_part() + p] : Range<1>{{0}, {all}});
    auto all_to_all = gathers ? std::make_unique<NodalGather<T>>(*levels[l + 1]->level().space, coarse) : nullptr;
    levels[l]->connect(*levels[l + 1], std::move(own), std::move(all_to_all));
  }

  // A V(1,1) cycle that begins on level `first`.
  void cycle(int first, bool from_zero) {
    const int last = plan.levels() - 1;
    for (int l = first; l < last; ++l) {
      levels[l]->smooth(from_zero || l > first);
      levels[l]->restrict_to(*levels[l + 1]);
    }
    coarsest->solve(levels[last]->f(), levels[last]->u());
    for (int l = last - 1; l >= first; --l) {
      levels[l]->correct_from(*levels[l + 1]);
      levels[l]->smooth(false);
    }
  }

  // A power of two, which changes no digit: numbers are then about 1, the largest at most sqrt(n).
  double scale_of(double norm) const {
    const double n = static_cast<double>(problem.x.unknowns()) * static_cast<double>(problem.y.unknowns());
    return std::exp2(std::ilogb(norm / std::sqrt(n)));
  }

  void load_finest(const Vector<double>& x, double scale) {
    team().each([&](int p) {
      const NodalBlock& block = fine_blocks[p];
      scale_lines(*team().executor(p), "to the cycle", block.lines(), block.line_size(), 1 / scale,
                  static_cast<const double*>(x.part(p).data), own_lines(levels[0]->f(), p));
    });
    if (gather) gather->run(levels[0]->f());
  }

  void store_finest(double scale, Vector<double>& y) {
    team().each([&](int p) {
      const NodalBlock& block = fine_blocks[p];
      scale_lines(*team().executor(p), "from the cycle", block.lines(), block.line_size(), scale,
                  static_cast<const T*>(own_lines(levels[0]->u(), p)), y.part(p).data);
      if (rounds_ends) restore_ends(*team().executor(p), EndsBody{fine_views[p], y.part(p).data});
    });
  }

  static void restore_ends(const Executor& executor, const EndsBody& body) {
    const NodalBlock& block = body.view.block;
    for (const Index j : {Index{0}, block.ny})
      launch(executor, "ends along y", Range<2>{{0, j}, {block.lines(), j + 1}}, body);
    for (const Index line : {Index{0}, block.nx}) {
      const Index i = line - block.first_line;
      if (i >= 0 && i < block.lines()) launch(executor, "ends along x", Range<2>{{i, 0}, {i + 1, block.nodes()}}, body);
    }
  }

  void load(int l, const Formulation& coarse, double scale) {
    for (int p = 0; p < team().parts(); ++p) {
      std::optional<GaussPoint> bad;
      const auto b = nodal_right_hand_side(coarse, levels[l]->level().view(p).block, threads, bad);
      std::vector<T> scaled(b.size());
      for (std::size_t n = 0; n < b.size(); ++n) scaled[n] = static_cast<T>(b[n] / scale);
      team().executor(p)->copy_in(levels[l]->f().own(p), scaled.data(), scaled.size() * sizeof(T));
    }
  }

  // Makes the solution of level l + 1 whole and interpolates it. Where the interpolation meets a side it is projected
  // on the tangent of the end condition, which leaves out what the side gives on level l.
  void interpolate(int l, const Formulation& coarse, double scale) {
    for (int p = 0; p < team().parts(); ++p) {
      const ExecutorPtr& executor = team().executor(p);
      const NodalBlock& block = levels[l + 1]->level().view(p).block;
      const auto given = make_array(executor, boundary_part<T>(coarse, block, 1 / scale));
      launch_rows(*executor, "add side values", Range<2>{{0, 0}, {block.lines(), block.line_size()}},
                  AddBody<T>{given.view().data, levels[l + 1]->u().own(p), block.line_size()});
      executor->synchronize();
    }
    levels[l]->u().clear();
    levels[l]->correct_from(*levels[l + 1]);
  }

  // The part's own lines of a vector of the finest level.
  T* own_lines(NodalVector<T>& vector, int p) const {
    const NodalBlock &fine = fine_blocks[p], &held = levels[0]->level().view(p).block;
    return vector.own(p) + (fine.first_line - held.first_line) * fine.line_size();
  }

  VectorSpacePtr space;
  const Formulation& problem;
  MultigridPlan plan;
  int threads;
  std::vector<NodalBlock> fine_blocks;
  std::vector<EquationView<double>> fine_views;
  bool rounds_ends = false;  // whether corrections come in single precision to sides of kind robin
  std::vector<std::unique_ptr<MultigridLevel<T>>> levels;
  std::unique_ptr<CoarseSolver<T>> coarsest;
  std::unique_ptr<NodalGather<T>> gather;  // of the finest right-hand side, where that level is replicated
};

template <class T>
Multigrid<T>::Multigrid(VectorSpacePtr space, const Formulation& problem, const MultigridPlan& plan,
                        const std::vector<const Equations<double>*>& fine, int threads)
    : state_(std::make_unique<State>(std::move(space), problem, plan, fine, threads)) {}

template <class T>
Multigrid<T>::~Multigrid() = default;

template <class T>
void Multigrid<T>::apply(const Vector<double>& x, Vector<double>& y) const {
  const double size = norm(x);
  if (!(size > 0) || !std::isfinite(size)) return fill(y, size);
  const double scale = state_->scale_of(size);
  state_->load_finest(x, scale);
  state_->cycle(0, true);
  state_->store_finest(scale, y);
}

template <class T>
void Multigrid<T>::start(const Vector<double>& b, Vector<double>& x) const {
  State& s = *state_;
  const double size = norm(b);
  if (!(size > 0) || !std::isfinite(size) || s.plan.levels() == 1) return apply(b, x);
  const double scale = s.scale_of(size);
  std::vector<Formulation> problems{s.problem};
  for (int l = 1; l < s.plan.levels(); ++l) problems.push_back(coarsened(problems.back(), s.plan.x[l], s.plan.y[l]));
  const int last = s.plan.levels() - 1;
  s.load(last, problems[last], scale);
  s.coarsest->solve(s.levels[last]->f(), s.levels[last]->u());
  for (int l = last - 1; l >= 0; --l) {
    s.interpolate(l, problems[l + 1], scale);
    if (l > 0) {
      s.load(l, problems[l], scale);
    } else {
      s.load_finest(b, scale);
    }
    for (int k = 0; k < 2; ++k) s.cycle(l, false);
  }
  s.store_finest(scale, x);
}

template <class T>
Traffic Multigrid<T>::sent() const {
  Traffic all = state_->gather ? state_->gather->sent() : Traffic{};
  for (const auto& level : state_->levels) {
    all.messages += level->sent().messages;
    all.bytes += level->sent().bytes;
  }
  return all;
}

template <class T>
double Multigrid<T>::bytes_per_cycle() const {
  const bool sampled = state_->levels[0]->level().view(0).sampled != nullptr;
  double unknowns = 0;
  for (int l = 0; l < state_->plan.levels(); ++l)
    unknowns += static_cast<double>(state_->plan.x[l].unknowns()) * static_cast<double>(state_->plan.y[l].unknowns());
  return (sampled ? 29.25 : 11.5) * static_cast<double>(sizeof(T)) * unknowns;  // 39 and 15.3 times 3/4
}

template class Multigrid<double>;
template class Multigrid<float>;

}  // namespace halocline::collocation
