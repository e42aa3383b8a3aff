// Code generation: a lowered model as the text of a struct for the contract of ensemble.hpp.
//
// The text is the same for the host and for CUDA: it is a template over the real number of the stepper. Nothing of the
// deck's text reaches it: variables are elements of numbered arrays, numbers are hexadecimal, functions come from a
// fixed table.
#pragma once

#include <string>
#include <vector>

#include "lib/problems/ode_ensemble/codegen/lowering.hpp"
#include "lib/problems/ode_ensemble/stepper/ensemble.hpp"

namespace halocline::ode_ensemble {

// The struct `Model`, in namespace halocline::ode_ensemble.
std::string print_model(const LoweredModel& model);

// Whole translation units: the stepper's text, the model, and the entry point `halocline_ensemble` of ensemble.hpp. For
// the host's compiler, and for NVRTC.
std::string host_source(const LoweredModel& model, Method method);
std::string device_source(const LoweredModel& model, Method method);

// The constant factors of right-hand sides, which the struct leaves out of rhs_shares() and gives as factor(); 1 where
// there is none.
std::vector<double> factors_of(const LoweredModel& model);

// A number as a C++ literal that reads back to the same bits: 0x1.8p+1, or a builtin for infinities and NaN.
std::string print_number(double value);

}  // namespace halocline::ode_ensemble
