// Formulation: the options of a deck turned into what the numerics need, with every rule across keys checked.
//
// An equation kind adds what it needs here and in formulation.cpp (see check_equation there).
#pragma once

#include <optional>
#include <span>
#include <string>

#include "lib/expression/program.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/data/read_data.hpp"
#include "lib/problems/diffusion/boxes/choose_boxes.hpp"
#include "lib/problems/diffusion/options.hpp"
#include "lib/problems/diffusion/stencil.hpp"
#include "lib/problems/diffusion/sweep.hpp"
#include "lib/problems/diffusion/terms.hpp"
#include "lib/problems/diffusion/walls.hpp"

namespace halocline::diffusion {

struct Formulation {
  EquationKind equation = EquationKind::diffusion;
  UniformGrid geometry;
  Stencil stencil;
  Walls walls;
  double diffusivity = 0;  // where it varies the largest
  Terms terms = {};
  double rate = 0;               // of the fastest mode: steps are stable up to reach / rate
  double symbol = 0;             // max|symbol|; diffusion, allen_cahn: rate = diffusivity symbol + reaction, at t = 0
  double reaction = 0;           // the largest -dS/dc
  double unit_step = 0;          // the time step of co = 1
  Program initial;               // of the five variables
  std::optional<Program> exact;  // verify.exact
  double end = 0;
  double dt = 0;     // so that `steps` of them end exactly at `end`
  double limit = 0;  // largest stable step
  Index steps = 0;   // 0: not known before
  TimeMethod method = TimeMethod::euler;
  double tolerance = 0;     // of the error of a step; 0: steps of one size
  int most_stages = 1;      // of a step
  double reach = 2;         // of the method with these stages
  int steps_per_sweep = 0;  // 0: auto
  KernelChoice kernel = KernelChoice::automatic;
  OnLimit on_limit = OnLimit::shorten;
  bool keeps_source = false;    // what it adds, for the balance of mass
  BoxCounts parts = {};         // that the deck asks for
  bool one_of_several = false;  // a field of diffusion.fields
  std::size_t value_bytes = 8;
  DataSummary data = {};
};

// Steps above the limit by so much, relatively, are taken for equal to it.
constexpr double limit_tolerance = 1e-9;

// Reads the files of diffusion.data, for unknowns on a grid.
ReadData read_data_on(const UniformGrid& grid, const BlockOptions& block, std::span<const char* const> variables,
                      Faults& faults);

// Nothing, with faults reported, when something is wrong.
std::optional<Formulation> formulate(const DiffusionOptions& options, Faults& faults);
// For options that are known to be right; throws DeckError otherwise.
Formulation formulate(const DiffusionOptions& options);

}  // namespace halocline::diffusion
