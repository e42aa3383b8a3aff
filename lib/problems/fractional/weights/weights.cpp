#include "lib/problems/fractional/weights/weights.hpp"

#include <utility>

#include "lib/problems/fractional/weights/alikhanov_weights.hpp"
#include "lib/problems/fractional/weights/l1_weights.hpp"
#include "lib/problems/fractional/weights/t_weights.hpp"
#include "lib/problems/fractional/weights/theta.hpp"

namespace halocline::fractional {

Weights::Weights(std::shared_ptr<const Levels> levels, Derivative derivative)
    : levels_(std::move(levels)), derivative_(std::move(derivative)) {
  require(!derivative_.media.empty(), "Weights: no media");
  for (const Medium& medium : derivative_.media) require(!medium.empty(), "Weights: a medium without terms");
  require(derivative_.scheme != Scheme::l1_t || (!variable_order() && media() == 1 && terms(1, 0).size() == 1),
          "Weights: l1_t has one constant order");
  theta_.resize(derivative_.media.size(), {0.0});
  if (variable_order())
    find_orders();
  else if (alikhanov())
    find_theta();
}

void Weights::find_orders() {
  require(media() == 1 && derivative_.media[0].size() == 1, "Weights: an order that varies is that of one term");
  theta_[0].clear();
  for (Index l = 1; l <= levels_->steps(); ++l) {
    const OrderWithin at = order_within(*levels_, derivative_.order, l, alikhanov());
    varying_.push_back({{at.order, derivative_.media[0][0].coefficient}});
    theta_[0].push_back(at.theta);
  }
}

void Weights::find_theta() {
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    const Medium& medium = derivative_.media[i];
    theta_[i] = {alikhanov_theta(medium, levels_->step(1))};
    if (medium.size() == 1) continue;
    for (Index l = 2; l <= levels_->steps(); ++l) {
      const bool same = levels_->step(l) == levels_->step(l - 1);
      theta_[i].push_back(same ? theta_[i].back() : alikhanov_theta(medium, levels_->step(l)));
    }
  }
}

const Medium& Weights::terms(Index l, int medium) const {
  if (variable_order()) return varying_[static_cast<std::size_t>(l - 1)];
  return derivative_.media[static_cast<std::size_t>(medium)];
}

double Weights::theta(Index l, int medium) const {
  const std::vector<double>& of = theta_[static_cast<std::size_t>(medium)];
  return of.size() == 1 ? of[0] : of[static_cast<std::size_t>(l - 1)];
}

void Weights::term_row(const Term& term, Index l, int medium, Index first, std::span<double> weights) const {
  if (derivative_.scheme == Scheme::alikhanov)
    alikhanov_weights(*levels_, term.order, theta(l, medium), l, first, weights);
  else if (derivative_.scheme == Scheme::l1)
    l1_weights(*levels_, term.order, l, first, weights);
  else
    t_linear_weights(term.order, derivative_.gamma, levels_->t(1), l, first, weights);
}

void Weights::row(Index l, int medium, Index first, std::span<double> weights) const {
  require(first >= 1 && first + static_cast<Index>(weights.size()) - 1 <= l && l <= levels_->steps(),
          "Weights: a row beyond its level");
  std::vector<double> of_term(weights.size());
  for (double& weight : weights) weight = 0;
  for (const Term& term : terms(l, medium)) {
    term_row(term, l, medium, first, of_term);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += term.coefficient * of_term[i];
  }
}

double Weights::local(Index l, int medium) const {
  double sum = 0;
  for (const Term& term : terms(l, medium)) {
    double weight = 0;
    term_row(term, l, medium, l, {&weight, 1});
    sum += term.coefficient * weight;
  }
  return sum;
}

double Weights::own_cell(Index l, int medium, Index m) const {
  require(alikhanov() && m >= 1 && m < l, "Weights: a cell of Alikhanov's scheme before the last");
  double sum = 0;
  for (const Term& term : terms(l, medium))
    sum += term.coefficient * alikhanov_cell(*levels_, term.order, theta(l, medium), l, m);
  return sum;
}

}  // namespace halocline::fractional
