// Terms: what an equation has besides a mask and a constant diffusivity.
#pragma once

#include <optional>

#include "lib/base/describe.hpp"
#include "lib/expression/program.hpp"
#include "lib/expression/scope.hpp"

namespace halocline::diffusion {

// f by a formula of c, with its derivatives: programs of (x, y, z, t, c).
struct FreeEnergy {
  Program value, slope, curvature;
};

struct Terms {
  // diffusion, allen_cahn: c_t = div(D grad c) + source
  std::optional<Program> diffusivity;  // where D is no number: of (x, y, z, t, c)
  bool harmonic = true;                // mean of D at faces; else arithmetic
  double along[3] = {1, 1, 1};         // factors of D along the axes
  std::optional<Program> source;       // of (x, y, z, t, c)
  std::optional<Program> decay;        // -dS/dc, where it changes with t or c
  // cahn_hilliard: c_t = div M grad(f'(c) - kappa lap c), f = rho (c - low)^2 (high - c)^2 or by a formula
  double mobility = 0, kappa = 0, rho = 0, low = 0, high = 0;  // mobility: where it varies the largest
  std::optional<Program> varying_mobility;                     // of (x, y, z, t, c)
  std::optional<FreeEnergy> free_energy;
  bool in_flux_form() const { return diffusivity.has_value() || source.has_value(); }
};

struct BlockOptions;
struct Formulation;

// The rate of the fastest mode of Cahn-Hilliard, at most: the operator M lap (f'' - kappa lap) is similar to a
// symmetric one. `mobility`, `curvature`: the largest M, and the largest f'' or 0.
double spinodal_rate(const Formulation& formulation, double mobility, double curvature);

// Reads the block `equation` into a formulation whose geometry, stencil, walls and initial state are there: kind,
// terms, diffusivity, rate and unit_step; an anisotropic D changes the stencil.
void read_terms(const BlockOptions& block, const Scope& scope, Formulation& formulation, Faults& faults);

}  // namespace halocline::diffusion
