#include "lib/problems/diffusion/host/tile_pass.hpp"

#include <algorithm>

namespace halocline::diffusion {

namespace {

template <class T>
Index down(Index x) {
  return x & ~(line_cells<T> - 1);
}
template <class T>
Index up(Index x) {
  return down<T>(x + line_cells<T> - 1);
}
Index wrap(Index i, Index n) { return (i % n + n) % n; }

// Columns (rows along m) of scratch beyond those of the tile.
template <class T>
Index margin_x(int reach, int steps) {
  return up<T>(static_cast<Index>(reach) * steps) + line_cells<T>;
}
Index margin_m(int reach, int steps) { return static_cast<Index>(reach) * (steps + 1); }

}  // namespace

template <class T>
std::size_t TilePass<T>::scratch_bytes(const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
                                       Index width, Index height) {
  const int reach_m = block.dimensions == 3 ? mask.radius[1] : 0, reach_s = mask.radius[block.slow_axis()];
  const Index row = up<T>(width) + 2 * margin_x<T>(mask.radius[0], steps);
  const Index plane = row * (height + 2 * margin_m(reach_m, steps));
  return static_cast<std::size_t>(plane * steps * (4 * reach_s + 2)) * sizeof(T) +
         static_cast<std::size_t>(width) * sizeof(double);
}

template <class T>
TilePass<T>::TilePass(const TilePassSetup<T>& setup, const Tile& tile, void* scratch)
    : s_(setup),
      b_(setup.block),
      tile_(tile),
      steps_(setup.steps),
      reach_x_(setup.mask.radius[0]),
      reach_m_(b_.dimensions == 3 ? setup.mask.radius[1] : 0),
      reach_s_(setup.mask.radius[b_.slow_axis()]),
      at_once_(b_.dimensions == 2 ? 2 : 1),
      ring_(2 * reach_s_ + at_once_),
      extent_s_(b_.slow_extent()),
      stride_s_(b_.slow_stride()),
      scratch_(static_cast<T*>(scratch)) {
  const Index margin = margin_x<T>(reach_x_, steps_);
  x_base_ = tile.x_lo - margin;
  m_base_ = tile.m_lo - margin_m(reach_m_, steps_);
  row_length_ = up<T>(tile.x_hi - tile.x_lo) + 2 * margin;
  plane_size_ = row_length_ * (tile.m_hi - tile.m_lo + 2 * margin_m(reach_m_, steps_));
  gains_ = reinterpret_cast<double*>(scratch_ + plane_size_ * steps_ * (4 * reach_s_ + 2));
  make_levels();
  in_place_ = reads_in_place();
  fetch_ = up<T>((levels_[0].x_hi - levels_[0].x_lo + steps_ - 1) / steps_ + line_cells<T>);
}

template <class T>
void TilePass<T>::make_levels() {
  const auto grow = [](Index lo, Index hi, Index more, const WallRule<T>* walls, Index n, bool* touch) {
    Index from = lo - more, to = hi + more;
    touch[0] = walls[0].kind == WallKind::affine && from <= 0;
    touch[1] = walls[1].kind == WallKind::affine && to >= n;
    return Rows{touch[0] ? 0 : from, touch[1] ? n : to};
  };
  for (int n = 0; n <= steps_; ++n) {
    Level& level = levels_[n];
    const Index left = steps_ - n;
    const Rows x = grow(tile_.x_lo, tile_.x_hi, left * reach_x_, b_.walls[0], b_.extent[0], level.wall_x);
    level.x_lo = x.lo, level.x_hi = x.hi;
    level.m_lo = tile_.m_lo, level.m_hi = tile_.m_hi, level.wall_m[0] = level.wall_m[1] = false;
    if (b_.dimensions == 3) {
      const Rows m = grow(tile_.m_lo, tile_.m_hi, left * reach_m_, b_.walls[1], b_.extent[1], level.wall_m);
      level.m_lo = m.lo, level.m_hi = m.hi;
    }
    bool touch[2];
    level.rows = grow(tile_.rows.lo, tile_.rows.hi, left * reach_s_, b_.walls[b_.slow_axis()], extent_s_, touch);
  }
  for (int n = 0; n <= steps_; ++n) {
    Level& level = levels_[n];
    level.slot = static_cast<int>(wrap(levels_[0].rows.lo - static_cast<Index>(n) * reach_s_ + at_once_ - 1, ring_));
    level.ring = scratch_plane(static_cast<Index>(n) * ring_).origin;
    level.at_wall = level.wall_x[0] || level.wall_x[1] || level.wall_m[0] || level.wall_m[1];
  }
  // Cells of the tile near any wall: those of all rows (planes), or of the first and last ones.
  records_ = s_.records.any() &&
             (levels_[steps_ - 1].at_wall || tile_.rows.lo < reach_s_ || tile_.rows.hi > extent_s_ - reach_s_);
}

// Whether step 1 finds all neighbors in the old array, ghosts of the slow axis aside.
template <class T>
bool TilePass<T>::reads_in_place() const {
  const Level& first = levels_[1];
  if (down<T>(first.x_lo) < reach_x_ || up<T>(first.x_hi) + reach_x_ > b_.extent[0]) return false;
  if (b_.dimensions == 2) return true;
  const auto beyond = [this](int side) { return b_.walls[1][side].kind == WallKind::open ? b_.rim : 0; };
  return first.m_lo - reach_m_ >= -beyond(0) && first.m_hi + reach_m_ <= b_.extent[1] + beyond(1);
}

// Whether cells of row (plane) j may be held at values by a wall of the slow axis.
template <class T>
bool TilePass<T>::held_plane(Index j) const {
  const WallRule<T>* walls = b_.walls[b_.slow_axis()];
  return (j == 0 && walls[0].fixed) || (j == extent_s_ - 1 && walls[1].fixed);
}

template <class T>
auto TilePass<T>::scratch_plane(Index number) const -> Plane {
  return {scratch_ + (number * plane_size_ - m_base_ * row_length_ - x_base_), row_length_};
}

template <class T>
auto TilePass<T>::ghost_plane(int level, int side, Index ring) const -> Plane {
  return scratch_plane(static_cast<Index>(steps_) * ring_ + (2 * level + side) * reach_s_ + ring);
}

// Row (plane) j of a level of which `newest` is the newest.
template <class T>
auto TilePass<T>::plane(int level, Index j, Index newest) const -> Plane {
  const WallRule<T>* walls = b_.walls[b_.slow_axis()];
  if (j < 0 && walls[0].kind == WallKind::affine) return ghost_plane(level, 0, -1 - j);
  if (j >= extent_s_ && walls[1].kind == WallKind::affine) return ghost_plane(level, 1, j - extent_s_);
  if (level == 0 && in_place_ && !held_plane(j)) return {b_.c + slow_place(j) * stride_s_, b_.pitch};
  Index slot = levels_[level].slot - (newest - j);
  if (slot < 0) slot += ring_;
  return scratch_plane(static_cast<Index>(level) * ring_ + slot);
}

// Takes row (plane) j of the old array into the ring of level 0, where it is the newest but `age`.
template <class T>
void TilePass<T>::load(Index j, int age) {
  const Level& level = levels_[0];
  if (j >= level.rows.hi || (in_place_ && !held_plane(j))) return;
  const Plane to = scratch_plane(level.slot < age ? level.slot - age + ring_ : level.slot - age);
  const T* from = b_.c + slow_place(j) * stride_s_;
  for (Index m = level.m_lo; m < level.m_hi; ++m) {
    const T* from_row = from + (b_.dimensions == 3 ? middle_place(m) * b_.pitch : 0);
    T* to_row = to.row(m);
    each_run(level.x_lo, level.x_hi, [&](Index x_lo, Index x_hi, Index place) {
      std::copy(from_row + place, from_row + place + (x_hi - x_lo), to_row + x_lo);
    });
  }
  finish(0, j, to);
}

// While a row of level n is computed, its share of a row to come of both arrays is fetched: the processor's own
// prefetching does not follow short pieces of rows.
template <class T>
void TilePass<T>::fetch_ahead(Index front, int n) const {
  const Level &old = levels_[0], &last = levels_[steps_];
  const Index in = front + s_.ahead, out = in - static_cast<Index>(steps_) * reach_s_;
  asm volatile("");  // without it g++ 12 takes a function that only prefetches for one without effect
  if (in < old.rows.hi) {
    const Index lo = std::max<Index>(old.x_lo, 0) + (n - 1) * fetch_,
                hi = std::min({lo + fetch_, old.x_hi, b_.extent[0]});
    const T* from = b_.c + slow_place(in) * stride_s_;
    for (Index x = lo; x < hi; x += line_cells<T>) __builtin_prefetch(from + x, 0, 3);
  }
  if (!s_.past_caches && out >= last.rows.lo && out < last.rows.hi) {
    const Index lo = last.x_lo + (n - 1) * fetch_, hi = std::min(lo + fetch_, last.x_hi);
    const T* to = b_.next + out * stride_s_;
    for (Index x = lo; x < hi; x += line_cells<T>) __builtin_prefetch(to + x, 1, 3);
  }
}

// The rows (planes) j - r .. j + count - 1 + r of the level before n, whose newest is `newest`.
template <class T>
void TilePass<T>::gather(int n, Index j, int count, Index newest, Plane* from) const {
  const int span = 2 * reach_s_ + count;
  const bool inner = j > reach_s_ && j + count < extent_s_ - reach_s_;  // no ghosts, none held
  if (n == 1 && in_place_ && inner) {
    for (int d = 0; d < span; ++d) from[d] = {b_.c + (j + d - reach_s_) * stride_s_, b_.pitch};
  } else if ((n == 1 && in_place_) || !inner) {
    for (int d = 0; d < span; ++d) from[d] = plane(n - 1, j + d - reach_s_, newest);
  } else {
    const Level& before = levels_[n - 1];
    int slot = before.slot - static_cast<int>(newest - j) - reach_s_;
    if (slot < 0) slot += ring_;
    for (int d = 0; d < span; ++d) {
      from[d] = {before.ring + slot * plane_size_, row_length_};
      if (++slot == ring_) slot = 0;
    }
  }
}

// Computes `count` rows (one plane) from j on of a level from the level before, whose newest is `newest`.
template <class T>
void TilePass<T>::advance(int n, Index j, int count, Index newest) {
  const Level& level = levels_[n];
  const bool near = j < reach_s_ || j + count > extent_s_ - reach_s_;
  if (near) make_ghosts_for(n, j, count, newest);
  Plane from[2 * most_reach + 2], to[2];
  gather(n, j, count, newest, from);
  for (int k = 0; k < count; ++k) {
    int slot = level.slot - static_cast<int>(newest - reach_s_ - (j + k));
    if (slot < 0) slot += ring_;
    to[k] = n == steps_ ? Plane{b_.next + (j + k) * stride_s_, b_.pitch}
                        : Plane{level.ring + slot * plane_size_, row_length_};
  }
  if (b_.dimensions == 2) {
    compute_rows(n, from, to, 0, count);
  } else {
    for (Index m = level.m_lo; m < level.m_hi; m += 2)
      compute_rows(n, from, to, m, static_cast<int>(std::min<Index>(2, level.m_hi - m)));
  }
  for (int k = 0; k < count; ++k) {
    if (records_ && j + k >= tile_.rows.lo && j + k < tile_.rows.hi) record(n, from + k, j + k);
    if (n < steps_ && (level.at_wall || near)) finish(n, j + k, to[k]);
  }
}

// Rows m .. m + count - 1 of a plane, in 2D `count` rows of the slow axis.
template <class T>
void TilePass<T>::compute_rows(int n, const Plane* from, const Plane* to, Index m, int count) const {
  const Level& level = levels_[n];
  const bool deep = b_.dimensions == 3, last = n == steps_;
  // Rounded to whole lines, but for results: what lies beyond is never used.
  const Index x_lo = down<T>(level.x_lo), x_hi = last ? level.x_hi : up<T>(level.x_hi);
  const int planes = 2 * reach_s_ + (deep ? 1 : count), last_e = reach_m_ + (deep ? count - 1 : 0);
  const T* rows[(2 * most_reach + 2) * (2 * most_reach + 1)];
  const T** next = rows;
  for (int d = 0; d < planes; ++d)
    for (int e = -reach_m_; e <= last_e; ++e) *next++ = from[d].row(m + e) + x_lo;
  T* out[2];
  for (int k = 0; k < count; ++k) out[k] = (deep ? to[0].row(m + k) : to[k].row(0)) + x_lo;
  const RowKernel<T> kernel = count == 2 ? s_.kernels.two : s_.kernels.one;
  kernel(s_.mask, rows, out, x_hi - x_lo, last && s_.past_caches);
}

// What the tile's own cells of row (plane) j gain through walls, from the rows around it.
template <class T>
void TilePass<T>::record(int n, const Plane* from, Index j) const {
  const Index x_lo = down<T>(levels_[n].x_lo);
  const bool deep = b_.dimensions == 3;
  for (Index m = tile_.m_lo; m < tile_.m_hi; ++m) {
    const Index z = deep ? j : 0, y = deep ? m : j;
    if (!s_.records.wanted(z, y, tile_.x_lo, tile_.x_hi)) continue;
    const T* rows[(2 * most_reach + 1) * (2 * most_reach + 1)];
    const T** next = rows;
    for (int d = 0; d <= 2 * reach_s_; ++d)
      for (int e = -reach_m_; e <= reach_m_; ++e) *next++ = from[d].row(m + e) + x_lo;
    s_.records.record(rows, x_lo, z, y, tile_.x_lo, tile_.x_hi, gains_);
  }
}

// Before rows (planes) from j on of level n are computed near a wall of the slow axis: ghosts of the level before,
// once.
template <class T>
void TilePass<T>::make_ghosts_for(int n, Index j, int count, Index newest) const {
  const WallRule<T>* walls = b_.walls[b_.slow_axis()];
  const Index low = levels_[n].rows.lo, high = std::max(low, extent_s_ - reach_s_);
  if (walls[0].kind == WallKind::affine && j == low && j < reach_s_) make_ghosts(n - 1, 0, newest);
  if (walls[1].kind == WallKind::affine && j <= high && high < j + count) make_ghosts(n - 1, 1, newest);
}

template <class T>
void TilePass<T>::run() {
  const Index end = levels_[steps_].rows.hi + static_cast<Index>(steps_) * reach_s_;
  for (Index front = levels_[0].rows.lo; front < end; front += at_once_) {
    for (int k = 0; k < at_once_; ++k) load(front + k, at_once_ - 1 - k);
    for (int n = 1; n <= steps_; ++n) {
      for (int k = 0; s_.ahead > 0 && k < at_once_; ++k) fetch_ahead(front + k, n);
      const Index j = front - static_cast<Index>(n) * reach_s_, newest = j + reach_s_ + at_once_ - 1;
      const Rows& rows = levels_[n].rows;
      if (j >= rows.lo && j + at_once_ <= rows.hi) {
        advance(n, j, at_once_, newest);
      } else {
        for (Index one = std::max(j, rows.lo); one < std::min(j + at_once_, rows.hi); ++one) advance(n, one, 1, newest);
      }
    }
    for (int n = 0; n <= steps_; ++n) {
      levels_[n].slot += at_once_;
      if (levels_[n].slot >= ring_) levels_[n].slot -= ring_;
    }
  }
}

// Where walls keep the values of row (plane) j, of row m.
template <class T>
Index TilePass<T>::slow_place(Index j) const {
  return b_.walls[b_.slow_axis()][0].kind == WallKind::periodic ? wrap(j, extent_s_) : j;
}
template <class T>
Index TilePass<T>::middle_place(Index m) const {
  return b_.dimensions == 3 && b_.walls[1][0].kind == WallKind::periodic ? wrap(m, b_.extent[1]) : m;
}

// f(x_lo, x_hi, place) for pieces of columns: the column x lies at place + x - x_lo, beyond a periodic side on the
// other one.
template <class T>
template <class F>
void TilePass<T>::each_run(Index x_lo, Index x_hi, const F& f) const {
  const Index n = b_.extent[0];
  if (b_.walls[0][0].kind != WallKind::periodic) return f(x_lo, x_hi, x_lo);
  for (Index x = x_lo; x < x_hi;) {
    const Index place = wrap(x, n), to = std::min(x_hi, x + n - place);
    f(x, to, place);
    x = to;
  }
}

// Makes a computed row (plane) what the next step sees: held cells, then ghosts in x, then along m.
template <class T>
void TilePass<T>::finish(int n, Index j, const Plane& p) const {
  const Level& level = levels_[n];
  hold(n, j, p);
  const Index slow = slow_place(j);
  for (int side = 0; side < 2; ++side) {
    if (!level.wall_x[side]) continue;
    const WallRule<T>& wall = b_.walls[0][side];
    const Index edge = side == 0 ? 0 : b_.extent[0] - 1, out = side == 0 ? -1 : 1;
    for (Index m = level.m_lo; m < level.m_hi; ++m)
      for (Index k = 0; k < reach_x_; ++k) {
        T* row = p.row(m);
        const Index place = b_.dimensions == 3 ? wall.at(k, slow, middle_place(m)) : wall.at(k, 0, slow);
        row[edge + (k + 1) * out] =
            fma(wall.alpha[place], row[edge - (wall.repeat ? 0 : k) * out], wall.beta[n * wall.beta_level + place]);
      }
  }
  for (int side = 0; side < 2; ++side) {
    if (!level.wall_m[side]) continue;
    const WallRule<T>& wall = b_.walls[1][side];
    const Index edge = side == 0 ? 0 : b_.extent[1] - 1, out = side == 0 ? -1 : 1;
    for (Index k = 0; k < reach_m_; ++k) {
      const T* from = p.row(edge - (wall.repeat ? 0 : k) * out);
      T* to = p.row(edge + (k + 1) * out);
      each_run(level.x_lo - (level.wall_x[0] ? reach_x_ : 0), level.x_hi + (level.wall_x[1] ? reach_x_ : 0),
               [&](Index x_lo, Index x_hi, Index at) {
                 const Index place = wall.at(k, slow, at - x_lo);
                 const T *alpha = wall.alpha + place, *beta = wall.beta + n * wall.beta_level + place;
                 for (Index x = x_lo; x < x_hi; ++x) to[x] = fma(alpha[x], from[x], beta[x]);
               });
    }
  }
}

// Cells that walls hold take their values. Where several do, x goes before y before z and low before high.
template <class T>
void TilePass<T>::hold(int n, Index j, const Plane& p) const {
  const Level& level = levels_[n];
  const int slow_axis = b_.slow_axis();
  const auto take = [](T& cell, T value) {
    if (value == value) cell = value;
  };
  const auto along = [&](const WallRule<T>& wall, Index m, Index s) {
    T* row = p.row(m);
    each_run(level.x_lo, level.x_hi, [&](Index x_lo, Index x_hi, Index at) {
      const T* fixed = wall.fixed + n * wall.fixed_level + wall.at(0, s, at - x_lo);
      for (Index x = x_lo; x < x_hi; ++x) take(row[x], fixed[x]);
    });
  };
  for (int side = 1; side >= 0; --side) {
    const WallRule<T>& wall = b_.walls[slow_axis][side];
    if (!wall.fixed || j != (side == 0 ? 0 : extent_s_ - 1)) continue;
    for (Index m = level.m_lo; m < level.m_hi; ++m) along(wall, m, slow_axis == 2 ? middle_place(m) : 0);
  }
  for (int side = 1; side >= 0; --side)
    if (slow_axis == 2 && level.wall_m[side] && b_.walls[1][side].fixed)
      along(b_.walls[1][side], side == 0 ? 0 : b_.extent[1] - 1, slow_place(j));
  for (int side = 1; side >= 0; --side) {
    const WallRule<T>& wall = b_.walls[0][side];
    if (!wall.fixed || !level.wall_x[side]) continue;
    for (Index m = level.m_lo; m < level.m_hi; ++m) {
      const Index place = slow_axis == 2 ? wall.at(0, slow_place(j), middle_place(m)) : wall.at(0, 0, slow_place(j));
      take(p.row(m)[side == 0 ? 0 : b_.extent[0] - 1], wall.fixed[n * wall.fixed_level + place]);
    }
  }
}

// Fills the rows (planes) of a level beyond a wall of the slow axis, when the next level is about to need them.
template <class T>
void TilePass<T>::make_ghosts(int n, int side, Index newest) const {
  const Level& level = levels_[n];
  const WallRule<T>& wall = b_.walls[b_.slow_axis()][side];
  for (Index k = 0; k < reach_s_; ++k) {
    const Index source = wall.repeat ? 0 : k;
    const Plane from = plane(n, side == 0 ? source : extent_s_ - 1 - source, newest);
    const Plane to = ghost_plane(n, side, k);
    for (Index m = level.m_lo - (level.wall_m[0] ? reach_m_ : 0); m < level.m_hi + (level.wall_m[1] ? reach_m_ : 0);
         ++m)
      each_run(level.x_lo - (level.wall_x[0] ? reach_x_ : 0), level.x_hi + (level.wall_x[1] ? reach_x_ : 0),
               [&](Index x_lo, Index x_hi, Index at) {
                 const Index place = wall.at(k, b_.dimensions == 3 ? middle_place(m) : 0, at - x_lo);
                 const T *alpha = wall.alpha + place, *beta = wall.beta + n * wall.beta_level + place;
                 const T* from_row = from.row(m);
                 T* to_row = to.row(m);
                 for (Index x = x_lo; x < x_hi; ++x) to_row[x] = fma(alpha[x], from_row[x], beta[x]);
               });
  }
}

template class TilePass<double>;
template class TilePass<float>;

}  // namespace halocline::diffusion
