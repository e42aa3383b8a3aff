// Reference: results compared with a table of text, the `verify` block.
#pragma once

#include <string>
#include <vector>

#include "lib/base/publish.hpp"
#include "lib/problems/ode_ensemble/formulation.hpp"

namespace halocline::ode_ensemble {

constexpr const char* times_prefix = "times/";  // of results at given times, in `compare`

// One value that a result must have.
struct Expected {
  Index system = 0;
  double value = 0;
  Index phase = -1;  // of a result by phase
};

struct Comparison {
  std::string result;
  std::vector<Expected> expected;
};

// What the table says about the systems of the sweep. Rows are matched by swept values (within 1e-12, relative);
// several rows of one system are its recorded phases, in the order of the table. Faults go to `faults`.
std::vector<Comparison> read_reference(const VerifyOptions& options, const Formulation& formulation, Faults* faults);

}  // namespace halocline::ode_ensemble
