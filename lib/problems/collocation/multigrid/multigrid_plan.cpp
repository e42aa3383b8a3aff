#include "lib/problems/collocation/multigrid/multigrid_plan.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/expression/grid_program.hpp"
#include "lib/problems/collocation/discretization/coefficients.hpp"

namespace halocline::collocation {

namespace {

constexpr Index sample_elements = 128;
constexpr double isotropic = 10, peclet_of_nodes = 3.5, peclet_of_lines = 12, uncuttable = 1000;

// The axis with about `sample_elements` elements at most.
Axis thinned(const Axis& axis) {
  const Index n = axis.elements(), step = (n + sample_elements - 1) / sample_elements;
  std::vector<double> nodes;
  for (Index i = 0; i < n; i += step) nodes.push_back(axis.nodes()[i]);
  nodes.push_back(axis.nodes().back());
  return axis.with_nodes(std::move(nodes));
}

double length_at(const Axis& axis, double at) {
  const auto& nodes = axis.nodes();
  const auto above = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, at);
  return above[0] - above[-1];
}

// Coefficients at the points of a tensor grid.
struct Samples {
  std::vector<double> x, y;
  std::vector<std::array<double, coefficient_count>> k;  // [x][y]
};

Samples samples_of(const Formulation& problem) {
  const Axis x = thinned(problem.x), y = thinned(problem.y);
  Samples samples{x.gauss(), y.gauss(), {}};
  samples.k.reserve(samples.x.size() * samples.y.size());
  const GridProgram program(problem.coefficients, samples.x, samples.y, GridProgram::Functions::exact);
  GridProgram::Scratch scratch;
  CoefficientColumn column;
  double* results[coefficient_count];
  for (int k = 0; k < coefficient_count; ++k) {
    column[k].resize(samples.y.size());
    results[k] = column[k].data();
  }
  for (std::size_t i = 0; i < samples.x.size(); ++i) {
    program.evaluate(static_cast<Index>(i), 0, static_cast<Index>(samples.y.size()), results, scratch);
    for (std::size_t j = 0; j < samples.y.size(); ++j) {
      auto& sample = samples.k.emplace_back();
      for (int k = 0; k < coefficient_count; ++k) sample[k] = column[k][j];
    }
  }
  return samples;
}

// Calls use(hx, hy, coefficients) for every sample, with the lengths of the element around it.
template <class Use>
void each_sample(const Samples& samples, const Axis& x, const Axis& y, const Use& use) {
  std::vector<double> hy;
  for (const double at : samples.y) hy.push_back(length_at(y, at));
  auto k = samples.k.begin();
  for (const double at : samples.x) {
    const double hx = length_at(x, at);
    for (const double h : hy) use(hx, h, *k++);
  }
}

// Whether a mesh is too coarse, in words; nothing when it is not.
std::optional<std::string> too_coarse(const Samples& samples, const Axis& x, const Axis& y, Smoothing smoothing) {
  double peclet = 0, reaction = 0;
  each_sample(samples, x, y, [&](double hx, double hy, const auto& k) {
    const double h = std::max(hx, hy);
    peclet = std::max({peclet, std::abs(k[3]) * hx / (2 * k[0]), std::abs(k[4]) * hy / (2 * k[2])});
    reaction = std::max(reaction, k[5] * h * h / std::min(k[0], k[2]));
  });
  if (peclet > (smoothing == Smoothing::node ? peclet_of_nodes : peclet_of_lines)) {
    return formatted("on the next coarser mesh convection dominates (cell Peclet number {:.3g})", peclet);
  }
  if (reaction > 1) {
    return formatted("on the next coarser mesh eta h^2 exceeds a or c ({:.3g} times)", reaction);
  }
  return std::nullopt;
}

// How strongly both directions are coupled, each to the other, at most.
struct Anisotropy {
  double along_y = 1, along_x = 1;
};

Anisotropy anisotropy(const Formulation& problem, const Samples& samples) {
  Anisotropy found;
  each_sample(samples, problem.x, problem.y, [&](double hx, double hy, const auto& k) {
    const double ratio = (k[2] / (hy * hy)) / (k[0] / (hx * hx));
    found.along_y = std::max(found.along_y, ratio);
    found.along_x = std::max(found.along_x, 1 / ratio);
  });
  return found;
}

Smoothing choose_smoothing(const Anisotropy& q, SmootherChoice choice) {
  if (choice == SmootherChoice::node) return Smoothing::node;
  if (choice == SmootherChoice::vline) return Smoothing::vline;
  if (choice == SmootherChoice::alt) return Smoothing::alt;
  if (choice == SmootherChoice::hline) return Smoothing::hline;
  if (q.along_y <= isotropic && q.along_x <= isotropic) return Smoothing::node;
  if (q.along_x <= isotropic) return Smoothing::vline;
  return q.along_y <= isotropic ? Smoothing::hline : Smoothing::alt;
}

SmoothingPlan plan_smoothing(const Formulation& problem, const Samples& samples, SmootherChoice choice) {
  const Anisotropy q = anisotropy(problem, samples);
  const Smoothing smoothing = choose_smoothing(q, choice);
  return {smoothing, smoothing == Smoothing::hline || (smoothing == Smoothing::alt && q.along_x > uncuttable)};
}

}  // namespace

std::string MultigridPlan::coarse_levels(int parts) const {
  std::string text;
  for (std::size_t n = 1; n < places.size(); ++n) {
    const auto [level, group] = places[n];
    const Index left = (parts + group - 1) / group;
    if (n > 1) text += ", ";
    text += formatted("level {} on {}{} part{}", level, level == distributed && left > 1 ? "each of " : "", left,
                      left > 1 ? "s" : "");
  }
  return text;
}

SmoothingPlan plan_smoothing(const Formulation& problem, SmootherChoice choice) {
  return plan_smoothing(problem, samples_of(problem), choice);
}

MultigridPlan plan_multigrid(const Formulation& problem, SmootherChoice choice, int parts, Index replicate) {
  const Samples samples = samples_of(problem);
  MultigridPlan plan{plan_smoothing(problem, samples, choice), {}, {}, {}, {}};
  plan.x.push_back(problem.x);
  plan.y.push_back(problem.y);
  for (;;) {
    const Axis &x = plan.x.back(), &y = plan.y.back();
    if (std::min(x.elements(), y.elements()) <= 8) break;
    if (x.elements() % 2 != 0 || y.elements() % 2 != 0) {
      plan.why = "a number of elements is odd";
      break;
    }
    Axis next_x = x.coarsened(), next_y = y.coarsened();
    if (const auto reason = too_coarse(samples, next_x, next_y, plan.smoothing)) {
      plan.why = *reason;
      break;
    }
    plan.x.push_back(std::move(next_x));
    plan.y.push_back(std::move(next_y));
  }
  if (plan.whole_lines) return plan;
  if (parts > few_parts) {
    const PlaceCosts& costs = replicate < replicated_on_gpus ? costs_of_hosts : costs_of_gpus;
    static_cast<CoarsePlaces&>(plan) = choose_places(plan.x, plan.y, parts, costs);
    return plan;
  }
  const auto share = [&](int level) {
    const Index nx = plan.x[level].elements();
    return level + 1 < plan.levels() && (level == 0 || nx > replicate) && (nx + 1) / parts >= 8;
  };
  while (parts > 1 && share(plan.distributed)) ++plan.distributed;
  return plan;
}

std::optional<std::string> multigrid_obstacle(const Formulation& problem, const MultigridPlan& plan) {
  if (std::min(problem.x.elements(), problem.y.elements()) < 4)
    return "multigrid needs at least 4 elements along each axis";
  if (plan.coarsest_elements() <= largest_coarsest) return std::nullopt;
  std::string text = "the coarsest mesh of multigrid would have " + std::to_string(plan.x.back().elements()) + " x " +
                     std::to_string(plan.y.back().elements()) + " elements, more than " +
                     std::to_string(largest_coarsest);
  if (!plan.why.empty()) text += ": " + plan.why;
  return text;
}

}  // namespace halocline::collocation
