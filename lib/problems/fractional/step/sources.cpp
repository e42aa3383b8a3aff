#include "lib/problems/fractional/step/sources.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/fractional/step/step_kernels.hpp"

namespace halocline::fractional {

StepSources::StepSources(const Formulation& f, const std::shared_ptr<Slabs<double>>& slabs, const MediumField& media)
    : formulation_(&f), slabs_(slabs), media_(&media) {
  bool of_state = false;
  const auto place = [&](const Coefficient& of, Source& source) {
    if (of.constant()) return;
    source.formula.emplace(slabs, *of.formula);
    if (media.count() > 1 && of.formula->uses(variable_t)) source.by_media.emplace(slabs);
    of_state = of_state || of.formula->uses(variable_c);
  };
  place(f.source, source_);
  place(f.source_slope, slope_);
  if (of_state) ahead_of_.emplace(slabs);
}

void StepSources::evaluate(const LevelNumbers& n, const SlabField<double>& c, const SlabField<double>* last) {
  if (!source_.formula && !slope_.formula) return;
  slabs_->team().each([&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    const double* state = nullptr;
    if (ahead_of_) {
      state = c.data(p);
      if (n.ratio > 0) {
        launch_rows(*slabs_->team().executor(p), "extrapolate", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                    BetweenBody{{slab, media_->of_nodes(p)}, c.data(p), last->data(p), n.ahead, ahead_of_->data(p)});
        state = ahead_of_->data(p);
      }
    }
    evaluate(source_, n, p, state);
    evaluate(slope_, n, p, state);
  });
}

void StepSources::evaluate(Source& source, const LevelNumbers& n, int part, const double* state) {
  if (!source.formula) return;
  const SlabLayout& slab = slabs_->layout(part);
  for (int m = 0; m < (source.by_media ? n.media : 1); ++m) {
    source.formula->evaluate(part, n.t_within.of[m], state, slab.rows());
    if (!source.by_media) continue;
    launch_rows(
        *slabs_->team().executor(part), "source of a medium", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
        TakeMediumBody{{slab, media_->of_nodes(part)}, m, source.formula->data(part), source.by_media->data(part)});
  }
}

}  // namespace halocline::fractional
