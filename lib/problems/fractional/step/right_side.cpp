#include "lib/problems/fractional/step/right_side.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/problems/fractional/step/right_side_path.hpp"

namespace halocline::fractional {

namespace {

// Own nodes of a part that read no ghosts.
SlabBox inner_box(const Slabs<double>& slabs, int part) {
  const SlabBox with = slabs.box_with(part, 1);
  const auto within = [](const SlabRows& ghosts, Index own) {
    const Index lo = std::min(own, -ghosts.lo);
    return SlabRows{lo, std::max(lo, 2 * own - ghosts.hi)};
  };
  const SlabLayout& slab = slabs.layout(part);
  return {within(with.rows, slab.extent[2]), within(with.along_y, slab.extent[1]), with.along_x};
}

}  // namespace

template <class Numbers>
template <class Axis>
RightSideBody<Axis, Numbers> RightSide<Numbers>::body(const LevelNumbers& n, const SlabField<Field>& c,
                                                      Past<Numbers>& past, int part, const Axis& x, const Axis& y,
                                                      const Axis& z) const {
  RightSideBody<Axis, Numbers> body;
  body.slab = slabs_->layout(part);
  body.x = x;
  body.y = y;
  body.z = z;
  body.fields = {c.data(part), n.ratio > 0 ? past.last().data(part) : nullptr, past.slot().data(part)};
  body.numbers = {n.local, n.ratio, n.ahead};
  body.near = past.near_sum(part);
  body.mu = factors_->mu(part);
  body.sigma = coefficients_->sigma(part);
  body.reaction = coefficients_->reaction(part);
  body.source = sources_->source(part);
  body.medium = coefficients_->media().of_nodes(part);
  return body;
}

template <class Numbers>
template <class Axis>
void RightSide<Numbers>::launch(int part, RightSideBody<Axis, Numbers> body, const SlabBox& box) const {
  if (box.rows.lo == box.rows.hi || box.along_y.lo == box.along_y.hi) return;
  body.box = box;
  const Range<2> lines = body.lines();
  const Executor& executor = *slabs_->team().executor(part);
  constexpr double of_c = sizeof(Field), of_slots = sizeof(typename Numbers::Slot);
  const Label label{"right side", static_cast<double>(lines.size()) * (of_c + of_slots * (3 + body.near.count))};
  if (plan_right_side(executor)) return set_right_side(executor, label, body);
  launch_rows(executor, label, lines, body);
}

template <class Numbers>
void RightSide<Numbers>::set(const LevelNumbers& n, const SlabField<Field>& c, Past<Numbers>& past, Nodes which) const {
  coefficients_->with_rows([&](const auto& rows_of) {
    slabs_->team().each([&](int p) {
      const auto right = body(n, c, past, p, rows_of(p, 0), rows_of(p, 1), rows_of(p, 2));
      const SlabBox all = right.slab.box(right.slab.rows()), inner = inner_box(*slabs_, p);
      if (which == Nodes::inner) return launch(p, right, inner);
      launch(p, right, {{all.rows.lo, inner.rows.lo}, all.along_y, all.along_x});
      launch(p, right, {{inner.rows.hi, all.rows.hi}, all.along_y, all.along_x});
      launch(p, right, {inner.rows, {all.along_y.lo, inner.along_y.lo}, all.along_x});
      launch(p, right, {inner.rows, {inner.along_y.hi, all.along_y.hi}, all.along_x});
    });
  });
}

template class RightSide<Fp64>;
template class RightSide<Mixed>;
template class RightSide<Fp32>;

}  // namespace halocline::fractional
