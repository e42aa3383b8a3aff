// What the result is compared with, and whether that means something.
#include <cmath>

#include "lib/problems/fractional/reading.hpp"
#include "lib/problems/fractional/weights/mittag_leffler.hpp"

namespace halocline::fractional {

namespace {

void check_reference(Reading& reading, const Formulation& f) {
  const VerifyOptions& verify = reading.verify();
  if (verify.exact.given()) reading.at("verify.reference", "contradicts verify.exact; give one");
  if (!(verify.rate > 0)) reading.at("verify.reference", "needs verify.rate");
  if (!f.source.zero()) reading.at("verify.reference", "mittag_leffler is a solution without source");
  if (f.order_of_time || f.orders.size() > 1)
    reading.at("verify.reference", "mittag_leffler is a solution for one constant order");
}

void check_mass_balance(Reading& reading, const Formulation& f) {
  const char* const key = "verify.mass_balance";
  if (!f.closed()) reading.at(key, "needs sides of kind no_flux, without velocity across them, or periodic");
  if (!f.source.zero()) reading.at(key, "a source makes mass, so it is not balanced");
  if (!f.reaction.zero()) reading.at(key, "a reaction changes mass, so it is not balanced");
  if (f.order_of_time) reading.at(key, "needs orders that do not change with time");
  for (const Coefficient& coefficient : f.coefficients)
    if (!coefficient.constant()) return reading.at(key, "needs constant coefficients of `terms`");
}

// initial(x) E_order(-rate psi(t)^order) as a formula of place times a function of time.
void take_reference(Reading& reading, Formulation& f) {
  const auto initial = reading.parse(reading.block().equation.initial, place_variables);
  if (!initial) return;
  f.exact = program_of(*initial * reading.variable(variable_t));
  f.exact_factor = [rate = reading.verify().rate, order = f.orders.front(), psi = f.psi.value](double t) {
    return mittag_leffler(order, rate * std::pow(psi(t), order));
  };
}

}  // namespace

void read_verify(Reading& reading, Formulation& f) {
  const VerifyOptions& verify = reading.verify();
  const bool reference = verify.reference != Reference::none, known = verify.exact.given() || reference;
  if (!known && verify.max_error.given()) reading.at("verify.max_error", "needs verify.exact or verify.reference");
  if (!known && verify.rms_error.given()) reading.at("verify.rms_error", "needs verify.exact or verify.reference");
  if (!reference && verify.rate > 0) reading.at("verify.rate", "belongs to verify.reference: mittag_leffler");
  if (!verify.mass.empty() && (verify.mass.size() != 2 || verify.mass[0] > verify.mass[1]))
    reading.at("verify.mass", "must be two numbers, [low, high], the smaller one first");
  if (reference) check_reference(reading, f);
  if (verify.mass_balance > 0) check_mass_balance(reading, f);
  if (reading.faults() > 0) return;
  if (reference) return take_reference(reading, f);
  if (!verify.exact.given()) return;
  if (const auto exact = reading.parse(verify.exact, moving_variables)) f.exact = program_of(*exact);
}

}  // namespace halocline::fractional
