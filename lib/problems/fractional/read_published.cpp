// What scheme, splitting and history of the psi-Caputo CUDA paper ask of all blocks of a deck.
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/fractional/history/series_tables.hpp"
#include "lib/problems/fractional/reading.hpp"

namespace halocline::fractional {

namespace {

// gamma of a psi that is t^gamma; nothing for others.
std::optional<double> power_of_time(const Expression& psi, const Expression& t) {
  if (psi == t) return 1;
  const std::array<double, 5> two{0, 0, 0, 2, 0};
  const double exponent = std::log2(evaluate(psi, two)), scale = 1e12;
  // Exponents come as decimal numbers, or as fractions that have no short form.
  for (const double candidate : {std::round(exponent * scale) / scale, exponent})
    if (psi == power(t, Expression(candidate))) return candidate;
  for (const double at : {0.25, 0.5, 3.0}) {
    const std::array<double, 5> there{0, 0, 0, at, 0};
    const double expected = std::pow(at, exponent);
    if (!(std::abs(evaluate(psi, there) - expected) <= 1e-14 * expected)) return std::nullopt;
  }
  return exponent;
}

void read_gamma(Reading& reading, Formulation& f, const std::string& who) {
  const Formula& given = reading.block().equation.psi;
  if (!given.given()) return;
  const auto psi = reading.parse(given, time_variables);
  if (!psi) return;
  if (const auto gamma = power_of_time(*psi, reading.variable(variable_t)); gamma && *gamma > 0)
    f.gamma = *gamma;
  else
    reading.fault("equation.psi", who + " needs psi: t^number");
}

// What in the deck asks for it; "" for nothing.
std::string demanding(const Formulation& f) {
  if (f.split.kind == Split::lod) return "split lod";
  if (f.scheme == Scheme::l1_t) return "scheme l1_t";
  if (f.history.engine == Engine::series) return "engine series";
  return "";
}

void read_lod(Reading& reading, Formulation& f) {
  const SolverOptions& given = reading.block().solver;
  f.lod = {given.intermediate, given.source_split};
  if (given.split != Split::lod) {
    if (given.intermediate_given) reading.fault("solver.intermediate", "belongs to split lod");
    if (given.source_split_given) reading.fault("solver.source_split", "belongs to split lod");
  } else if (f.scheme == Scheme::alikhanov) {
    reading.fault("time.scheme", "split lod needs scheme l1_t or l1");
  }
}

void note_deficit(Formulation& f) {
  const Index last = f.last;
  if (f.history.engine != Engine::series || last < 2) return;
  const double deficit =
      series_deficit({f.orders[0], f.gamma, f.history.terms, f.levels->t(last) / static_cast<double>(last)}, last);
  f.notes.push_back(
      formatted("history.engine: series of {} terms lacks {:.3g} % of the kernel at the newest increment of the last "
                "step; it is for comparison, exponentials lack history.eps at most",
                f.history.terms, 100 * deficit));
}

}  // namespace

void check_published(Reading& reading, Formulation& f) {
  read_lod(reading, f);
  const std::string who = demanding(f);
  if (who.empty()) return;
  const auto needs = [&](bool holds, const char* key, const std::string& what) {
    if (!holds) reading.fault(key, who + " needs " + what);
  };
  const EquationOptions& equation = reading.block().equation;
  read_gamma(reading, f, who);
  needs(equation.terms.blocks.empty(), "equation.terms", "one constant order below 1");
  needs(!f.order_of_time && (f.orders.size() != 1 || equation.terms.blocks.size() > 0 || f.orders[0] < 1),
        "equation.order", "one constant order below 1");
  needs(reading.block().time.mesh == Mesh::uniform_t, "time.mesh", "mesh uniform_t");
  if (f.scheme == Scheme::l1_t)
    needs(f.history.engine != Engine::exponentials, "history.engine",
          "engine direct or series: its kernel is no sum of exponentials");
  if (f.history.engine == Engine::series) needs(f.scheme == Scheme::l1_t, "time.scheme", "scheme l1_t");
  needs(f.diffusivity.constant(), "equation.D", "a constant D");
  needs(f.sigma.constant(), "equation.sigma", "a constant sigma");
  needs(!f.moving(), "equation.velocity", "no velocity");
  needs(f.reaction.zero(), "equation.reaction", "no reaction");
  needs(!f.nonlinear(), "equation.source", "a source without c");
  for (std::size_t side = 0; side < f.sides.size(); ++side)
    if (!f.dirichlet(static_cast<int>(side))) {
      needs(false, reading.block().sides.sides[side].given ? "sides" : "sides.rest", "sides of kind dirichlet");
      break;
    }
  if (reading.faults() == 0) note_deficit(f);
}

}  // namespace halocline::fractional
