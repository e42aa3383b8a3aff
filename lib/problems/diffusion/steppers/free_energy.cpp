#include "lib/problems/diffusion/steppers/free_energy.hpp"

#include <vector>

#include "gpu/launch.hpp"
#include "lib/problems/diffusion/steppers/spinodal_kernels.hpp"

namespace halocline::diffusion {

double free_energy(const Context& context, const Formulation& f, const Field<double>& field) {
  const UniformGrid& g = f.geometry;
  const DoubleWell well{f.terms.rho, f.terms.low, f.terms.high};
  std::vector<ExactSum> parts(static_cast<std::size_t>(context.team.parts()));
  context.team.each([&](int p) {
    const ConvolveBlock<double>& b = field.block(p);
    EnergyOfRow body{b, well, f.terms.kappa, {0, 0, 0}};
    for (int axis = 0; axis < g.dimensions; ++axis) body.half_inverse[axis] = 0.5 / g.spacing[axis];
    const double bytes = bytes_of(b, {0, b.slow_extent()}, 1);
    sum_chunks<1>(*context.team.executor(p), {"free energy", bytes}, b.extent[1] * b.extent[2], body,
                  std::span<ExactSum, 1>(&parts[static_cast<std::size_t>(p)], 1));
  });
  ExactSum all;
  for (const ExactSum& part : parts) all.add(part);
  context.comm.sum({&all, 1});
  return all.value() * g.volume();
}

}  // namespace halocline::diffusion
