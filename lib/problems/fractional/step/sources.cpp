#include "lib/problems/fractional/step/sources.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/fractional/step/step_kernels.hpp"

namespace halocline::fractional {

StepSources::StepSources(const Formulation& f, const std::shared_ptr<Slabs<double>>& slabs)
    : formulation_(&f), slabs_(slabs) {
  if (!f.source.constant()) source_.emplace(slabs, *f.source.formula);
  if (!f.source_slope.constant()) slope_.emplace(slabs, *f.source_slope.formula);
  if ((source_ && f.source.formula->uses(variable_c)) || (slope_ && f.source_slope.formula->uses(variable_c)))
    ahead_of_.emplace(slabs);
}

void StepSources::evaluate(const LevelNumbers& n, const SlabField<double>& c, const SlabField<double>* last) {
  if (!source_ && !slope_) return;
  slabs_->team().each([&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    const double* state = nullptr;
    if (ahead_of_) {
      state = c.data(p);
      if (n.ratio > 0) {
        launch_rows(*slabs_->team().executor(p), "extrapolate", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                    BetweenBody{slab, c.data(p), last->data(p), n.ahead(), ahead_of_->data(p)});
        state = ahead_of_->data(p);
      }
    }
    if (source_) source_->evaluate(p, n.t_within, state, slab.rows());
    if (slope_) slope_->evaluate(p, n.t_within, state, slab.rows());
  });
}

}  // namespace halocline::fractional
