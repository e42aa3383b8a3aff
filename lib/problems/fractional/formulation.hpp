// Formulation: the options of a deck turned into what the numerics need, with every rule across keys checked.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/expression/program.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/fractional/options.hpp"
#include "lib/problems/fractional/space/precision_layout.hpp"
#include "lib/problems/fractional/weights/levels.hpp"
#include "lib/problems/fractional/weights/media.hpp"
#include "lib/problems/fractional/weights/weights.hpp"

namespace halocline::fractional {

// A number, or a formula of the first of the variables x, y, z, t, c.
struct Coefficient {
  double number = 0;
  std::optional<Program> formula;  // in place of the number
  bool constant() const { return !formula.has_value(); }
  bool zero() const { return constant() && number == 0; }
};

// Parts along y and z; 0: to be chosen.
struct PartCounts {
  Index columns = 0, layers = 0;
};

// What is given on a side of the box.
struct Side {
  SideKind kind = SideKind::no_flux;
  Coefficient value;    // of (x, y, z, t): c, its outward derivative, or the c outside
  double transfer = 0;  // robin: dc/dn = transfer (value - c)
};

// How the history is summed; auto has been decided.
struct HistoryChoice {
  Engine engine = Engine::direct;
  double eps = 1e-9;  // exponentials: relative error of the kernel
  int block = 16;     // steps that share a pass
  int terms = 0;      // of the series
  Variant variant;
};

// The published LOD step.
struct LodChoice {
  Intermediate intermediate = Intermediate::end_time;
  SourceSplit source_split = SourceSplit::thirds;
};

// How steps are solved.
struct SplitChoice {
  Split kind = Split::automatic;
  // Whether steps may be solved as a whole.
  bool may_be_unsplit() const { return kind == Split::automatic || kind == Split::unsplit; }
  double error = 1e-3;  // automatic: the largest one of a step's sweeps, relative to the largest c
  double tol = 1e-8;    // of unsplit steps: residual relative to the right-hand side
  Index maxit = 2000;   // iterations of one
};

struct Formulation {
  UniformGrid grid;  // layout nodes, 3D
  PartCounts parts;
  std::array<Side, 6> sides;

  // sum_i c_i sigma D^{order_i} c = div(D grad c) - div(v c) - k c + F
  Coefficient diffusivity, sigma, reaction;  // of place
  std::array<Coefficient, 3> velocity;       // of place
  double along[3] = {1, 1, 1};               // factors of D along the axes
  bool harmonic = true;                      // mean of D at faces; else arithmetic
  bool upwind = false;                       // velocity at faces; else central
  double steep_peclet = 0;                   // the largest abs(v) h/D, where waves are to be expected; else 0
  Coefficient source, source_slope;          // F and dF/dc, of (x, y, z, t, c)
  Program initial;                           // of place

  Scheme scheme = Scheme::alikhanov;
  TimeChange psi;
  std::shared_ptr<const Levels> levels;         // up to the horizon
  Index last = 0;                               // level at which the run ends
  std::vector<double> orders;                   // of the terms
  std::vector<Coefficient> coefficients;        // c_i, of place; 1 for a single order
  std::vector<Medium> media;                    // of a sample of nodes; of an order of time one with order 1
  std::function<double(double)> order_of_time;  // in place of the one order
  double gamma = 1;                             // of l1_t: psi = t^gamma

  Precision precision = Precision::fp64;
  bool extrapolated = true;  // solver.predictor
  SplitChoice split;
  LodChoice lod;
  HistoryChoice history;

  std::optional<Program> exact;  // what the result is compared with, of (x, y, z, t); of a reference of (x, y, z) and
  std::function<double(double)> exact_factor;  // this function of t in place of t
  std::vector<std::string> notes;              // what the user may want to know

  bool moving() const { return !velocity[0].zero() || !velocity[1].zero() || !velocity[2].zero(); }
  // Whether rows of Lambda differ from node to node, but for the ends of axes.
  bool rows_vary() const {
    return !(diffusivity.constant() && velocity[0].constant() && velocity[1].constant() && velocity[2].constant());
  }
  // Whether the matrices of the sweeps, I - nu Lambda_a, need not commute, so that their product may be unstable.
  bool needs_probe() const { return !diffusivity.constant() || moving() || nu_varies(); }
  // Whether source or sides change with time or c, so that a step may differ much from those before it.
  bool driven() const;
  bool nonlinear() const { return !source_slope.zero(); }
  // Whether nu = (1 - theta) / (sigma A + (1 - theta)(k - dF/dc)) differs from node to node, dF/dc put aside.
  bool nu_varies() const { return !sigma.constant() || !reaction.constant() || media.size() > 1; }
  // Whether mu, which is the whole of that, does.
  bool mu_varies() const { return nu_varies() || !source_slope.constant(); }
  bool closed() const;  // nothing enters or leaves through the sides
  // Of the derivatives in these media.
  Weights weights(std::vector<Medium> media) const;
  // Whether Dirichlet values are given on a side, and so no unknowns lie there.
  bool dirichlet(int side) const { return sides[static_cast<std::size_t>(side)].kind == SideKind::dirichlet; }
};

// Nothing, with faults reported, when something is wrong.
std::optional<Formulation> formulate(const FractionalOptions& options, Faults& faults);
// For options that are known to be right; throws DeckError otherwise.
Formulation formulate(const FractionalOptions& options);

}  // namespace halocline::fractional
