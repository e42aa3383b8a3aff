#include "lib/problems/ode_ensemble/options.hpp"

namespace halocline::ode_ensemble {

void TableOptions::describe(Describer& d) {
  d.formulas({"file", "path", "Text with named columns, separated by commas; # begins a comment.", true}, file);
  d.item({"columns", "", "Columns taken, which become swept names.", true}, columns);
}

void RandomOptions::describe(Describer& d) {
  d.item({"uniform", "1", "Bounds [a, b] of a uniform distribution."}, uniform);
  d.item({"normal", "1", "Mean and standard deviation [m, s] of a normal distribution."}, normal);
  d.item({"seed", "1", "Number of the sequence; the same values on any number of ranks."}, seed, Bounds::at_least(0));
}

void SweepOptions::describe(Describer& d) {
  d.item({"name", "", "Name in formulas; left out with `table`."}, name);
  has_from |= d.item({"from", "1", "First value."}, from);
  has_to |= d.item({"to", "1", "Last value."}, to);
  has_points |= d.item({"points", "1", "Number of values."}, points, Bounds::at_least(1));
  has_spacing |= d.choice({"spacing", "", "How they lie between the ends."}, spacing);
  has_values |= d.item({"values", "1", "The values themselves, instead of from, to and points."}, values);
  has_table |= d.group({"table", "", "Values from a file."}, table);
  has_paths |= d.item({"paths", "1", "Numbers 0, 1, ... of so many systems that differ in their noise alone."}, paths,
                      Bounds::at_least(1));
  has_random |= d.group({"random", "", "Random values, `points` of them."}, random);
}

void ForcingOptions::describe(Describer& d) {
  d.item({"name", "", "Its name in formulas, for the value at the time t.", true}, name);
  d.formulas({"file", "path", "Text with named columns, separated by commas; # begins a comment.", true}, file);
  d.item({"time", "", "The column of times, which increase.", true}, time);
  d.item({"value", "", "The column of values.", true}, value);
  d.choice({"interpolation", "",
            "monotone: cubics with continuous slopes that stay between neighboring values; linear. Both are exact at "
            "the times of the table."},
           interpolation);
  d.choice({"outside", "", "Beyond the times: systems fail (refuse), or the first and the last value go on (hold)."},
           outside);
}

void RestOptions::describe(Describer& d) {
  d.formulas({"speed", "1", "Speed after the event.", true}, speed);
  d.item({"below", "1", "The states rest when |speed| is less and points back.", true}, below, Bounds::positive());
  d.item({"hold", "", "States that rest.", true}, hold);
  d.formulas({"until", "1", "They move again when this rises through zero.", true}, until);
}

void EventOptions::describe(Describer& d) {
  d.item({"name", "", "Name of the event.", true}, name);
  d.formulas(
      {"crossing", "1",
       "The event happens where this is zero; in the states, the time t, constants, definitions and the names of sweep "
       "and forcing.",
       true},
      crossing);
  d.choice({"direction", "", "Which crossings count."}, direction);
  d.formulas({"then", "", "Assignments 'state = formula', or formulas by state; all from the state before."}, then);
  d.item({"ends_phase", "", "Whether the phase ends there."}, ends_phase);
  has_rest |= d.group({"rest", "", "States that come to rest after ever smaller bounces."}, rest);
}

void AccumulatorOptions::describe(Describer& d) {
  d.formulas({"maximum", "1", "Largest value in the phase."}, maximum);
  d.formulas({"minimum", "1", "Smallest value in the phase."}, minimum);
  d.formulas({"mean", "1", "Mean over the time of the phase."}, mean);
  d.formulas({"integral", "1", "Integral over the time of the phase."}, integral);
  d.item({"count", "", "Number of these events."}, count);
  d.formulas({"value", "1", "Value at the last event of kind `at`."}, value);
  d.item({"at", "", "Event of `value`."}, at);
  d.formulas({"start", "1", "General form: value at the start of a phase."}, start);
  d.formulas({"each_step", "1", "General form: new value after a step; may use the accumulator's own name."},
             each_step);
  d.item(
      {"lyapunov", "", "Whether it is the largest Lyapunov exponent: the mean rate at which small differences grow."},
      lyapunov);
  d.item({"refined", "", "Whether extrema inside steps count."}, refined);
  d.item({"keep", "", "Whether it goes on through all phases."}, keep);
  if (events == nullptr) return;
  at_event.resize(events->blocks.size());
  for (std::size_t e = 0; e < events->blocks.size(); ++e) {
    const std::string key = "at_" + events->blocks[e].name;
    d.formulas({key.c_str(), "1", "General form: new value at this event."}, at_event[e]);
  }
}

Options& AccumulatorList::add() {
  blocks.emplace_back().events = events;
  return blocks.back();
}

void SolverOptions::describe(Describer& d) {
  has_method |= d.choice({"method", "",
                          "Runge-Kutta method; ros23, rodas5p: Rosenbrock methods, for stiff systems; auto: dopri5, "
                          "then rodas5p for systems that turn out to be stiff; euler_maruyama, milstein: for equations "
                          "with noise."},
                         method);
  has_step |= d.item({"step", "1", "Step of rk4, euler_maruyama and milstein."}, step, Bounds::positive());
  has_controller |= d.choice({"controller", "", "Step-size control."}, controller);
  has_integrals |= d.choice(
      {"integrals", "", "Whether the errors of accumulators `integral` and `mean` decide about steps."}, integrals);
  has_rtol = d.item({"rtol", "1", "Relative tolerance, of all states and integrals or by name."}, rtol, {},
                    {1e-14, 1, false, false});
  has_atol |= d.item({"atol", "1", "Absolute tolerance, of all states and integrals or by name."}, atol, {},
                     Bounds::positive());
  has_first_step |=
      d.item({"first_step", "1", "First step; by phase and tolerance if left out."}, first_step, Bounds::positive());
  has_min_step |=
      d.item({"min_step", "1", "Smallest step; by the rounding of time if left out."}, min_step, Bounds::positive());
  has_max_step |= d.item({"max_step", "1", "Largest step; the phase if left out."}, max_step, Bounds::positive());
  d.item({"max_steps", "1", "Most steps of a phase."}, max_steps, Bounds::between(1, 1e15));
  has_seed |=
      d.item({"seed", "1", "Number of the noise; the same values on any number of ranks."}, seed, Bounds::at_least(0));
  has_fine_steps |= d.item({"fine_steps", "1",
                            "Draws whose sum is the noise of a step: steps h with n follow the same path as h/2 with "
                            "n/2."},
                           fine_steps, Bounds::between(1, 1e9));
  has_paths |= d.choice({"paths", "",
                         "own: every system has noise of its own; common: systems with the same number in a sweep of "
                         "`paths` share it."},
                        paths);
  d.item({"event_tolerance", "1", "An event function this small counts as zero."}, event_tolerance, Bounds::positive());
}

void PhaseOptions::describe(Describer& d) {
  d.formulas({"start", "1", "The time t at which systems start, 0 if left out; may use constants and swept names."},
             start);
  d.formulas({"length", "1", "Time of a phase; may use constants and swept names."}, length);
  d.item({"ends", "", "The event that ends a phase."}, ends);
  d.formulas({"at_most", "1", "Longest time of a phase that an event ends."}, at_most);
  d.item({"restart_time", "", "Whether every phase begins at the first time again."}, restart_time);
  d.item({"restart_step", "", "Whether every phase begins with the first step."}, restart_step);
  d.item({"steady", "1/time", "A phase ends when no state changes faster, relative to max(1, |state|); 0: never."},
         steady, Bounds::at_least(0));
}

void RepeatOptions::describe(Describer& d) {
  d.item({"transient", "1", "Phases that are not recorded."}, transient, Bounds::between(0, 1e12));
  d.item({"record", "1", "Phases that are recorded after them."}, record, Bounds::between(1, 1e9));
}

void TrajectoryOptions::describe(Describer& d) {
  d.item({"systems", "1", "Numbers of the systems, from 0.", true}, systems, Bounds::at_least(0));
  d.item({"every", "1", "Time between the points."}, every, Bounds::positive());
  d.item({"steps", "", "Whether every accepted step is a point."}, steps);
}

void TimesOptions::describe(Describer& d) {
  d.formulas({"from", "1", "First time; may use constants."}, from);
  d.formulas({"to", "1", "Last time; may use constants."}, to);
  has_points |= d.item({"points", "1", "Number of times from first to last."}, points, Bounds::between(1, 1e9));
  has_times |= d.item({"times", "1", "The times themselves, increasing, instead of from, to and points."}, times);
  d.item({"values", "", "What is recorded then: states, integrals, means, definitions.", true}, values);
}

void RecordOptions::describe(Describer& d) {
  d.item({"final", "", "States, accumulators and definitions at the end."}, final_values);
  has_each_phase |= d.item({"each_phase", "", "The same at the end of every recorded phase."}, each_phase);
  d.formulas({"all_phases", "", "By name: maximum, minimum, mean or last over the recorded phases."}, all_phases);
  has_at_times |= d.group(
      {"at_times", "", "Values of all systems at given times, on the continuous extension of the method."}, at_times);
  has_trajectory |= d.group({"trajectory", "", "The way of some systems."}, trajectory);
}

void MathOptions::describe(Describer& d) {
  d.choice({"pow", "", "Powers with a real exponent; exp_log is faster and loses some digits."}, pow);
}

void VerifyOptions::describe(Describer& d) {
  d.formulas({"reference", "path", "File with named columns, separated by commas."}, reference);
  d.formulas({"only", "", "Rows with these values in columns."}, only);
  d.formulas({"match", "", "By swept name: formula in columns that has its value; or one name of both."}, match);
  d.formulas({"compare", "", "By result: formula in columns; or names of both."}, compare);
  d.item({"max_error", "1", "Largest admissible difference, of all results or by result."}, max_error, {},
         Bounds::positive());
}

void BlockOptions::describe(Describer& d) {
  d.choice({"model", "",
            "A ready model in place of constants, definitions, equations, events and "
            "accumulators."},
           model);
  d.formulas({"constants", "", "Numbers by name."}, constants);
  d.formulas({"definitions", "",
              "Parts of formulas: list of 'name = formula', or formulas by name, in any order; in what equations know, "
              "in events "
              "and record too."},
             definitions);
  d.formulas(
      {"equations", "",
       "List of \"state' = formula\", or formulas by state, in the states, the time t, constants, definitions and the "
       "names of sweep and forcing."},
      equations);
  d.formulas({"noise", "",
              "By state: g of dx = f dt + g dW (Ito), with a Wiener process of its own for every state here; list of "
              "'state = formula', or formulas by state."},
             noise);
  d.formulas({"initial", "", "States at the first time by name; may use constants and swept names."}, initial);
  d.groups({"sweep", "", "Values in which the systems differ."}, sweep);
  d.choice({"combine", "", "All combinations (the last entry fastest), or one after the other."}, combine);
  d.groups({"forcing", "", "Functions of time from tables."}, forcing);
  d.groups({"events", "", "Events."}, events);
  accumulators.events = &events;
  if (accumulators.size() == 0) accumulators.names.clear();
  d.groups({"accumulators", "", "Values updated along the way, by name."}, accumulators, accumulators.names);
  d.group({"solver", "", "Method and tolerances."}, solver);
  d.group({"phase", "", "One interval of integration.", true}, phase);
  has_repeat |= d.group({"repeat", "", "Number of phases."}, repeat);
  d.group({"record", "", "Results.", true}, record);
  d.group({"math", "", "Functions."}, math);
  d.choice(
      {"on_failure", "",
       "Systems that do not end well: exit code 3 at the end of the run (finish) or at once (stop), or 0 (report)."},
      on_failure);
  d.choice(
      {"evaluation", "", "How formulas are computed; auto: compiled where that saves time and there is a compiler."},
      evaluation);
}

void EnsembleOptions::describe(Describer& d) {
  d.group({"ode_ensemble", "", "Many small systems of ordinary differential equations.", true}, block);
  verify.given |= d.group({"verify", "", "What the results are compared with."}, verify);
}

}  // namespace halocline::ode_ensemble
