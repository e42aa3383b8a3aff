// Tables of forcings: nodes, values and slopes as numbers of Ensemble::tables.
#pragma once

#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

// Slopes of the monotone cubic through points with increasing x: those of Fritsch and Butland, SIAM J. Sci. Stat.
// Comput. 5 (1984) 300, inside, and one-sided ones of order 2, kept monotone, at the ends (Fritsch, Carlson, SIAM J.
// Numer. Anal. 17 (1980) 238; the method PCHIP of SLATEC and SciPy). They are continuous.
std::vector<double> monotone_slopes(const std::vector<double>& x, const std::vector<double>& y);

// Adds the table with these points to `numbers`; x increases, at least two points.
TableShape add_table(const std::vector<double>& x, const std::vector<double>& y, bool cubic, bool holds,
                     std::vector<double>& numbers);

// Reads the points of a table; an empty fault and points, or a fault alone.
struct Points {
  std::vector<double> x, y;
  std::string key, fault;  // of which key of the deck
};
Points read_points(const std::vector<NamedFormula>& file, const std::string& time, const std::string& value);

}  // namespace halocline::ode_ensemble
