// Formulation: the texts of a deck checked and turned into expressions, and every number the stepper needs.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/problems/ode_ensemble/codegen/system.hpp"
#include "lib/problems/ode_ensemble/options.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"
#include "lib/problems/ode_ensemble/sweep.hpp"

namespace halocline::ode_ensemble {

// A result: what it is called, and where its value comes from.
struct Result {
  std::string name, reduction, formula;
  Record record;
};

struct Formulation {
  OdeSystem system = {};
  Sweep sweep = {};
  std::vector<std::string> states = {};
  std::vector<Expression> initial = {};  // in swept names
  Expression start = {}, length = {};    // the first time, and that of a phase, in swept names
  std::vector<Result> final_values = {}, each_phase = {}, all_phases = {}, at_times = {};
  std::vector<double> times = {};                                // of output
  std::shared_ptr<const std::vector<double>> tables = nullptr;   // the numbers of forcings, see TableShape
  std::vector<std::pair<std::string, std::string>> stages = {};  // of definitions: name, and how often it is evaluated
  std::vector<std::string> warnings = {};
  Ensemble base = {};  // all numbers of the deck; no arrays
  Method method = Method::rkck45;
  std::string model = {};  // a built-in one, or ""
  double result_bytes = 0;
  bool valid = false;  // no faults were found
};

// Faults of the deck go to `faults`; when there are any, the result is of no use. Without `faults` there must be none.
Formulation formulate(const EnsembleOptions& options, Faults* faults);

}  // namespace halocline::ode_ensemble
