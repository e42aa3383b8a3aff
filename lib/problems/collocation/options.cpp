#include "lib/problems/collocation/options.hpp"

#include <array>
#include <cmath>
#include <string>

#include "lib/expression/scope.hpp"

namespace halocline::collocation {

namespace {

constexpr std::array<const char*, 1> map_variable{"t"};
constexpr std::array<const char*, 3> map_scope{"x", "y", "t"};  // definitions are in x and y
// `manufactured` stands for a formula; plan() refuses it inside of one.
constexpr std::array<const char*, 3> right_hand_side_names{"x", "y", "manufactured"};

constexpr Index most_elements = 1 << 20;  // along an axis

// Cuts every element into equal pieces.
std::vector<double> subdivide(const std::vector<double>& nodes, Index pieces) {
  std::vector<double> fine{nodes.front()};
  for (std::size_t e = 0; e + 1 < nodes.size(); ++e) {
    const double h = (nodes[e + 1] - nodes[e]) / static_cast<double>(pieces);
    for (Index p = 1; p < pieces; ++p) fine.push_back(nodes[e] + h * static_cast<double>(p));
    fine.push_back(nodes[e + 1]);
  }
  return fine;
}

}  // namespace

void AxisOptions::describe(Describer& d) {
  d.item({"from", "length", "Coordinate of the low end (with `elements`)."}, from);
  d.item({"to", "length", "Coordinate of the high end (with `elements`)."}, to);
  d.item({"elements", "1", "Number of elements, at least 2."}, elements, Bounds::between(2, most_elements));
  d.formula(
      {"map", "1", "Places node i of n at from + (to - from) m(t), t = i/n; m increases from m(0) = 0 to m(1) = 1."},
      map, map_variable);
  d.item({"nodes", "length", "Increasing coordinates of all nodes, instead of from, to, elements and map."}, nodes);
}

void AxisOptions::refine(int factor) {
  const Index now = nodes.empty() ? elements : static_cast<Index>(nodes.size() - 1) * refinement;
  if (now * factor > most_elements)
    throw DeckError("refined " + std::to_string(factor) + " times, the mesh has more than " +
                    std::to_string(most_elements) + " elements along an axis");
  if (nodes.empty()) {
    elements *= factor;
  } else {
    refinement *= factor;
  }
}

std::vector<double> AxisOptions::coordinates(const std::string& path, const Definitions& names, Faults* faults) const {
  const auto fault = [&](const char* key, const std::string& message) {
    if (faults != nullptr) faults->at(path + key, message);
    return std::vector<double>{};
  };
  std::vector<double> made;
  if (!nodes.empty()) {
    if (elements != 0 || map.given() || from != 0 || !std::isnan(to))
      return fault(".nodes", "is given together with from, to, elements or map; give one or the other");
    if (nodes.size() < 3) return fault(".nodes", "has fewer than 3 nodes; at least 2 elements are needed");
    made = subdivide(nodes, refinement);
  } else {
    if (elements == 0) return fault("", "gives neither `elements` (with `from` and `to`) nor `nodes`");
    if (!(to > from) || !std::isfinite(to - from)) return fault(".to", "must be greater than `from`");
    Expression shape = 0;
    if (map.given()) {
      std::vector<FormulaFault> found, elsewhere;  // faults of the names themselves are the reader's
      const Scope scope(map_scope, names, elsewhere);
      const auto parsed = scope.parse(map, map_variable, found);
      for (const FormulaFault& one : found)
        if (faults != nullptr) faults->at(one.place, one.text());
      if (!parsed) return {};
      shape = *parsed;
    }
    for (Index i = 0; i <= elements; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(elements);
      const double share = map.given() ? evaluate(shape, std::array{0.0, 0.0, t}) : t;
      made.push_back(i == elements && !map.given() ? to : from + (to - from) * share);
    }
    if (map.given() &&
        (std::abs(made.front() - from) > 1e-12 * (to - from) || std::abs(made.back() - to) > 1e-12 * (to - from)))
      return fault(".map", "must be 0 at t = 0 and 1 at t = 1");
  }
  const char* key = nodes.empty() ? (map.given() ? ".map" : ".elements") : ".nodes";
  for (std::size_t i = 0; i < made.size(); ++i)
    if (!std::isfinite(made[i]) || (i > 0 && !(made[i] > made[i - 1])))
      return fault(key,
                   "gives nodes that do not increase: node " + std::to_string(i) + " is at " + std::to_string(made[i]));
  return made;
}

void MeshOptions::describe(Describer& d) {
  d.group({"x", "", "Mesh along x.", true}, x);
  d.group({"y", "", "Mesh along y.", true}, y);
}

void EquationOptions::describe(Describer& describer) {
  describer.formula({"k", "1", "Of div (k grad u), in place of a, b and c; may depend on u, u_x, u_y."}, k,
                    solution_variables);
  describer.formula({"a", "1", "Coefficient of u_xx. This and the five that follow: required without k."}, a,
                    variables);
  describer.formula({"b", "1", "Half the coefficient of u_xy."}, b, variables);
  describer.formula({"c", "1", "Coefficient of u_yy."}, c, variables);
  describer.formula({"d", "1", "Coefficient of u_x; with k: besides what k gives, 0 when left out."}, d, variables);
  describer.formula({"e", "1", "Coefficient of u_y; likewise."}, e, variables);
  describer.formula({"eta", "1", "Coefficient of u; with k: 0 when left out."}, eta, variables);
  describer.formula({"source", "1", "Added to f: depends on u, perhaps on u_x and u_y; solved by Newton's method."},
                    source, solution_variables);
  describer.formula({"f", "1", "Right-hand side, or the word manufactured: f and side values from verify.exact.", true},
                    f, right_hand_side_names);
}

void PieceOptions::describe(Describer& d) {
  if (!whole) {
    d.formula({"from", "length",
               "Of a piece of the side: where it begins, on a line of the mesh; where the piece before ends when left "
               "out."},
              from, {});
    d.formula({"to", "length", "Where it ends; at the end of the side when left out."}, to, {});
  }
  d.choice({"kind", "",
            "dirichlet: u is given; neumann: du/dn, n outward; robin: alpha u + beta du/dn; periodic: u goes on at the "
            "opposite side, which is periodic too.",
            true},
           kind);
  d.formula({"alpha", "1", "Factor of u, a formula along the side; for kind robin."}, alpha, variables);
  d.formula({"beta", "1", "Factor of du/dn, a formula along the side; for kind robin."}, beta, variables);
  d.formula({"value", "1", "What `kind` names, on the side; required unless f is manufactured or the side periodic."},
            value, variables);
  d.formula(
      {"slope", "1/length", "Derivative of `value` along the side (d/dy on x sides); interpolated when left out."},
      slope, variables);
  d.choice(
      {"data", "",
       "interpolated: value and slope at the side's nodes; gauss: value at its Gauss points, less accurate there."},
      data);
}

void SidesOptions::describe(Describer& d) {
  const auto side = [&](const Key& key, SideOptions& options) {
    if (d.groups(key, options) && options.size() == 0) options.empty = true;  // stays, whoever describes it next
  };
  side({"x_min", "", "Side of lowest x, or its pieces from low to high y."}, sides[0]);
  side({"x_max", "", "Side of highest x, likewise."}, sides[1]);
  side({"y_min", "", "Side of lowest y, or its pieces from low to high x."}, sides[2]);
  side({"y_max", "", "Side of highest y, likewise."}, sides[3]);
  sides[4].whole = true;
  sides[4].given = d.group({"rest", "", "All sides not named."}, sides[4]);
  d.choice({"corners", "",
            "Where two Dirichlet sides or pieces meet. agree: their values are equal; mean: u is the mean of the two "
            "values."},
           corners);
}

PieceOptions& SideOptions::add() {
  if (given) return further.emplace_back();
  given = true;
  return *this;
}

const SideOptions* SidesOptions::of(std::size_t side) const {
  if (sides[side].given) return &sides[side];
  return sides[4].given ? &sides[4] : nullptr;
}

void SolverOptions::describe(Describer& d) {
  d.choice({"method", "",
            "auto: closed_form where it can, else mg; mg: BiCGSTAB with multigrid; fd: with a fitted separable solver; "
            "schur, schur-mixed: red-black lines; closed_form, pencil, separable: direct, b = 0."},
           method);
  d.item(
      {"tol", "1",
       "When to stop. schur (1e-9): residual norm over that of the reduced right-hand side; schur-mixed (1e-9): over "
       "that of the first residual; mg, fd (1e-12): norm of the last correction over that of the solution."},
      tolerance, Bounds::between(1e-15, 1));
  d.item({"maxit", "1", "Most iterations, 20000 for schur, else 100; a run that needs more ends with exit code 3."},
         max_iterations, Bounds::between(1, 100000000));
  d.choice(
      {"smoother", "", "Of mg: nodes, vertical or horizontal lines, or both; auto: by the anisotropy of the equation."},
      smoother);
  d.choice({"precision", "", "Of the multigrid cycle, the inner solves of schur-mixed, and transforms."}, precision);
  d.choice({"start", "", "Of mg: zero, or full multigrid."}, start);
  d.item({"inner_maxit", "1", "Most inner iterations per outer one of schur-mixed."}, inner_max_iterations,
         Bounds::between(1, 100000000));
  d.choice({"sums", "",
            "fused: sums over ranks wait for one another, which saves a third to half of the waits of an iteration; "
            "separate: "
            "each when it is first of use."},
           sums);
  d.item({"allow_indefinite", "", "Accept eta > 0 and alpha beta < 0."}, allow_indefinite);
}

SolverOptions SolverOptions::resolved(Method used) const {
  SolverOptions made = *this;
  const bool thesis = used == Method::schur || used == Method::schur_mixed;
  made.method = used;
  if (tolerance == 0) made.tolerance = thesis ? 1e-9 : 1e-12;
  if (max_iterations == 0) made.max_iterations = used == Method::schur ? 20000 : 100;
  return made;
}

void NewtonOptions::describe(Describer& d) {
  d.formula({"start", "1", "Where the iteration begins; 0 when left out."}, start, variables);
  d.item({"maxit", "1", "Most steps; a run that needs more ends with exit code 3."}, max_steps,
         Bounds::between(1, 10000));
  d.choice({"damping", "", "residual: steps are cut back until the residual shrinks; none: whole steps."}, damping);
}

void VerifyOptions::describe(Describer& d) {
  d.formula({"exact", "1", "Exact solution."}, exact, variables);
  d.item({"max_error", "1", "Largest admissible error at the nodes, of all fields or by field."}, max_error,
         field_names, Bounds::positive());
  d.item({"rms_error", "1", "Largest admissible root mean square error at the nodes."}, rms_error, field_names,
         Bounds::positive());
  d.item({"iterations", "1", "Admissible numbers of iterations, [low, high]."}, iterations, Bounds::at_least(0));
  d.item({"values", "1", "Known values [x, y, u] of the solution."}, values, 3);
  d.item({"max_value_error", "1", "Largest admissible difference of u from `values`."}, max_value_error,
         Bounds::positive());
  d.item({"newton_steps", "1", "Admissible numbers of Newton steps, [low, high]."}, newton_steps, Bounds::at_least(0));
  d.item({"residual", "1", "Largest admissible residual: largest |L u - f| at the Gauss points over largest |f|."},
         residual, Bounds::positive());
}

void BlockOptions::describe(Describer& d) {
  data.describe(d, names);
  d.definitions(names, variables);
  d.group({"equation", "", "a u_xx + 2 b u_xy + c u_yy + d u_x + e u_y + eta u = f + source, or with div (k grad u).",
           true},
          equation);
  d.group({"mesh", "", "Tensor-product mesh.", true}, mesh);
  d.group({"sides", "", "Boundary conditions.", true}, sides);
  d.group({"solver", "", "Solution method."}, solver);
  newton.given = d.group({"newton", "", "Newton's method, where k or source depends on u."}, newton);
}

void CollocationOptions::describe(Describer& d) {
  d.group({"collocation", "", "Bicubic Hermite collocation of a 2D elliptic equation.", true}, block);
  d.group({"verify", "", "What the result is compared with."}, verify);
}

void CollocationOptions::refine(int factor) {
  block.mesh.x.refine(factor);
  block.mesh.y.refine(factor);
}

}  // namespace halocline::collocation
