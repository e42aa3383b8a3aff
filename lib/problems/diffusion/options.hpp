// Keys of family diffusion: grid, equation, walls, stencil, time, and what to verify.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline::diffusion {

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};
constexpr std::array<const char*, 6> side_names{"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
// Variables of formulas, in the order programs take them; a formula may use the first of them only, see below.
constexpr std::array<const char*, 5> variables{"x", "y", "z", "t", "c"};
constexpr std::array<const char*, 3> place_variables{"x", "y", "z"};
constexpr std::array<const char*, 4> moving_variables{"x", "y", "z", "t"};
constexpr std::array<const char*, 1> field_names{"c"};

enum class Layout { fv, hiperc };
enum class EquationKind { diffusion, allen_cahn, cahn_hilliard };
enum class BoundaryKind { dirichlet, neumann, robin, periodic, no_flux };

struct GridOptions final : Options {
  int layout = 0;              // Layout
  std::vector<double> size;    // fv: lengths along x, y, (z)
  std::vector<double> cells;   // fv
  std::vector<double> points;  // hiperc: with the ring of ghosts
  NamedNumbers spacing;        // hiperc
  std::vector<double> origin;  // coordinates of the low corner
  Index refinement = 1;
  void describe(Describer& d) override;
};

struct EquationOptions final : Options {
  int kind = 0;  // EquationKind
  Formula diffusivity, initial, source;
  NamedNumbers anisotropy;                  // factors of D along the axes
  int face_mean = 0;                        // harmonic, arithmetic
  double kappa = 0, mobility = 0, rho = 0;  // 0: not given
  std::vector<double> wells;
  void describe(Describer& d) override;
};

// What is given on a piece of a side.
struct SegmentOptions final : Options {
  NamedNumbers from, to;  // along the side; left out: from its beginning, to its end
  int kind = 0;           // BoundaryKind
  Formula value;
  double transfer = -1;  // robin
  void describe(Describer& d) override;
};

struct RestOptions final : Options {
  bool given = false;
  int kind = 0;
  Formula value;
  double transfer = -1;
  void describe(Describer& d) override;
};

struct WallsOptions final : Options {
  std::array<ListOf<SegmentOptions>, 6> sides;
  RestOptions rest;
  void describe(Describer& d) override;
};

struct MaskOptions final : Options {
  Index size = 0;
  std::vector<double> weights;
  bool laplacian = true;
  void describe(Describer& d) override;
};

struct StencilOptions final : Options {
  int mask = 0;  // of mask_names; -1: own
  bool mask_given = false;
  MaskOptions own;
  double co = 0, dt = 0;  // 0: not given
  bool accurate = false;
  void describe(Describer& d) override;
};
constexpr std::array<const char*, 6> mask_names{"5pt", "9pt", "7pt", "27pt", "19pt", "cross4"};

struct TimeOptions final : Options {
  int method = 0;
  double end = 0;
  std::string steps_per_sweep = "auto";
  int kernel = 0;  // KernelChoice
  void describe(Describer& d) override;
};

struct BlockOptions final : Options {
  Definitions names;
  GridOptions grid;
  EquationOptions equation;
  WallsOptions walls;
  StencilOptions stencil;
  TimeOptions time;
  int precision = 0;  // fp64, fp32
  void describe(Describer& d) override;
};

struct VerifyOptions final : Options {
  Formula exact;
  int reference = 0;  // none, carburizing_exact
  NamedNumbers max_error, rms_error;
  double mass_balance = 0;                 // 0: not checked
  std::vector<double> mass, wrss, energy;  // low, high
  void describe(Describer& d) override;
};

struct DiffusionOptions final : Options {
  BlockOptions block;
  VerifyOptions verify;
  void describe(Describer& d) override;
  void refine(int factor) override;
};

}  // namespace halocline::diffusion
