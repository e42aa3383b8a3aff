// Interpolation of smoothed aggregation for a matrix known whole, one row after the other, written from the formulas.
// Sums go over ascending columns, so that a source compiled without fused multiply-add finds the same bits.
#pragma once

#include "tests/unit/amg/aggregation_oracle.hpp"

namespace halocline::amg::oracle {

using Vectors = std::vector<std::vector<double>>;  // each by rows

// (I - diag(w) A_F) P_0; `strong`: null where no coupling is left out.
inline WholeMatrix smoothed(const WholeMatrix& a, const Graph* strong, const WholeMatrix& tentative) {
  WholeMatrix result{tentative.columns, {}};
  for (Index i = 0; i < a.size(); ++i) {
    const Row& row = a.rows[static_cast<std::size_t>(i)];
    const double center = row.at(i);
    double weak = 0, others = 0;
    Row filtered;
    for (const auto& [j, value] : row) {
      if (j == i) continue;
      if (strong != nullptr && !(*strong)[static_cast<std::size_t>(i)].contains(j)) {
        weak += value;
        continue;
      }
      others += std::abs(value);
      filtered[j] = value;
    }
    const double lumped = center + weak;
    const bool too_small = (center < 0 ? -lumped : lumped) < 0.1 * std::abs(center);
    const double diagonal = filtered[i] = too_small ? center : lumped;
    const double bound = 4.0 / 3 * (std::abs(diagonal) / (others + std::abs(diagonal)));
    const double weight = std::min(bound, 2.0 / 3) / diagonal;
    Row& to = result.rows.emplace_back();
    for (const auto& [j, value] : filtered) {
      const double factor = j == i ? 1 - weight * value : -(weight * value);
      for (const auto& [c, p] : tentative.rows[static_cast<std::size_t>(j)]) to[c] += factor * p;
    }
  }
  return result;
}

inline WholeMatrix constants(const Aggregated& aggregates) {
  WholeMatrix result{aggregates.count, {}};
  for (const Index aggregate : aggregates.of_rows) result.rows.push_back(aggregate < 0 ? Row() : Row{{aggregate, 1.0}});
  return result;
}

// Norms of the blocks that couple nodes.
inline WholeMatrix node_norms(const WholeMatrix& a, const std::vector<Index>& node) {
  const Index count = node.back() + 1;
  WholeMatrix norms{count, std::vector<Row>(static_cast<std::size_t>(count))};
  for (Index i = 0; i < a.size(); ++i) {
    Row of_row;
    for (const auto& [j, value] : a.rows[static_cast<std::size_t>(i)])
      of_row[node[static_cast<std::size_t>(j)]] += value * value;
    for (const auto& [other, sum] : of_row)
      norms.rows[static_cast<std::size_t>(node[static_cast<std::size_t>(i)])][other] += sum;
  }
  for (Row& row : norms.rows)
    for (auto& [other, value] : row) value = std::sqrt(value);
  return norms;
}

inline Graph node_graph(const WholeMatrix& norms) {
  Graph graph(norms.rows.size());
  const auto diagonal = [&](Index i) { return norms.rows[static_cast<std::size_t>(i)].at(i); };
  for (Index i = 0; i < norms.size(); ++i)
    for (const auto& [j, value] : norms.rows[static_cast<std::size_t>(i)])
      if (j != i && value * value > 0.08 * diagonal(i) * (0.08 * diagonal(j)))
        graph[static_cast<std::size_t>(i)].insert(j);
  return graph;
}

struct Factors {
  WholeMatrix q;
  std::vector<Index> aggregate;  // of the columns of q
  Vectors r;                     // the vectors by these columns
};

inline double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t n = 0; n < x.size(); ++n) sum += x[n] * y[n];
  return sum;
}

// Of what is left of a vector without its parts along others.
inline void orthogonalize(std::vector<double>& x, const Vectors& others) {
  for (int pass = 0; pass < 2; ++pass)
    for (const auto& q : others) {
      const double along = dot(q, x);
      for (std::size_t n = 0; n < x.size(); ++n) x[n] -= along * q[n];
    }
}

// QR factors of the vectors on every aggregate of rows.
inline Factors factors(const std::vector<Index>& of_rows, Index aggregates, const Vectors& vectors) {
  Factors result{{0, std::vector<Row>(of_rows.size())}, {}, Vectors(vectors.size())};
  for (Index aggregate = 0; aggregate < aggregates; ++aggregate) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < of_rows.size(); ++i)
      if (of_rows[i] == aggregate) rows.push_back(i);
    Vectors given, basis;
    for (const auto& vector : vectors) {
      auto& own = given.emplace_back();
      for (const std::size_t i : rows) own.push_back(vector[i]);
      std::vector<double> x = own;
      const double before = std::sqrt(dot(x, x));
      orthogonalize(x, basis);
      const double left = std::sqrt(dot(x, x));
      if (basis.size() == rows.size() || left <= 1e-5 * before) continue;
      for (double& value : x) value /= left;
      basis.push_back(x);
    }
    for (const auto& q : basis) {
      for (std::size_t n = 0; n < rows.size(); ++n) result.q.rows[rows[n]][result.q.columns] = q[n];
      result.aggregate.push_back(aggregate);
      for (std::size_t v = 0; v < vectors.size(); ++v) result.r[v].push_back(dot(q, given[v]));
      ++result.q.columns;
    }
  }
  return result;
}

}  // namespace halocline::amg::oracle
