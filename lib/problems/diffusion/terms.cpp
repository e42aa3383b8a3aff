#include "lib/problems/diffusion/terms.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/format.hpp"
#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/steppers/energy_jump.hpp"

namespace halocline::diffusion {

namespace {

constexpr Index most_samples_2d = 1024, most_samples_3d = 100;  // along an axis

// The largest finite value, at least 0: others cannot be judged.
double largest_finite(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, value);
  return largest;
}

bool is_star(MaskKind kind) { return kind == MaskKind::star5 || kind == MaskKind::star5_xy || kind == MaskKind::star7; }

// Turns the block `equation` into terms, with their faults.
class TermsReader {
 public:
  TermsReader(const BlockOptions& block, const Scope& scope, Formulation& f, Faults& faults)
      : block_(block), equation_(block.equation), scope_(scope), f_(f), faults_(faults) {}

  void read() {
    f_.equation = equation_.kind;
    if (f_.stencil.weights.empty()) return;  // its faults are told
    switch (f_.equation) {
      case EquationKind::diffusion:
        foreign(equation_.kappa > 0, "kappa"), foreign(equation_.mobility.given(), "mobility");
        foreign(equation_.free_energy.given(), "f"), foreign_wells();
        return read_diffusion();
      case EquationKind::allen_cahn:
        foreign(equation_.diffusivity.given(), "D"), foreign(equation_.anisotropy.given(), "anisotropy");
        foreign(equation_.mobility.given(), "mobility"), foreign_wells();
        foreign(equation_.face_mean != MeanChoice::harmonic, "face_mean");
        return read_allen_cahn();
      case EquationKind::cahn_hilliard:
        foreign(equation_.diffusivity.given(), "D"), foreign(equation_.anisotropy.given(), "anisotropy");
        foreign(equation_.source.given(), "source");
        return read_cahn_hilliard();
    }
  }

 private:
  void fault(const char* key, const std::string& message) {
    faults_.at(std::string("diffusion.equation.") + key, message);
  }
  void foreign(bool given, const char* key) {
    if (given) fault(key, "belongs to another kind of equation");
  }
  void foreign_wells() { foreign(equation_.rho > 0, "rho"), foreign(!equation_.wells.empty(), "wells"); }
  bool needed(bool given, const char* key) {
    if (!given) fault(key, "missing; this kind of equation needs it");
    return given;
  }

  std::optional<Expression> parse(const Formula& formula, std::span<const char* const> allowed = variables) {
    std::vector<FormulaFault> found;
    auto expression = scope_.parse(formula, allowed, found);
    for (const auto& one : found) faults_.at(one.place, one.text());
    return found.empty() ? expression : std::nullopt;
  }
  static Program program(const Expression& expression) {
    return Program({&expression, 1}, static_cast<int>(variables.size()));
  }

  void read_diffusion() {
    if (!needed(equation_.diffusivity.given(), "D")) return;
    const auto D = parse(equation_.diffusivity);
    if (!D) return;
    f_.terms.harmonic = equation_.face_mean == MeanChoice::harmonic;
    if (D->is_constant()) {
      if (!f_.terms.harmonic)  // not the default
        fault("face_mean", "means nothing here: D is a number, the same at every face");
      f_.diffusivity = D->value();
    } else {
      f_.terms.diffusivity = program(*D);
    }
    std::optional<Expression> source;
    if (equation_.source.given() && !(source = parse(equation_.source))) return;
    read_anisotropy();
    finish(source);
  }

  void read_allen_cahn() {
    if (!needed(equation_.kappa > 0, "kappa")) return;
    f_.diffusivity = equation_.kappa;
    const Expression c = scope_.variable(4);
    Expression source = Expression(-4) * c * (c - Expression(1)) * (c - Expression(0.5));
    if (equation_.free_energy.given()) {
      const auto f = parse(equation_.free_energy, field_names);
      if (!f || !check_free_energy(*f)) return;
      source = Expression(0) - derivative(*f, 4);
    }
    if (equation_.source.given()) {
      const auto given = parse(equation_.source);
      if (!given) return;
      source = source + *given;
    }
    finish(source);
  }

  void read_cahn_hilliard() {
    bool all = needed(equation_.kappa > 0, "kappa") & needed(equation_.mobility.given(), "mobility");
    if (equation_.free_energy.given()) {
      const char* instead = "contradicts f, which says all of the free energy; give one";
      if (equation_.rho > 0) fault("rho", instead);
      if (!equation_.wells.empty()) fault("wells", instead);
      all = read_free_energy() && all;
    } else {
      all = (needed(equation_.rho > 0, "rho") & needed(!equation_.wells.empty(), "wells")) && read_wells() && all;
    }
    if (!all) return;
    if (!f_.walls.closed()) faults_.at("diffusion.walls", "cahn_hilliard has walls of kind no_flux and periodic only");
    if (f_.stencil.kind == MaskKind::general) faults_.at("diffusion.stencil.mask", "cahn_hilliard needs a named mask");
    f_.terms.kappa = equation_.kappa;
    plain("cahn_hilliard");
    if (!read_mobility()) return;
    const Terms& t = f_.terms;
    const double h = f_.geometry.least_spacing();
    f_.symbol = f_.stencil.largest_symbol(-1);
    f_.rate = spinodal_rate(f_, t.mobility, largest_curvature());
    f_.unit_step = h * h * h * h / (24 * t.mobility * t.kappa);
  }

  bool read_wells() {
    const auto& wells = equation_.wells;
    if (wells.size() != 2 || !(wells[0] < wells[1])) {
      fault("wells", "expected [low, high] with low < high");
      return false;
    }
    f_.terms.rho = equation_.rho, f_.terms.low = wells[0], f_.terms.high = wells[1];
    return true;
  }

  bool read_free_energy() {
    const auto f = parse(equation_.free_energy, field_names);
    if (!f || !check_free_energy(*f)) return false;
    const Expression slope = derivative(*f, 4);
    f_.terms.free_energy = {program(*f), program(slope), program(derivative(slope, 4))};
    return true;
  }

  // Only its derivative acts, which knows nothing of jumps. They are looked for where c begins, and by 1 beyond.
  bool check_free_energy(const Expression& f) {
    const Program c = program(scope_.variable(4));
    double low = 0, high = 0;
    bool first = true;
    for (const double one : sample(c, [](Index, Index, Index, double) {})) {
      if (!std::isfinite(one)) continue;
      low = first ? one : std::min(low, one), high = first ? one : std::max(high, one);
      first = false;
    }
    const auto jump = find_jump(program(f), program(derivative(f, 4)), low - 1, high + 1);
    if (jump)
      fault("f", "jumps at c = " + brief_text(*jump) +
                     ": its derivative, by which alone it acts, is not defined there; floor, ceil, sign, step, mod, "
                     "random and `if` may stand in it where it stays continuous");
    return !jump;
  }

  // In the wells, or where it is largest at t = 0.
  double largest_curvature() {
    const Terms& t = f_.terms;
    if (!t.free_energy) return 2 * t.rho * (t.high - t.low) * (t.high - t.low);
    bool told = false;
    sample(t.free_energy->slope, [&](Index x, Index y, Index z, double slope) {
      if (told || std::isfinite(slope)) return;
      told = true;
      fault("f", "has the derivative " + brief_text(slope) + " by c where the initial state is at " +
                     f_.geometry.place_text(x, y, z));
    });
    return largest_finite(sample(t.free_energy->curvature, [](Index, Index, Index, double) {}));
  }

  bool read_mobility() {
    const auto M = parse(equation_.mobility);
    if (!M) return false;
    Terms& t = f_.terms;
    t.harmonic = equation_.face_mean == MeanChoice::harmonic;
    if (M->is_constant()) {
      if (t.harmonic)  // not the default
        fault("face_mean", "means nothing here: the mobility is a number, the same at every face");
      t.mobility = M->value();
      if (t.mobility > 0 && std::isfinite(t.mobility)) return true;
      fault("mobility", "must be positive and finite, is " + brief_text(t.mobility));
      return false;
    }
    t.varying_mobility = program(*M);
    if (!is_star(f_.stencil.kind))
      faults_.at("diffusion.stencil.mask", "a mobility that varies needs the mask 5pt (7pt in 3D)");
    t.mobility = largest_of("mobility", *t.varying_mobility);
    return true;
  }

  // D times other factors along the axes, as another mask.
  void read_anisotropy() {
    if (!equation_.anisotropy.given()) return;
    for (int axis = 0; axis < f_.geometry.dimensions; ++axis)
      f_.terms.along[axis] = equation_.anisotropy.of(axis_names[static_cast<std::size_t>(axis)], 1);
    scale_stencil();
  }

  void scale_stencil() {
    Stencil& s = f_.stencil;
    const double* along = f_.terms.along;
    if (!is_star(s.kind) && s.kind != MaskKind::cross9 && s.kind != MaskKind::cross13)
      return faults_.at("diffusion.stencil.mask", "anisotropic D needs the mask 5pt (7pt in 3D) or cross4");
    if (s.kind == MaskKind::star5) s.k[1] = s.k[0], s.kind = MaskKind::star5_xy;
    for (int axis = 0; axis < 3; ++axis) s.k[axis] *= along[axis];
    double sum = 0;
    std::size_t n = 0;
    for (int dz = -s.radius[2]; dz <= s.radius[2]; ++dz)
      for (int dy = -s.radius[1]; dy <= s.radius[1]; ++dy)
        for (int dx = -s.radius[0]; dx <= s.radius[0]; ++dx, ++n)
          if (dx != 0 || dy != 0 || dz != 0) sum += s.weights[n] *= along[dx != 0 ? 0 : dy != 0 ? 1 : 2];
    s.weights[s.weights.size() / 2] = -sum;
  }

  void finish(const std::optional<Expression>& source) {
    if (source) read_source(*source);
    if (f_.terms.in_flux_form()) {
      plain(f_.terms.diffusivity ? "a variable D" : "a source");
      if (!is_star(f_.stencil.kind))
        faults_.at("diffusion.stencil.mask", "a variable D and sources need the mask 5pt (7pt in 3D)");
      if (f_.geometry.layout == GridLayout::ringed)
        faults_.at("diffusion.grid.layout", "a variable D and sources need layout fv");
      if (block_.stencil.accurate) faults_.at("diffusion.stencil.accurate", "needs a constant D and no source");
      if (f_.terms.diffusivity) f_.diffusivity = std::max(largest_of("D", *f_.terms.diffusivity), largest_wall_D());
    }
    const bool may_be_0 = f_.terms.in_flux_form();
    if (!(may_be_0 ? f_.diffusivity >= 0 : f_.diffusivity > 0) || !std::isfinite(f_.diffusivity))
      return fault(
          f_.equation == EquationKind::diffusion ? "D" : "kappa",
          std::string(may_be_0 ? "must not be negative, and finite, is " : "must be positive and finite, is ") +
              brief_text(f_.diffusivity));
    const double h = f_.geometry.least_spacing();
    f_.symbol = f_.stencil.largest_symbol(-1);
    f_.rate = f_.diffusivity * f_.symbol + f_.reaction;
    f_.unit_step = h * h / (2 * f_.geometry.dimensions * f_.diffusivity);
  }

  // What steps of these terms do not have.
  void plain(const std::string& what) {
    const TimeOptions& time = block_.time;
    if (block_.precision == Precision::fp32) faults_.at("diffusion.precision", what + " is computed in fp64 only");
    if (time.kernel > KernelChoice::fused) faults_.at("diffusion.time.kernel", what + " has the kernel fused alone");
    if (time.steps_per_sweep != "auto" && time.steps_per_sweep != "1")
      faults_.at("diffusion.time.steps_per_sweep", what + " takes one step per sweep");
  }

  // Values of programs of the five variables at cells, all of them or evenly chosen ones, at t = 0 and c as it begins.
  std::vector<double> sample(const Program& wanted,
                             const std::function<void(Index, Index, Index, double)>& look) const {
    const UniformGrid& g = f_.geometry;
    const Index most = g.dimensions == 3 ? most_samples_3d : most_samples_2d;
    Index count[3];
    for (int axis = 0; axis < 3; ++axis) count[axis] = std::min(g.extent[axis], most);
    const auto place = [&](int axis, Index n) { return n * g.extent[axis] / count[axis]; };
    std::vector<double> x, c(static_cast<std::size_t>(count[0])), values(c.size()), all;
    for (Index i = 0; i < count[0]; ++i) x.push_back(g.coordinate(0, place(0, i)));
    for (Index k = 0; k < count[2]; ++k)
      for (Index j = 0; j < count[1]; ++j) {
        const double yz[2] = {g.coordinate(1, place(1, j)), g.dimensions > 2 ? g.coordinate(2, place(2, k)) : 0},
                     zero = 0;
        const std::span<const double> at[5] = {x, {&yz[0], 1}, {&yz[1], 1}, {&zero, 1}, c};
        const std::span<double> initial[1] = {c}, results[1] = {values};
        const std::span<const double> start[5] = {x, {&yz[0], 1}, {&yz[1], 1}, {&zero, 1}, {&zero, 1}};
        if (f_.initial.result_count() == 1) evaluate(f_.initial, start, initial);
        evaluate(wanted, at, results);
        for (Index i = 0; i < count[0]; ++i)
          look(place(0, i), place(1, j), place(2, k), values[static_cast<std::size_t>(i)]);
        all.insert(all.end(), values.begin(), values.end());
      }
    return all;
  }

  // Of a coefficient that may not be negative, by its key.
  double largest_of(const char* key, const Program& coefficient) {
    bool told = false;
    return largest_finite(sample(coefficient, [&](Index x, Index y, Index z, double value) {
      if (told || (value >= 0 && std::isfinite(value))) return;
      told = true;
      fault(key,
            "must not be negative, and finite, is " + brief_text(value) + " at " + f_.geometry.place_text(x, y, z));
    }));
  }

  // On walls that something passes, all of those in 2D.
  double largest_wall_D() {
    double largest = 0;
    for (int side = 0; side < 2 * f_.geometry.dimensions; ++side) {
      const int axis = side / 2;
      const SideAxes axes = axes_of_side(axis);
      const Side& given = f_.walls.side(axis, side % 2);
      if (given.periodic || given.segments.empty()) continue;
      const Index lines = f_.geometry.extent[axes.slow], step = (lines + most_samples_3d - 1) / most_samples_3d;
      for (Index slow = 0; slow < lines; slow += step) {
        const WallPatch line{slow, slow + 1, 0, f_.geometry.extent[axes.fast]};
        const double found = largest_wall_D(axis, side % 2, f_.walls.positions(axis, side % 2, line), slow);
        if (!(found >= 0)) return largest;  // told
        largest = std::max(largest, found);
      }
    }
    return largest;
  }

  // On a line along a wall, with c between the cells inside and their ghosts; negative: a fault is told.
  double largest_wall_D(int axis, int which, const Walls::Positions& line, Index slow) {
    const UniformGrid& g = f_.geometry;
    const Walls::Values rule = f_.walls.values(axis, which, line, 1, 0);
    const SideAxes axes = axes_of_side(axis);
    double largest = 0;
    for (std::size_t n = 0; n < line.piece.size(); ++n) {
      if (!D_counts(f_.walls.side(axis, which).segments[line.piece[n]].kind)) continue;
      Index cell[3];
      cell[axis] = which == 0 ? 0 : g.extent[axis] - 1;
      cell[axes.slow] = slow, cell[axes.fast] = static_cast<Index>(n);
      double inside[3], on_wall[3] = {line.at[0][n], line.at[1][n], line.at[2][n]};
      for (int a = 0; a < 3; ++a) inside[a] = a < g.dimensions ? g.coordinate(a, cell[a]) : 0;
      const double c = f_.initial.result_count() == 1 ? value_at(f_.initial, inside, 0) : 0;
      const double D = value_at(*f_.terms.diffusivity, on_wall, 0.5 * (c + std::fma(rule.alpha[n], c, rule.beta[n])));
      if (!(D >= 0) || !std::isfinite(D)) {
        fault("D", "must not be negative, and finite, also on walls, is " + brief_text(D) + " on wall " +
                       side_names[static_cast<std::size_t>(2 * axis + which)] + " beside " +
                       g.place_text(cell[0], cell[1], cell[2]));
        return -1;
      }
      largest = std::max(largest, D);
    }
    return largest;
  }

  // Of a program of the five variables, at t = 0.
  static double value_at(const Program& wanted, const double (&at)[3], double c) {
    const double zero = 0;
    const std::span<const double> inputs[5] = {{&at[0], 1}, {&at[1], 1}, {&at[2], 1}, {&zero, 1}, {&c, 1}};
    double value = 0;
    const std::span<double> results[1] = {{&value, 1}};
    evaluate(wanted, inputs, results);
    return value;
  }

  // The source, and -dS/dc, which decays like diffusion does.
  void read_source(const Expression& source) {
    const Expression decay = Expression(0) - derivative(source, 4);
    f_.terms.source = program(source);
    if (decay.is_constant()) {
      f_.reaction = std::isfinite(decay.value()) ? std::max(0.0, decay.value()) : 0;
      return;
    }
    const Program alone = program(decay);
    f_.reaction = largest_finite(sample(alone, [](Index, Index, Index, double) {}));
    if (!alone.uses(3) && !alone.uses(4)) return;  // it stays as it is
    f_.terms.decay = alone;
  }

  const BlockOptions& block_;
  const EquationOptions& equation_;
  const Scope& scope_;
  Formulation& f_;
  Faults& faults_;
};

}  // namespace

double spinodal_rate(const Formulation& f, double mobility, double curvature) {
  return mobility * f.symbol * (f.terms.kappa * f.symbol + curvature);
}

void read_terms(const BlockOptions& block, const Scope& scope, Formulation& formulation, Faults& faults) {
  TermsReader(block, scope, formulation, faults).read();
}

}  // namespace halocline::diffusion
