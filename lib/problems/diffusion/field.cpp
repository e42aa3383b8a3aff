#include "lib/problems/diffusion/field.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace halocline::diffusion {

template <class T>
struct Field<T>::PartWalls {
  struct Wall {
    WallPatch patch;  // in cells of the part
    Walls::Positions positions;
    int rings = 0;
    Array<T, 1> alpha, beta, fixed;
    Array<double, 1> uptake, carry;
    Array<double, 1> kept_uptake, kept_carry;
    Index origin() const { return -patch.slow_from * patch.fast_count() - patch.fast_from; }
  };
  Wall of[3][2];
  // copy(to, from) of arrays with records and of what is kept of them.
  template <class Copy>
  void each_record(const Copy& copy) {
    for (auto& sides : of)
      for (Wall& wall : sides)
        if (wall.uptake.size() > 0) copy(wall.kept_uptake, wall.uptake), copy(wall.kept_carry, wall.carry);
  }
};

template <class T>
Field<T>::Field(const Context& context, const UniformGrid& geometry, const Stencil& stencil, const Walls& walls,
                Index halo, int levels, bool records)
    : Field(context, stencil, walls,
            std::make_shared<Slabs<T>>(context.comm, context.team, context.partition, geometry,
                                       SlabRules{.halo = halo, .periodic = walls.periodic(geometry.slow_axis())}),
            levels, records) {}

template <class T>
Field<T>::Field(const Context& context, const Stencil& stencil, const Walls& walls,
                const std::shared_ptr<Slabs<T>>& slabs, int levels, bool records)
    : Field(context, stencil, walls, slabs, SlabField<T>(slabs), SlabField<T>(slabs), levels, records) {}

template <class T>
Field<T>::Field(const Context& context, const Stencil& stencil, const Walls& walls, std::shared_ptr<Slabs<T>> slabs,
                SlabField<T> old_state, SlabField<T> new_state, int levels, bool records)
    : context_(context),
      geometry_(slabs->grid()),
      stencil_(stencil),
      walls_(walls),
      slabs_(std::move(slabs)),
      old_(std::move(old_state)),
      new_(std::move(new_state)) {
  for (int p = 0; p < context.team.parts(); ++p) {
    blocks_.push_back({slabs_->layout(p), old_.data(p), new_.data(p), {}});
    walls_of_.push_back(std::make_unique<PartWalls>());
    make_walls(p, levels, records);
  }
}

template <class T>
Field<T>::~Field() = default;

template <class T>
void Field<T>::make_walls(int part, int levels, bool records) {
  ConvolveBlock<T>& b = blocks_[static_cast<std::size_t>(part)];
  const ExecutorPtr& executor = context_.team.executor(part);
  const int slow = b.slow_axis();
  for (int axis = 0; axis < b.dimensions; ++axis)
    for (int which = 0; which < 2; ++which) {
      WallRule<T>& rule = b.walls[axis][which];
      const bool at_end = axis != slow || (which == 0 ? b.first == 0 : rows(part).hi[0] == context_.partition.count());
      rule.kind = WallKind::affine;
      if (walls_.periodic(axis)) rule.kind = axis == slow && open() ? WallKind::open : WallKind::periodic;
      if (!at_end) rule.kind = WallKind::open;
      if (rule.kind != WallKind::affine) continue;
      auto& wall = walls_of_[static_cast<std::size_t>(part)]->of[axis][which];
      const auto reach = [&](int other) -> Index {
        return other == slow ? std::max<Index>(b.halo, stencil_.radius[other]) : stencil_.radius[other];
      };
      const SideAxes axes = axes_of_side(axis);
      wall.patch = {-reach(axes.slow), b.extent[axes.slow] + reach(axes.slow), -reach(axes.fast),
                    b.extent[axes.fast] + reach(axes.fast)};
      WallPatch global = wall.patch;
      if (axes.slow == slow) global.slow_from += b.first, global.slow_to += b.first;
      if (axes.fast == slow) global.fast_from += b.first, global.fast_to += b.first;
      wall.positions = walls_.positions(axis, which, global);
      wall.rings = stencil_.radius[axis];
      const Index count = wall.patch.count(), all = count * wall.rings;
      const bool moving = walls_.side(axis, which).moving;
      wall.alpha = Array<T, 1>(executor, {all});
      wall.beta = Array<T, 1>(executor, {moving ? all * levels : all});
      rule.repeat = geometry_.layout == GridLayout::ringed;
      rule.ring = count;
      rule.slow = wall.patch.fast_count();
      rule.alpha = wall.alpha.view().data + wall.origin();
      rule.beta = wall.beta.view().data + wall.origin();
      rule.beta_level = moving ? all : 0;
      if (rule.repeat) {
        wall.fixed = Array<T, 1>(executor, {moving ? count * levels : count});
        rule.fixed = wall.fixed.view().data + wall.origin();
        rule.fixed_level = moving ? count : 0;
      }
      if (!records) continue;
      const std::vector<double> zeros(static_cast<std::size_t>(all), 0.0);
      wall.uptake = make_array(executor, zeros);
      wall.carry = make_array(executor, zeros);
      rule.uptake = wall.uptake.view().data + wall.origin();
      rule.carry = wall.carry.view().data + wall.origin();
    }
}

template <class T>
void Field<T>::fill_wall(int part, int axis, int which, double t, int level) {
  auto& wall = walls_of_[static_cast<std::size_t>(part)]->of[axis][which];
  const Walls::Values values = walls_.values(axis, which, wall.positions, wall.rings, t);
  const Executor& executor = *context_.team.executor(part);
  const auto put = [&](const Array<T, 1>& to, const std::vector<double>& from, int at_level) {
    const std::vector<T> converted(from.begin(), from.end());
    if (converted.empty()) return;
    T* target = const_cast<T*>(to.view().data) + static_cast<Index>(from.size()) * at_level;
    executor.copy_in(target, converted.data(), converted.size() * sizeof(T));
  };
  if (level == 0) put(wall.alpha, values.alpha, 0);
  put(wall.beta, values.beta, level);
  put(wall.fixed, values.fixed, level);
}

template <class T>
void Field<T>::set_walls(const Clock& clock, int levels) {
  const bool first = levels_set_ == 0;
  if (!first && !walls_.moving()) return;
  levels_set_ = levels;
  context_.team.each([&](int p) {
    for (int axis = 0; axis < geometry_.dimensions; ++axis)
      for (int which = 0; which < 2; ++which) {
        const bool moving = walls_.side(axis, which).moving;
        if (block(p).walls[axis][which].kind != WallKind::affine || (!first && !moving)) continue;
        for (int level = 0; level < (moving ? levels : 1); ++level) fill_wall(p, axis, which, clock.at(level), level);
      }
  });
}

template <class T>
void Field<T>::start_exchange(bool next) {
  (next ? new_ : old_).start_exchange();
}

template <class T>
void Field<T>::finish_exchange(bool next) {
  (next ? new_ : old_).finish_exchange();
}

template <class T>
void Field<T>::swap_all() {
  for (int p = 0; p < context_.team.parts(); ++p) swap(p);
}

template <class T>
void Field<T>::keep_source() {
  source_ = std::make_unique<SourceRecords>(context_, std::vector<SlabLayout>(blocks_.begin(), blocks_.end()));
}

template <class T>
void Field<T>::keep_records(int part) {
  if (source_) source_->keep(part);
  walls_of_[static_cast<std::size_t>(part)]->each_record([&](Array<double, 1>& kept, const Array<double, 1>& record) {
    if (kept.size() == 0) kept = Array<double, 1>(context_.team.executor(part), {record.size()});
    kept.assign(record);
  });
}

template <class T>
void Field<T>::restore_records(int part) {
  if (source_) source_->restore(part);
  walls_of_[static_cast<std::size_t>(part)]->each_record(
      [](const Array<double, 1>& kept, Array<double, 1>& record) { record.assign(kept); });
}

template <class T>
std::vector<ExactSum> Field<T>::uptake() const {
  std::vector<ExactSum> sums(6);
  for (const auto& walls : walls_of_)
    for (int side = 0; side < 6; ++side) {
      const auto& wall = walls->of[side / 2][side % 2];
      if (wall.uptake.size() == 0) continue;
      for (const double value : wall.uptake.to_host()) sums[static_cast<std::size_t>(side)].add(value);
      for (const double value : wall.carry.to_host()) sums[static_cast<std::size_t>(side)].add(-value);
    }
  context_.comm.sum(sums);
  return sums;
}

template <class T>
void Field<T>::archive(StateArchive& state, const std::string& name) {
  old_.archive(state, name);
  for (int axis = 0; axis < geometry_.dimensions; ++axis)
    for (int which = 0; which < 2; ++which)
      for (const bool carry : {false, true}) archive_records(state, name, axis, which, carry);
  if (source_) source_->archive(state, name);
}

// Records of a side across the slow axis belong to one part as a whole, those of other sides to its rows.
template <class T>
void Field<T>::archive_records(StateArchive& state, const std::string& name, int axis, int which, bool carry) {
  const int slow = geometry_.slow_axis();
  if (walls_.periodic(axis)) return;
  const SideAxes axes = axes_of_side(axis);
  const std::string block_name =
      name + "_" + side_names[static_cast<std::size_t>(2 * axis + which)] + (carry ? "_carry" : "_uptake");
  const ExecutorPtr host = make_omp_executor(1);
  for (int p = 0; p < context_.team.parts(); ++p) {
    const ConvolveBlock<T>& b = block(p);
    auto& wall = walls_of_[static_cast<std::size_t>(p)]->of[axis][which];
    const WallRule<T>& rule = b.walls[axis][which];
    const bool own = rule.kind == WallKind::affine;
    // Positions in the order row, ring, rest; `row` runs along the slow axis of the parts.
    const bool rows_are_slow = axes.slow == slow, across = axis == slow;
    std::vector<Index> places;
    const Index n_slow = b.extent[axes.slow], n_fast = b.extent[axes.fast];
    const Index outer = across ? n_slow : (rows_are_slow ? n_slow : n_fast);
    const Index inner = across ? n_fast : (rows_are_slow ? n_fast : n_slow);
    for (Index r = 0; own && r < outer; ++r)
      for (int k = 0; k < wall.rings; ++k)
        for (Index i = 0; i < inner; ++i)
          places.push_back(wall.origin() + (across || rows_are_slow ? rule.at(k, r, i) : rule.at(k, i, r)));
    const Index width = wall.rings > 0 ? wall.rings * inner : stencil_.radius[axis] * inner;
    const Index total = across ? outer : context_.partition.count();
    Range<1> range = across ? Range<1>{{0}, {outer}} : rows(p);
    if (across && !own) range = which == 0 ? Range<1>{{outer}, {outer}} : Range<1>{{0}, {0}};
    const bool kept = rule.uptake != nullptr;
    Array<double, 1>& array = carry ? wall.carry : wall.uptake;
    std::vector<double> all = kept ? array.to_host() : std::vector<double>{};
    std::vector<double> values;
    for (const Index place : places) values.push_back(kept ? all[static_cast<std::size_t>(place)] : 0);
    state.block(block_name.c_str(), total, width, range,
                View<double, 1>(values.data(), static_cast<Index>(values.size())), *host);
    if (!state.restoring() || !kept) continue;
    for (std::size_t n = 0; n < places.size(); ++n) all[static_cast<std::size_t>(places[n])] = values[n];
    array.assign(all);
  }
}

template class Field<double>;
template class Field<float>;

}  // namespace halocline::diffusion
