// Endings: how the systems of a run have ended, counted by reason, with the first of each.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lib/problems/ode_ensemble/part.hpp"
#include "mpi/communicator.hpp"

namespace halocline::ode_ensemble {

// A bit of a system's status: its name, as in the findings and in the attribute of /status, and in words.
struct Reason {
  long long bit;
  const char *name, *words;
  const char* advice = "";  // what to try
};

constexpr std::array<Reason, 8> reasons{{
    {Status::minimum_step, "minimum_step", "missed their tolerances at the smallest step",
     "a pole of the solution, or `solver.method: auto` for stiff systems, larger `rtol` and `atol`, smaller "
     "`min_step`"},
    {Status::not_finite, "not_finite", "became infinite or no number",
     "values at which formulas have no value (sqrt, log, quotients) or grow without bound; an event can end phases "
     "before"},
    {Status::too_many_steps, "too_many_steps", "needed more than solver.max_steps in a phase",
     "`solver.method: auto` where systems are stiff, larger `rtol` and `atol` or `max_steps`"},
    {Status::phase_timeout, "phase_timeout", "ended a phase at at_most"},
    {Status::steady, "steady", "ended a phase at rest"},
    {Status::event_loose, "event_loose", "have an event that is not located within event_tolerance",
     "a larger `event_tolerance`"},
    {Status::too_many_events, "too_many_events", "had more than a million events in a phase",
     "an event that ends the phase or changes the state, or a `rest`"},
    {Status::accumulating, "accumulating", "met events that follow ever faster and end in no time",
     "a `rest` that says what comes then"},
}};

// "1 minimum_step, 2 not_finite, ...".
std::string bits_text();

struct Endings {
  Index unwell = 0;                                     // systems that did not end well
  Index below = 0, first_below = 0;                     // systems whose states are below their absolute tolerances
  std::array<double, reasons.size()> times{};           // at which the first of a reason ended
  std::array<Index, reasons.size()> counts{}, first{};  // by reason; a system with several counts for each
  // "3 systems did not end well: 2 became infinite or no number, the first of them number 7; ..."; "" where all did.
  std::string text() const;
  std::string advice() const;  // about tolerances; "" where there is none
};

// Of all systems of all ranks. Collective.
Endings endings_of(const Communicator& comm, const std::vector<Part>& parts);

}  // namespace halocline::ode_ensemble
