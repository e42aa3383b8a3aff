#include "lib/problems/diffusion/options.hpp"

#include <algorithm>

#include "lib/expression/scope.hpp"

namespace halocline::diffusion {

namespace {

constexpr double most_cells = 1e9;  // along an axis
// Of a step. The stages of a long one round to some 1e-13 of the state.
constexpr double least_tolerance = 1e-12;

// The mask that make_stencil() takes where the deck names none; the resolved deck shows it.
MaskName mask_for(const GridOptions& grid, bool accurate) {
  const std::size_t dimensions = std::max(grid.cells.size(), grid.points.size());
  return default_mask(dimensions == 3 ? 3 : 2, accurate);
}

// Fronts of a mobility that vanishes in both phases would not move by harmonic means.
MeanChoice default_mean(EquationKind kind) {
  return kind == EquationKind::cahn_hilliard ? MeanChoice::arithmetic : MeanChoice::harmonic;
}

}  // namespace

void GridOptions::describe(Describer& d) {
  d.choice({"layout", "", "fv: cells, walls on faces; hiperc: as the benchmark HiPerC, fixed walls on points."},
           layout);
  d.item({"size", "length", "fv: lengths along x, y and, in 3D, z."}, size, Bounds::positive());
  d.item({"cells", "1", "fv: numbers of cells along the axes."}, cells, Bounds::between(1, most_cells));
  d.item({"points", "1", "hiperc: numbers of points, ring of ghosts included."}, points,
         Bounds::between(1, most_cells));
  d.item({"spacing", "length", "hiperc: distance of points, one or by axis."}, spacing, axis_names, Bounds::positive());
  d.item({"origin", "length", "Coordinates of the low corner; 0 if left out."}, origin);
  d.item({"parts", "1", "Parts along y and z, in 2D along x and y, for all devices; no choice changes a result."},
         parts, Bounds::between(1, most_cells));
}

void EquationOptions::describe(Describer& d) {
  d.choice({"kind", "",
            "diffusion: c_t = div(D grad c) + source; allen_cahn: c_t = kappa lap c - f'(c) + source; "
            "cahn_hilliard: c_t = div mobility grad(f'(c) - kappa lap c).",
            true},
           kind);
  d.formula({"D", "length^2/time", "diffusion: diffusivity; a number, or a formula of place, time and c."}, diffusivity,
            variables);
  d.item({"anisotropy", "1", "diffusion: factors of D along the axes, as {x: 1, y: 0.1}; 1 if left out."}, anisotropy,
         axis_names, Bounds::positive());
  if (!face_mean_given) face_mean = default_mean(kind);
  face_mean_given |=
      d.choice({"face_mean", "", "diffusion: D at a face from the two cells beside it; cahn_hilliard: mobility there."},
               face_mean);
  d.formula({"source", "1/time", "diffusion, allen_cahn: what is added to c_t."}, source, variables);
  d.item({"kappa", "", "allen_cahn, cahn_hilliard: coefficient of the gradient."}, kappa, Bounds::positive());
  d.formula({"mobility", "", "cahn_hilliard: mobility; a number, or a formula of place, time and c."}, mobility,
            variables);
  d.formula({"f", "",
             "cahn_hilliard, in place of rho and wells: the free energy, a formula of c; allen_cahn: the same, "
             "c^2 (1 - c)^2 if left out."},
            free_energy, field_names);
  d.item({"rho", "", "cahn_hilliard: f = rho (c - low)^2 (high - c)^2."}, rho, Bounds::positive());
  d.item({"wells", "1", "cahn_hilliard: [low, high] of f."}, wells);
  d.formula({"initial", "1", "c at t = 0.", true}, initial, place_variables);
}

void SegmentOptions::describe(Describer& d) {
  d.item({"from", "length",
          "Where it begins along the side: a coordinate, in 3D by axis; the end of the side if left "
          "out."},
         from, axis_names, Bounds{});
  d.item({"to", "length", "Where it ends."}, to, axis_names, Bounds{});
  describe_condition(d, *this, moving_variables, FluxKind::known);
}

void RestOptions::describe(Describer& d) { describe_condition(d, *this, moving_variables, FluxKind::known); }

void WallsOptions::describe(Describer& d) {
  static constexpr std::array<const char*, 6> help{
      "Pieces of the side of lowest x.",  "Pieces of the side of highest x.", "Pieces of the side of lowest y.",
      "Pieces of the side of highest y.", "Pieces of the side of lowest z.",  "Pieces of the side of highest z."};
  for (std::size_t side = 0; side < sides.size(); ++side) d.groups({side_names[side], "", help[side]}, sides[side]);
  rest.given = d.group({"rest", "", "What no piece covers."}, rest);
}

FieldNames::FieldNames(const std::vector<std::string>& fields) : texts(fields) {
  variables.assign(moving_variables.begin(), moving_variables.end());
  for (const std::string& name : texts) {
    const bool known = std::find(variables.begin(), variables.end(), name) != variables.end();
    if (!known && fault_of_name(name).empty()) variables.push_back(name.c_str());
    // else a fault that formulate_reactions() tells
  }
}

void FieldEquationOptions::describe(Describer& d) {
  d.formula({"D", "length^2/time", "Diffusivity; a number, or a formula of place and time.", true}, diffusivity,
            moving_variables);
  d.choice({"face_mean", "", "D at a face from the two cells beside it."}, face_mean);
  d.formula({"source", "", "What is added to the time derivative; of all fields."}, source, fields->variables);
  d.formula({"initial", "", "The field at t = 0.", true}, initial, place_variables);
  d.item({"unit", "", "Unit of the field, for output."}, unit);
  has_walls |= d.group({"walls", "", "Of this field, in place of diffusion.walls."}, walls);
}

void MaskOptions::describe(Describer& d) {
  d.item({"size", "1", "Points along every axis, odd.", true}, size, Bounds::between(1, 9));
  d.item({"weights", "1", "size^2 or size^3 numbers, x fastest, y from low to high; times 1/h^2.", true}, weights);
  d.item({"laplacian", "", "Whether the weights must make a Laplacian; false accepts any."}, laplacian);
}

void StencilOptions::describe(Describer& d) {
  mask_given =
      d.word_or_group({"mask", "", "Weights of the neighbors; 5pt in 2D and 7pt in 3D if left out."}, mask, own);
  d.item({"co", "1", "Time step over h^2/(2 d D), d dimensions, h the least spacing."}, co, Bounds::positive());
  d.item({"dt", "time", "Time step; with time.tolerance the first one, which may be left out."}, dt,
         Bounds::positive());
  d.item({"accurate", "", "Steps of h^2/(6 D) with the mask 9pt or 27pt: order 4."}, accurate);
}

void TimeOptions::describe(Describer& d) {
  d.choice({"method", "",
            "How time is stepped: euler; or rkc, rkl2, stabilized methods of second order whose stages let steps be "
            "hundreds of times longer."},
           method);
  d.item({"end", "time", "Last time; the time step is adjusted to hit it.", true}, end, Bounds::positive());
  d.item(
      {"tolerance", "1",
       "rkc, rkl2: estimated error of a step that is tolerated, root mean square over cells, relative to the largest "
       "|c|; steps are chosen by it. Left out: steps of one size, which stencil gives."},
      tolerance, Bounds::between(least_tolerance, 0.1));
  d.item({"most_stages", "1", "rkc, rkl2: stages of a step at most; 250 if left out."}, most_stages,
         Bounds::between(3, 1000));
  d.item({"steps_per_sweep", "1", "Steps per pass through memory and per exchange of halos: auto or a number."},
         steps_per_sweep);
  d.choice({"kernel", "", "How steps are computed; no choice changes a result."}, kernel);
  d.choice({"on_limit", "",
            "Where D or a source changes with time or c and a step comes to lie above the limit of stability: take "
            "shorter steps, with a warning, or end with exit code 3."},
           on_limit);
  d.item(
      {"exact_times", "",
       "Steps are shortened to end at times of outputs, pictures, records and checkpoints. Otherwise nothing that is "
       "looked at changes a step: values between two steps are those of a shorter step from the first."},
      exact_times);
}

void BlockOptions::describe(Describer& d) {
  d.item({"fields", "", "Names of several fields that react, each with its block of `equations`; left out: one, c."},
         fields);
  const auto known = std::make_shared<const FieldNames>(fields);
  data.describe(d, names);
  d.definitions(names, fields.empty() ? std::span<const char* const>(variables) : known->variables);
  d.group({"grid", "", "Uniform grid.", true}, grid);
  has_equation |= d.group({"equation", "", "What is solved; needed without `fields`."}, equation);
  equations.fields = known;
  if (equations.size() == 0) equations.names.clear();
  d.groups({"equations", "", "By field: c_t = div(D grad c) + source."}, equations, equations.names);
  // Of several fields each may have walls of its own: plan() tells which have none, and what is missing without
  // equation and fields.
  has_walls |=
      d.group({"walls", "", "Boundary conditions; left out where every field has its own.", has_equation}, walls);
  if (!stencil.mask_given) stencil.mask = mask_for(grid, stencil.accurate);
  d.group({"stencil", "", "Mask and time step.", true}, stencil);
  d.group({"time", "", "Steps in time.", true}, time);
  d.choice({"precision", "", "Of the state."}, precision);
}

void VerifyOptions::describe(Describer& d) {
  d.formula({"exact", "1", "Exact solution."}, exact, moving_variables);
  d.choice({"reference", "", "A solution built in: carburizing_exact, half-walls at 1 on opposite sides of a square."},
           reference);
  d.item({"max_error", "1", "Largest admissible error."}, max_error, field_names, Bounds::positive());
  d.item({"rms_error", "1", "Largest admissible root mean square error."}, rms_error, field_names, Bounds::positive());
  d.item(
      {"mass_balance", "1",
       "Largest admissible gap between change of mass and flux through walls and what a source adds, relative to the "
       "largest of the mass at the start, what came in, what the source added, and a domain full of the largest |c| at "
       "the end. With a source only what this key asks for is kept."},
      mass_balance, Bounds::positive());
  d.item({"mass", "1", "Admissible masses at the end, [low, high]."}, mass);
  d.item({"wrss", "1", "Admissible residuals of the benchmark HiPerC at the end, [low, high]."}, wrss);
  d.item({"energy", "1", "cahn_hilliard: admissible free energies at the end, [low, high]."}, energy);
  if (fields.size() == 0) fields.names.clear();
  d.groups({"fields", "", "Of several fields, by name, in place of the keys above."}, fields, fields.names);
}

void FieldVerifyOptions::describe(Describer& d) {
  d.formula({"exact", "", "Exact solution."}, exact, moving_variables);
  d.item({"max_error", "", "Largest admissible error."}, max_error, Bounds::positive());
  d.item({"rms_error", "", "Largest admissible root mean square error."}, rms_error, Bounds::positive());
  d.item({"mass_balance", "1", "As verify.mass_balance of one field; what it asks for is kept of this field alone."},
         mass_balance, Bounds::positive());
  d.item({"mass", "", "Admissible masses at the end, [low, high]."}, mass);
  d.item({"min", "", "Admissible least values at the end, [low, high]."}, min);
  d.item({"max", "", "Admissible largest values at the end, [low, high]."}, max);
}

void DiffusionOptions::describe(Describer& d) {
  d.group({"diffusion", "", "Explicit diffusion on a uniform grid.", true}, block);
  d.group({"verify", "", "What the result is compared with."}, verify);
}

void DiffusionOptions::refine(int factor) {
  block.grid.refinement *= factor;
  block.stencil.dt /= static_cast<double>(factor) * factor;
}

}  // namespace halocline::diffusion
