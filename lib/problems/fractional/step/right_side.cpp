#include "lib/problems/fractional/step/right_side.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/fractional/step/right_side_path.hpp"

namespace halocline::fractional {

template <class Axis>
void RightSide::set(const LevelNumbers& n, const SlabField<double>& c, Past& past, int part, const Axis& x,
                    const Axis& y, const Axis& z) const {
  const SlabLayout& slab = slabs_->layout(part);
  RightSideBody<Axis> body;
  body.slab = slab;
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
  const Executor& executor = *slabs_->team().executor(part);
  const Label label{"right side", 8 * static_cast<double>(slab.count(slab.rows())) * (4 + body.near.count)};
  if (plan_right_side(executor)) return set_right_side(executor, label, body);
  launch_rows(executor, label, Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}}, body);
}

void RightSide::set(const LevelNumbers& n, const SlabField<double>& c, Past& past) const {
  coefficients_->with_rows([&](const auto& rows_of) {
    slabs_->team().each([&](int p) { set(n, c, past, p, rows_of(p, 0), rows_of(p, 1), rows_of(p, 2)); });
  });
}

}  // namespace halocline::fractional
