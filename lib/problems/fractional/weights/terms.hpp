// Term and Medium: which fractional derivatives act at a node, sum_i coefficient_i D^{order_i}.
#pragma once

#include <vector>

namespace halocline::fractional {

struct Term {
  double order;        // in (0, 1]
  double coefficient;  // >= 0
};

// The terms of one medium; those without weight are left out, so every coefficient is positive.
using Medium = std::vector<Term>;

enum class Scheme {
  alikhanov,  // order 2, at s* = theta s_{l-1} + (1 - theta) s_l
  l1,         // order 2 - order, linear in s between levels
  l1_t        // linear in t between levels, psi = t^gamma
};

}  // namespace halocline::fractional
