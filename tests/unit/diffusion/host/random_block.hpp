// RandomBlock: a part of any shape with walls of any kind and a mask of any kind, filled with random numbers, and its
// state some steps later by the definition: update_at_wall() for every cell.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "lib/problems/diffusion/convolve_kernels.hpp"

namespace halocline::diffusion {

struct RandomShape {
  MaskKind kind = MaskKind::star5;
  int dimensions = 2;
  int radius = 1;  // of kind general; others have their own
  Index extent[3] = {16, 16, 1};
  int steps = 1;
  WallKind sides[3][2] = {};
  bool fixed = false, repeat = false;
};

template <class T>
class RandomBlock {
 public:
  RandomBlock(const RandomShape& shape, unsigned seed) : shape_(shape), random_(seed) {
    make_mask();
    block.dimensions = shape.dimensions;
    for (int axis = 0; axis < 3; ++axis) block.extent[axis] = shape.extent[axis];
    block.halo = static_cast<Index>(mask.radius[block.slow_axis()]) * shape.steps;
    const Index line = 64 / sizeof(T);
    if (shape.sides[0][0] == WallKind::open || shape.sides[0][1] == WallKind::open) block.fringe = block.halo;
    const Index lead = (block.fringe + line - 1) / line * line;
    block.pitch = (block.extent[0] + 2 * lead + line - 1) / line * line;
    const bool neighbors = shape.sides[1][0] == WallKind::open || shape.sides[1][1] == WallKind::open;
    if (shape.dimensions == 3 && neighbors) block.rim = static_cast<Index>(mask.radius[1]) * shape.steps;
    block.plane = block.pitch * (shape.dimensions == 3 ? block.extent[1] + 2 * block.rim : 1);
    const Index size = (block.slow_extent() + 2 * block.halo) * block.slow_stride() + lead;
    first_ = lead - block.fringe;
    for (auto* array : {&old_, &next_, &work_}) array->resize(static_cast<std::size_t>(size / line));
    for (Line& values : old_)
      for (T& value : values.value) value = number();
    block.c = cell(old_);
    block.next = cell(next_);
    for (int axis = 0; axis < shape.dimensions; ++axis)
      for (int side = 0; side < 2; ++side) make_wall(axis, side);
  }
  RandomBlock(const RandomBlock&) = delete;
  RandomBlock& operator=(const RandomBlock&) = delete;

  // Own cells after `steps` steps from the old state, and what walls have let in. Forgets earlier records.
  std::vector<T> by_definition() {
    clear_records();
    std::vector<Line> from = old_;
    for (int level = 0; level < shape_.steps; ++level) {
      dispatch(mask.kind, [&](auto kind) { step<decltype(kind)::value>(level, from); });
      from.swap(work_);
    }
    return own(from);
  }
  std::vector<T> result(bool in_next = true) { return own(in_next ? next_ : old_); }
  // Of own cells; kernels may leave others for places of halos.
  std::vector<double> records() const {
    std::vector<double> all;
    for (int axis = 0; axis < shape_.dimensions; ++axis)
      for (const WallRule<T>& wall : block.walls[axis]) {
        if (!wall.uptake) continue;
        const Index slow = block.extent[axis == 2 ? 1 : 2], fast = block.extent[axis == 0 ? 1 : 0];
        for (const double* record : {wall.uptake, wall.carry})
          for (Index k = 0; k < mask.radius[axis]; ++k)
            for (Index s = 0; s < slow; ++s)
              for (Index f = 0; f < fast; ++f) all.push_back(record[wall.at(k, s, f)]);
      }
    return all;
  }
  void clear_records() {
    for (auto* memory : {&uptake_, &carry_})
      for (auto& axis : *memory)
        for (auto& side : axis) std::fill(side.begin(), side.end(), 0.0);
  }
  Rows rows() const { return {0, block.slow_extent()}; }
  // In pieces, as when messages are sent in between.
  std::vector<SlabBox> pieces() const {
    const SlabBox all = block.box(rows());
    const Index slow = all.rows.hi / 3, middle = 2 * all.along_y.hi / 3;
    std::vector<SlabBox> cut{{{slow, all.rows.hi}, {middle, all.along_y.hi}, all.along_x},
                             {{slow, all.rows.hi}, {0, middle}, all.along_x}};
    if (slow > 0) cut.push_back({{0, slow}, all.along_y, all.along_x});
    std::erase_if(cut, [](const SlabBox& box) { return box.along_y.lo >= box.along_y.hi; });
    if (block.fringe > 0 && block.extent[0] > line_piece)
      for (std::size_t n = 0, count = cut.size(); n < count; ++n) {
        cut.push_back(cut[n]);
        cut[n].along_x.hi = cut.back().along_x.lo = line_piece;
      }
    return cut;
  }

  // Block and mask with the pointers that place(array, pointer into it) gives, for every array.
  template <class Place>
  std::pair<ConvolveBlock<T>, ConvolveMask<T>> placed(const Place& place) {
    std::pair<ConvolveBlock<T>, ConvolveMask<T>> copy{block, mask};
    auto& [b, m] = copy;
    b.c = place(old_, block.c), b.next = place(next_, block.next), m.weights = place(weights_, mask.weights);
    for (int axis = 0; axis < block.dimensions; ++axis)
      for (int side = 0; side < 2; ++side) {
        WallRule<T>& wall = b.walls[axis][side];
        if (wall.kind != WallKind::affine) continue;
        wall.alpha = place(alpha_[axis][side], wall.alpha), wall.beta = place(beta_[axis][side], wall.beta);
        if (wall.fixed) wall.fixed = place(fixed_[axis][side], wall.fixed);
        if (!wall.uptake) continue;
        wall.uptake = place(uptake_[axis][side], wall.uptake), wall.carry = place(carry_[axis][side], wall.carry);
      }
    return copy;
  }

  ConvolveBlock<T> block;
  ConvolveMask<T> mask;

 private:
  T number() { return static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random_)); }

  void make_mask() {
    const MaskKind kind = shape_.kind;
    int reach = kind == MaskKind::general ? shape_.radius : 1;
    if (kind == MaskKind::cross9 || kind == MaskKind::cross13) reach = 2;
    mask.kind = kind;
    std::size_t count = 1;
    for (int axis = 0; axis < 3; ++axis) {
      mask.radius[axis] = axis < shape_.dimensions ? reach : 0;
      count *= static_cast<std::size_t>(2 * mask.radius[axis] + 1);
    }
    for (T& k : mask.k) k = T(0.02) * number();
    // Only the records of walls read the weights of a kind with a name, so these need not be its own; but a star has
    // none at corners.
    for (std::size_t n = 0; n < count; ++n)
      weights_.push_back(n % 5 == 3 || corner_of_star(n) ? T{0} : T(0.3) / T(count) * number());
    mask.weights = weights_.data();
    if (kind == MaskKind::general && count <= std::size(mask.k)) std::copy(weights_.begin(), weights_.end(), mask.k);
    mask.sum = T(0.01);
  }

  bool corner_of_star(std::size_t n) const {
    return shape_.kind == MaskKind::star7 && (n % 3 != 1) + (n / 3 % 3 != 1) + (n / 9 != 1) > 1;
  }

  void make_wall(int axis, int side) {
    WallRule<T>& wall = block.walls[axis][side];
    wall.kind = shape_.sides[axis][side];
    if (wall.kind != WallKind::affine) return;
    const int slow = axis == 2 ? 1 : 2, fast = axis == 0 ? 1 : 0;
    const Index margin = 4 + block.halo;
    const Index slow_count = block.extent[slow] + 2 * margin, fast_count = block.extent[fast] + 2 * margin;
    const int rings = mask.radius[axis];
    wall.slow = fast_count;
    wall.ring = slow_count * fast_count;
    wall.beta_level = rings * wall.ring;
    wall.fixed_level = wall.ring;
    wall.repeat = shape_.repeat;
    const Index origin = margin * fast_count + margin;
    const auto fill = [&](std::vector<T>& values, int layers, auto make) {
      values.resize(static_cast<std::size_t>(layers * wall.ring));
      for (T& value : values) value = make();
      for (int layer = 0; layer < layers; ++layer)  // the same beyond a periodic side as on the other one
        for (Index s = 0; s < slow_count; ++s)
          for (Index f = 0; f < fast_count; ++f)
            values[static_cast<std::size_t>(layer * wall.ring + s * fast_count + f)] = values[static_cast<std::size_t>(
                layer * wall.ring + wrapped(slow, s, margin) * fast_count + wrapped(fast, f, margin))];
      return values.data() + origin;
    };
    wall.alpha = fill(alpha_[axis][side], rings, [&] { return number(); });
    wall.beta = fill(beta_[axis][side], rings * shape_.steps, [&] { return T(0.1) * number(); });
    if (shape_.fixed)
      wall.fixed = fill(fixed_[axis][side], shape_.steps, [&] {
        const T value = number();
        return value > 0 ? value : std::numeric_limits<T>::quiet_NaN();
      });
    uptake_[axis][side].assign(static_cast<std::size_t>(rings * wall.ring), 0.0);
    carry_[axis][side] = uptake_[axis][side];
    wall.uptake = uptake_[axis][side].data() + origin;
    wall.carry = carry_[axis][side].data() + origin;
  }
  Index wrapped(int axis, Index stored, Index margin) const {
    const Index n = block.extent[axis];
    if (shape_.sides[axis][0] != WallKind::periodic) return stored;
    return ((stored - margin) % n + n) % n + margin;
  }

  struct alignas(64) Line {
    T value[64 / sizeof(T)] = {};
  };
  T* cell(std::vector<Line>& array) { return array.data()->value + first_ + block.origin(); }

  template <MaskKind K>
  void step(int level, std::vector<Line>& from) {
    const Cells<T> cells{cell(from), block.pitch, block.plane};
    const bool deep = shape_.dimensions == 3;
    const SlabBox box = box_of_level(block, mask.radius, block.box(rows()), level, shape_.steps);
    const Rows planes = deep ? box.rows : Rows{0, 1}, lines = deep ? box.along_y : box.rows;
    for (Index z = planes.lo; z < planes.hi; ++z)
      for (Index y = lines.lo; y < lines.hi; ++y)
        for (Index x = box.along_x.lo; x < box.along_x.hi; ++x) {
          bool own = true;
          for (const auto& [at, axis] : {std::pair{x, 0}, {y, 1}, {z, 2}})
            own = own && at >= 0 && at < block.extent[axis];
          cell(work_)[block.offset(z, y, x)] = update_at_wall<K>(block, mask, level, cells, z, y, x, own);
        }
  }

  std::vector<T> own(std::vector<Line>& array) {
    std::vector<T> values;
    for (Index z = 0; z < block.extent[2]; ++z)
      for (Index y = 0; y < block.extent[1]; ++y) {
        const T* row = cell(array) + block.offset(z, y, 0);
        values.insert(values.end(), row, row + block.extent[0]);
      }
    return values;
  }

  RandomShape shape_;
  Index first_ = 0;  // of the values with ghosts
  std::mt19937 random_;
  std::vector<T> weights_;
  std::vector<Line> old_, next_, work_;
  std::vector<T> alpha_[3][2], beta_[3][2], fixed_[3][2];
  std::vector<double> uptake_[3][2], carry_[3][2];
};

}  // namespace halocline::diffusion
