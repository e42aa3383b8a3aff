#include "lib/problems/fractional/step/right_side.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/fractional/step/right_side_path.hpp"

namespace halocline::fractional {

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
void RightSide<Numbers>::launch(int part, RightSideBody<Axis, Numbers> body, SlabRows planes) const {
  if (planes.lo == planes.hi) return;
  body.planes = planes;
  const SlabLayout& slab = body.slab;
  const Executor& executor = *slabs_->team().executor(part);
  constexpr double of_c = sizeof(Field), of_slots = sizeof(typename Numbers::Slot);
  const Label label{"right side", static_cast<double>(slab.count(planes)) * (of_c + of_slots * (3 + body.near.count))};
  if (plan_right_side(executor)) return set_right_side(executor, label, body);
  launch_rows(executor, label, Range<2>{{0, 0}, {slab.inner() * (planes.hi - planes.lo), slab.extent[0]}}, body);
}

template <class Numbers>
void RightSide<Numbers>::set(const LevelNumbers& n, const SlabField<Field>& c, Past<Numbers>& past,
                             Planes which) const {
  coefficients_->with_rows([&](const auto& rows_of) {
    slabs_->team().each([&](int p) {
      const auto right = body(n, c, past, p, rows_of(p, 0), rows_of(p, 1), rows_of(p, 2));
      const SlabRows all = right.slab.rows(), inner = slabs_->inner_rows(p, 1);
      if (which == Planes::inner) return launch(p, right, inner);
      launch(p, right, {all.lo, inner.lo});
      launch(p, right, {inner.hi, all.hi});
    });
  });
}

template class RightSide<Fp64>;
template class RightSide<Mixed>;
template class RightSide<Fp32>;

}  // namespace halocline::fractional
