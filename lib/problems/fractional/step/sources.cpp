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

template <class Numbers>
void StepSources::evaluate(const LevelNumbers& n, const SlabField<typename Numbers::Field>& c,
                           const SlabField<typename Numbers::Slot>* last) {
  if (!source_.formula && !slope_.formula) return;
  slabs_->team().each([&](int p) {
    const double* const state =
        ahead_of_ ? extrapolate<Numbers>(n, p, c.data(p), n.ratio > 0 ? last->data(p) : nullptr) : nullptr;
    evaluate(source_, n, p, state);
    evaluate(slope_, n, p, state);
  });
}

// The state of the formulas on a part: c itself, where nothing is to be added and they can read it.
template <class Numbers>
const double* StepSources::extrapolate(const LevelNumbers& n, int part, const typename Numbers::Field* c,
                                       const typename Numbers::Slot* last) {
  if constexpr (std::is_same_v<typename Numbers::Field, double>) {
    if (last == nullptr) return c;
  }
  const SlabLayout& slab = slabs_->layout(part);
  double* const to = ahead_of_->data(part);
  launch_rows(*slabs_->team().executor(part), "extrapolate", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
              BetweenBody<Numbers>{{slab, media_->of_nodes(part)}, c, last, n.ahead, to});
  return to;
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

template void StepSources::evaluate<Fp64>(const LevelNumbers&, const SlabField<double>&, const SlabField<double>*);
template void StepSources::evaluate<Mixed>(const LevelNumbers&, const SlabField<double>&, const SlabField<float>*);
template void StepSources::evaluate<Fp32>(const LevelNumbers&, const SlabField<float>&, const SlabField<float>*);

}  // namespace halocline::fractional
