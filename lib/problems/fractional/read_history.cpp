// How a deck wants its history summed, and in which numbers all fields kept.
#include "lib/base/format.hpp"
#include "lib/base/words.hpp"
#include "lib/problems/fractional/reading.hpp"

namespace halocline::fractional {

namespace {

constexpr Index most_direct = 48;  // steps to the horizon up to which `auto` stores all of them
constexpr Index terms_of_a_tile = 16;
constexpr double floats_resolve = 1e-7;  // of the kernel

Engine engine_of(const Reading& reading, const Formulation& f) {
  const Engine given = reading.block().history.engine;
  if (given != Engine::automatic) return given;
  const Index steps = f.levels ? f.levels->steps() : reading.block().time.steps;
  const bool few = steps <= most_direct || f.scheme == Scheme::l1_t;
  return few ? Engine::direct : Engine::exponentials;
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
  f.history.terms = f.history.engine == Engine::series ? static_cast<int>(given.terms) : 0;
  check_variant(reading, f);
}

void read_precision(Reading& reading, Formulation& f) {
  f.precision = reading.block().precision;
  if (f.precision == Precision::fp64) return;
  const std::string who = std::string("precision ") + word_for(f.precision);
  if (f.split.kind == Split::lod) reading.fault("solver.split", "lod needs precision fp64, not " + who);
  if (f.history.engine == Engine::series) reading.fault("history.engine", "series needs precision fp64, not " + who);
  if (f.history.engine == Engine::direct && !f.history.variant.plain())
    reading.fault("precision", "belongs to history.arithmetic fp64 and history.vector 1");
  if (f.precision == Precision::fp32 && f.scheme == Scheme::l1_t)
    reading.fault("time.scheme", "l1_t needs precision fp64 or mixed");
  if (f.history.engine == Engine::exponentials && f.history.eps < floats_resolve)
    f.notes.push_back(formatted("history.eps {} asks for more than {} resolves; {} takes fewer exponentials",
                                brief_text(f.history.eps), who, brief_text(floats_resolve)));
}

}  // namespace halocline::fractional
