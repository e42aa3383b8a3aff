#include "lib/problems/fractional/history/common_exponents.hpp"

#include <cmath>
#include <numbers>

#include "lib/base/error.hpp"

namespace halocline::fractional {

namespace {

// One kernel for each of a few orders of the interval: what worst cases are looked for among.
std::vector<Medium> samples(double smallest, double largest) {
  constexpr int count = 9;
  std::vector<Medium> media;
  for (int i = 0; i < count; ++i) media.push_back({{smallest + (largest - smallest) * i / (count - 1), 1.0}});
  media.back()[0].order = largest;
  return media;
}

}  // namespace

CommonExponents::CommonExponents(double smallest, double largest, const KernelRange& range) {
  require(smallest > 0 && smallest <= largest && largest < 1, "CommonExponents: orders inside (0, 1)");
  const std::vector<Medium> media = samples(smallest, largest);
  rule_ = trapezoid(media, range);
  slow_ = slow_part(rule_, media, range, 1);
  const double unit = rule_.rate(slow_.last), angle = std::numbers::pi / slow_.nodes;
  for (int q = 0; q < slow_.nodes; ++q) rates_.push_back(0.5 * unit * (1 - std::cos((q + 0.5) * angle)));
  shares_at(0);
  for (int k = rule_.first; k <= slow_.last; ++k) shares_at(rule_.rate(k));
  for (int k = slow_.last + 1; k <= rule_.last; ++k) rates_.push_back(rule_.rate(k));
}

// Appends the values at `rate` of the Lagrange polynomials of the Chebyshev nodes.
void CommonExponents::shares_at(double rate) {
  const std::size_t begin = shares_.size();
  const double angle = std::numbers::pi / slow_.nodes;
  double sum = 0;
  for (int q = 0; q < slow_.nodes; ++q) {
    const double distance = rate - rates_[static_cast<std::size_t>(q)];
    if (distance == 0) {
      shares_.resize(begin);
      shares_.resize(begin + static_cast<std::size_t>(slow_.nodes), 0.0);
      shares_[begin + static_cast<std::size_t>(q)] = 1;
      return;
    }
    shares_.push_back((q % 2 == 0 ? 1 : -1) * std::sin((q + 0.5) * angle) / distance);
    sum += shares_.back();
  }
  for (std::size_t i = begin; i < shares_.size(); ++i) shares_[i] /= sum;
}

void CommonExponents::add(const Term& term, std::vector<double>& weights) const {
  const auto nodes = static_cast<std::size_t>(slow_.nodes);
  const double* share = shares_.data();
  for (int k = rule_.first - 1; k <= slow_.last; ++k, share += nodes) {
    const double mass = k < rule_.first ? rule_.mass(term.order, k) : rule_.weight(term.order, k);
    for (std::size_t q = 0; q < nodes; ++q) weights[q] += term.coefficient * mass * share[q];
  }
  for (std::size_t i = nodes; i < weights.size(); ++i)
    weights[i] += term.coefficient * rule_.weight(term.order, slow_.last + 1 + static_cast<int>(i - nodes));
}

std::vector<double> CommonExponents::weights(const Medium& medium) const {
  std::vector<double> weights(rates_.size(), 0.0);
  for (const Term& term : medium)
    if (term.order < 1) add(term, weights);
  return weights;
}

}  // namespace halocline::fractional
