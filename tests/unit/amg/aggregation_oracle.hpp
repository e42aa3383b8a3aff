// Aggregates of a matrix known whole, one row after the other, written from the formulas.
#pragma once

#include "tests/unit/amg/oracle.hpp"

namespace halocline::amg::oracle {

using Graph = std::vector<std::set<Index>>;  // of every row those that it is coupled to strongly

inline double strongest(const Row& row, Index i) {
  double most = 0;
  for (const auto& [j, value] : row)
    if (j != i) most = std::max(most, row.at(i) < 0 ? value : -value);
  return most;
}

inline Graph symmetric(const WholeMatrix& a, double theta) {
  Graph graph(a.rows.size());
  for (Index i = 0; i < a.size(); ++i) {
    const Row& row = a.rows[static_cast<std::size_t>(i)];
    for (const auto& [j, value] : row) {
      const double coupling = row.at(i) < 0 ? value : -value;
      const double other = strongest(a.rows[static_cast<std::size_t>(j)], j);
      if (j != i && coupling > 0 && coupling * coupling >= theta * strongest(row, i) * (theta * other))
        graph[static_cast<std::size_t>(i)].insert(j);
    }
  }
  return graph;
}

struct Aggregated {
  std::vector<Index> of_rows;  // -1: none
  std::vector<PointKind> kinds;
  Index count = 0;
  friend bool operator==(const Aggregated&, const Aggregated&) = default;
};

inline std::uint64_t root_key(Index number) {
  const auto n = static_cast<std::uint64_t>(number);
  return (mixed(n ^ 12345) >> 34 << 32) + n;  // numbers of tests have fewer than 32 bits
}

// All rows within two steps along couplings, itself left out.
inline std::set<Index> within_two(const Graph& graph, Index i) {
  std::set<Index> found = graph[static_cast<std::size_t>(i)];
  for (const Index j : graph[static_cast<std::size_t>(i)])
    found.insert(graph[static_cast<std::size_t>(j)].begin(), graph[static_cast<std::size_t>(j)].end());
  found.erase(i);
  return found;
}

// Round by round: who is larger than all undecided rows within two steps becomes a root, unless one is there already.
inline std::vector<bool> roots(const Graph& graph) {
  const auto rows = static_cast<Index>(graph.size());
  std::vector<bool> root(graph.size(), false), undecided(graph.size(), false);
  for (std::size_t i = 0; i < graph.size(); ++i) undecided[i] = !graph[i].empty();
  while (std::find(undecided.begin(), undecided.end(), true) != undecided.end()) {
    std::vector<bool> out(graph.size(), false), chosen(graph.size(), false);
    for (Index i = 0; i < rows; ++i) {
      if (!undecided[static_cast<std::size_t>(i)]) continue;
      bool largest = true;
      for (const Index j : within_two(graph, i)) {
        if (root[static_cast<std::size_t>(j)]) out[static_cast<std::size_t>(i)] = true;
        if (undecided[static_cast<std::size_t>(j)] && root_key(j) > root_key(i)) largest = false;
      }
      chosen[static_cast<std::size_t>(i)] = largest && !out[static_cast<std::size_t>(i)];
    }
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (chosen[i]) root[i] = true;
      if (chosen[i] || out[i]) undecided[i] = false;
    }
  }
  return root;
}

// Where couplings go both ways: the same, row by row from the largest key down.
inline std::vector<bool> roots_in_order(const Graph& graph) {
  std::vector<Index> order;
  for (Index i = 0; i < static_cast<Index>(graph.size()); ++i)
    if (!graph[static_cast<std::size_t>(i)].empty()) order.push_back(i);
  std::sort(order.begin(), order.end(), [](Index i, Index j) { return root_key(i) > root_key(j); });
  std::vector<bool> root(graph.size(), false);
  for (const Index i : order) {
    const std::set<Index> near = within_two(graph, i);
    root[static_cast<std::size_t>(i)] =
        std::none_of(near.begin(), near.end(), [&](Index j) { return root[static_cast<std::size_t>(j)]; });
  }
  return root;
}

inline Aggregated aggregated(const WholeMatrix& a, const Graph& graph) {
  Aggregated result;
  const std::vector<bool> root = roots(graph);
  std::vector<Index> joined(graph.size(), -1);
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (root[i]) joined[i] = result.count++;
  const std::vector<Index> number = joined;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    double most = 0;
    for (const Index j : graph[i]) {
      const double size = std::abs(a.rows[i].at(j));
      if (root[i] || number[static_cast<std::size_t>(j)] < 0 || size <= most) continue;
      most = size;
      joined[i] = number[static_cast<std::size_t>(j)];
    }
  }
  result.of_rows = joined;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (joined[i] >= 0) continue;
    std::map<Index, double> couplings;
    for (const Index j : graph[i])
      if (joined[static_cast<std::size_t>(j)] >= 0)
        couplings[joined[static_cast<std::size_t>(j)]] += std::abs(a.rows[i].at(j));
    double most = 0;
    for (const auto& [aggregate, sum] : couplings) {
      if (sum <= most) continue;
      most = sum;
      result.of_rows[i] = aggregate;
    }
  }
  for (std::size_t i = 0; i < graph.size(); ++i)
    result.kinds.push_back(root[i] ? points::coarse : result.of_rows[i] >= 0 ? points::fine : points::isolated);
  return result;
}

}  // namespace halocline::amg::oracle
