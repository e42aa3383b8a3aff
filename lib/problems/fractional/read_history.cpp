// How a deck wants its history summed, and in which numbers all fields kept.
#include <algorithm>

#include "lib/base/format.hpp"
#include "lib/base/words.hpp"
#include "lib/problems/fractional/reading.hpp"

namespace halocline::fractional {

namespace {

constexpr Index most_direct = 48;  // steps to the horizon up to which `auto` stores all of them
constexpr Index terms_of_a_tile = 16;
constexpr double floats_resolve = 1e-7, halves_resolve = 1e-6;   // of the kernel
constexpr Index most_half_steps = 2000, most_half_blocks = 125;  // beyond, what states take up is below their last bit

Engine engine_of(const Reading& reading, const Formulation& f) {
  const Engine given = reading.block().history.engine;
  if (given != Engine::automatic) return given;
  const Index steps = f.levels ? f.levels->steps() : reading.block().time.steps;
  const bool few = steps <= most_direct && reading.block().precision != Precision::fp16_history;
  return few || f.scheme == Scheme::l1_t ? Engine::direct : Engine::exponentials;
}

// What a history in halves is not for.
void check_halves(Reading& reading, const Formulation& f) {
  const std::string who = "precision fp16_history";
  const HistoryOptions& given = reading.block().history;
  if (given.engine == Engine::direct)
    reading.fault("history.engine", "direct needs precision fp64, mixed or fp32: " + who + " is for exponentials");
  if (given.block % 4 != 0)
    reading.fault("history.block", formatted("must be a multiple of 4 with {}, is {}", who, given.block));
  const Index steps = f.levels ? f.levels->steps() : reading.block().time.steps;
  if (steps > most_half_steps) {
    reading.fault("time.steps", formatted("with {} there are {} at most up to the horizon, not {}: halves lose what "
                                          "more of them add; precision mixed does not",
                                          who, most_half_steps, steps));
  } else if (steps > most_half_blocks * given.block) {
    reading.fault("history.block", formatted("must be at least {} for {} steps with {}, is {}: halves lose what more "
                                             "than {} blocks add",
                                             (steps + 4 * most_half_blocks - 1) / (4 * most_half_blocks) * 4, steps,
                                             who, given.block, most_half_blocks));
  }
}

void check_variant(Reading& reading, const Formulation& f) {
  const HistoryOptions& given = reading.block().history;
  const bool varies = given.arithmetic != Arithmetic::fp64 || given.vector != 1;
  const bool series = f.history.engine == Engine::series;
  const char* const varied = given.vector != 1 ? "history.vector" : "history.arithmetic";
  if (given.vector == 3) reading.fault("history.vector", "must be 1, 2 or 4, is 3");
  if (varies && f.history.engine == Engine::exponentials) reading.fault(varied, "belongs to engines direct and series");
  for (const Coefficient& one : f.coefficients)
    if (varies && !one.constant()) return reading.fault(varied, "needs coefficients of `terms` that are numbers");
  if ((series || varies) && given.block_given && given.block != 1)
    reading.fault("history.block", series ? "must be 1 or left out: the series goes on step by step"
                                          : "must be 1 or left out with history.arithmetic or history.vector");
  if (given.terms_given && !series) reading.fault("history.terms", "belongs to engine series");
  if (!given.tensor) return;
  if (!series || given.arithmetic != Arithmetic::fp16)
    reading.fault("history.tensor", "belongs to engine series with arithmetic fp16");
  if (given.terms % terms_of_a_tile != 0)
    reading.fault("history.terms", "must be a multiple of 16 with history.tensor, is " + std::to_string(given.terms));
}

}  // namespace

void read_history(Reading& reading, Formulation& f) {
  const HistoryOptions& given = reading.block().history;
  f.history.engine = engine_of(reading, f);
  f.history.eps = given.eps;
  f.history.variant = {given.arithmetic, static_cast<int>(given.vector), given.tensor};
  const bool single = f.history.engine == Engine::series || !f.history.variant.plain();
  f.history.block = single ? 1 : static_cast<int>(given.block);
  if (f.history.engine == Engine::direct && f.levels)  // which keeps all increments of the blocks that it begins
    f.history.block = static_cast<int>(std::min<Index>(f.history.block, f.levels->steps()));
  f.history.terms = f.history.engine == Engine::series ? static_cast<int>(given.terms) : 0;
  check_variant(reading, f);
}

void read_precision(Reading& reading, Formulation& f) {
  f.precision = reading.block().precision;
  if (f.precision == Precision::fp64) return;
  const bool halves = f.precision == Precision::fp16_history;
  const std::string who = std::string("precision ") + word_for(f.precision);
  if (f.split.kind == Split::lod) reading.fault("solver.split", "lod needs precision fp64, not " + who);
  if (f.history.engine == Engine::series) reading.fault("history.engine", "series needs precision fp64, not " + who);
  if (f.history.engine == Engine::direct && !f.history.variant.plain())
    reading.fault("precision", "belongs to history.arithmetic fp64 and history.vector 1");
  if ((f.precision == Precision::fp32 || halves) && f.scheme == Scheme::l1_t)
    reading.fault("time.scheme", "l1_t needs precision fp64 or mixed");
  if (halves) check_halves(reading, f);
  const double resolved = halves ? halves_resolve : floats_resolve;
  if (f.history.engine == Engine::exponentials && f.history.eps < resolved)
    f.notes.push_back(formatted("history.eps {} asks for more than {} resolves; {} takes fewer exponentials",
                                brief_text(f.history.eps), who, brief_text(resolved)));
}

}  // namespace halocline::fractional
