// What decks of family fractional may not say: each refusal with its key, its value and what would be right.
#include <gtest/gtest.h>

#include "tests/unit/fractional/fractional_decks.hpp"

namespace halocline::fractional {
namespace {

std::string faults_of(const DeckText& deck, const Shape& shape = {}) {
  FractionalOptions options;
  Plan made;
  return read_deck(deck.text(), options, made, shape);
}

// Expects exactly one fault, with this text in it.
void expect_refused(const DeckText& deck, const std::string& text) {
  const std::string faults = faults_of(deck);
  EXPECT_NE(faults.find(text), std::string::npos) << faults << "\nlacks: " << text << "\nin:\n" << deck.text();
  std::size_t count = 0;
  for (std::size_t at = faults.find("deck.yaml:"); at != std::string::npos; at = faults.find("deck.yaml:", at + 1))
    ++count;
  EXPECT_EQ(count, 1U) << faults;
}

DeckText with(const std::map<std::string, std::string>& equation) {
  DeckText deck;
  for (const auto& [key, value] : equation) deck.equation[key] = value;
  return deck;
}
DeckText with_sides(const std::string& sides) {
  DeckText deck;
  deck.sides = sides;
  return deck;
}
DeckText with_time(const std::string& time) {
  DeckText deck;
  deck.time = time;
  return deck;
}
DeckText with_grid(const std::string& grid) {
  DeckText deck;
  deck.grid = grid;
  return deck;
}
DeckText with_verify(const std::string& verify) {
  DeckText deck;
  deck.verify = verify;
  return deck;
}

TEST(Refusals, TheDeckItselfIsRight) { EXPECT_EQ(faults_of({}), ""); }

TEST(Refusals, Orders) {
  expect_refused(with({{"order", "0"}}), "fractional.equation.order: must be above 0 and at most 1, is 0");
  expect_refused(with({{"order", "1.5"}}), "must be above 0 and at most 1, is 1.5");
  expect_refused(with({{"order", "1.0000001"}}), "must be above 0 and at most 1, is 1.0000001");
  expect_refused(with({{"order", "0.4 + t"}}), "fractional.equation.order: order is 1.");
  expect_refused(with({{"order", "0.4 + t"}}), "not in (0, 1]");
  expect_refused(with({{"order", "sqrt(t - 0.5)"}}), "fractional.equation.order: order is ");
  expect_refused(with({{"order", ""}}), "fractional.equation: gives neither `order` nor `terms`");
  expect_refused(with({{"terms", "[{order: 1}]"}}), "fractional.equation: gives both `order` and `terms`");
  expect_refused(with({{"order", ""}, {"terms", "[{order: 1.2}]"}}), "terms");
}

TEST(Refusals, CoefficientsOfTerms) {
  const auto terms = [](const std::string& text) { return with({{"order", ""}, {"terms", text}}); };
  EXPECT_EQ(faults_of(terms("[{order: 1}, {order: 0.5, coefficient: 0.3}]")), "");
  expect_refused(terms("[{order: 1, coefficient: -1}, {order: 0.5}]"),
                 "fractional.equation.terms[0].coefficient: must be 0 or more, is -1");
  expect_refused(terms("[{order: 1, coefficient: 0}, {order: 0.5, coefficient: 0}]"),
                 "fractional.equation.terms: have no coefficient above 0");
  expect_refused(terms("[{order: 1, coefficient: x - 0.1}, {order: 0.5}]"),
                 "have a coefficient that is negative at x = 0, y = 0, z = 0");
  expect_refused(terms("[{order: 1, coefficient: 1/x}, {order: 0.5}]"),
                 "have a coefficient that is not finite at x = 0");
  expect_refused(terms("[{order: 1, coefficient: step(x - 0.4)}, {order: 0.5, coefficient: step(x - 0.6)}]"),
                 "fractional.equation.terms: have no coefficient above 0 at x = 0");
  expect_refused(terms("[{order: 1, coefficient: 1 + x + y*10 + z*100}, {order: 0.5}]"),
                 "have more than 16 different sets of coefficients");
  EXPECT_EQ(faults_of(terms("[{order: 1, coefficient: step(x - 0.4)}, {order: 0.5}]")), "");
}

TEST(Refusals, Psi) {
  expect_refused(with({{"psi", "t + 1"}}), "fractional.equation.psi: psi is 1");
  expect_refused(with({{"psi", "log(t)"}}), "fractional.equation.psi: psi is not finite at t = 0");
  expect_refused(with({{"psi", "t + x"}}), "fractional.equation.psi");
  expect_refused(with({{"psi", "t*(1.2 - t)"}}), "fractional.equation.psi: psi does not increase");
  expect_refused(with({{"psi", "-t"}}), "fractional.equation.psi: psi is -1");
  expect_refused(with({{"psi", "min(t, 0.6)"}}), "fractional.equation.psi: psi does not increase");
  for (const std::string mesh : {"uniform_t", "uniform_psi", "graded", "graded_start"}) {
    DeckText deck = with({{"psi", "if(t < 0.5, t, 0.5)"}});
    deck.time = "{end: 1, steps: 16, mesh: " + mesh + "}";
    expect_refused(deck, "fractional.equation.psi: psi does not increase: it is 0.5 at t = 0.5 and 0.5 at t = 0.5002");
  }
}

TEST(Refusals, CoefficientsOfSpace) {
  for (const std::string key : {"D", "sigma"}) {
    expect_refused(with({{key, "0"}}), "fractional.equation." + key + ": must be positive and finite, is 0");
    expect_refused(with({{key, "1e200*1e200"}}), "this operation on constants has no finite value");
    expect_refused(with({{key, "0.7 - z"}}),
                   "fractional.equation." + key + ": must be positive and finite, is -0.05 at x = 0, y = 0, z = 0.75");
    expect_refused(with({{key, "1/y"}}), "must be positive and finite, is inf at x = 0, y = 0");
  }
  expect_refused(with({{"reaction", "log(x - 1)"}}), "fractional.equation.reaction: must be finite, is ");
  expect_refused(with({{"velocity", "{y: 1/z}"}}), "fractional.equation.velocity.y: must be finite, is inf at ");
  expect_refused(with({{"initial", "1/x"}}), "fractional.equation.initial: must be finite, is inf at x = 0");
}

TEST(Refusals, Grids) {
  expect_refused(with_grid("{size: [1, 1, 1], cells: [4, 4]}"), "fractional.grid.cells: has 2 numbers; expected three");
  expect_refused(with_grid("{size: [1, 1], cells: [4, 4, 4]}"), "fractional.grid.size: has 2 numbers; expected three");
  expect_refused(with_grid("{size: [1, 1, 1], cells: [4, 1, 4]}"),
                 "fractional.grid.cells[1]: is 1, too few: an axis has 2 cells at least");
  expect_refused(with_grid("{size: [1, 1, 1], cells: [4, 4.5, 4]}"), "must be a whole number");
  expect_refused(with_grid("{size: [1, 1, 1], cells: [4, 4, 4], origin: [1]}"),
                 "fractional.grid.origin: needs as many");
  DeckText narrow = with_grid("{size: [1, 1, 1], cells: [3, 4, 4]}");
  narrow.sides = "{x_min: {kind: periodic}, x_max: {kind: periodic}, rest: {kind: no_flux}}";
  expect_refused(narrow, "fractional.grid.cells[0]: is 3, too few: a periodic axis has 4 cells at least");
}

TEST(Refusals, Sides) {
  expect_refused(with_sides("{x_min: {kind: no_flux}, x_max: {kind: no_flux}, y_min: {kind: no_flux}, y_max: {kind: "
                            "no_flux}, z_min: {kind: no_flux}}"),
                 "fractional.sides: neither z_max nor `rest` says what holds on z_max");
  expect_refused(with_sides("{rest: {kind: dirichlet}}"), "fractional.sides.rest: lacks `value`");
  expect_refused(with_sides("{x_min: {kind: no_flux, value: 1}, rest: {kind: no_flux}}"),
                 "fractional.sides.x_min.value: has no meaning for a side of kind no_flux");
  expect_refused(with_sides("{x_min: {kind: robin, value: 1}, rest: {kind: no_flux}}"),
                 "fractional.sides.x_min: lacks `transfer`");
  expect_refused(with_sides("{x_min: {kind: neumann, value: 1, transfer: 2}, rest: {kind: no_flux}}"),
                 "fractional.sides.x_min.transfer: belongs to kind robin");
  expect_refused(with_sides("{y_min: {kind: periodic}, rest: {kind: no_flux}}"), "y_max must be periodic as y_min is");
  expect_refused(with_sides("{y_min: {kind: periodic}, y_max: {kind: no_flux}, rest: {kind: no_flux}}"),
                 "fractional.sides.y_max: must be periodic as y_min is");
  expect_refused(with_sides("{rest: {kind: dirichlet, value: log(t)}}"),
                 "fractional.sides.rest.value: is not finite at t = 0");
  expect_refused(with_sides("{z_max: {kind: neumann, value: 1/y}, rest: {kind: no_flux}}"),
                 "fractional.sides.z_max.value: is not finite at t = 0 and x = 0, y = 0, z = 1");
  const std::string one = "{kind: no_flux}";
  expect_refused(with_sides("{x_min: " + one + ", x_max: " + one + ", y_min: " + one + ", y_max: " + one +
                            ", z_min: " + one + ", z_max: " + one + ", rest: " + one + "}"),
                 "fractional.sides.rest: says nothing");
}

TEST(Refusals, Meshes) {
  expect_refused(with_time("{end: 1, steps: 8, grading: 2}"),
                 "fractional.time.grading: belongs to meshes graded and graded_start");
  expect_refused(with_time("{end: 1, steps: 8, mesh: graded, grading: 0.5}"), "fractional.time.grading");
  expect_refused(with_time("{end: 1, steps: 8, mesh: graded_start, start_steps: 9}"),
                 "fractional.time.start_steps: must be at most time.steps, 8, is 9");
  expect_refused(with_time("{end: 1, steps: 8, horizon: 0.5}"),
                 "fractional.time.horizon: must be time.end or later, is 0.5");
  expect_refused(with_time("{end: 1, steps: 8, horizon: 1.3}"),
                 "fractional.time.horizon: must be a whole number of the steps up to time.end, is 10.4 of them");
  expect_refused(with_time("{end: 1, steps: 8, horizon: 1e7}"),
                 "fractional.time.horizon: is 80000000 steps away, more than 10000000");
  expect_refused(with_time("{end: 1, steps: 8, horizon: 2, mesh: graded_start}"),
                 "fractional.time.horizon: belongs to meshes uniform_t and uniform_psi");
  expect_refused(with_time("{end: 1, steps: 8, mesh: graded, start_steps: 4}"),
                 "fractional.time.start_steps: belongs to mesh graded_start");
  expect_refused(with_time("{end: 0, steps: 8}"), "fractional.time.end");
  expect_refused(with_time("{end: 1, steps: 0}"), "fractional.time.steps");
}

TEST(Refusals, SchemeOfThePaper) {
  const auto paper = [](const std::map<std::string, std::string>& equation) {
    DeckText deck = with(equation);
    deck.time = "{end: 1, steps: 8, scheme: l1_t}";
    return deck;
  };
  EXPECT_EQ(faults_of(paper({{"psi", "t^0.8"}})), "");
  EXPECT_EQ(faults_of(paper({{"source", "x*t"}})), "");
  expect_refused(paper({{"psi", "log(1 + t)"}}), "fractional.equation.psi: scheme l1_t needs psi: t^number");
  expect_refused(paper({{"psi", "2*t"}}), "fractional.equation.psi: scheme l1_t needs psi: t^number");
  expect_refused(paper({{"order", "1"}}), "fractional.equation.order: scheme l1_t needs one constant order below 1");
  expect_refused(paper({{"order", "0.4 + t/4"}}), "fractional.equation.order: scheme l1_t needs one constant order");
  expect_refused(paper({{"order", ""}, {"terms", "[{order: 0.5}]"}}), "fractional.equation.terms: scheme l1_t needs");
  expect_refused(paper({{"D", "1 + x"}}), "fractional.equation.D: scheme l1_t needs a constant D");
  expect_refused(paper({{"sigma", "1 + x"}}), "fractional.equation.sigma: scheme l1_t needs a constant sigma");
  expect_refused(paper({{"velocity", "{x: 1}"}}), "fractional.equation.velocity: scheme l1_t needs no velocity");
  expect_refused(paper({{"reaction", "1"}}), "fractional.equation.reaction: scheme l1_t needs no reaction");
  expect_refused(paper({{"source", "1 - c^2"}}), "fractional.equation.source: scheme l1_t needs a source without c");
  DeckText closed = paper({});
  closed.sides = "{rest: {kind: no_flux}}";
  expect_refused(closed, "fractional.sides.rest: scheme l1_t needs sides of kind dirichlet");
  DeckText graded = paper({});
  graded.time = "{end: 1, steps: 8, scheme: l1_t, mesh: graded}";
  expect_refused(graded, "fractional.time.mesh: scheme l1_t needs mesh uniform_t");
  DeckText sums = paper({});
  sums.more = "  history: {engine: exponentials}\n";
  expect_refused(sums, "fractional.history.engine: scheme l1_t needs engine direct or series");
}

TEST(Refusals, PublishedSplitting) {
  const auto lod = [](const std::map<std::string, std::string>& equation, const std::string& scheme = "l1_t") {
    DeckText deck = with(equation);
    deck.time = "{end: 1, steps: 8, scheme: " + scheme + "}";
    deck.more = "  solver: {split: lod}\n";
    return deck;
  };
  EXPECT_EQ(faults_of(lod({{"psi", "t^0.8"}})), "");
  EXPECT_EQ(faults_of(lod({{"source", "x*t"}}, "l1")), "");
  expect_refused(lod({}, "alikhanov"), "deck.yaml:10:36: fractional.time.scheme: split lod needs scheme l1_t or l1");
  expect_refused(lod({{"D", "1 + x"}}), "deck.yaml:6:8: fractional.equation.D: split lod needs a constant D");
  expect_refused(lod({{"source", "c"}}, "l1"), "fractional.equation.source: split lod needs a source without c");
  expect_refused(lod({{"order", "1"}}, "l1"), "fractional.equation.order: split lod needs one constant order below 1");
  expect_refused(lod({{"psi", "log(1 + t)"}}, "l1"), "fractional.equation.psi: split lod needs psi: t^number");
  DeckText closed = lod({});
  closed.sides = "{rest: {kind: no_flux}}";
  expect_refused(closed, "fractional.sides.rest: split lod needs sides of kind dirichlet");
  DeckText other = with({});
  other.more = "  solver: {intermediate: consistent}\n";
  expect_refused(other, "fractional.solver.intermediate: belongs to split lod");
  other.more = "  solver: {source_split: last}\n";
  expect_refused(other, "fractional.solver.source_split: belongs to split lod");
}

TEST(Refusals, SeriesAndVariants) {
  const auto with_history = [](const std::string& history, const std::string& scheme = "l1_t") {
    DeckText deck = with({{"psi", "t^0.8"}});
    deck.time = "{end: 1, steps: 8, scheme: " + scheme + "}";
    deck.more = "  history: " + history + "\n";
    return deck;
  };
  EXPECT_EQ(faults_of(with_history("{engine: series, terms: 32, arithmetic: fp16, tensor: true}")), "");
  EXPECT_EQ(faults_of(with_history("{engine: series, block: 1, vector: 4}")), "");
  EXPECT_EQ(faults_of(with_history("{engine: direct, arithmetic: fp32, vector: 2}", "alikhanov")), "");
  expect_refused(with_history("{engine: series}", "alikhanov"),
                 "fractional.time.scheme: engine series needs scheme l1_t");
  expect_refused(with_history("{engine: series, block: 4}"), "fractional.history.block: must be 1 or left out");
  expect_refused(with_history("{engine: direct, block: 4, vector: 2}"),
                 "deck.yaml:3:36: fractional.history.block: must be 1 or left out");
  expect_refused(with_history("{engine: direct, terms: 4}"), "fractional.history.terms: belongs to engine series");
  expect_refused(with_history("{engine: series, vector: 3}"), "fractional.history.vector: must be 1, 2 or 4, is 3");
  expect_refused(with_history("{engine: exponentials, arithmetic: fp32}", "l1"),
                 "fractional.history.arithmetic: belongs to engines direct and series");
  expect_refused(with_history("{engine: exponentials, vector: 2}", "l1"),
                 "fractional.history.vector: belongs to engines direct and series");
  expect_refused(with_history("{engine: series, tensor: true}"),
                 "fractional.history.tensor: belongs to engine series with arithmetic fp16");
  expect_refused(with_history("{engine: series, arithmetic: fp16, tensor: true, terms: 20}"),
                 "fractional.history.terms: must be a multiple of 16 with history.tensor, is 20");
}

// Passes over the history have room for 192 states; the order and the tiny first step take more at this accuracy.
TEST(Refusals, MoreExponentialsThanThereIsRoomFor) {
  DeckText deck = with({{"order", "0.1"}});
  deck.time = "{end: 1, steps: 20000, mesh: graded}";
  deck.more = "  history: {eps: 1e-14}\n";
  expect_refused(deck,
                 "deck.yaml:3:18: fractional.history.eps: 1e-14 asks for 194 exponentials, and there are 192 at most");
  for (const std::string history : {"{eps: 1e-13}", "{eps: 1e-14, block: 64}"}) {
    deck.more = "  history: " + history + "\n";
    EXPECT_EQ(faults_of(deck), "");
  }
  deck.more = "  history: {eps: 1e-14}\n";
  deck.time = "{end: 1, steps: 20000, mesh: graded_start}";
  EXPECT_EQ(faults_of(deck), "");
}

TEST(Refusals, Precision) {
  const auto in = [](const std::string& precision, const std::string& scheme, const std::string& more = "") {
    DeckText deck = with({{"psi", "t^0.8"}});
    deck.time = "{end: 1, steps: 8, scheme: " + scheme + "}";
    deck.more = "  precision: " + precision + "\n" + more;
    return deck;
  };
  EXPECT_EQ(faults_of(in("mixed", "l1_t")), "");
  EXPECT_EQ(faults_of(in("fp32", "l1")), "");
  expect_refused(in("fp32", "l1_t"), "fractional.time.scheme: l1_t needs precision fp64 or mixed");
  expect_refused(in("mixed", "l1", "  solver: {split: lod}\n"),
                 "fractional.solver.split: lod needs precision fp64, not precision mixed");
  expect_refused(in("mixed", "l1_t", "  history: {engine: series}\n"),
                 "fractional.history.engine: series needs precision fp64");
  expect_refused(in("fp32", "l1", "  history: {engine: direct, vector: 2}\n"),
                 "deck.yaml:3:14: fractional.precision: belongs to history.arithmetic fp64 and history.vector 1");
  const auto notes = [&](const std::string& eps) {
    FractionalOptions options;
    Plan made;
    EXPECT_EQ(
        read_deck(in("mixed", "l1", "  history: {engine: exponentials, eps: " + eps + "}\n").text(), options, made),
        "");
    return made.notes.size();
  };
  EXPECT_EQ(notes("1e-8"), notes("1e-6") + 1);
}

TEST(Refusals, HistoryInHalves) {
  const auto in = [](int steps, const std::string& history, const std::string& scheme = "alikhanov") {
    DeckText deck = with({{"psi", "t^0.8"}});
    deck.time = "{end: 1, steps: " + std::to_string(steps) + ", scheme: " + scheme + "}";
    deck.more = "  precision: fp16_history\n  history: {" + history + "}\n";
    return deck;
  };
  EXPECT_EQ(faults_of(in(8, "eps: 1e-6")), "");  // by exponentials, though few
  EXPECT_EQ(faults_of(in(2000, "eps: 1e-6")), "");
  EXPECT_EQ(faults_of(in(1500, "block: 12")), "");
  expect_refused(
      in(2001, "eps: 1e-6"),
      "fractional.time.steps: with precision fp16_history there are 2000 at most up to the horizon, not 2001");
  expect_refused(in(1500, "block: 8"), "fractional.history.block: must be at least 12 for 1500 steps");
  expect_refused(in(8, "block: 6"), "fractional.history.block: must be a multiple of 4 with precision fp16_history");
  expect_refused(in(8, "engine: direct"), "fractional.history.engine: direct needs precision fp64, mixed or fp32");
  expect_refused(in(8, "eps: 1e-6", "l1_t"), "fractional.time.scheme: l1_t needs precision fp64 or mixed");
}

TEST(Refusals, Verification) {
  expect_refused(with_verify("{max_error: 1}"), "verify.max_error: needs verify.exact or verify.reference");
  expect_refused(with_verify("{rms_error: 1}"), "verify.rms_error: needs verify.exact or verify.reference");
  expect_refused(with_verify("{rate: 1}"), "verify.rate: belongs to verify.reference: mittag_leffler");
  expect_refused(with_verify("{mass: [2, 1]}"), "verify.mass: must be two numbers, [low, high], the smaller one first");
  expect_refused(with_verify("{reference: mittag_leffler}"), "verify.reference: needs verify.rate");
  expect_refused(with_verify("{reference: mittag_leffler, rate: 1, exact: t}"), "contradicts verify.exact");
  DeckText deck = with({{"source", "1"}});
  deck.verify = "{reference: mittag_leffler, rate: 1}";
  expect_refused(deck, "verify.reference: mittag_leffler is a solution without source");
  deck = with({{"order", "0.5 + t/4"}});
  deck.verify = "{reference: mittag_leffler, rate: 1}";
  expect_refused(deck, "verify.reference: mittag_leffler is a solution for one constant order");
}

TEST(Refusals, MassThatIsNotKept) {
  const auto closed = [](const std::map<std::string, std::string>& equation) {
    DeckText deck = with(equation);
    deck.sides = "{rest: {kind: no_flux}}";
    deck.verify = "{mass_balance: 1e-12}";
    return deck;
  };
  EXPECT_EQ(faults_of(closed({})), "");
  expect_refused(with_verify("{mass_balance: 1e-12}"), "verify.mass_balance: needs sides of kind no_flux");
  expect_refused(closed({{"velocity", "{x: 1}"}}), "verify.mass_balance: needs sides of kind no_flux");
  expect_refused(closed({{"source", "x"}}), "verify.mass_balance: a source makes mass");
  expect_refused(closed({{"reaction", "x"}}), "verify.mass_balance: a reaction changes mass");
  expect_refused(closed({{"order", "0.5 + t/4"}}), "verify.mass_balance: needs orders that do not change");
  expect_refused(closed({{"order", ""}, {"terms", "[{order: 1, coefficient: step(x - 0.4)}, {order: 0.5}]"}}),
                 "verify.mass_balance: needs constant coefficients of `terms`");
}

// `c` means the field in `source`, so it can mean nothing else elsewhere.
TEST(Refusals, NamesOfVariables) {
  const auto named = [](const std::string& names, const std::string& source = "1") {
    DeckText deck = with({{"source", source}});
    deck.more = "  " + names + "\n";
    return deck;
  };
  for (const std::string name : {"x", "y", "z", "c"}) {
    expect_refused(named("constants: {" + name + ": 5}"), "the name '" + name + "' is already a variable");
    expect_refused(named("definitions: [" + name + " = 5]"), "the name '" + name + "' is already a variable");
  }
  expect_refused(named("constants: {t: 5}"), "the name 't' is reserved");
  EXPECT_EQ(faults_of(named("definitions: [excess = c - 1]", "-excess")), "");
  DeckText deck = with({{"D", "1 + excess^2"}});
  deck.more = "  definitions: [excess = c - 1]\n";
  expect_refused(deck, "fractional.equation.D");
}

// Data of any size are for doubles alone.
TEST(Refusals, WhatFloatsDoNotHold) {
  for (const std::string precision : {"mixed", "fp32", "fp16_history"}) {
    const auto in = [&](const std::string& initial, const std::string& source) {
      DeckText deck = with({{"initial", initial}, {"source", source}});
      deck.sides = "{rest: {kind: no_flux}}";
      deck.more = "  precision: " + precision + "\n  history: {eps: 1e-6}\n";
      return deck;
    };
    expect_refused(in("1e-60*x", "0"), "fractional.precision: " + precision + " holds c between 1e-30 and 1e+35");
    expect_refused(in("x", "1e60*t"), "fractional.precision: " + precision + " holds c");
    for (const std::string initial : {"1e-28*x", "1e33*x", "0"}) EXPECT_EQ(faults_of(in(initial, "0")), "") << initial;
    EXPECT_EQ(faults_of(in("1e-60*x", "c*(1 - c)")), "");  // may grow
  }
}

// Faults of one block do not hide those of another.
TEST(Refusals, AllAtOnce) {
  DeckText deck = with({{"order", "2"}, {"D", "0"}, {"sigma", "-1"}});
  deck.grid = "{size: [1, 1, 1], cells: [4, 4]}";
  deck.sides = "{rest: {kind: robin, value: 1}}";
  deck.time = "{end: 1, steps: 8, grading: 2}";
  deck.verify = "{max_error: 1}";
  const std::string faults = faults_of(deck);
  for (const std::string key :
       {"deck.yaml:3:27: fractional.grid.cells", "fractional.equation.order", "fractional.equation.D",
        "fractional.equation.sigma", "fractional.sides.rest", "fractional.time.grading", "verify.max_error"})
    EXPECT_NE(faults.find(key), std::string::npos) << key << " not in\n" << faults;
}

TEST(Refusals, MorePartsThanStrips) {
  Shape shape;
  shape.weights.assign(3, 1.0);
  EXPECT_NE(faults_of({}, shape).find("fractional.grid.cells: 3 parts, but lines along z have 2 strips"),
            std::string::npos)
      << faults_of({}, shape);
  shape.weights.assign(2, 1.0);
  EXPECT_EQ(faults_of({}, shape), "");
}

}  // namespace
}  // namespace halocline::fractional
