#include "lib/problems/diffusion/reactions/formulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lib/base/format.hpp"
#include "lib/expression/scope.hpp"
#include "lib/problems/diffusion/grid.hpp"
#include "lib/problems/diffusion/reactions/start_rates.hpp"

namespace halocline::diffusion {

namespace {

const std::string equations = "diffusion.equations.";

// Passes faults on and counts them; those of the walls of one field to where these stand.
struct FaultsOfField final : Faults {
  explicit FaultsOfField(Faults& next) : next(next) {}
  void at(std::string_view path, const std::string& message) override {
    static constexpr std::string_view common = "diffusion.walls";
    ++count;
    if (missing && path.starts_with(common)) return;  // told
    const bool moved = !walls.empty() && path.starts_with(common);
    next.at(moved ? walls + std::string(path.substr(common.size())) : std::string(path), message);
  }
  void at(const Place& place, const std::string& message) override {
    ++count;
    next.at(place, message);
  }
  Faults& next;
  std::string walls;     // path of the walls being read; empty: the common ones
  bool missing = false;  // whether there are none
  int count = 0;
};

class Builder {
 public:
  Builder(const DiffusionOptions& options, Faults& faults)
      : options_(options),
        block_(options.block),
        faults_(faults),
        geometry_(make_grid(block_.grid, reach_of(block_.stencil), faults_)),
        data_(read_data_on(geometry_, block_, block_.equations.fields->variables, faults_)),
        scope_(block_.equations.fields->variables, data_.names, reported_),
        place_scope_(std::span(block_.equations.fields->variables).first(variables.size()), data_.names, reported_) {}

  std::optional<Reactions> build() {
    const UniformGrid& geometry = geometry_;
    if (geometry.dimensions == 0) return std::nullopt;
    Reactions r;
    r.data = data_.summary;
    parts_ = read_wish(block_.grid.parts, faults_);
    const Stencil stencil = make_stencil(block_.stencil, geometry, faults_);
    check_plain(geometry, stencil);
    for (const std::string& name : block_.fields) add_field(name, geometry, stencil, r);
    check_verify();
    if (faults_.count > 0) return std::nullopt;
    check_periods(r);
    if (faults_.count > 0) return std::nullopt;
    for (ReactingField& field : r.fields) check_wall_values(field);
    read_reactions(r);
    if (faults_.count > 0) return std::nullopt;
    choose_step(r);
    return faults_.count > 0 ? std::nullopt : std::optional(std::move(r));
  }

 private:
  std::optional<Expression> parse(const Scope& scope, const Formula& formula, std::span<const char* const> allowed) {
    std::vector<FormulaFault> found;
    auto expression = scope.parse(formula, allowed, found);
    for (const FormulaFault& fault : found) faults_.at(fault.place, fault.text());
    return found.empty() ? expression : std::nullopt;
  }
  // Of x, y, z, t and one more variable, that it does not use, as programs of one field are.
  Program program(const Formula& formula) {
    const auto expression = parse(place_scope_, formula, moving_variables);
    return expression ? Program({&*expression, 1}, static_cast<int>(variables.size())) : Program();
  }

  // What steps of several fields do not have.
  void check_plain(const UniformGrid& g, const Stencil& stencil) {
    const TimeOptions& time = block_.time;
    const std::string what = "several fields";
    if (block_.precision == Precision::fp32) faults_.at("diffusion.precision", what + " are computed in fp64 only");
    if (time.kernel > KernelChoice::fused) faults_.at("diffusion.time.kernel", what + " have the kernel fused alone");
    if (time.steps_per_sweep != "auto" && time.steps_per_sweep != "1")
      faults_.at("diffusion.time.steps_per_sweep", what + " take one step per sweep");
    if (time.method != TimeMethod::euler)
      faults_.at("diffusion.time.method", what + " have Euler steps alone; one field has " + word_for(time.method));
    for (const auto& [given, key] : {std::pair{time.tolerance > 0, "tolerance"}, {time.most_stages > 0, "most_stages"}})
      if (given) faults_.at(std::string("diffusion.time.") + key, "belongs to the methods rkc and rkl2 of one field");
    const MaskKind kind = stencil.kind;
    if (kind != MaskKind::star5 && kind != MaskKind::star5_xy && kind != MaskKind::star7)
      faults_.at("diffusion.stencil.mask", what + " need the mask 5pt (7pt in 3D)");
    if (g.layout == GridLayout::ringed) faults_.at("diffusion.grid.layout", what + " need layout fv");
    if (block_.stencil.accurate) faults_.at("diffusion.stencil.accurate", "needs one field, and no source");
  }

  void add_field(const std::string& name, const UniformGrid& geometry, const Stencil& stencil, Reactions& r) {
    const FieldEquationOptions& given = *block_.equations.of(name);
    if (!given.has_walls && !block_.has_walls)
      faults_.at(equations + name + ".walls",
                 "missing; expected a block, or diffusion.walls for all fields that have none of their own");
    faults_.missing = !given.has_walls && !block_.has_walls;
    faults_.walls = given.has_walls ? equations + name + ".walls" : "";
    Formulation f{.geometry = geometry,
                  .stencil = stencil,
                  .walls = Walls(given.has_walls ? given.walls : block_.walls, geometry, place_scope_, faults_),
                  .initial = program(given.initial),
                  .exact = {}};
    faults_.walls.clear();
    faults_.missing = false;
    for (int axis = 0; axis < geometry.dimensions; ++axis)
      if (f.walls.periodic(axis)) f.geometry.make_periodic(axis);
    read_diffusivity(equations + name, given, f);
    const double D = f.terms.diffusivity ? 1 : f.diffusivity;
    if (f.walls.has_flux() && D == 0 && faults_.count == 0)
      faults_.at(equations + name + ".D", "must not be 0 where a wall gives a flux");
    for (int axis = 0; axis < geometry.dimensions; ++axis) f.walls.set_diffusivity(axis, D);
    const FieldVerifyOptions* verify = options_.verify.fields.of(name);
    if (verify != nullptr && verify->exact.given()) f.exact = program(verify->exact);
    f.keeps_source = verify != nullptr && verify->mass_balance > 0;
    f.end = block_.time.end;
    f.parts = parts_;
    f.one_of_several = true;
    r.fields.push_back({name, given.unit, std::move(f)});
  }

  void read_diffusivity(const std::string& block, const FieldEquationOptions& given, Formulation& f) {
    const std::string path = block + ".D";
    f.terms.harmonic = given.face_mean == MeanChoice::harmonic;
    const auto D = parse(place_scope_, given.diffusivity, moving_variables);
    if (!D) return;
    if (D->is_constant()) {
      if (!f.terms.harmonic)  // not the default
        faults_.at(block + ".face_mean", "means nothing here: D is a number, the same at every face");
      f.diffusivity = D->value();
      if (!(f.diffusivity >= 0) || !std::isfinite(f.diffusivity))
        faults_.at(path, "must not be negative, and finite, is " + brief_text(f.diffusivity));
      return;
    }
    f.terms.diffusivity = Program({&*D, 1}, static_cast<int>(variables.size()));
    const auto tell = [&](const std::string& place, double value) {
      faults_.at(path, "must not be negative, and finite, is " + brief_text(value) + " at " + place);
    };
    const int before = faults_.count;
    f.diffusivity = largest_at_start(f.geometry, *f.terms.diffusivity, tell);
    if (before == 0)
      f.diffusivity = std::max(f.diffusivity, largest_on_walls(f.geometry, f.walls, *f.terms.diffusivity, tell));
  }

  void check_verify() {
    const VerifyOptions& verify = options_.verify;
    for (const auto& [given, key] :
         {std::pair{verify.exact.given(), "exact"}, std::pair{verify.reference != Reference::none, "reference"},
          std::pair{verify.max_error.given(), "max_error"}, std::pair{verify.rms_error.given(), "rms_error"},
          std::pair{verify.mass_balance > 0, "mass_balance"}, std::pair{!verify.mass.empty(), "mass"},
          std::pair{!verify.wrss.empty(), "wrss"}, std::pair{!verify.energy.empty(), "energy"}})
      if (given) faults_.at(std::string("verify.") + key, "is for one field; of several see verify.fields");
    for (const std::string& name : verify.fields.names) {
      const std::string path = "verify.fields." + name;
      if (std::find(block_.fields.begin(), block_.fields.end(), name) == block_.fields.end())
        faults_.at(path, "is none of diffusion.fields");
      const FieldVerifyOptions& one = *verify.fields.of(name);
      if (!one.exact.given() && one.max_error > 0) faults_.at(path + ".max_error", "needs `exact`");
      if (!one.exact.given() && one.rms_error > 0) faults_.at(path + ".rms_error", "needs `exact`");
      for (const auto& [range, key] :
           {std::pair{&one.mass, ".mass"}, std::pair{&one.min, ".min"}, std::pair{&one.max, ".max"}})
        if (!range->empty() && (range->size() != 2 || (*range)[0] > (*range)[1]))
          faults_.at(path + key, "must be two numbers, [low, high], the smaller one first");
    }
  }

  // An axis is periodic as a whole: all fields lie on one grid.
  void check_periods(const Reactions& r) {
    for (const ReactingField& field : r.fields)
      for (int axis = 0; axis < r.geometry().dimensions; ++axis)
        if (field.alone.walls.periodic(axis) != r.fields.front().alone.walls.periodic(axis))
          faults_.at(equations + field.name, std::string("is not periodic along ") +
                                                 axis_names[static_cast<std::size_t>(axis)] + " as " +
                                                 r.fields.front().name + " is, or the other way around");
  }

  void check_wall_values(const ReactingField& field) {
    const Formulation& f = field.alone;
    const bool own = block_.equations.of(field.name)->has_walls;
    for (int axis = 0; axis < f.geometry.dimensions; ++axis)
      for (int which = 0; which < 2; ++which) {
        const SideAxes axes = axes_of_side(axis);
        const WallPatch patch{0, f.geometry.extent[axes.slow], 0, f.geometry.extent[axes.fast]};
        if (!f.walls.finite(axis, which, f.walls.positions(axis, which, patch), 0))
          faults_.at((own ? equations + field.name + ".walls." : "diffusion.walls.") +
                         side_names[static_cast<std::size_t>(2 * axis + which)],
                     "a value is not finite at t = 0");
      }
  }

  // Sources, and how fast they decay and act on each other.
  void read_reactions(Reactions& r) {
    const auto count = static_cast<std::size_t>(r.count());
    const auto& all = block_.equations.fields->variables;
    std::vector<Expression> sources, moving(count * count), entries(count * count);
    for (const ReactingField& field : r.fields) {
      const Formula& given = block_.equations.of(field.name)->source;
      const auto source = given.given() ? parse(scope_, given, all) : std::optional(Expression(0));
      if (!source) return;
      sources.push_back(*source);
    }
    for (std::size_t f = 0; f < count; ++f)
      for (std::size_t g = 0; g < count; ++g) {
        const Expression by = derivative(sources[f], place_and_time + static_cast<int>(g));
        Expression& entry = entries[f * count + g];
        entry = f == g ? Expression(0) - by : combine(Operation::abs, {by});
        bool moves = entry.depends_on(place_and_time - 1);
        for (std::size_t v = 0; v < count; ++v) moves = moves || entry.depends_on(place_and_time + static_cast<int>(v));
        if (moves) moving[f * count + g] = entry, r.moving_rates = true;
      }
    r.sources = Program(sources, static_cast<int>(all.size()));
    r.rates = Program(moving, static_cast<int>(all.size()));
    for (const Program* program : {&r.sources, &r.rates})
      if (program->register_count() > most_registers)
        faults_.at("diffusion.equations", "the sources are too long: " + std::to_string(program->register_count()) +
                                              " values are needed at once; at most " + std::to_string(most_registers));
    std::vector<const Program*> initial;
    for (const ReactingField& field : r.fields) initial.push_back(&field.alone.initial);
    const ReactionRates start = rates_at_start(r.geometry(), initial, Program(entries, static_cast<int>(all.size())));
    std::vector<double> diffusion;
    const double symbol = r.stencil().largest_symbol(-1);
    for (ReactingField& field : r.fields) {
      field.alone.symbol = symbol;
      diffusion.push_back(field.alone.diffusivity * symbol);
    }
    r.rate = fastest_rate(r.count(), start, diffusion);
    for (std::size_t n = 0; n < count * count; ++n) r.still[n] = moving[n].is_constant() ? start[n] : 0;
  }

  // The step asked for, rounded so that whole steps end at `end`, and never above the limit for rounding's sake.
  void choose_step(Reactions& r) {
    const StencilOptions& given = block_.stencil;
    const UniformGrid& g = r.geometry();
    double D = 0;
    for (const ReactingField& field : r.fields) D = std::max(D, field.alone.diffusivity);
    const double h = g.least_spacing(), unit_step = h * h / (2 * g.dimensions * D);
    r.limit = r.rate > 0 ? 2 / r.rate : std::numeric_limits<double>::infinity();
    r.end = block_.time.end;
    r.on_limit = block_.time.on_limit;
    if ((given.co > 0) == (given.dt > 0))
      return faults_.at("diffusion.stencil",
                        given.co > 0 ? "gives more than one of co and dt" : "gives no time step: co or dt");
    if (given.co > 0 && !std::isfinite(unit_step))
      return faults_.at("diffusion.stencil", "sets no time step, since D is 0 everywhere at t = 0; give dt");
    const double asked = given.co > 0 ? given.co * unit_step : given.dt;
    const char* path = given.co > 0 ? "diffusion.stencil.co" : "diffusion.stencil.dt";
    if (asked > r.limit * (1 + limit_tolerance))
      return faults_.at(path, "gives a time step of " + brief_text(asked) + ", above the limit of stability " +
                                  brief_text(r.limit) + " = 2 over the fastest rate of diffusion and reactions" +
                                  (given.co > 0 ? "; co may be up to " + brief_text(given.co * r.limit / asked) : ""));
    const double count = r.end / asked;
    if (count > 1e15) return faults_.at(path, "gives more than 1e15 steps");
    r.steps = std::max<Index>(1, std::llround(count));
    if (r.end / static_cast<double>(r.steps) > r.limit) ++r.steps;
    // To the bit, where it is given and fits, so that it does not depend on the end.
    const bool fits = given.dt > 0 && std::abs(count - static_cast<double>(r.steps)) <= 1e-9 * count;
    r.dt = fits ? asked : r.end / static_cast<double>(r.steps);
  }

  const DiffusionOptions& options_;
  const BlockOptions& block_;
  FaultsOfField faults_;
  std::vector<FormulaFault> reported_;  // the reader has told them
  UniformGrid geometry_;
  ReadData data_;
  Scope scope_, place_scope_;
  BoxCounts parts_;
};

// Names that a scope can be made of, each with its block.
bool check_names(const BlockOptions& block, Faults& faults) {
  bool good = true;
  const auto fault = [&](const std::string& path, const std::string& message) {
    good = false;
    faults.at(path, message);
  };
  std::set<std::string> seen{moving_variables.begin(), moving_variables.end()};
  for (const std::string& name : block.fields) {
    if (const std::string why = fault_of_name(name); !why.empty()) fault("diffusion.fields", "'" + name + "': " + why);
    if (!seen.insert(name).second) fault("diffusion.fields", "'" + name + "' stands for something already");
    if (block.equations.of(name) == nullptr)
      fault("diffusion.equations", "has no block for '" + name + "', which diffusion.fields names");
  }
  if (block.fields.size() > most_fields) fault("diffusion.fields", "are more than " + std::to_string(most_fields));
  for (const std::string& name : block.equations.names)
    if (std::find(block.fields.begin(), block.fields.end(), name) == block.fields.end())
      fault(equations + name, "is none of diffusion.fields");
  if (block.has_equation) fault("diffusion.equation", "is that of one field; several have `equations`");
  return good;
}

}  // namespace

bool Reactions::moving_D() const {
  return std::any_of(fields.begin(), fields.end(), [](const ReactingField& field) {
    const auto& D = field.alone.terms.diffusivity;
    return D && D->uses(3);
  });
}

std::optional<Reactions> formulate_reactions(const DiffusionOptions& options, Faults& faults) {
  return check_names(options.block, faults) ? Builder(options, faults).build() : std::nullopt;
}

Reactions formulate_reactions(const DiffusionOptions& options) {
  ThrownFaults faults;
  return *formulate_reactions(options, faults);
}

}  // namespace halocline::diffusion
