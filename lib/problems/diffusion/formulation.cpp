#include "lib/problems/diffusion/formulation.hpp"

#include <charconv>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/expression/scope.hpp"
#include "lib/problems/diffusion/grid.hpp"
#include "lib/problems/diffusion/stabilized/stage_table.hpp"

namespace halocline::diffusion {

namespace {

constexpr int default_stages = 250;  // of stabilized methods: 40000 times the Euler limit, rounding of some 1e-13

// Passes faults on and counts them.
struct Counting final : Faults {
  explicit Counting(Faults& next) : next(next) {}
  void at(std::string_view path, const std::string& message) override {
    ++count;
    next.at(path, message);
  }
  void at(const Place& place, const std::string& message) override {
    ++count;
    next.at(place, message);
  }
  Faults& next;
  int count = 0;
};

// Turns the first fault into an error.
// Works through the options, reporting what is wrong and going on as far as that makes sense.
class Builder {
 public:
  Builder(const DiffusionOptions& options, Faults& faults)
      : options_(options),
        faults_(faults),
        geometry_(make_grid(options.block.grid, reach_of(options.block.stencil), faults_)),
        data_(read_data_on(geometry_, options.block, variables, faults_)),
        scope_(variables, data_.names, scope_faults_) {}

  std::optional<Formulation> build() {
    const BlockOptions& block = options_.block;
    const UniformGrid& geometry = geometry_;
    if (geometry.dimensions == 0) return std::nullopt;
    Formulation f{.geometry = geometry,
                  .stencil = make_stencil(block.stencil, geometry, faults_),
                  .walls = Walls(block.walls, geometry, scope_, faults_),
                  .initial = program(block.equation.initial),
                  .exact = {},
                  .data = data_.summary};
    for (int axis = 0; axis < geometry.dimensions; ++axis)
      if (f.walls.periodic(axis)) f.geometry.make_periodic(axis);
    read_terms(block, scope_, f, faults_);
    read_fluxes(f);
    check_sweeps(f);
    check_method(f);
    check_verify(f);
    f.parts = read_wish(block.grid.parts, faults_);
    f.value_bytes = block.precision == Precision::fp64 ? 8 : 4;
    f.keeps_source = f.terms.source && options_.verify.mass_balance > 0;
    if (options_.verify.exact.given()) f.exact = program(options_.verify.exact);
    if (faults_.count > 0) return std::nullopt;
    check_wall_values(f);
    choose_step(f);
    return faults_.count > 0 ? std::nullopt : std::optional(f);
  }

 private:
  std::optional<Expression> parse(const Formula& formula) {
    std::vector<FormulaFault> found;
    auto expression = scope_.parse(formula, moving_variables, found);
    for (const auto& fault : found) faults_.at(fault.place, fault.text());
    return found.empty() ? expression : std::nullopt;
  }

  Program program(const Formula& formula) {
    const auto expression = parse(formula);
    if (!expression) return {};
    return Program({&*expression, 1}, static_cast<int>(variables.size()));
  }

  void read_fluxes(Formulation& f) {
    const double D = f.terms.diffusivity ? 1 : f.diffusivity;
    if (f.walls.has_flux() && D == 0 && faults_.count == 0)
      faults_.at("diffusion.walls", "a given flux needs a D that is not 0");
    for (int axis = 0; axis < f.geometry.dimensions; ++axis) f.walls.set_diffusivity(axis, D * f.terms.along[axis]);
  }

  void check_sweeps(Formulation& f) {
    f.kernel = options_.block.time.kernel;
    f.on_limit = options_.block.time.on_limit;
    const std::string& text = options_.block.time.steps_per_sweep;
    if (text == "auto") return;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), f.steps_per_sweep);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || f.steps_per_sweep < 1 ||
        f.steps_per_sweep > 1024)
      faults_.at("diffusion.time.steps_per_sweep", "'" + text + "' is neither auto nor a number from 1 to 1024");
  }

  void check_method(Formulation& f) {
    const TimeOptions& time = options_.block.time;
    f.method = time.method;
    f.tolerance = time.tolerance;
    if (f.method == TimeMethod::euler) {
      for (const auto& [given, key] :
           {std::pair{time.tolerance > 0, "tolerance"}, {time.most_stages > 0, "most_stages"}})
        if (given) faults_.at(std::string("diffusion.time.") + key, "belongs to the methods rkc and rkl2");
      return;
    }
    f.most_stages = time.most_stages > 0 ? static_cast<int>(time.most_stages) : default_stages;
    f.reach = largest_reach(f.method, f.most_stages);
    const std::string method = word_for(f.method);
    if (options_.block.precision == Precision::fp32)
      faults_.at("diffusion.precision", method + " is computed in fp64 only");
    if (f.kernel > KernelChoice::fused) faults_.at("diffusion.time.kernel", method + " has the kernel fused alone");
    if (f.steps_per_sweep > 1) faults_.at("diffusion.time.steps_per_sweep", method + " takes one stage per sweep");
    if (f.geometry.layout == GridLayout::ringed)
      faults_.at("diffusion.grid.layout", method + " needs layout fv: points held before every step are for euler");
    if (options_.block.stencil.accurate)
      faults_.at("diffusion.stencil.accurate", "is for euler: its errors of space and time cancel");
    if (!options_.block.stencil.mask && !options_.block.stencil.own.laplacian)
      faults_.at("diffusion.stencil.mask.laplacian", method + " needs a Laplacian");
  }

  void check_verify(const Formulation& f) {
    const VerifyOptions& verify = options_.verify;
    const bool known = verify.exact.given() || verify.reference != Reference::none;
    if (verify.exact.given() && verify.reference != Reference::none)
      faults_.at("verify.reference", "contradicts verify.exact; give one");
    if (!known && verify.max_error.given()) faults_.at("verify.max_error", "needs verify.exact or verify.reference");
    if (!known && verify.rms_error.given()) faults_.at("verify.rms_error", "needs verify.exact or verify.reference");
    for (const auto& [range, path] : {std::pair{&verify.mass, "verify.mass"}, std::pair{&verify.wrss, "verify.wrss"},
                                      std::pair{&verify.energy, "verify.energy"}})
      if (!range->empty() && (range->size() != 2 || (*range)[0] > (*range)[1]))
        faults_.at(path, "must be two numbers, [low, high], the smaller one first");
    const UniformGrid& g = f.geometry;
    const bool hiperc = g.layout == GridLayout::ringed;
    if (hiperc && verify.mass_balance > 0)
      faults_.at("verify.mass_balance", "walls of layout hiperc set values, so mass is not balanced; use layout fv");
    if (!verify.wrss.empty() && (!hiperc || g.dimensions != 2))
      faults_.at("verify.wrss", "is defined for layout hiperc in 2D");
    if (verify.reference != Reference::none && (g.dimensions != 2 || g.extent[0] != g.extent[1] || !g.equal_spacing()))
      faults_.at("verify.reference", "carburizing_exact is the solution on a square in 2D");
    if (!verify.energy.empty() && f.equation != EquationKind::cahn_hilliard)
      faults_.at("verify.energy", "is that of cahn_hilliard");
    if (verify.mass_balance > 0 && !f.stencil.weights.empty() && !f.stencil.symmetric())
      faults_.at("verify.mass_balance", "needs a mask with the same weights in opposite directions");
  }

  void check_wall_values(const Formulation& f) {
    for (int axis = 0; axis < f.geometry.dimensions; ++axis)
      for (int which = 0; which < 2; ++which) {
        const auto& segments = f.walls.side(axis, which).segments;
        const bool valued = std::any_of(segments.begin(), segments.end(), [](const Segment& s) { return s.has_value; });
        if (valued && !has_finite_values(f, axis, which))
          faults_.at(std::string("diffusion.walls.") + side_names[static_cast<std::size_t>(2 * axis + which)],
                     "a value is not finite at t = 0");
      }
  }

  // Bit by bit: before a deck is known to fit a machine, none of its sizes may take memory, or time without end. The
  // first 16 million nodes of a side are looked at.
  static bool has_finite_values(const Formulation& f, int axis, int which) {
    constexpr Index most = Index{1} << 24, bit = Index{1} << 16;
    const SideAxes axes = axes_of_side(axis);
    const Index slow = f.geometry.extent[axes.slow], fast = f.geometry.extent[axes.fast];
    const Index rows = std::max<Index>(1, bit / fast);
    Index looked_at = 0;
    for (Index s = 0; s < slow; s += rows)
      for (Index from = 0; from < fast; from += bit) {
        const WallPatch patch{s, std::min(s + rows, slow), from, std::min(from + bit, fast)};
        if (!f.walls.finite(axis, which, f.walls.positions(axis, which, patch), 0)) return false;
        looked_at += patch.count();
        if (looked_at >= most) return true;
      }
    return true;
  }

  // The limit as read_terms() computes it.
  static std::string limit_formula(const Formulation& f) {
    if (f.method != TimeMethod::euler)
      return " of " + std::to_string(f.most_stages) + " stages of " + word_for(f.method) + " (time.most_stages)";
    if (f.equation == EquationKind::cahn_hilliard)
      return std::string(" = 2/(mobility s (kappa s + ") + (f.terms.free_energy ? "max f''(c)" : "f''(low)") +
             ")), s = max|symbol|";
    const std::string D = f.equation == EquationKind::diffusion ? "D" : "kappa";
    if (f.reaction <= 0) return " = 2/(" + D + " max|symbol|)";
    return " = 2/(" + D + " max|symbol| + max(-dS/dc)) with " + D +
           " max|symbol| = " + brief_text(f.diffusivity * f.symbol) + ", max(-dS/dc) = " + brief_text(f.reaction);
  }

  // The step asked for, rounded so that whole steps end at `end`, and never above the limit for rounding's sake.
  void choose_step(Formulation& f) {
    const StencilOptions& given = options_.block.stencil;
    const UniformGrid& g = f.geometry;
    const double square = g.least_spacing() * g.least_spacing(), D = f.diffusivity;
    f.limit = f.rate > 0 ? f.reach / f.rate : std::numeric_limits<double>::infinity();
    f.end = options_.block.time.end;
    const int ways = (given.co > 0 ? 1 : 0) + (given.dt > 0 ? 1 : 0) + (given.accurate ? 1 : 0);
    if (ways == 0 && f.tolerance > 0) {
      f.dt = std::min(f.end, f.rate > 0 ? 1 / f.rate : 1e-3 * f.end);
      return;
    }
    if (ways == 0)
      return faults_.at("diffusion.stencil", std::string("gives no time step: co, dt or accurate") +
                                                 (f.method == TimeMethod::euler ? "" : "; or give time.tolerance"));
    if (ways > 1) return faults_.at("diffusion.stencil", "gives more than one of co, dt and accurate");
    if (given.accurate && f.equation == EquationKind::cahn_hilliard)
      return faults_.at("diffusion.stencil.accurate", "is for diffusion");
    if (given.dt <= 0 && !std::isfinite(f.unit_step))
      return faults_.at("diffusion.stencil", std::string("sets no time step, since ") +
                                                 (f.equation == EquationKind::cahn_hilliard ? "the mobility" : "D") +
                                                 " is 0 everywhere at t = 0; give dt");
    const double asked = given.accurate ? square / (6 * D) : given.co > 0 ? given.co * f.unit_step : given.dt;
    const char* path = given.co > 0 ? "diffusion.stencil.co" : "diffusion.stencil.dt";
    if (asked > f.limit * (1 + limit_tolerance))
      return faults_.at(path, "gives a time step of " + brief_text(asked) + ", above the limit of stability " +
                                  brief_text(f.limit) + limit_formula(f) +
                                  (given.co > 0 ? "; co may be up to " + brief_text(given.co * f.limit / asked) : ""));
    if (f.tolerance > 0) {
      f.dt = std::min(f.end, asked);
      return;
    }
    const double count = f.end / asked;
    if (count > 1e15) return faults_.at(path, "gives more than 1e15 steps");
    f.steps = std::max<Index>(1, std::llround(count));
    if (f.end / static_cast<double>(f.steps) > f.limit) ++f.steps;
    // A step that is given is taken to the bit, where it fits: then it does not depend on the end.
    const bool fits = given.dt > 0 && std::abs(count - static_cast<double>(f.steps)) <= 1e-9 * count;
    f.dt = fits ? asked : f.end / static_cast<double>(f.steps);
  }

  const DiffusionOptions& options_;
  Counting faults_;
  std::vector<FormulaFault> scope_faults_;  // the reader has reported them
  UniformGrid geometry_;
  ReadData data_;
  Scope scope_;
};

}  // namespace

ReadData read_data_on(const UniformGrid& grid, const BlockOptions& block, std::span<const char* const> variables,
                      Faults& faults) {
  if (grid.dimensions == 0) return {block.names, {}};  // its faults are told
  DataDomain domain{.dimensions = grid.dimensions};
  for (int axis = 0; axis < grid.dimensions; ++axis) {
    domain.low[axis] = grid.low(axis), domain.high[axis] = grid.high(axis);
    if (grid.layout == GridLayout::cells) domain.cell[axis] = grid.spacing[axis];
  }
  return read_data(block.names, block.data, domain, "diffusion.data", variables, faults);
}

std::optional<Formulation> formulate(const DiffusionOptions& options, Faults& faults) {
  return Builder(options, faults).build();
}

Formulation formulate(const DiffusionOptions& options) {
  ThrownFaults faults;
  return *formulate(options, faults);
}

}  // namespace halocline::diffusion
