#include "app/self_convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/run/recorder.hpp"

namespace halocline {
namespace {

constexpr Index most_points = 600;

std::vector<std::string> fields_of(const LoadedDeck& deck) {
  if (!deck.shared.output.fields.empty()) return deck.shared.output.fields;
  if (!deck.plan.fields.empty()) return deck.plan.fields;
  const auto known = deck.family->known_fields(*deck.options);
  return {known.begin(), known.end()};
}

}  // namespace

std::vector<std::vector<double>> inner_nodes(const Grid& grid, Index most) {
  int axes = 3, wide = 0;
  while (axes > 0 && grid.missing(axes - 1)) --axes;
  for (int a = 0; a < axes; ++a) wide += grid.points(a) > 2 ? 1 : 0;
  const auto each = static_cast<Index>(std::pow(static_cast<double>(most), 1.0 / std::max(1, wide)) + 1e-9);
  std::vector<std::vector<double>> points(1);
  for (int a = 0; a < axes; ++a) {
    const std::vector<double>& nodes = grid.nodes[static_cast<std::size_t>(a)];
    const Index inner = std::max<Index>(1, grid.points(a) - 2), taken = std::min(inner, each);
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& point : points)
      for (Index n = 0; n < taken; ++n) {
        longer.push_back(point);
        const Index node = grid.points(a) > 2 ? 1 + (2 * n + 1) * inner / (2 * taken) : 0;
        longer.back().push_back(nodes[static_cast<std::size_t>(node)]);
      }
    points = std::move(longer);
  }
  return points;
}

SelfConvergence::Changes SelfConvergence::add(const Context& context, const LoadedDeck& deck, const Problem& problem,
                                              double t) {
  if (!deck.plan.on_grid.value_or(deck.family->on_grid) || !deck.plan.grid) return {};
  if (probes_.points.empty()) {
    probes_.present = true;
    probes_.points = inner_nodes(*deck.plan.grid, most_points);
    probes_.fields = fields_of(deck);
  }
  Recorder recorder(context, probes_);
  recorder.take(problem, t);
  at_nodes_ = recorder.at_nodes();
  const std::vector<double> now = recorder.last_at_points();
  Changes changes;
  for (std::size_t f = 0; f < probes_.fields.size(); ++f) {
    double most = 0, squares = 0;
    for (std::size_t p = f * points(); p < (f + 1) * points(); ++p) {
      const double change = before_.empty() ? std::numeric_limits<double>::quiet_NaN() : std::abs(now[p] - before_[p]);
      most = std::isnan(change) ? change : std::max(most, change);
      squares += change * change;
    }
    changes.emplace_back("max_change." + probes_.fields[f], most);
    changes.emplace_back("rms_change." + probes_.fields[f], std::sqrt(squares / static_cast<double>(points())));
  }
  before_ = now;
  return changes;
}

}  // namespace halocline
