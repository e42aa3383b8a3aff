// theta: where between two levels Alikhanov's scheme has order 2.
#pragma once

#include <functional>

#include "lib/problems/fractional/weights/levels.hpp"

namespace halocline::fractional {

// Of one medium: order/2 for one term; for several the root x = 1 - theta in [1 - max/2, 1 - min/2] of
// sum_i c_i/Gamma(3 - b_i) x^(1 - b_i) (x - (1 - b_i/2)) step^-b_i (Gao, Alikhanov, Sun, J. Sci. Comput. 73 (2017) 93),
// which depends on the step. At least one term.
double alikhanov_theta(const Medium& medium, double step);

struct OrderWithin {
  double order, theta;
};

// For an order that is a formula of t: the order at the time of step l at which the scheme takes its rows. Alikhanov's
// is the t* of theta = order(t*)/2, a fixed point; of the others t_l, with theta = 0. DeckError when an order outside
// (0, 1] is met.
OrderWithin order_within(const Levels& levels, const std::function<double(double)>& order, Index l, bool alikhanov);

}  // namespace halocline::fractional
