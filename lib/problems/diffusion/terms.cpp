#include "lib/problems/diffusion/terms.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "lib/base/format.hpp"
#include "lib/problems/diffusion/formulation.hpp"

namespace halocline::diffusion {

namespace {

constexpr Index most_samples_2d = 1024, most_samples_3d = 100;  // along an axis

double uniform_largest(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, value);
  return largest;
}

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
        foreign(equation_.kappa > 0, "kappa"), foreign(equation_.mobility > 0, "mobility");
        foreign_wells();
        return read_diffusion();
      case EquationKind::allen_cahn:
        foreign(equation_.diffusivity.given(), "D"), foreign(equation_.anisotropy.given(), "anisotropy");
        foreign(equation_.mobility > 0, "mobility"), foreign_wells();
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

  std::optional<Expression> parse(const Formula& formula) {
    std::vector<FormulaFault> found;
    auto expression = scope_.parse(formula, variables, found);
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
    if (equation_.source.given()) {
      const auto given = parse(equation_.source);
      if (!given) return;
      source = source + *given;
    }
    finish(source);
  }

  void read_cahn_hilliard() {
    const bool all = needed(equation_.kappa > 0, "kappa") & needed(equation_.mobility > 0, "mobility") &
                     needed(equation_.rho > 0, "rho") & needed(!equation_.wells.empty(), "wells");
    if (!all) return;
    const auto& wells = equation_.wells;
    if (wells.size() != 2 || !(wells[0] < wells[1])) return fault("wells", "expected [low, high] with low < high");
    if (!f_.walls.closed()) faults_.at("diffusion.walls", "cahn_hilliard has walls of kind no_flux and periodic only");
    if (f_.stencil.kind == MaskKind::general) faults_.at("diffusion.stencil.mask", "cahn_hilliard needs a named mask");
    Terms& t = f_.terms;
    t.kappa = equation_.kappa, t.mobility = equation_.mobility, t.rho = equation_.rho;
    t.low = wells[0], t.high = wells[1];
    plain("cahn_hilliard");
    const double symbol = f_.stencil.largest_symbol(-1), h = f_.geometry.least_spacing();
    const double curvature = 2 * t.rho * (t.high - t.low) * (t.high - t.low);  // f'' in the wells
    f_.rate = t.mobility * symbol * (t.kappa * symbol + curvature);
    f_.unit_step = h * h * h * h / (24 * t.mobility * t.kappa);
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
    const bool star = s.kind == MaskKind::star5 || s.kind == MaskKind::star5_xy || s.kind == MaskKind::star7;
    if (!star && s.kind != MaskKind::cross9 && s.kind != MaskKind::cross13)
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
    if (source) f_.terms.source = program(*source);
    double reaction = 0;
    if (f_.terms.in_flux_form()) {
      plain(f_.terms.diffusivity ? "a variable D" : "a source");
      const MaskKind kind = f_.stencil.kind;
      if (kind != MaskKind::star5 && kind != MaskKind::star5_xy && kind != MaskKind::star7)
        faults_.at("diffusion.stencil.mask", "a variable D and sources need the mask 5pt (7pt in 3D)");
      if (f_.geometry.layout == GridLayout::ringed)
        faults_.at("diffusion.grid.layout", "a variable D and sources need layout fv");
      if (block_.stencil.accurate) faults_.at("diffusion.stencil.accurate", "needs a constant D and no source");
      if (f_.terms.diffusivity) f_.diffusivity = largest_D();
      if (source) reaction = largest_reaction(*source);
    }
    if (!(f_.diffusivity > 0) || !std::isfinite(f_.diffusivity))
      return fault(f_.equation == EquationKind::diffusion ? "D" : "kappa",
                   "must be positive and finite, is " + brief_text(f_.diffusivity));
    const double h = f_.geometry.least_spacing();
    f_.rate = f_.diffusivity * f_.stencil.largest_symbol(-1) + reaction;
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

  double largest_D() {
    bool told = false;
    return uniform_largest(sample(*f_.terms.diffusivity, [&](Index x, Index y, Index z, double D) {
      if (told || (D > 0 && std::isfinite(D))) return;
      told = true;
      fault("D", "must be positive and finite, is " + brief_text(D) + " at " + f_.geometry.place_text(x, y, z));
    }));
  }

  // -dS/dc, which decays like diffusion does.
  double largest_reaction(const Expression& source) const {
    const Expression slope = Expression(0) - derivative(source, 4);
    if (slope.is_constant()) return std::max(0.0, slope.value());
    return uniform_largest(sample(program(slope), [](Index, Index, Index, double) {}));
  }

  const BlockOptions& block_;
  const EquationOptions& equation_;
  const Scope& scope_;
  Formulation& f_;
  Faults& faults_;
};

}  // namespace

void read_terms(const BlockOptions& block, const Scope& scope, Formulation& formulation, Faults& faults) {
  TermsReader(block, scope, formulation, faults).read();
}

}  // namespace halocline::diffusion
