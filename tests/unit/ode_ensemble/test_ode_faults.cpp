// Decks that must be refused: every kind of fault with its place, and a caret where a formula is at fault.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "lib/problems/ode_ensemble/sweep.hpp"
#include "lib/problems/ode_ensemble/tables/csv.hpp"
#include "tests/unit/ode_ensemble/ode_deck_run.hpp"

namespace halocline::ode_ensemble {
namespace {

const std::string valve =
    "ode_ensemble:\n"                                                                 // 1
    "  constants: {kappa: 1.25, delta: 10, beta: 20, r: 0.8}\n"                       // 2
    "  sweep:\n"                                                                      // 3
    "    - {name: q, from: 0.2, to: 10, points: 4}\n"                                 // 4
    "  definitions:\n"                                                                // 5
    "    - spring = y1 + delta\n"                                                     // 6
    "  equations:\n"                                                                  // 7
    "    - y1' = y2\n"                                                                // 8
    "    - y2' = -kappa*y2 - spring + y3\n"                                           // 9
    "    - y3' = beta*(q - y1*sqrt(y3))\n"                                            // 10
    "  initial: {y1: 0.2, y2: 0, y3: 0}\n"                                            // 11
    "  events:\n"                                                                     // 12
    "    - name: impact\n"                                                            // 13
    "      crossing: y1\n"                                                            // 14
    "      direction: falling\n"                                                      // 15
    "      then: [y1 = 0, y2 = -r*y2]\n"                                              // 16
    "      rest: {speed: y2, below: 1.0e-5, hold: [y1, y2], until: y3 - delta}\n"     // 17
    "    - {name: top, crossing: y2, direction: falling}\n"                           // 18
    "  solver: {method: rkck45, rtol: 1.0e-10, atol: 1.0e-10, first_step: 1.0e-2}\n"  // 19
    "  phase: {ends: top, at_most: 50, steady: 1.0e-9}\n"                             // 20
    "  repeat: {transient: 4, record: 2}\n"                                           // 21
    "  accumulators:\n"                                                               // 22
    "    ymax: {maximum: y1}\n"                                                       // 23
    "    hits: {count: impact}\n"                                                     // 24
    "  record: {each_phase: [ymax, hits]}\n";                                         // 25

struct Case {
  const char *from, *to;
  const char* place;  // "line:column: path" or a part of it
  const char* message;
};

std::string changed(const Case& c) {
  std::string text = valve;
  const std::size_t at = text.find(c.from);
  if (at == std::string::npos) throw InternalError(std::string("no '") + c.from + "'");
  return text.replace(at, std::string(c.from).size(), c.to);
}

const Case cases[] = {
    // Names.
    {"y1' = y2", "y1' = z2", "8:13: ", "unknown name 'z2'"},
    {"y1' = y2", "t' = y2", "8:7: ", "'t' is reserved"},
    {"y1' = y2", "sin' = y2", "8:7: ", "'sin' is reserved"},
    {"name: q", "name: y1", "4:7: ", "is a state already"},
    {"name: q", "name: pi", "4:7: ", "'pi' is reserved"},
    {"ymax: {max", "impact: {max", "23:5: ", "is an event already"},
    {"spring = y1", "kappa = y1", "6:7: ", "already a constant"},
    {"y1' = y2", "y2' = y2", "9:7: ", "two equations for 'y2'"},
    {"y1' = y2", "y1 = y2", "8:10: ", "an equation reads"},
    {"y1' = y2", "y1' = y2 @", "8:16: ", "character"},
    {"y1' = y2", "y1' = y2\xC3\xA9", "8:15: ", "character"},
    {"y1: 0.2, y2: 0", "y1: 0.2", "11:", "no value for state 'y2'"},
    {"y1: 0.2", "y1: y2", "11:17: ", "'y2'"},
    {"y1: 0.2", "y1: 0.2, w: 1", "11:25: ", "'w' is no state"},
    {"spring = y1 + delta", "spring = spring + delta", "6:7: ", "circular definition"},
    // Formulas.
    {"sqrt(y3)", "sqrt(y3, y2)", "10:26: ", "takes 1 argument"},
    {"sqrt(y3)", "sqrt(-2)", "10:26: ", "square root of a negative number"},
    {"sqrt(y3)", "log(-2)", "10:26: ", ""},
    {"y1*sqrt(y3)", "y1/0", "10:26: ", "division by zero"},
    {"y1*sqrt(y3)", "(y1 < 2)", "10:27: ", "a comparison is allowed only"},
    // The sweep.
    {"to: 10, points: 4", "to: 0.2, points: 4", "4:", "equals `from`"},
    {"points: 4", "points: 0", "4:", "expected an integer, >= 1"},
    {"from: 0.2, to: 10, points: 4", "from: 0, to: 10, points: 4, spacing: log", "4:", "must be positive"},
    {"from: 0.2, to: 10, points: 4", "values: [1, 2]}\n    - {name: s, values: [1, 2, 3]}\n  combine: zip\n  math: {",
     "", "equal numbers of values, found 2 and 3"},
    {"points: 4", "points: 1000000000000000", "", "more than 2^40 systems"},
    {"from: 0.2, to: 10, points: 4", "points: 4, random: {uniform: [2, 1]}", "4:", "must increase"},
    {"from: 0.2, to: 10, points: 4", "from: 0.2, values: [1]", "4:", "give one of"},
    {"name: q, from: 0.2, to: 10, points: 4", "table: {file: none.csv, columns: [q]}", "4:", "cannot be read"},
    // The solver.
    {"rtol: 1.0e-10", "rtol: 0", "19:", "out of bounds"},
    {"rtol: 1.0e-10", "rtol: 1e-15", "19:", "out of bounds"},
    {"rtol: 1.0e-10", "rtol: {y7: 1e-8}", "19:", "'y7' is no state"},
    {"first_step: 1.0e-2", "first_step: -1", "19:", "out of bounds"},
    {"first_step: 1.0e-2", "first_step: 1e-13, min_step: 1e-12", "19:", "less than min_step"},
    {"first_step: 1.0e-2", "min_step: 1, max_step: 0.1", "19:", "greater than max_step"},
    {"first_step: 1.0e-2", "step: 1e-2", "19:", "is for rk4"},
    {"atol: 1.0e-10", "atol: 1e-18", "19:", "cannot be met for 'y1'"},
    {"rkck45, rtol: 1.0e-10, atol: 1.0e-10, first_step: 1.0e-2", "rk4, rtol: 1e-8, step: 0.1",
     "19:", "not used by rk4"},
    {"rkck45, rtol: 1.0e-10, atol: 1.0e-10, first_step: 1.0e-2", "rk4", "19:", "needs the size of its steps"},
    {"rkck45, rtol: 1.0e-10, atol: 1.0e-10, first_step: 1.0e-2", "rk4, step: 0", "19:", "out of bounds"},
    {"first_step: 1.0e-2", "first_step: 1.0e-2, max_step: 1e-3", "19:", "greater than max_step"},
    // Phases and records.
    {"ends: top, at_most: 50, ", "", "20:", "needs an end"},
    {"ends: top", "ends: impct", "20:", "no event 'impct'"},
    {"ends: top, at_most: 50", "length: -1", "20:19: ", "must be positive"},
    {"record: 2", "record: 0", "21:", "out of bounds"},
    {"  repeat: {transient: 4, record: 2}\n", "", "", "needs `repeat`"},
    {"[ymax, hits]}", "[ymax, hits], max_size: 1e-9}", "25:", "unknown key"},
    {"[ymax, hits]", "[ymx, hits]", "25:", "did you mean 'ymax'?"},
    {"{each_phase: [ymax, hits]}", "{all_phases: {ymax: largest}}", "25:31: ", "maximum, minimum, mean or last"},
    {"{each_phase: [ymax, hits]}", "{final: [y1], trajectory: {systems: [4], steps: true}}", "25:", "systems 0 to 3"},
    // Events and accumulators.
    {"crossing: y1", "crossing: kappa - 1", "14:17: ", "never crosses zero"},
    {"y1 = 0,", "q = 0,", "16:14: ", "'q' is no state"},
    {"y1 = 0,", "y2 = 0,", "16:22: ", "assigned twice"},
    {"direction: falling", "direction: down", "15:", "expected one of falling, rising, both"},
    {"below: 1.0e-5", "below: 1.0e-7", "17:", "too small"},
    {"hold: [y1, y2]", "hold: [y1, v]", "17:", "'v' is no state"},
    {"count: impact", "count: bang", "24:", "no event 'bang'"},
    {"maximum: y1", "maximum: 'if(y1 < 1, y1, 2)', refined: true", "23:", "with `if`"},
    {"maximum: y1", "maximum: y1, minimum: y1", "23:", "give one of"},
    {"maximum: y1", "largest: y1", "23:", "unknown key"},
    {"maximum: y1", "start: 1, at_bang: 2", "23:", "unknown key"},
    {"  constants:", "  model: lorenz\n  constants:", "", "brings its own constants"},
};

TEST(OdeFaults, TheDeckItselfIsGood) { EXPECT_EQ(deck_faults(valve), ""); }

TEST(OdeFaults, EveryFaultHasItsPlaceAndReason) {
  for (const Case& c : cases) {
    const std::string faults = deck_faults(changed(c));
    EXPECT_NE(faults.find(std::string("deck.yaml:") + c.place), std::string::npos) << c.to << "\n" << faults;
    EXPECT_NE(faults.find(c.message), std::string::npos) << c.to << "\n" << faults;
  }
}

TEST(OdeFaults, FormulasOfAnOverrideHaveTheirOwnPlaces) {
  const std::vector<std::string> overrides{
      "ode_ensemble.events=[{name: impact, crossing: y1, then: [y1 = 0, w = 0]}, {name: top, crossing: y2, "
      "direction: falling, then: {y1: z}}]"};
  const Deck deck(valve, "deck.yaml", overrides);
  DeckReader reader(deck);
  const auto options = ode_ensemble_family().options();
  options->describe(reader);
  ode_ensemble_family().plan(*options, {}, reader);
  const std::string faults = format(reader.faults(), deck.file());
  const std::string place = "--set ode_ensemble.events: ode_ensemble.events";
  EXPECT_NE(faults.find(place + "[0].then[1]: 'w' is no state"), std::string::npos) << faults;
  EXPECT_NE(faults.find(place + "[1].then.y1: unknown name 'z'"), std::string::npos) << faults;
}

// What running would refuse: integrals are solved with the states, and rests are looked for as events are.
TEST(OdeFaults, LimitsCountIntegralsAndRests) {
  std::string equations, initial, integrals, events;
  for (int i = 0; i < 17; ++i) {
    const std::string n = std::to_string(i), comma = i > 0 ? ", " : "";
    equations += comma + "\"x" + n + "' = -x" + n + "\"";
    initial += comma + "x" + n + ": 1";
    integrals += comma + "a" + n + ": {integral: x" + n + "}";
    if (i < 9)
      events += comma + "{name: e" + n + ", crossing: x" + n + ", rest: {speed: x" + n +
                ", below: 1e-3, hold: [x0], until: x1}}";
  }
  const std::string text = "ode_ensemble:\n  equations: [" + equations + "]\n  initial: {" + initial +
                           "}\n  phase: {length: 1}\n  record: {final: [x0]}\n";
  EXPECT_EQ(deck_faults(text), "");
  const std::string faults = deck_faults(text + "  accumulators: {" + integrals + "}\n  events: [" + events + "]\n");
  EXPECT_NE(faults.find("has 34 states and integrals, 32 at most"), std::string::npos) << faults;
  EXPECT_NE(faults.find("has 18 events and rests, 16 at most"), std::string::npos) << faults;
}

// `output.max_size` bounds them with the other results.
TEST(OdeFaults, PointsOfTrajectoriesAreForecast) {
  const Deck deck(
      "ode_ensemble:\n  equations: [\"x' = -x\"]\n  initial: {x: 1}\n  phase: {length: 100}\n"
      "  repeat: {transient: 1, record: 1}\n  record: {trajectory: {systems: [0], every: 1e-9}}\n",
      "deck.yaml");
  DeckReader reader(deck);
  const auto options = ode_ensemble_family().options();
  options->describe(reader);
  EXPECT_NEAR(ode_ensemble_family().plan(*options, {}, reader).table_bytes, 200e9 * 16, 1e9);
}

TEST(OdeFaults, FormulasAreShownWithACaret) {
  const std::string faults = deck_faults(changed({"spring + y3", "spring +\n        yy3", "", ""}));
  EXPECT_NE(faults.find("deck.yaml:10:9: "), std::string::npos) << faults;  // the second line of the formula
  EXPECT_NE(faults.find("yy3\n"), std::string::npos) << faults;
  EXPECT_NE(faults.find("^"), std::string::npos) << faults;
}

TEST(OdeFaults, LimitsAreKept) {
  std::string deck = "ode_ensemble:\n  equations:\n", initial;
  for (int i = 0; i < 33; ++i) {
    deck += "    - s" + std::to_string(i) + "' = 1\n";
    initial += (i > 0 ? ", s" : "s") + std::to_string(i) + ": 0";
  }
  deck += "  initial: {" + initial + "}\n  phase: {length: 1}\n  record: {final: [s0]}\n";
  EXPECT_NE(deck_faults(deck).find("33 states, 32 at most"), std::string::npos);
  std::string swept, events, accumulators;
  for (int i = 0; i < 65; ++i) swept += "    - {name: p" + std::to_string(i) + ", values: [1]}\n";
  for (int i = 0; i < 17; ++i) events += "    - {name: e" + std::to_string(i) + ", crossing: y1}\n";
  for (int i = 0; i < 33; ++i) accumulators += "    a" + std::to_string(i) + ": {maximum: y1}\n";
  const auto faults_with = [](const char* before, const std::string& more) {
    return deck_faults(changed({before, (std::string(before) + more).c_str(), "", ""}));
  };
  EXPECT_NE(faults_with("points: 4}\n", swept).find("66 swept values, 64 at most"), std::string::npos);
  EXPECT_NE(faults_with("  events:\n", events).find("20 events and rests, 16 at most"), std::string::npos);
  EXPECT_NE(faults_with("  accumulators:\n", accumulators).find("35 accumulators, 32 at most"), std::string::npos);
  std::string sum = "y2", nested = "y2";
  for (int i = 0; i < 5001; ++i) sum += "+" + std::to_string(i + 2) + "*y2";
  for (int i = 0; i < 201; ++i) nested = "sin(" + nested + ")";
  EXPECT_NE(faults_with("    - y1' = y2", " + " + sum), "");
  EXPECT_NE(faults_with("    - y1' = y2", " + " + nested), "");
}

// Names and texts that would be code, paths or YAML elsewhere: refused, or harmless.
TEST(OdeFaults, HostileTextsAreRefused) {
  for (const char* bad : {"system(y2)", "y2; abort()", "\"y2\"", "y2 /* */", "#include", "__builtin_trap()", "y2\\n",
                          "`y2`", "$(y2)", "y2 ? 1 : 2", "y[2]", "0x10p3", "'y2'"}) {
    std::string quoted = "\"y1' = ";
    for (const char* c = bad; *c != '\0'; ++c)
      quoted += *c == '"' || *c == '\\' ? std::string("\\") + *c : std::string(1, *c);
    EXPECT_NE(deck_faults(changed({"y1' = y2", (quoted + "\"").c_str(), "", ""})), "") << bad;
  }
  EXPECT_NE(deck_faults(changed({"name: impact", "name: 'a b'", "", ""})), "");
  EXPECT_NE(deck_faults(changed({"name: q", "name: int", "", ""})), "");  // a fine name, but q is now unknown
}

TEST(OdeFaults, SweptValuesThatNothingUsesAreNoted) {
  const std::string deck = changed({"points: 4}\n", "points: 4}\n    - {name: idle, values: [1, 2]}\n", "", ""});
  EXPECT_EQ(deck_faults(deck), "");
  const auto notes = deck_notes(deck);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], "no formula uses the swept value 'idle'");
  EXPECT_TRUE(deck_notes(valve).empty());
}

// --- Sweeps ----------------------------------------------------------------------------------------------------------

SweepOptions range(const char* name, double from, double to, Index points, bool log = false) {
  SweepOptions one;
  one.name = name;
  one.from = from;
  one.to = to;
  one.points = points;
  one.spacing = log ? Spacing::log : Spacing::linear;
  one.has_from = one.has_to = one.has_points = true;
  return one;
}

TEST(OdeSweep, ProductsHaveTheLastEntryFastest) {
  ListOf<SweepOptions> entries;
  entries.blocks = {range("a", 0, 2, 3), range("b", 1, 100, 3, true)};
  const Sweep sweep(entries, false, "", nullptr);
  ASSERT_EQ(sweep.systems(), 9);
  const double b[] = {1, 10, 100};
  for (Index i = 0; i < 9; ++i) {
    EXPECT_EQ(sweep.value(0, i), static_cast<double>(i / 3));
    EXPECT_NEAR(sweep.value(1, i), b[i % 3], 1e-12);
  }
  const Sweep zip(entries, true, "", nullptr);
  ASSERT_EQ(zip.systems(), 3);
  for (Index i = 0; i < 3; ++i) EXPECT_EQ(zip.value(0, i), static_cast<double>(i));
}

TEST(OdeSweep, RandomValuesComeFromTheirNumberAlone) {
  ListOf<SweepOptions> entries;
  SweepOptions one;
  one.name = "a";
  one.points = 100000;
  one.has_points = one.has_random = true;
  one.random.normal = {3, 2};
  SweepOptions other = one;
  other.name = "b";
  other.random = {};
  other.random.uniform = {-1, 1};
  entries.blocks = {one, other};
  const Sweep sweep(entries, true, "", nullptr);
  double sum = 0, squares = 0, uniform = 0, product = 0;
  for (Index i = 0; i < 100000; ++i) {
    const double x = sweep.value(0, i), y = sweep.value(1, i);
    sum += x, squares += (x - 3) * (x - 3), uniform += y, product += (x - 3) * y;
    ASSERT_LT(std::abs(y), 1);
  }
  EXPECT_NEAR(sum / 1e5, 3, 0.03);
  EXPECT_NEAR(squares / 1e5, 4, 0.1);
  EXPECT_NEAR(uniform / 1e5, 0, 0.01);
  EXPECT_NEAR(product / 1e5, 0, 0.02);
  EXPECT_EQ(sweep.value(0, 77), sweep.value(0, 77));
  EXPECT_NE(uniform_value(1, 0, 5), uniform_value(2, 0, 5));
  EXPECT_NE(uniform_value(1, 0, 5), uniform_value(1, 1, 5));
}

TEST(OdeCsv, ReadsTheFilesOfSpreadsheets) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "halocline_spreadsheet.csv";
  std::ofstream(path, std::ios::binary) << "\xEF\xBB\xBFp,q\r\n1,2\r\n\r\n3,4\r\n \t\r\n";
  Formula file;
  file.text = path.string();
  const CsvTable table = read_csv(file);
  std::filesystem::remove(path);
  EXPECT_EQ(table.names, (std::vector<std::string>{"p", "q"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1], (std::vector<std::string>{"3", "4"}));
  EXPECT_EQ(table.lacks("r"), "the file has no column 'r'; its names are 'p', 'q'");
}

TEST(OdeCsv, NumbersSideBySideAreNoNumber) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "halocline_side_by_side.csv";
  std::ofstream(path) << "# units\np, some text ,q\n1, a word ,2\n3, 4 , 1 2\n";
  Formula file;
  file.text = path.string();
  try {
    read_csv(file);
    FAIL() << "'1 2' was read";
  } catch (const DeckError& error) {
    EXPECT_EQ(std::string(error.what()), path.string() + ":4:8: '1 2' is no number; commas separate values");
  }
  std::ofstream(path) << "p, some text ,q\n1, a word ,2\n";
  const CsvTable table = read_csv(file);
  std::filesystem::remove(path);
  EXPECT_EQ(table.names[1], "some text");
  EXPECT_EQ(table.rows[0][1], "a word");
  EXPECT_EQ(table.place(0, 1), path.string() + ":2:4");
}

TEST(OdeCsv, RefusesADirectory) {
  Formula file;
  file.text = testing::TempDir();
  try {
    read_csv(file);
    FAIL() << "a directory was read";
  } catch (const DeckError& error) {
    EXPECT_NE(std::string(error.what()).find("is a directory"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
