#include "lib/problems/collocation/schur/schur.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/schur/schur_kernels.hpp"

namespace halocline::collocation {

namespace {

// A part sends its first black line to the left and its last one to the right.
NeighborSwaps swaps_of(const LineBlock& block) {
  const Index size = 2 * block.rows;
  const auto line_at = [size](Index offset) { return IndexSet{offset, {1, 1, size}, {0, 0, lanes}, {}}; };
  return {{line_at(block.offset(0)), IndexSet::run(0, size)},
          {line_at(block.offset(block.pairs() - 1)), IndexSet::run(size, size)}};
}

}  // namespace

// One part's device memory, and the ranges of groups that need no line of another part (inner) and that do (outer).
struct SchurOperator::Part {
  Array<double, 1> coefficients, ghost, halo, red_rhs, red;
  Array<GhostSource, 1> sources;
  Array<Index, 1> lengths;
  std::vector<Range<1>> inner, outer;
  std::unique_ptr<SchurProduct> product;
};

SchurOperator::~SchurOperator() = default;

SchurOperator::SchurOperator(const Communicator& comm, const Team& team, std::vector<LineBlock> blocks,
                             const ConstantEquation& equation, double hx, const Axis& y, ProductMethod method)
    : team_(&team), blocks_(std::move(blocks)) {
  const std::vector<double> coefficients = line_coefficients(equation, hx, y);
  VectorLayout layout;
  layout.rows = 2 * blocks_[0].rows;
  std::vector<NeighborSwaps> swaps;
  for (LineBlock& block : blocks_) block.downward = runs_downward(equation);
  for (int p = 0; p < team.parts(); ++p) {
    const LineBlock& block = blocks_[p];
    const ExecutorPtr& executor = team.executor(p);
    const Index groups = block.groups();
    auto part = std::make_unique<Part>();
    // Groups 1 .. G-4 of the product touch no ghost group.
    const Index inner_end = groups - 3;
    if (team.total_parts() == 1 || inner_end <= 1) {
      part->outer = {{{0}, {groups}}};
    } else {
      part->inner = {{{1}, {inner_end}}};
      part->outer = {{{0}, {1}}, {{inner_end}, {groups}}};
    }
    std::vector<Index> lengths;
    for (Index lane = 0; lane < lanes; ++lane) lengths.push_back(block.black_length(lane));
    part->coefficients = make_array(executor, coefficients);
    part->sources =
        make_array(executor, ghost_sources(block, {-1, groups - 2, groups - 1, groups}, Beyond::mirror_image));
    part->lengths = make_array(executor, lengths);
    part->ghost = Array<double, 1>(executor, {4 * block.group_size()});
    part->halo = make_array(executor, std::vector<double>(static_cast<std::size_t>(4 * block.rows), 0.0));
    part->product = make_schur_product(method, executor, block, coefficients, part->coefficients.view().data);
    received_.push_back(part->halo.view());
    parts_.push_back(std::move(part));
    layout.groups.push_back(groups);
    swaps.push_back(swaps_of(block));
  }
  owned_.resize(parts_.size());
  space_ = std::make_shared<VectorSpace>(comm, team, std::move(layout));
  halo_ = std::make_unique<Halo<double>>(comm, team, neighbor_links(team, swaps));
}

void SchurOperator::fill_ghosts(int part, const Vector<double>& x) const {
  const Part& own = *parts_[part];
  launch(*team_->executor(part), "schur ghosts", Range<3>{{0, 0, 0}, {4, blocks_[part].rows, lanes}},
         GhostBody{x.part(part).data, own.halo.view().data, own.sources.view().data,
                   const_cast<double*>(own.ghost.view().data), blocks_[part].rows});
}

ProductData SchurOperator::data_of(int part, const Vector<double>& x, Vector<double>& y,
                                   const Vector<double>& w) const {
  const Part& own = *parts_[part];
  const LineBlock& block = blocks_[part];
  return {{x.part(part).data, own.ghost.view().data, block.groups(), block.group_size()},
          w.part(part).data,
          y.part(part).data,
          own.lengths.view().data,
          own.sources.view().data,
          own.halo.view().data};
}

template <int K>
void SchurOperator::run_product(int part, const ProductData& data, bool inner) const {
  const Part& own = *parts_[part];
  for (const Range<1>& groups : inner ? own.inner : own.outer)
    own.product->run(data, groups.lo[0], groups.hi[0],
                     {K, space_->sums<K>(part).data(), !inner && &groups == &own.outer.back()});
}

template <int K>
std::array<double, K> SchurOperator::multiply(const Vector<double>& x, Vector<double>& y,
                                              const Vector<double>& w) const {
  require(&x != &y, "SchurOperator: x and y must differ");
  space_->clear_sums(K);
  for (int p = 0; p < team_->parts(); ++p) owned_[p] = x.part(p);
  halo_->start(owned_);
  team_->each([&](int p) { run_product<K>(p, data_of(p, x, y, w), true); });
  halo_->finish(received_);
  team_->each([&](int p) {
    if (parts_[p]->product->needs_ghosts()) fill_ghosts(p, x);
    run_product<K>(p, data_of(p, x, y, w), false);
  });
  return space_->join_sums<K>();
}

Dots SchurOperator::apply_with_dots(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const {
  const auto [yy, yw] = multiply<2>(x, y, w);
  return {.yy = yy, .yw = yw};
}

StepSums SchurOperator::apply_with_step_sums(const Vector<double>& x, Vector<double>& t, const Vector<double>& s,
                                             const Vector<double>& r0) const {
  if (&s != &x) return Operator::apply_with_step_sums(x, t, s, r0);
  const auto [tt, ts, ss, r0_t, r0_s] = multiply<5>(x, t, r0);
  return {tt, ts, ss, r0_t, r0_s};
}

void SchurOperator::multiply_on_device(const Vector<double>& x, Vector<double>& y, const Vector<double>& w,
                                       const ProductSums& sums) const {
  require(&x != &y && only_launches(), "SchurOperator: x and y must differ, on a single part");
  if (parts_[0]->product->needs_ghosts()) fill_ghosts(0, x);
  parts_[0]->product->run(data_of(0, x, y, w), 0, blocks_[0].groups(), sums);
}

void SchurOperator::apply_with_device_dots(const Vector<double>& x, Vector<double>& y, const Vector<double>& w,
                                           double* sums) const {
  multiply_on_device(x, y, w, {.device = sums});
}

void SchurOperator::apply_with_device_step_sums(const Vector<double>& s, Vector<double>& t, const Vector<double>& r0,
                                                double* sums) const {
  multiply_on_device(s, t, r0, {.count = 5, .device = sums});
}

void SchurOperator::reduce(const std::vector<PartRightHandSide>& b, Vector<double>& b_prime) {
  team_->each([&](int p) {
    const ExecutorPtr& executor = team_->executor(p);
    const LineBlock& block = blocks_[p];
    Part& own = *parts_[p];
    own.red_rhs = make_array(executor, b[p].red);
    const Array<double, 1> black_rhs = make_array(executor, b[p].black);
    Array<double, 1> red(executor, {own.red_rhs.size()});
    LineSolveBody body{own.coefficients.view().data,
                       own.red_rhs.view().data,
                       nullptr,
                       nullptr,
                       red.view().data,
                       nullptr,
                       block.rows / 2};
    launch_lanes(*executor, "schur reduce red", block.groups() + 1, 1, body);
    body.b = black_rhs.view().data;
    body.left = red.view().data;
    body.right = red.view().data + block.group_size();
    body.target = b_prime.part(p).data;
    body.lengths = own.lengths.view().data;
    launch_lanes(*executor, "schur reduce black", block.groups(), 1, body);
    executor->synchronize();  // before the temporary arrays go
  });
}

void SchurOperator::recover(const Vector<double>& x) {
  for (int p = 0; p < team_->parts(); ++p) owned_[p] = x.part(p);
  halo_->start(owned_);
  halo_->finish(received_);
  team_->each([&](int p) {
    fill_ghosts(p, x);
    const Executor& executor = *team_->executor(p);
    const LineBlock& block = blocks_[p];
    Part& own = *parts_[p];
    const Index groups = block.groups(), size = block.group_size();
    // Groups -1 .. G in a row.
    Array<double, 1> black(team_->executor(p), {(groups + 2) * size});
    const LineGroups lines{x.part(p).data, own.ghost.view().data, groups, size};
    for (Index g = -1; g <= groups; ++g)
      executor.copy_async(black.view().data + (g + 1) * size, lines.group(g),
                          static_cast<std::size_t>(size) * sizeof(double), Queue::compute);
    own.red = Array<double, 1>(team_->executor(p), {(groups + 1) * size});
    launch_lanes(executor, "schur recover", groups + 1, 1,
                 LineSolveBody{own.coefficients.view().data, own.red_rhs.view().data, black.view().data,
                               black.view().data + size, own.red.view().data, nullptr, block.rows / 2});
    executor.synchronize();
  });
}

View<const double, 1> SchurOperator::red(int part) const {
  return const_cast<const Array<double, 1>&>(parts_[part]->red).view();
}

}  // namespace halocline::collocation
