#include "lib/problems/collocation/multigrid/multigrid_plan.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
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
  return Axis(std::move(nodes), axis.condition(End::low), axis.condition(End::high));
}

double length_at(const Axis& axis, double at) {
  const auto& nodes = axis.nodes();
  const auto above = std::upper_bound(nodes.begin() + 1, nodes.end() - 1, at);
  return above[0] - above[-1];
}

// Coefficients at a point.
struct Sample {
  double x, y;
  std::array<double, coefficient_count> k;
};

std::vector<Sample> samples_of(const Formulation& problem) {
  const Axis x = thinned(problem.x), y = thinned(problem.y);
  std::vector<Sample> samples;
  samples.reserve(x.gauss().size() * y.gauss().size());
  CoefficientColumn column;
  for (const double at : x.gauss()) {
    evaluate_coefficients(problem, at, y, column);
    for (std::size_t g = 0; g < y.gauss().size(); ++g) {
      Sample& sample = samples.emplace_back(Sample{at, y.gauss()[g], {}});
      for (int k = 0; k < coefficient_count; ++k) sample.k[k] = column[k][g];
    }
  }
  return samples;
}

// Whether a mesh is too coarse, in words; nothing when it is not.
std::optional<std::string> too_coarse(const std::vector<Sample>& samples, const Axis& x, const Axis& y,
                                      Smoothing smoothing) {
  double peclet = 0, reaction = 0;
  for (const auto& [at_x, at_y, k] : samples) {
    const double hx = length_at(x, at_x), hy = length_at(y, at_y), h = std::max(hx, hy);
    peclet = std::max({peclet, std::abs(k[3]) * hx / (2 * k[0]), std::abs(k[4]) * hy / (2 * k[2])});
    reaction = std::max(reaction, k[5] * h * h / std::min(k[0], k[2]));
  }
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

Anisotropy anisotropy(const Formulation& problem, const std::vector<Sample>& samples) {
  Anisotropy found;
  for (const auto& [at_x, at_y, k] : samples) {
    const double hx = length_at(problem.x, at_x), hy = length_at(problem.y, at_y);
    const double ratio = (k[2] / (hy * hy)) / (k[0] / (hx * hx));
    found.along_y = std::max(found.along_y, ratio);
    found.along_x = std::max(found.along_x, 1 / ratio);
  }
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

SmoothingPlan plan_smoothing(const Formulation& problem, const std::vector<Sample>& samples, SmootherChoice choice) {
  const Anisotropy q = anisotropy(problem, samples);
  const Smoothing smoothing = choose_smoothing(q, choice);
  return {smoothing, smoothing == Smoothing::hline || (smoothing == Smoothing::alt && q.along_x > uncuttable)};
}

}  // namespace

Partition MultigridPlan::lines(const Partition& finest, int level) const {
  std::vector<Index> starts;
  for (int p = 0; p < finest.parts(); ++p) starts.push_back(finest.block(p).lo[0] >> level);
  starts.push_back(x[level].elements() + 1);
  return Partition::from_starts(std::move(starts));
}

SmoothingPlan plan_smoothing(const Formulation& problem, SmootherChoice choice) {
  return plan_smoothing(problem, samples_of(problem), choice);
}

MultigridPlan plan_multigrid(const Formulation& problem, SmootherChoice choice, int parts, Index replicate) {
  const std::vector<Sample> samples = samples_of(problem);
  MultigridPlan plan{plan_smoothing(problem, samples, choice), {}, {}, 0, {}};
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
  const auto share = [&](int level) {
    const Index nx = plan.x[level].elements();
    return level + 1 < plan.levels() && (level == 0 || nx > replicate) && (nx + 1) / parts >= 8;
  };
  while (parts > 1 && !plan.whole_lines && share(plan.distributed)) ++plan.distributed;
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
