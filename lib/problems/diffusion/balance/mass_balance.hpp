// The balance of mass: what was there at the start, what came in through walls and what the source added, against what
// is there now.
#pragma once

#include <string>

#include "lib/base/publish.hpp"
#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

struct BalanceOf {
  std::string suffix, unit;  // of names of figures; of mass
  double at_start = 0;       // mass
  double full = 0;           // mass of a domain full of the largest value
  double limit = 0;          // of the gap, relative to the largest of these and what was added; 0: none
};

// Adds what came in through walls and what the source added.
void add_gains(Findings& findings, const BalanceOf& of, const Measures& m, int dimensions);
// Adds the gap.
void add_gap(Findings& findings, const BalanceOf& of, const Measures& m);
// Says in its place why there is none: what it would be of, and the key that asks for it.
void add_missing(Findings& findings, const std::string& of, const std::string& key);

}  // namespace halocline::diffusion
