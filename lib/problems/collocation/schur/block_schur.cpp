#include "lib/problems/collocation/schur/block_schur.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/nodal_vectors.hpp"
#include "lib/problems/collocation/lines/block_lines.hpp"

namespace halocline::collocation {

namespace {

constexpr double most_growth = 1e6;  // of terms that cancel in an elimination

// Own line numbers (red: with the line after each strip) by group and lane, -1 where there is none.
std::vector<Index> red_lines(const LineBlock& block, bool with_next) {
  std::vector<Index> lines;
  for (Index g = 0; g <= block.groups(); ++g)
    for (Index lane = 0; lane < lanes; ++lane) {
      const Index line = 2 * (block.start(lane) + g);
      const bool there = block.length(lane) > 0 && g < block.length(lane) + (with_next ? 1 : 0);
      lines.push_back(there && block.first_line + line <= block.last_line ? line : -1);
    }
  return lines;
}
std::vector<Index> black_lines(const LineBlock& block) {
  std::vector<Index> lines;
  for (Index g = 0; g < block.groups(); ++g)
    for (Index lane = 0; lane < lanes; ++lane)
      lines.push_back(g < block.black_length(lane) ? 2 * (block.start(lane) + g) + 1 : -1);
  return lines;
}

template <class T>
std::vector<T> element_table(const Axis& y) {
  std::vector<T> table;
  for (Index g = 0; g < y.unknowns(); ++g)
    for (int p = 0; p < 3; ++p)
      for (const double value : y.row(p, g)) table.push_back(static_cast<T>(value));
  return table;
}

Index last_black(const LineBlock& block) { return block.lines() / 2 - 1; }

// The own lines of a block and the red one that follows, if any; where x is periodic that of line nx is line 0.
NodalBlock with_next_red(const LineBlock& block, const Axis& x, const Axis& y) {
  return nodal_block({{block.first_line}, {std::min(block.end_line, block.last_line) + 1}}, x, y);
}

}  // namespace

template <class T>
struct BlockSchur<T>::Part {
  NodalBlock needed;           // lines whose equations the part needs: its own and the red line that follows, if any
  EquationView<double> sides;  // end conditions alone
  Array<double, 1> side_tangents;
  RowScaling scaling;
  std::unique_ptr<BlockLines<T>> red_factors, black_factors;
  Array<T, 1> red_couplings, black_couplings, table, ghost, red_rhs, red, scratch;
  Array<double, 1> edges, halo, next_line;
  Array<GhostSource, 1> sources;
  Array<Index, 1> red_lines, own_red_lines, black_lines;
  std::vector<Range<1>> inner, outer;

  Part(const LineBlock& block, const Formulation& problem, const ExecutorPtr& executor, int threads)
      : needed(with_next_red(block, problem.x, problem.y)) {
    ScaledEquations scaled = scaled_equations(problem, needed, executor, threads);
    const Equations<double>& equations = scaled.equations;
    scaling = std::move(scaled.scaling);
    sides = equations.view();
    sides.x.data = sides.y.data = sides.sampled = nullptr;
    side_tangents = scaled.equations.take_side_tangents();
    const auto reds = collocation::red_lines(block, true), blacks = collocation::black_lines(block);
    red_lines = make_array(executor, reds);
    own_red_lines = make_array(executor, collocation::red_lines(block, false));
    black_lines = make_array(executor, blacks);
    red_factors = std::make_unique<BlockLines<T>>(equations.view(), Along::y, reds, executor, most_growth);
    black_factors = std::make_unique<BlockLines<T>>(equations.view(), Along::y, blacks, executor, most_growth);
    table = make_array(executor, element_table<T>(problem.y));
    const Index groups = block.groups(), nodes = needed.nodes(), size = block.group_size();
    red_couplings = couplings(equations.view(), red_lines, groups + 1, executor);
    black_couplings = couplings(equations.view(), black_lines, groups, executor);
    const Beyond beyond = needed.periodic_x ? Beyond::other_end : Beyond::nothing;
    sources = make_array(executor, ghost_sources(block, {-1, groups - 1, groups}, beyond));
    ghost = Array<T, 1>(executor, {3 * size});
    edges = make_array(executor, std::vector<double>(static_cast<std::size_t>(8 * nodes), 0.0));
    halo = make_array(executor, std::vector<double>(static_cast<std::size_t>(8 * nodes), 0.0));
    next_line = Array<double, 1>(executor, {needed.line_size()});
    red_rhs = Array<T, 1>(executor, {(groups + 1) * size});
    red = Array<T, 1>(executor, {(groups + 1) * size});
    if (executor->backend() != Backend::cuda) scratch = Array<T, 1>(executor, {2 * executor->threads() * size});
    executor->synchronize();  // before the equations go
  }

  template <bool Ring>
  LineSystems<T, Ring> reds() const {
    return {red_factors->factors(), red_couplings.view().data, table.view().data, needed.nodes()};
  }
  template <bool Ring>
  LineSystems<T, Ring> blacks() const {
    return {black_factors->factors(), black_couplings.view().data, table.view().data, needed.nodes()};
  }

  static Array<T, 1> couplings(const EquationView<double>& view, const Array<Index, 1>& lines, Index groups,
                               const ExecutorPtr& executor) {
    Array<T, 1> made(executor, {groups * view.block.nodes() * couplings_per_node * lanes});
    launch_lanes(*executor, "schur couplings", groups, 1,
                 CouplingsBody<double, T>{view, lines.view().data, made.view().data});
    return made;
  }
};

template <class T>
BlockSchur<T>::~BlockSchur() = default;

template <class T>
BlockSchur<T>::BlockSchur(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks,
                          const Formulation& problem, int threads)
    : team_(&team) {
  const Index nodes = problem.y.distinct_nodes();
  for (const NodalBlock& own : blocks) blocks_.push_back({own.first_line, own.end_line, own.nx, 2 * nodes});
  VectorLayout layout;
  layout.rows = 4 * nodes;
  bool regular = true;
  for (int p = 0; p < team.parts(); ++p) {
    const LineBlock& block = blocks_[p];
    auto part = std::make_unique<Part>(block, problem, team.executor(p), threads);
    regular = regular && !part->red_factors->singular() && !part->black_factors->singular();
    const Index groups = block.groups(), inner_end = groups - 2;
    if (team.total_parts() == 1 || inner_end <= 1) {
      part->outer = {{{0}, {groups}}};
    } else {
      part->inner = {{{1}, {inner_end}}};
      part->outer = {{{0}, {1}}, {{inner_end}, {groups}}};
    }
    edges_.push_back(part->edges.view());
    received_edges_.push_back(part->halo.view());
    received_lines_.push_back(part->next_line.view());
    layout.groups.push_back(groups);
    parts_.push_back(std::move(part));
  }
  if (!comm.agree(regular))
    throw NumericalError(
        "elimination along a grid line, as methods schur and schur-mixed have it, meets a singular block or loses too "
        "many digits with these coefficients on this mesh; try method mg");
  space_ = std::make_shared<VectorSpace>(comm, team, std::move(layout));
  const std::vector<Index> both_edges(blocks_.size(), 2);
  edge_halo_ =
      std::make_unique<Halo<double>>(comm, team, nodal_edge_links(team, both_edges, 4 * nodes, problem.x.periodic()));
  const IndexSet nothing = IndexSet::run(0, 0), line = IndexSet::run(0, parts_.front()->needed.line_size());
  const std::vector<NeighborSwaps> to_the_part_before(parts_.size(), {{line, nothing}, {nothing, line}});
  first_line_halo_ =
      std::make_unique<Halo<double>>(comm, team, neighbor_links(team, to_the_part_before, problem.x.periodic()));
}

template <class T>
const RowScaling& BlockSchur<T>::scaling(int part) const {
  return parts_[static_cast<std::size_t>(part)]->scaling;
}

template <class T>
BlockLineGroups<T> BlockSchur<T>::groups_of(int part, const Vector<T>& x) const {
  return {x.part(part).data, parts_[part]->ghost.view().data, blocks_[part].groups(), blocks_[part].group_size()};
}

template <class T>
void BlockSchur<T>::exchange_edges(const Vector<T>& x) const {
  if (team_->total_parts() == 1) return;
  team_->each([&](int p) {
    const LineBlock& block = blocks_[p];
    if (last_black(block) < 0) return;
    launch(*team_->executor(p), "schur edges", Range<2>{{0, 0}, {2, 2 * block.rows}},
           EdgeBody<T>{x.part(p).data,
                       const_cast<double*>(edges_[p].data),
                       {block.offset(0), block.offset(last_black(block))},
                       2 * block.rows});
  });
  edge_halo_->start(edges_);
}

template <class T>
void BlockSchur<T>::finish_edges(const Vector<T>& x) const {
  if (team_->total_parts() > 1) edge_halo_->finish(received_edges_);
  team_->each([&](int p) {
    const Part& own = *parts_[p];
    launch(*team_->executor(p), "schur ghosts", Range<3>{{0, 0, 0}, {3, 2 * blocks_[p].rows, lanes}},
           LineGhostBody<T>{x.part(p).data, own.halo.view().data, own.sources.view().data,
                            const_cast<T*>(own.ghost.view().data), 2 * blocks_[p].rows});
  });
}

// Calls call(ring) with whether lines of the part go around, as std::bool_constant.
template <class T>
template <class Call>
void BlockSchur<T>::with_ring(int part, const Call& call) const {
  parts_[part]->needed.periodic_y ? call(std::true_type()) : call(std::false_type());
}

template <class T>
template <bool Ring, int K>
void BlockSchur<T>::run_product(int part, const Vector<T>& x, Vector<T>& y, const Vector<T>& w, bool inner) const {
  Part& own = *parts_[part];
  const Executor& executor = *team_->executor(part);
  const BlackProductBody<T, Ring, K> product{own.template blacks<Ring>(), groups_of(part, x), w.part(part).data,
                                             y.part(part).data};
  for (const Range<1>& range : inner ? own.inner : own.outer) {
    const Index begin = range.lo[0], end = range.hi[0];
    if (executor.backend() == Backend::cuda) {
      launch_lanes(executor, "schur red lines", end + 1 - begin, 1,
                   CoupledSolveBody<T, Ring>{own.template reds<Ring>(), product.x, -1, nullptr, T{1},
                                             own.red.view().data, begin});
      sum_lanes<K>(executor, "schur black lines", end - begin, 1,
                   BlackLinesBody<T, Ring, K>{product, own.red.view().data, begin}, space_->template sums<K>(part));
    } else {
      const Index ranges = std::min<Index>(executor.threads(), end - begin);
      sum_lanes<K>(
          executor, "schur product", ranges, 1,
          RollingBody<T, Ring, K>{product, own.template reds<Ring>(), begin, end, ranges, own.scratch.view().data},
          space_->template sums<K>(part));
    }
  }
}

template <class T>
template <int K>
std::array<double, K> BlockSchur<T>::multiply(const Vector<T>& x, Vector<T>& y, const Vector<T>& w) const {
  require(&x != &y, "BlockSchur: x and y must differ");
  space_->clear_sums(K);
  exchange_edges(x);
  const auto run = [&](bool inner) {
    team_->each([&](int p) { with_ring(p, [&](auto ring) { run_product<ring(), K>(p, x, y, w, inner); }); });
  };
  run(true);
  finish_edges(x);
  run(false);
  return space_->template join_sums<K>();
}

template <class T>
Dots BlockSchur<T>::apply_with_dots(const Vector<T>& x, Vector<T>& y, const Vector<T>& w) const {
  const auto [yy, yw] = multiply<2>(x, y, w);
  return {.yy = yy, .yw = yw};
}

template <class T>
StepSums BlockSchur<T>::apply_with_step_sums(const Vector<T>& x, Vector<T>& t, const Vector<T>& s,
                                             const Vector<T>& r0) const {
  if (&s != &x) return Operator<T>::apply_with_step_sums(x, t, s, r0);
  const auto [tt, ts, ss, r0_t, r0_s] = multiply<5>(x, t, r0);
  return {tt, ts, ss, r0_t, r0_s};
}

template <class T>
void BlockSchur<T>::exchange_first_lines(const Vector<double>& b) {
  if (team_->total_parts() == 1) return;
  std::vector<View<const double, 1>> owned;
  for (int p = 0; p < team_->parts(); ++p) owned.push_back(b.part(p));
  first_line_halo_->start(owned);
  first_line_halo_->finish(received_lines_);
}

template <class T>
void BlockSchur<T>::reduce(const Vector<double>& b, double factor, Vector<T>& b_prime) {
  exchange_first_lines(b);
  team_->each([&](int p) {
    Part& own = *parts_[p];
    const Executor& executor = *team_->executor(p);
    const LineBlock& block = blocks_[p];
    const Index groups = block.groups(), nodes = own.needed.nodes();
    T* const to_black = b_prime.part(p).data;
    const Index own_lines = block.lines(), line_size = own.needed.line_size();
    const double* const next = own_lines == own.needed.all_lines() ? b.part(p).data : own.next_line.view().data;
    const NodalLines<double> all{b.part(p).data, nullptr, next, own_lines, line_size};
    const auto pack = [&](const Array<Index, 1>& lines, Index count, T* to) {
      launch(executor, "schur pack", Range<3>{{0, 0, 0}, {count, nodes, 4 * lanes}},
             PackLinesBody<T>{all, own.needed, lines.view().data, to, factor});
    };
    pack(own.red_lines, groups + 1, own.red_rhs.view().data);
    pack(own.black_lines, groups, to_black);
    T* red = own.red.view().data;
    with_ring(p, [&](auto ring) {
      using Solve = CoupledSolveBody<T, ring()>;
      launch_lanes(executor, "schur reduce red", groups + 1, 1,
                   Solve{own.template reds<ring()>(), {}, 0, own.red_rhs.view().data, T{1}, red, 0});
      // Groups 0 .. groups of the red lines, none of them a ghost.
      const BlockLineGroups<T> reds{red, nullptr, groups + 2, block.group_size()};
      launch_lanes(executor, "schur reduce black", groups, 1,
                   Solve{own.template blacks<ring()>(), reds, 0, to_black, T{-1}, to_black, 0});
    });
  });
}

template <class T>
void BlockSchur<T>::recover(const Vector<T>& x) {
  exchange_edges(x);
  finish_edges(x);
  team_->each([&](int p) {
    Part& own = *parts_[p];
    with_ring(p, [&](auto ring) {
      launch_lanes(*team_->executor(p), "schur recover", blocks_[p].groups() + 1, 1,
                   CoupledSolveBody<T, ring()>{own.template reds<ring()>(), groups_of(p, x), -1,
                                               own.red_rhs.view().data, T{-1}, own.red.view().data, 0});
    });
  });
}

template <class T>
void BlockSchur<T>::unpack(const Vector<T>& x, double factor, Vector<double>& all) const {
  team_->each([&](int p) {
    const Part& own = *parts_[p];
    const Index groups = blocks_[p].groups();
    const auto lines = [&](const Array<Index, 1>& list, const T* from, Index count) {
      launch(*team_->executor(p), "schur unpack", Range<3>{{0, 0, 0}, {count, own.needed.nodes(), lanes}},
             UnpackLinesBody<T>{from, own.sides, list.view().data, all.part(p).data, factor});
    };
    lines(own.own_red_lines, own.red.view().data, groups + 1);
    lines(own.black_lines, x.part(p).data, groups);
  });
}

template <class T>
std::size_t BlockSchur<T>::bytes(Index lines, Index ny) {
  // Factors and weights (56), two sets of red lines; coefficients while it is made (24 in double), and rounding up to
  // groups of eight pairs.
  const Index padded = (lines / 2 + 1 + 2 * lanes) * 2;
  return static_cast<std::size_t>(padded * (ny + 1)) * (60 * sizeof(T) + 24 * sizeof(double));
}

template class BlockSchur<double>;
template class BlockSchur<float>;

}  // namespace halocline::collocation
