// The right side in tiles of nodes that pass plane by plane: what a plane reads above it is the middle, and below, of
// the next ones. Where nodes are of one medium, threads keep these in registers; else they lie in the first cache.
#include <algorithm>

#include "gpu/block_kernel.hpp"
#include "lib/problems/fractional/step/right_side_path.hpp"

namespace halocline::fractional {
namespace {

constexpr int tile_x = 32, tile_y = 8;
constexpr int most_planes = 32;    // that a block passes, as long as there are
constexpr int blocks_wanted = 16;  // of a multiprocessor
constexpr int planes_ahead = 2;    // prefetched; of the slot and of increments one less
constexpr int increments_ahead = 3;

// V and delta' of a node.
template <class Slot>
struct NodeLevel {
  double value;
  Slot before;
};
template <class Axis, class Numbers>
__device__ __forceinline__ NodeLevel<typename Numbers::Slot> level_of(const RightSideBody<Axis, Numbers>& body,
                                                                      Index at) {
  const double c = body.fields.c[at];
  if (body.fields.before == nullptr) return {c, 0};
  const auto before = body.fields.before[at];
  return {fma(body.numbers.ahead.of[0], static_cast<double>(before), c), before};
}

// What RightSideBody::right() asks for, at hand.
struct NearNode {
  double values[8];
  __device__ double middle() const { return values[0]; }
  __device__ double west() const { return values[1]; }
  __device__ double east() const { return values[2]; }
  __device__ double south() const { return values[3]; }
  __device__ double north() const { return values[4]; }
  __device__ double below() const { return values[5]; }
  __device__ double above() const { return values[6]; }
  __device__ double past() const { return values[7]; }
};

// The far value and `count` increments, some of which are asked for at once.
template <class Slot>
__device__ __forceinline__ Slot history_of(const NearSum<Slot>& near, const Slot* slot, Index at, int count) {
  constexpr int at_once = 4;
  Slot sum = slot[at];
  for (int begin = 0; begin < count; begin += at_once) {
    Slot increments[at_once];
#pragma unroll
    for (int n = 0; n < at_once; ++n)
      if (begin + n < count) increments[n] = near.increments[begin + n][at];
#pragma unroll
    for (int n = 0; n < at_once; ++n)
      if (begin + n < count) sum = fma(near.weights[begin + n], increments[n], sum);
  }
  return sum;
}

// Of a multiprocessor: floats hide more of their waiting behind each other than spilled registers cost.
template <class Axis, class Slot>
constexpr int medium_blocks = std::is_same_v<Axis, ConstantAxis> && sizeof(Slot) < sizeof(double) ? 5 : 4;

// Whether coefficients but those of rows are numbers, and there is a delta'; of rows that vary, D alone does. Asked
// once, not at every node.
template <class Axis, class Numbers>
bool is_plain(const RightSideBody<Axis, Numbers>& body) {
  const auto is_number = [](const NodeValue& value) { return value.data == nullptr; };
  bool plain = body.fields.before != nullptr && is_number(body.mu) && is_number(body.sigma) &&
               is_number(body.reaction) && is_number(body.source);
  if constexpr (std::is_same_v<Axis, VaryingAxis>)
    plain = plain && !is_number(body.z.D) && is_number(body.x.v) && is_number(body.y.v) && is_number(body.z.v);
  return plain;
}

// From a node to those beside it in its plane.
struct Beside {
  Index west, east, south, north;
};

// Rows of the nodes of a column, from plane to plane. plain: as is_plain() says.
template <bool plain, class Axis>
struct ColumnRows {
  template <class Body>
  __device__ ColumnRows(const Body&, Index, Index) {}
  template <class Body>
  __device__ auto next(const Body& body, Index at, const Beside&, Index i, Index j, Index k) {
    return typename Body::template Rows<double>{body.x.template row<double>(at, i), body.y.template row<double>(at, j),
                                                body.z.template row<double>(at, k)};
  }
};
template <bool plain>
struct ColumnRows<plain, VaryingAxis> {
  RowWalk<double> walk;
  template <class Body>
  __device__ ColumnRows(const Body& body, Index at, Index k)
      : walk(body.z, node(body.z, at + body.z.shape.before(k)), node(body.z, at)) {}
  template <class Body>
  __device__ auto next(const Body& body, Index at, const Beside& beside, Index i, Index j, Index k) {
    const double D = walk.here().D;  // the same field on all axes
    const auto in_plane = [&](const VaryingAxis& axis, Index of, Index before, Index behind) {
      const Node here{D, plain ? axis.v.number : axis.v.load<double>(at)};
      return axis.row_among(of, node(axis, at + before), here, node(axis, at + behind));
    };
    return typename Body::template Rows<double>{in_plane(body.x, i, beside.west, beside.east),
                                                in_plane(body.y, j, beside.south, beside.north),
                                                walk.next(body.z, k, node(body.z, at + body.z.shape.behind(k)))};
  }

 private:
  using Node = VaryingAxis::Node<double>;
  __device__ static Node node(const VaryingAxis& axis, Index at) {
    return plain ? Node{axis.D.data[at], axis.v.number} : axis.node<double>(at);
  }
};

// Nodes of one medium. plain: as is_plain() says.
template <bool plain, class Axis, class Numbers>
__global__ void __launch_bounds__(tile_x* tile_y, medium_blocks<Axis, typename Numbers::Slot>)
    set_medium(RightSideBody<Axis, Numbers> body, int planes) {
  using Slot = typename Numbers::Slot;
  const SlabLayout& slab = body.slab;
  const Index i = static_cast<Index>(blockIdx.x) * tile_x + threadIdx.x;
  const Index y = body.box.along_y.lo + static_cast<Index>(blockIdx.y) * tile_y + threadIdx.y;
  if (i >= slab.extent[0] || y >= body.box.along_y.hi) return;
  const Index j = slab.first_row + y;
  const Index begin = body.box.rows.lo + static_cast<Index>(blockIdx.z) * planes;
  const Index end = begin + planes < body.box.rows.hi ? begin + planes : body.box.rows.hi;
  const Beside beside{body.x.shape.before(i), body.x.shape.behind(i), body.y.shape.before(j), body.y.shape.behind(j)};
  const double ahead = body.numbers.ahead.of[0];
  if (plain && body.fields.before == nullptr) __builtin_unreachable();
  // The newest increment of a sub-block is delta', which is at hand.
  const int others = body.near.count - 1;
  const bool at_hand = others >= 0 && body.near.increments[others] == body.fields.before;
  const bool prefetches = plain || others <= 1;  // others have enough under way
  Index at = slab.offset(begin, y, i);
  double below = level_of(body, at + body.z.shape.before(slab.first + begin)).value;
  NodeLevel<Slot> middle = level_of(body, at);
  ColumnRows<plain, Axis> rows(body, at, slab.first + begin);
  for (Index plane = begin; plane < end; ++plane, at += slab.plane) {
    const Index k = slab.first + plane;
    const NodeLevel<Slot> above = level_of(body, at + body.z.shape.behind(k));
    if (prefetches && plane + planes_ahead < end) {
      prefetch(body.fields.c + at + planes_ahead * slab.plane);
      prefetch(body.fields.slot + at + (planes_ahead - 1) * slab.plane);
      if (body.fields.before != nullptr) prefetch(body.fields.before + at + planes_ahead * slab.plane);
      if constexpr (std::is_same_v<Axis, VaryingAxis>)
        if (body.z.D.data != nullptr) prefetch(body.z.D.data + at + planes_ahead * slab.plane);
#pragma unroll
      for (int n = 0; n < increments_ahead; ++n)
        if (plain && n < others) prefetch(body.near.increments[n] + at + (planes_ahead - 1) * slab.plane);
    }
    Slot history = history_of(body.near, body.fields.slot, at, at_hand ? others : others + 1);
    if (at_hand) history = fma(body.near.weights[others], middle.before, history);
    double past = history;
    if (body.fields.before != nullptr) past = body.template past<double>(past, middle.before, 0);
    const NearNode near{middle.value,
                        body.template value<double>(at + beside.west, ahead),
                        body.template value<double>(at + beside.east, ahead),
                        body.template value<double>(at + beside.south, ahead),
                        body.template value<double>(at + beside.north, ahead),
                        below,
                        above.value,
                        past};
    typename RightSideBody<Axis, Numbers>::template NodeCoefficients<double> of{
        body.mu.number, body.sigma.number, body.reaction.number, body.source.number};
    if constexpr (!plain) of = body.template node_coefficients<double>(at);
    body.fields.slot[at] =
        static_cast<Slot>(body.template right<double>(of, rows.next(body, at, beside, i, j, k), near));
    below = middle.value;
    middle = above;
  }
}

template <class Axis, class Numbers>
__global__ void __launch_bounds__(tile_x* tile_y, 3) set_media(RightSideBody<Axis, Numbers> body, int planes) {
  const Index i = static_cast<Index>(blockIdx.x) * tile_x + threadIdx.x;
  const Index y = body.box.along_y.lo + static_cast<Index>(blockIdx.y) * tile_y + threadIdx.y;
  if (i >= body.slab.extent[0] || y >= body.box.along_y.hi) return;
  const Index begin = body.box.rows.lo + static_cast<Index>(blockIdx.z) * planes;
  const Index end = begin + planes < body.box.rows.hi ? begin + planes : body.box.rows.hi;
  for (Index plane = begin; plane < end; ++plane) body.visit(plane, y, i);
}

unsigned pieces(Index count, Index of) { return static_cast<unsigned>((count + of - 1) / of); }

}  // namespace

bool plan_right_side(const Executor& executor) { return runs_block_kernels(executor); }

template <class Axis, class Numbers>
void set_right_side(const Executor& executor, const Label& label, const RightSideBody<Axis, Numbers>& body) {
  const SlabRows& rows = body.box.along_y;
  const unsigned x = pieces(body.slab.extent[0], tile_x), y = pieces(rows.hi - rows.lo, tile_y);
  const Index wanted = Index{blocks_wanted} * block_limits(executor).multiprocessors;
  const Index all = body.box.rows.hi - body.box.rows.lo;
  const Index planes = std::clamp<Index>(all * x * y / wanted, 4, most_planes);
  auto* kernel = set_media<Axis, Numbers>;
  const bool one_medium = body.medium.data == nullptr && !body.near.by_tables;
  if (one_medium) kernel = is_plain(body) ? set_medium<true, Axis, Numbers> : set_medium<false, Axis, Numbers>;
  launch_blocks(executor, label, {{x, y, pieces(all, planes)}, {tile_x, tile_y}}, kernel, body,
                static_cast<int>(planes));
}
template void set_right_side(const Executor&, const Label&, const RightSideBody<ConstantAxis, Fp64>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<VaryingAxis, Fp64>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<ConstantAxis, Mixed>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<VaryingAxis, Mixed>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<ConstantAxis, Fp32>&);
template void set_right_side(const Executor&, const Label&, const RightSideBody<VaryingAxis, Fp32>&);

}  // namespace halocline::fractional
