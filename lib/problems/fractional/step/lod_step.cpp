#include "lib/problems/fractional/step/lod_step.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/fractional/step/lod_kernels.hpp"

namespace halocline::fractional {

namespace {

std::array<double, 3> weights_of(SourceSplit split) {
  if (split == SourceSplit::first) return {1, 0, 0};
  if (split == SourceSplit::last) return {0, 0, 1};
  return {1.0 / 3, 1.0 / 3, 1.0 / 3};
}

}  // namespace

LodStep::LodStep(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs,
                 const Coefficients& coefficients, SideValues& sides, const StepSources& sources,
                 const StepFactors& factors, Sweeps<double>& sweeps)
    : formulation_(&formulation),
      slabs_(slabs),
      coefficients_(&coefficients),
      sides_(&sides),
      sources_(&sources),
      factors_(&factors),
      sweeps_(&sweeps),
      given_(slabs),
      weights_(weights_of(formulation.lod.source_split)),
      updates_(static_cast<std::size_t>(slabs->parts())),
      mu_(static_cast<std::size_t>(slabs->parts())) {}

void LodStep::begin(int part, const SlabField<double>& c, Past<Fp64>& past) {
  const SlabLayout& slab = slabs_->layout(part);
  const NearSum<double> near = past.near_sum(part);
  const double bytes = 8 * static_cast<double>(slab.count(slab.rows())) * (5 + near.count);
  launch_rows(*slabs_->team().executor(part), {"right side", bytes}, Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
              LodBeginBody{{slab},
                           c.data(part),
                           past.slot().data(part),
                           given_.data(part),
                           near,
                           factors_->mu(part),
                           coefficients_->sigma(part),
                           sources_->source(part),
                           weights_[0]});
}

void LodStep::add(int part, double weight, double* slot) const {
  if (weight == 0) return;
  const SlabLayout& slab = slabs_->layout(part);
  const double bytes = 8 * static_cast<double>(slab.count(slab.rows())) * 3;
  launch_rows(*slabs_->team().executor(part), {"right side", bytes}, Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
              LodAddBody{{slab}, given_.data(part), slot, weight});
}

void LodStep::solve(SlabField<double>& c, Past<Fp64>& past) {
  sweeps_->set(factors_->nu_number());
  slabs_->team().each([&](int p) {
    const auto part = static_cast<std::size_t>(p);
    double* const w = past.slot().data(p);
    mu_[part] = factors_->mu(p);
    begin(p, c, past);
    if (formulation_->lod.intermediate == Intermediate::consistent) {
      sides_->prepare_consistent(p, mu_[part], given_.data(p), weights_);
    } else {
      sides_->prepare_end_time(p);
    }
    for (int axis = 0; axis < 2; ++axis) {
      sides_->enter(p, axis, mu_[part], w);
      sweeps_->solve(p, axis, mu_[part], w);
      add(p, weights_[static_cast<std::size_t>(axis) + 1], w);
    }
    sides_->enter(p, 2, mu_[part], w);
    updates_[part] = {c.data(p), c.data(p), w, -1};  // the increment is W - C
  });
  sweeps_->solve_across(mu_, updates_);
}

}  // namespace halocline::fractional
