// The texts of the ready models, as they would stand in a deck. models.hpp has the same by hand.
#include "lib/problems/ode_ensemble/formulator.hpp"

namespace halocline::ode_ensemble {

namespace {

std::vector<NamedFormula> lines(std::initializer_list<const char*> texts) {
  std::vector<NamedFormula> all;
  for (const char* text : texts) all.push_back({"", {text, {"ready model", 0, 0}}});
  return all;
}

std::vector<NamedFormula> by_name(std::initializer_list<std::pair<const char*, const char*>> texts) {
  std::vector<NamedFormula> all;
  for (const auto& [name, text] : texts) all.push_back({name, {text, {"ready model", 0, 0}}});
  return all;
}

BlockOptions with(const char* parameter, std::vector<NamedFormula> equations, std::vector<NamedFormula> initial) {
  BlockOptions block;
  block.sweep.blocks.emplace_back().name = parameter;
  block.equations = std::move(equations);
  block.initial = std::move(initial);
  return block;
}

AccumulatorOptions& accumulator(BlockOptions& block, const char* name) {
  block.accumulators.names.emplace_back(name);
  return block.accumulators.blocks.emplace_back();
}

BlockOptions keller_miksis() {
  BlockOptions block = with("f1", lines({"y1' = y2", "y2' = N/D"}), by_name({{"y1", "1"}, {"y2", "0"}}));
  block.constants = by_name({{"rho", "997.0639504998557"},
                             {"cL", "1497.251785455527"},
                             {"pv", "3166.775638952003"},
                             {"sigma", "0.071977583160056"},
                             {"mu", "8.902125058209557e-4"},
                             {"Pinf", "1.0e5"},
                             {"gamma", "1.4"},
                             {"RE", "10.0e-6"},
                             {"PA1", "1.5e5"}});
  block.definitions =
      lines({"k = 1/(RE*f1)", "pg = Pinf - pv + 2*sigma/RE", "C0 = pg*k^2/rho", "C1 = (1 - 3*gamma)*pg*k/(rho*cL)",
             "C2 = (Pinf - pv)*k^2/rho", "C3 = 2*sigma*k^2/(rho*RE)", "C4 = 4*mu/(rho*RE^2*f1)", "C5 = PA1*k^2/rho",
             "C7 = 2*pi*f1*RE*PA1*k^2/(rho*cL)", "C9 = RE*f1/cL", "a1 = 2*pi*t",
             "N = (C0 + C1*y2)*y1^(-3*gamma) - C3/y1 - C4*y2/y1 - (C2 + C5*sin(a1))*(1 + C9*y2) - "
             "1.5*(1 - C9*y2/3)*y2^2 - y1*C7*cos(a1)",
             "D = y1 - C9*y1*y2 + C4*C9"});
  AccumulatorOptions& peak = accumulator(block, "peak");
  peak.maximum = lines({"y1"});
  peak.refined = true;
  return block;
}

BlockOptions relief_valve() {
  BlockOptions block =
      with("q", lines({"y1' = y2", "y2' = -kappa*y2 - (y1 + delta) + y3", "y3' = beta*(q - y1*sqrt(y3))"}),
           by_name({{"y1", "0.2"}, {"y2", "0"}, {"y3", "0"}}));
  block.constants = by_name({{"kappa", "1.25"}, {"delta", "10"}, {"beta", "20"}, {"r", "0.8"}});
  EventOptions impact, top;
  impact.name = "impact";
  impact.crossing = lines({"y1"});
  impact.direction = Direction::falling;
  impact.then = lines({"y1 = 0", "y2 = -r*y2"});
  impact.has_rest = true;
  impact.rest.speed = lines({"y2"});
  impact.rest.below = 1e-5;
  impact.rest.hold = {"y1", "y2"};
  impact.rest.until = lines({"y3 - delta"});
  top.name = "top";
  top.crossing = lines({"y2"});
  top.direction = Direction::falling;
  top.ends_phase = true;
  block.events.blocks = {impact, top};
  accumulator(block, "ymax").maximum = lines({"y1"});
  accumulator(block, "ymin").minimum = lines({"y1"});
  accumulator(block, "hits").count = "impact";
  return block;
}

}  // namespace

BlockOptions ready_model(const std::string& name) {
  if (name == "riccati") return with("p", lines({"x' = x^2 - p"}), by_name({{"x", "-0.5"}}));
  if (name == "lorenz") {
    BlockOptions block = with("p", lines({"x1' = 10*(x2 - x1)", "x2' = p*x1 - x2 - x1*x3", "x3' = x1*x2 - b*x3"}),
                              by_name({{"x1", "10"}, {"x2", "10"}, {"x3", "10"}}));
    block.constants = by_name({{"b", "2.666"}});
    return block;
  }
  return name == "keller_miksis" ? keller_miksis() : relief_valve();
}

}  // namespace halocline::ode_ensemble
