// Weights: sum_i c_i D^{order_i} C at each level and medium as sum_m A_{l,m} (C^m - C^{m-1}), for every scheme.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lib/problems/fractional/weights/levels.hpp"

namespace halocline::fractional {

// What the derivative is; everything constant on the levels but `order`.
struct Derivative {
  Scheme scheme = Scheme::alikhanov;
  std::vector<Medium> media;            // one at least, none of them empty
  std::function<double(double)> order;  // the order as a function of t in place of that of the media: then they are
                                        // one medium of one term
  double gamma = 1;                     // of l1_t: psi = t^gamma
};

class Weights {
 public:
  Weights(std::shared_ptr<const Levels> levels, Derivative derivative);

  const Levels& levels() const { return *levels_; }
  const Derivative& derivative() const { return derivative_; }
  int media() const { return static_cast<int>(derivative_.media.size()); }
  bool alikhanov() const { return derivative_.scheme == Scheme::alikhanov; }
  // Whether orders depend on the level.
  bool variable_order() const { return static_cast<bool>(derivative_.order); }

  // Of step l = 1 .. steps and a medium, from 0. The terms that act, with their orders at level l:
  const Medium& terms(Index l, int medium) const;
  // where between the levels the row is taken; 0 for L1;
  double theta(Index l, int medium) const;
  // A_{l,m} for m = first .. first + weights.size() - 1 <= l;
  void row(Index l, int medium, Index first, std::span<double> weights) const;
  // A_{l,l}, without memory of its own;
  double local(Index l, int medium) const;
  // and, of Alikhanov's scheme, a_m - b_m, m < l: what increment m gives when cell m - 1 is summed elsewhere.
  double own_cell(Index l, int medium, Index m) const;

 private:
  void term_row(const Term& term, Index l, int medium, Index first, std::span<double> weights) const;
  void find_orders();
  void find_theta();

  std::shared_ptr<const Levels> levels_;
  Derivative derivative_;
  std::vector<Medium> varying_;             // of levels, with variable order
  std::vector<std::vector<double>> theta_;  // of media and levels; one value where it does not depend on the level
};

}  // namespace halocline::fractional
