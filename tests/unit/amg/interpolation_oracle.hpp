// Extended+i interpolation of a matrix known whole, written from the formulas. Sums go over ascending columns, so that
// a source compiled without fused multiply-add finds the same bits.
#pragma once

#include "tests/unit/amg/oracle.hpp"

namespace halocline::amg::oracle {

struct Weights {
  WholeMatrix matrix;
  Index without_itself = 0, direct = 0;
};

class Interpolation {
 public:
  Interpolation(const WholeMatrix& a, double theta, const Components& component = {})
      : a_(a),
        component_(component),
        depends_(strong(a, theta, component)),
        kind_(split(depends_)),
        number_(numbers(kind_)) {
    for (std::size_t i = 0; i < a.rows.size(); ++i) {
      direct_.emplace_back();
      beta_.push_back(0);
      if (kind_[i] != points::fine) continue;
      for (const Index j : depends_[i]) {
        if (kind(j) != points::coarse) continue;
        direct_[i][number_[static_cast<std::size_t>(j)]] = a.rows[i].at(j);
        beta_[i] += a.rows[i].at(j);
      }
    }
  }

  Weights weights(bool through_itself, std::size_t entries) const {
    Weights result{{std::count(kind_.begin(), kind_.end(), points::coarse), {}}};
    for (Index i = 0; i < a_.size(); ++i) {
      result.matrix.rows.emplace_back();
      if (kind(i) == points::coarse) result.matrix.rows.back()[number_[static_cast<std::size_t>(i)]] = 1;
      if (kind(i) == points::fine) result.matrix.rows.back() = row(i, through_itself, entries, result);
    }
    return result;
  }

 private:
  PointKind kind(Index i) const { return kind_[static_cast<std::size_t>(i)]; }
  bool depends(Index i, Index j) const { return depends_[static_cast<std::size_t>(i)].contains(j); }
  double beta(Index i) const { return beta_[static_cast<std::size_t>(i)]; }
  double back(Index k, Index i) const { return depends(k, i) ? a_.rows[static_cast<std::size_t>(k)].at(i) : 0; }
  bool through(Index i, Index k) const { return depends(i, k) && kind(k) == points::fine && beta(k) != 0; }

  // Factors of FC_i and the FC_k, and the denominator.
  double denominator(Index i, bool with_back, Row& factors) const {
    const Row& row = a_.rows[static_cast<std::size_t>(i)];
    double d = 0, extended = 0;
    factors.clear();
    factors[i] = 1;
    for (const auto& [j, value] : row) {
      if (j == i || !same(component_, i, j)) continue;
      if (through(i, j)) {
        const double a_ki = with_back ? back(j, i) : 0;
        factors[j] = value / (beta(j) + a_ki);
        extended += factors[j] * a_ki;
      } else if (!depends(i, j) || kind(j) != points::coarse) {
        d += value;
      }
    }
    return row.at(i) + d + extended;
  }

  Row row(Index i, bool through_itself, std::size_t entries, Weights& counts) const {
    const double center = a_.rows[static_cast<std::size_t>(i)].at(i), sign = center < 0 ? -1 : 1;
    Row factors;
    double d = denominator(i, through_itself, factors);
    int guard = 0;
    if (sign * d <= 0.1 * std::abs(center) && through_itself) {
      d = denominator(i, false, factors);
      guard = 1;
    }
    double scale = -1 / d;
    if (sign * d <= 0.1 * std::abs(center)) {
      double others = 0;
      for (const auto& [j, value] : a_.rows[static_cast<std::size_t>(i)])
        if (j != i && same(component_, i, j)) others += value;
      factors = {{i, 1.0}};
      scale = beta(i) == 0 ? 0 : -(others / beta(i)) / center;
      guard = 2;
    }
    counts.without_itself += guard == 1;
    counts.direct += guard == 2;
    Row all;
    double sum = 0;
    for (const auto& [k, factor] : factors) {
      for (const auto& [c, value] : direct_[static_cast<std::size_t>(k)]) all[c] += factor * value;
      sum += factor * beta(k);
    }
    for (auto& [c, value] : all) value *= scale;
    return largest(all, scale * sum, entries);
  }

  static Row largest(const Row& all, double sum, std::size_t entries) {
    std::vector<std::pair<Index, double>> list;
    for (const auto& [c, value] : all)
      if (value != 0) list.emplace_back(c, value);
    const bool cut = list.size() > entries;
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& x, const auto& y) { return std::abs(x.second) > std::abs(y.second); });
    if (cut) list.resize(entries);
    Row kept(list.begin(), list.end());
    double kept_sum = 0;
    for (const auto& [c, value] : kept) kept_sum += value;
    if (cut && kept_sum != 0)
      for (auto& [c, value] : kept) value *= sum / kept_sum;
    return kept;
  }

  const WholeMatrix& a_;
  Components component_;
  std::vector<std::set<Index>> depends_;
  std::vector<PointKind> kind_;
  std::vector<Index> number_;
  std::vector<Row> direct_;
  std::vector<double> beta_;
};

}  // namespace halocline::amg::oracle
