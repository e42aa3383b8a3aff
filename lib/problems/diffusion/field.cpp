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
    Index own_slow = 0, own_fast = 0;  // positions of own cells, from (0, 0) on
    Array<T, 1> alpha, beta, fixed;
    Array<double, 1> uptake, carry;
    Array<double, 1> kept_uptake, kept_carry;
    Index origin() const { return -patch.slow_from * patch.fast_count() - patch.fast_from; }
    // use(begin, end) of the places of own cells; others are of halos.
    template <class Use>
    void each_own_line(const Use& use) const {
      for (Index line = 0; line < rings * own_slow; ++line) {
        const Index ring = line / own_slow, slow = line % own_slow;
        const Index from = origin() + ring * patch.count() + slow * patch.fast_count();
        use(from, from + own_fast);
      }
    }
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
Field<T>::Field(const Context& context, const BoxPartition& boxes, const UniformGrid& geometry, const Stencil& stencil,
                const Walls& walls, Index halo, int levels, bool records)
    : Field(context, stencil, walls,
            std::make_shared<Slabs<T>>(context.comm, context.team, boxes, geometry,
                                       SlabRules{.halo = halo,
                                                 .periodic = walls.periodic(geometry.slow_axis()),
                                                 .periodic_y = walls.periodic(geometry.slow_axis() - 1)}),
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
  for (int axis = 0; axis < b.dimensions; ++axis)
    for (int which = 0; which < 2; ++which) {
      WallRule<T>& rule = b.walls[axis][which];
      const Index first = b.first_along(axis), last = first + b.extent[axis];
      const bool at_end = which == 0 ? first == 0 : last == geometry_.extent[axis];
      rule.kind = WallKind::affine;
      if (walls_.periodic(axis)) rule.kind = cut(axis) ? WallKind::open : WallKind::periodic;
      if (!at_end) rule.kind = WallKind::open;
      auto& wall = walls_of_[static_cast<std::size_t>(part)]->of[axis][which];
      if (rule.kind != WallKind::affine) continue;
      const auto reach = [&](int other) -> Index { return std::max<Index>(b.ghosts(other), stencil_.radius[other]); };
      const SideAxes axes = axes_of_side(axis);
      wall.patch = {-reach(axes.slow), b.extent[axes.slow] + reach(axes.slow), -reach(axes.fast),
                    b.extent[axes.fast] + reach(axes.fast)};
      wall.positions =
          walls_.positions(axis, which, wall.patch.moved(b.first_along(axes.slow), b.first_along(axes.fast)));
      wall.rings = stencil_.radius[axis];
      wall.own_slow = b.extent[axes.slow], wall.own_fast = b.extent[axes.fast];
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
  source_ =
      std::make_unique<SourceRecords>(context_, geometry_, std::vector<SlabLayout>(blocks_.begin(), blocks_.end()));
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
      wall.each_own_line([&, uptake = wall.uptake.to_host(), carry = wall.carry.to_host()](Index from, Index to) {
        for (auto n = static_cast<std::size_t>(from); n < static_cast<std::size_t>(to); ++n) {
          sums[static_cast<std::size_t>(side)].add(uptake[n]);
          sums[static_cast<std::size_t>(side)].add(-carry[n]);
        }
      });
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

// Records lie in the file as [layer][ring][line] over the positions of a side, layers along its slow axis as WallRule
// has it, in 2D along the only one. A part has pieces of lines, or all of some layers, and none of a side it is not at.
template <class T>
void Field<T>::archive_records(StateArchive& state, const std::string& name, int axis, int which, bool carry) {
  if (walls_.periodic(axis)) return;
  const bool deep = geometry_.dimensions == 3;
  const SideAxes axes = axes_of_side(axis);
  const int layer = !deep && axis == 0 ? axes.fast : axes.slow, line = !deep && axis == 0 ? axes.slow : axes.fast;
  const std::string block_name =
      name + "_" + side_names[static_cast<std::size_t>(2 * axis + which)] + (carry ? "_carry" : "_uptake");
  const ExecutorPtr host = make_omp_executor(1);
  const Index rings = stencil_.radius[axis];
  for (int p = 0; p < context_.team.parts(); ++p) {
    const ConvolveBlock<T>& b = block(p);
    auto& wall = walls_of_[static_cast<std::size_t>(p)]->of[axis][which];
    const WallRule<T>& rule = b.walls[axis][which];
    const bool own = rule.kind == WallKind::affine, kept = rule.uptake != nullptr;
    const Index layers = own ? b.extent[layer] : 0, length = b.extent[line], all = geometry_.extent[line];
    Array<double, 1>& array = carry ? wall.carry : wall.uptake;
    std::vector<double> records = kept ? array.to_host() : std::vector<double>{};
    std::vector<Index> places;
    for (Index s = 0; s < layers; ++s)
      for (Index k = 0; k < rings; ++k)
        for (Index i = 0; i < length; ++i)
          places.push_back(wall.origin() + (layer == axes.slow ? rule.at(k, s, i) : rule.at(k, i, s)));
    std::vector<double> values;
    for (const Index place : places) values.push_back(kept ? records[static_cast<std::size_t>(place)] : 0);
    const auto put = [&](Index n, Index count, Index to) {
      state.block(block_name.c_str(), geometry_.extent[layer] * rings * all, 1, {{to}, {to + count}},
                  View<double, 1>(values.data() + n, count), *host);
    };
    const auto count = static_cast<Index>(values.size()), run = length == all ? count : length;
    if (count == 0) put(0, 0, 0);  // a part without takes part too
    for (Index n = 0; n < count; n += run)
      put(n, run, (b.first_along(layer) * rings + n / length) * all + b.first_along(line));
    if (!state.restoring() || !kept) continue;
    for (std::size_t i = 0; i < places.size(); ++i) records[static_cast<std::size_t>(places[i])] = values[i];
    array.assign(records);
  }
}

template class Field<double>;
template class Field<float>;

}  // namespace halocline::diffusion
