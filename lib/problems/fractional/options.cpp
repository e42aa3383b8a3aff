#include "lib/problems/fractional/options.hpp"

namespace halocline::fractional {

namespace {

constexpr double most_cells = 1e5;   // along an axis
constexpr double most_terms = 1024;  // of the series

}  // namespace

void GridOptions::describe(Describer& d) {
  d.item({"size", "length", "Lengths along x, y and z.", true}, size, Bounds::positive());
  d.item({"cells", "1", "Numbers of cells along the axes; nodes are one more.", true}, cells,
         Bounds::between(1, most_cells));
  d.item({"origin", "length", "Coordinates of the low corner; 0 if left out."}, origin);
  d.item({"parts", "1", "Parts along y and z for the devices of all ranks; no choice changes a result."}, parts,
         Bounds::between(1, most_cells));
}

void TermOptions::describe(Describer& d) {
  d.item({"order", "1", "Order of this derivative, above 0 and up to 1.", true}, order, Bounds{0, 1, true, false});
  d.formula({"coefficient", "", "Its factor, 0 or more; 1 if left out."}, coefficient, place_variables);
}

void VelocityOptions::describe(Describer& d) {
  static constexpr std::array<const char*, 3> help{"Velocity along x; a number, or a formula of place.",
                                                   "Velocity along y.", "Velocity along z."};
  for (std::size_t axis = 0; axis < along.size(); ++axis)
    d.formula({axis_names[axis], "", help[axis]}, along[axis], place_variables);
}

void EquationOptions::describe(Describer& d) {
  d.formula({"order", "1", "Order of the derivative in time, above 0 and up to 1; a number, or a formula of t."}, order,
            time_variables);
  d.groups({"terms", "", "In place of order: derivatives of several orders, which add up."}, terms);
  d.formula({"psi", "", "The derivative is with respect to psi(t), which increases from psi(0) = 0; t if left out."},
            psi, time_variables);
  d.formula({"D", "", "Diffusivity; a number, or a formula of place.", true}, diffusivity, place_variables);
  d.item({"anisotropy", "1", "Factors of D along the axes, as {x: 1, y: 0.1}; 1 if left out."}, anisotropy, axis_names,
         Bounds::positive());
  d.choice({"face_mean", "", "D between two nodes, from D at these."}, face_mean);
  d.formula({"sigma", "", "Capacity, the factor of the derivatives; a number, or a formula of place. 1 if left out."},
            sigma, place_variables);
  d.formula({"reaction", "", "k of the decay -k c; a number, or a formula of place. 0 if left out."}, reaction,
            place_variables);
  d.group({"velocity", "", "What carries c along, as {x: 0.5}; 0 if left out."}, velocity);
  d.formula({"source", "", "What is added to the right-hand side; a formula of place, time and c."}, source, variables);
  d.formula({"initial", "1", "c at t = 0.", true}, initial, place_variables);
}

void SideOptions::describe(Describer& d) { describe_condition(d, *this, moving_variables); }

void SidesOptions::describe(Describer& d) {
  static constexpr std::array<const char*, 6> help{"The side of lowest x.", "The side of highest x.",
                                                   "The side of lowest y.", "The side of highest y.",
                                                   "The side of lowest z.", "The side of highest z."};
  for (std::size_t side = 0; side < sides.size(); ++side)
    sides[side].given = d.group({side_names[side], "", help[side]}, sides[side]);
  rest.given = d.group({"rest", "", "All sides that are not named."}, rest);
}

void TimeOptions::describe(Describer& d) {
  d.item({"end", "time", "Last time.", true}, end, Bounds::positive());
  d.item({"steps", "1", "Steps up to it.", true}, steps, Bounds::between(1, most_steps));
  d.item(
      {"horizon", "time",
       "uniform_t, uniform_psi: time up to which a later run may go on with more steps of the same size; end if left "
       "out."},
      horizon, Bounds::positive());
  d.choice({"scheme", "",
            "alikhanov: of order 2; l1: of order 2 - order; l1_t: linear in t between levels, for psi = t^number."},
           scheme);
  d.choice({"mesh", "",
            "Where levels lie: equally spaced in t, or in psi(t), or graded towards the start, where solutions change "
            "fast; graded_start: graded, then equally spaced."},
           mesh);
  d.item({"grading", "1", "graded, graded_start: exponent of the levels; by the smallest order if left out."}, grading,
         Bounds::at_least(1));
  start_steps_given =
      d.item({"start_steps", "1", "graded_start: steps that are graded."}, start_steps, Bounds::between(1, most_steps));
}

void SolverOptions::describe(Describer& d) {
  d.choice({"split", "",
            "How a step is solved: adi, by sweeps along the axes; unsplit, as a whole by iterations; auto: by sweeps "
            "where these are stable and their errors small; lod: by the published sweeps, for comparison."},
           split);
  split_error_given = d.item(
      {"split_error", "1", "auto: largest error of the sweeps of one step, relative to the largest c, by a bound."},
      split_error, Bounds::positive());
  tol_given = d.item({"tol", "1", "Unsplit steps: residual over the right-hand side, and over the diagonal."}, tol,
                     Bounds::between(1e-15, 1));
  maxit_given = d.item({"maxit", "1", "Unsplit steps: most iterations of one."}, maxit, Bounds::between(1, 1e6));
  d.choice({"predictor", "", "From what a step starts: extrapolated from the last two levels, or the last level."},
           predictor);
  intermediate_given = d.choice(
      {"intermediate", "", "lod: values of sides between sweeps, those at the end of the step, or consistent."},
      intermediate);
  source_split_given =
      d.choice({"source_split", "", "lod: which sweeps take source and history, all alike, the first or the last."},
               source_split);
  d.choice({"advection", "", "How velocity takes c at the face between two nodes: their mean, or the upstream one."},
           advection);
}

void HistoryOptions::describe(Describer& d) {
  d.choice({"engine", "",
            "How the history is summed: exponentials, at a cost that does not grow with the steps; direct: all steps "
            "stored; auto: direct up to 48 steps; series: truncated, of scheme l1_t, for comparison only."},
           engine);
  d.item({"eps", "1", "exponentials: relative error of the kernel."}, eps, Bounds::between(1e-14, 1e-1));
  block_given = d.item({"block", "1", "Steps that share a pass over the history."}, block, Bounds::between(1, 64));
  terms_given = d.item({"terms", "1", "series: its terms."}, terms, Bounds::between(1, most_terms));
  d.choice({"arithmetic", "", "direct, series: what the history is summed in, for comparison."}, arithmetic);
  d.item({"vector", "1", "direct, series: neighbors of a thread of a GPU; 1, 2 or 4. No result depends on it."}, vector,
         Bounds::between(1, 4));
  d.item({"tensor", "", "series in fp16: sums by tensor cores where a GPU has them."}, tensor);
}

void BlockOptions::describe(Describer& d) {
  d.definitions(names, variables);
  d.group({"grid", "", "Uniform grid, nodes on the boundary included.", true}, grid);
  d.group({"equation", "", "What is solved.", true}, equation);
  d.group({"sides", "", "What holds on the sides of the box.", true}, sides);
  d.group({"time", "", "Levels and scheme.", true}, time);
  d.group({"solver", "", "How a step is solved."}, solver);
  d.group({"history", "", "How the history is summed."}, history);
  d.choice({"precision", "",
            "Numbers of fields: fp64; mixed: c in fp64, solves and history in fp32, in about half the memory; fp32: c "
            "too."},
           precision);
}

void VerifyOptions::describe(Describer& d) {
  d.formula({"exact", "1", "Exact solution."}, exact, moving_variables);
  d.choice({"reference", "", "A solution built in: mittag_leffler, initial(x) E_order(-rate psi(t)^order)."},
           reference);
  d.item({"rate", "", "mittag_leffler: decay of the initial state."}, rate, Bounds::positive());
  d.item({"max_error", "1", "Largest admissible error."}, max_error, field_names, Bounds::positive());
  d.item({"rms_error", "1", "Largest admissible root mean square error."}, rms_error, field_names, Bounds::positive());
  d.item({"mass_balance", "1", "Largest admissible relative change of mass in a closed box."}, mass_balance,
         Bounds::positive());
  d.item({"mass", "1", "Admissible masses at the end, [low, high]."}, mass);
}

void FractionalOptions::describe(Describer& d) {
  d.group({"fractional", "", "Time-fractional diffusion in a box.", true}, block);
  d.group({"verify", "", "What the result is compared with."}, verify);
}

void FractionalOptions::refine(int factor) {
  block.grid.refinement *= factor;
  block.time.steps *= factor;
}

}  // namespace halocline::fractional
