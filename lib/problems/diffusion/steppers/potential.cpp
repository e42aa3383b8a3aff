#include "lib/problems/diffusion/steppers/potential.hpp"

#include <algorithm>
#include <array>

#include "lib/problems/diffusion/steppers/launch_cells.hpp"

namespace halocline::diffusion {

Potential::Potential(const Context& context, const Formulation& f, const Field<double>& field,
                     const std::vector<char>& without)
    : context_(context),
      f_(f),
      field_(field),
      well_{f.terms.rho, f.terms.low, f.terms.high},
      largest_(context.comm, context.team) {
  for (int p = 0; p < context.team.parts(); ++p) {
    const ConvolveBlock<double>& b = field.block(p);
    const ExecutorPtr& executor = context.team.executor(p);
    const bool none = !without.empty() && without[static_cast<std::size_t>(p)];
    mu_.emplace_back(executor, std::array<Index, 1>{none ? 0 : b.values()});
    inner_.push_back(device_mask(executor, f.stencil, -f.terms.kappa));
    if (!f.terms.free_energy) continue;
    const auto formula = [&](const Program& program) { return SlabFormula(executor, f.geometry, program, b); };
    const FreeEnergy& energy = *f.terms.free_energy;
    formulas_.push_back({formula(energy.value), formula(energy.slope), formula(energy.curvature)});
  }
  if (f.terms.free_energy) bound_.emplace(f.terms.free_energy->curvature);
}

double* Potential::at(int part) {
  const ConvolveBlock<double>& b = field_.block(part);
  return mu_[static_cast<std::size_t>(part)].view().data + b.origin();
}

void Potential::evaluate(SlabFormula& formula, int part, const SlabBox& box, const PointLargest& largest) {
  const ConvolveBlock<double>& b = field_.block(part);
  formula.evaluate_on<double>(box, 0, b.c, {at(part), b.pitch, b.plane}, largest);
}

void Potential::compute(int part, Rows rows) {
  if (rows.lo >= rows.hi) return;
  const ConvolveBlock<double>& b = field_.block(part);
  const ConvolveMask<double>& inner = mask(part);
  const Executor& executor = *context_.team.executor(part);
  const SlabBox box = with_rim(b, rows, inner.radius[1]);
  if (!formulas_.empty()) evaluate(formulas_[static_cast<std::size_t>(part)].slope, part, box);
  dispatch(inner.kind, [&](auto kind) {
    constexpr MaskKind K = decltype(kind)::value;
    if (formulas_.empty()) {
      launch_cells(executor, {"potential", bytes_of(b, rows, 2)}, b, box, PotentialBody<K>{b, inner, well_, at(part)});
    } else {
      launch_cells(executor, {"potential", bytes_of(b, rows, 3)}, b, box, PotentialOfSlope<K>{b, inner, at(part)});
    }
  });
}

double Potential::bound_of_curvature(const FieldRange& range) {
  return bound_ ? 2 * bound_->largest(range.low, range.high, 0) : largest_curvature(range);
}

// That of the double well is largest at the ends of a range.
double Potential::largest_curvature(const FieldRange& range) {
  if (formulas_.empty()) return std::max({well_.curvature(range.low), well_.curvature(range.high), 0.0});
  context_.team.each([&](int p) {
    largest_.start(p);
    evaluate(formulas_[static_cast<std::size_t>(p)].curvature, p, field_.block(p).box(field_.block(p).rows()),
             {.to = largest_.place(p), .strict = false});
  });
  return largest_.value();
}

double Potential::energy() {
  const UniformGrid& g = f_.geometry;
  std::vector<ExactSum> parts(static_cast<std::size_t>(context_.team.parts()));
  context_.team.each([&](int p) {
    const ConvolveBlock<double>& b = field_.block(p);
    EnergyOfRow body{b, well_, formulas_.empty() ? nullptr : at(p), f_.terms.kappa, {0, 0, 0}};
    if (!formulas_.empty()) evaluate(formulas_[static_cast<std::size_t>(p)].value, p, b.box(b.rows()));
    for (int axis = 0; axis < g.dimensions; ++axis) body.half_inverse[axis] = 0.5 / g.spacing[axis];
    const double bytes = bytes_of(b, {0, b.slow_extent()}, formulas_.empty() ? 1 : 2);
    sum_chunks<1>(*context_.team.executor(p), {"free energy", bytes}, b.extent[1] * b.extent[2], body,
                  std::span<ExactSum, 1>(&parts[static_cast<std::size_t>(p)], 1));
  });
  ExactSum all;
  for (const ExactSum& part : parts) all.add(part);
  context_.comm.sum({&all, 1});
  return all.value() * g.volume();
}

}  // namespace halocline::diffusion
