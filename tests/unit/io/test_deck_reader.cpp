// The reader: options filled from decks, and every kind of fault at its place.
#include "io/deck/deck_reader.hpp"

#include <gtest/gtest.h>

#include "tests/unit/io/sample_options.hpp"

namespace halocline {
namespace {

const char* const good =
    "problem: box\n"
    "box:\n"
    "  constants: {k: 2*pi}\n"
    "  definitions: [w = sin(k*x), v = w*y]\n"
    "  mesh: {from: -1/2, elements: 1e1}\n"
    "  f: v + 2\n"
    "  wave: 010\n"
    "verify: {exact: w, max_error: {u: 1e-9, u_x: 2}}\n"
    "output: {directory: out/box, fields: [u_x, u], tags: one}\n";

struct Reading {
  SampleOptions options;
  int problem = -1;
  std::string faults;  // without the last line
};

Reading read(const std::string& text, std::vector<std::string> overrides = {}) {
  Reading reading;
  const Deck deck(text, "box.yaml", overrides);
  DeckReader reader(deck);
  reader.choice({"problem", "", "The family.", true}, reading.problem, SampleOptions::problems);
  reading.options.describe(reader);
  reader.finish();
  if (reader.faults().empty()) return reading;
  const std::string all = format(reader.faults(), deck.file());
  reading.faults = all.substr(0, all.rfind('\n') + 1);
  return reading;
}

// The faults of a deck with the given lines in place of the good deck's (numbers as in the text above).
std::string faults_with(const std::vector<std::pair<int, std::string>>& changes) {
  std::string text, line;
  int number = 0;
  for (const char* c = good; *c != '\0'; ++c) {
    line += *c;
    if (*c != '\n') continue;
    ++number;
    for (const auto& [changed, replacement] : changes) {
      if (changed == number) line = replacement.empty() ? "" : replacement + "\n";
    }
    text += line;
    line.clear();
  }
  return read(text).faults;
}

TEST(DeckReader, FillsOptions) {
  const Reading reading = read(good);
  EXPECT_EQ(reading.faults, "");
  EXPECT_EQ(reading.problem, 0);
  const BoxOptions& box = reading.options.box;
  EXPECT_EQ(box.mesh.from, -0.5);
  EXPECT_EQ(box.mesh.to, 1.0);
  EXPECT_EQ(box.mesh.elements, 10);
  EXPECT_EQ(box.wave, 10.0);  // not octal
  EXPECT_EQ(box.f.text, "v + 2");
  EXPECT_EQ(to_string(box.f.place), "box.yaml:6:6");
  EXPECT_FALSE(box.start.given());
  ASSERT_EQ(box.names.constants.size(), 1U);
  EXPECT_EQ(box.names.constants[0].first, "k");
  EXPECT_EQ(box.names.definitions.at(1).text, "v = w*y");
  EXPECT_EQ(to_string(box.names.definitions[1].place), "box.yaml:4:31");
  EXPECT_EQ(box.solver.tol, 1e-10);
  EXPECT_EQ(reading.options.verify.max_error.of("u_x", 0), 2.0);
  EXPECT_EQ(reading.options.verify.max_error.of("u_y", 7), 7.0);
  EXPECT_EQ(reading.options.output.directory, "out/box");
  EXPECT_EQ(reading.options.output.fields, (std::vector<std::string>{"u_x", "u"}));
  EXPECT_EQ(reading.options.output.tags, std::vector<std::string>{"one"});
}

TEST(DeckReader, ReadsValuesOfEveryKind) {
  const Reading reading =
      read(good, {"box.solver={method: direct, restart: Yes, probes: [[1, 2/4], [3, 4]], limit: 5}",
                  "box.mesh.nodes=[0, sqrt(4), 1e3]", "box.mesh.elements=9223372036854775807", "verify.max_error=1e-3",
                  "box.f=3", "output.fields=u_y", "output.tags=[a, 5]", "box.definitions={w: x^2}", "box.start='t*w'"});
  EXPECT_EQ(reading.faults, "");
  const SolverOptions& solver = reading.options.box.solver;
  EXPECT_EQ(solver.method, SampleMethod::direct);
  EXPECT_TRUE(solver.restart);
  EXPECT_EQ(solver.probes, (std::vector<std::vector<double>>{{1, 0.5}, {3, 4}}));
  EXPECT_EQ(reading.options.box.mesh.nodes, (std::vector<double>{0, 2, 1000}));
  EXPECT_EQ(reading.options.box.mesh.elements, 9223372036854775807);
  EXPECT_EQ(reading.options.verify.max_error.of("u", 0), 1e-3);
  EXPECT_EQ(reading.options.box.f.text, "3");
  EXPECT_EQ(reading.options.box.names.definitions.at(0).text, "w = x^2");
  EXPECT_EQ(reading.options.box.start.text, "t*w");
  EXPECT_EQ(reading.options.output.fields, std::vector<std::string>{"u_y"});
  EXPECT_EQ(reading.options.output.tags, (std::vector<std::string>{"a", "5"}));
}

TEST(DeckReader, TakesAnEmptyBlockAsABlockOfDefaults) {
  EXPECT_EQ(faults_with({{9, "output:"}}), "");
  EXPECT_EQ(faults_with({{9, ""}}), "");
}

TEST(DeckReader, SuggestsForUnknownKeys) {
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 4, form: 1}"}}),
            "box.yaml:5:23: box.mesh.form: unknown key; did you mean 'from'?\n");
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 4, tol: 1}"}}),
            "box.yaml:5:23: box.mesh.tol: unknown key; it belongs to 'box.solver'\n");
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 4, output: 1}"}}),
            "box.yaml:5:23: box.mesh.output: unknown key; it belongs to the top of the deck\n");
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 4, methods: 1}"}}),
            "box.yaml:5:23: box.mesh.methods: unknown key; did you mean 'method' of 'box.solver'?\n");
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 4, zzzzzzzz: 1}"}}),
            "box.yaml:5:23: box.mesh.zzzzzzzz: unknown key; known here: from, to, elements, nodes\n");
  // Not the block that it stands in.
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 4, meshs: 1}"}}),
            "box.yaml:5:23: box.mesh.meshs: unknown key; known here: from, to, elements, nodes\n");
  EXPECT_EQ(faults_with({{9, "ball: {}"}}), "box.yaml:9:1: ball: unknown key; it would be read with 'problem: ball'\n");
  EXPECT_EQ(faults_with({{8, "verify: {exact: max(x, y)}"}}),
            faults_with({{8, "verify: {exact: max(x}"}}) +
                "box.yaml:8:24: verify.y): unknown key; a formula that holds a comma must be quoted\n");
}

TEST(DeckReader, ReportsMissingKeysAndBlocks) {
  EXPECT_EQ(faults_with({{7, ""}}), "box.yaml:2:1: box.wave: missing; expected a number in 1/m, > 0: Wave number.\n");
  EXPECT_EQ(faults_with({{5, ""}}), "box.yaml:2:1: box.mesh: missing; expected a block: The grid.\n");
  EXPECT_EQ(faults_with({{1, ""}}), "box.yaml:1:1: problem: missing; expected one of box, ball: The family.\n");
  EXPECT_EQ(faults_with({{5, "  mesh:"}}),
            "box.yaml:5:3: box.mesh.elements: missing; expected an integer, >= 2: Number of elements.\n");
  EXPECT_EQ(faults_with({{7, "  wave:"}}), "box.yaml:7:3: box.wave: has no value; expected a number in 1/m, > 0\n");
  EXPECT_EQ(faults_with({{7, "  wave: ~"}}), "box.yaml:7:3: box.wave: has no value; expected a number in 1/m, > 0\n");
}

TEST(DeckReader, ReportsWrongKinds) {
  EXPECT_EQ(faults_with({{7, "  wave: {x: 1}"}}),
            "box.yaml:7:3: box.wave: expected a number in 1/m, > 0, found a map\n");
  EXPECT_EQ(faults_with({{7, "  wave: [1]"}}), "box.yaml:7:3: box.wave: expected a number in 1/m, > 0, found a list\n");
  EXPECT_EQ(faults_with({{5, "  mesh: 5"}}), "box.yaml:5:9: box.mesh: expected a block of keys, found '5'\n");
  EXPECT_EQ(faults_with({{5, "  mesh: [5]"}}), "box.yaml:5:3: box.mesh: expected a block of keys, found a list\n");
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 4, nodes: 7}"}}),
            "box.yaml:5:30: box.mesh.nodes: expected a list of numbers in m, found '7'\n");
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 4, nodes: [1, [2]]}"}}),
            "box.yaml:5:34: box.mesh.nodes[1]: expected a number in m, found a list\n");
  EXPECT_EQ(faults_with({{6, "  f: [1, 2]"}}), "box.yaml:6:3: box.f: expected a formula in x, y, found a list\n");
  EXPECT_EQ(faults_with({{3, "  constants: 5"}, {4, "  definitions: [a: 1]"}, {6, "  f: 1"}, {8, ""}}),
            "box.yaml:3:14: box.constants: expected a map of names to constant formulas, found '5'\n"
            "box.yaml:4:17: box.definitions[0]: expected 'name = formula', found a map\n");
  EXPECT_EQ(faults_with({{9, "output: {directory: [a], tags: {a: 1}, fields: {u: 1}}"}}),
            "box.yaml:9:10: output.directory: expected a text, found a list\n"
            "box.yaml:9:26: output.tags: expected a list of texts, found a map\n"
            "box.yaml:9:40: output.fields: expected a list of words among u, u_x, u_y, found a map\n");
}

TEST(DeckReader, ReportsWrongNumbers) {
  EXPECT_EQ(faults_with({{7, "  wave: -1"}}),
            "box.yaml:7:9: box.wave: '-1' is out of bounds; expected a number in 1/m, > 0\n");
  EXPECT_EQ(faults_with({{7, "  wave: \"0\""}}),
            "box.yaml:7:10: box.wave: '0' is out of bounds; expected a number in 1/m, > 0\n");
  EXPECT_EQ(faults_with({{7, "  wave: 1/0"}}),
            "box.yaml:7:9: box.wave: '1/0' is no number (division by zero); expected a number in 1/m, > 0\n");
  const std::string word = faults_with({{7, "  wave: big"}});
  EXPECT_TRUE(word.starts_with("box.yaml:7:9: box.wave: 'big' is no number (")) << word;
  EXPECT_TRUE(word.ends_with("); expected a number in 1/m, > 0\n")) << word;
  for (const char* text : {"0x10", "1_000", "1e", ".inf", ".nan", "1:30", "true", "1e999", "--1", "\"\"", "1,5"}) {
    EXPECT_NE(faults_with({{7, std::string("  wave: ") + text}}), "") << text;
  }
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 2.5}"}}),
            "box.yaml:5:20: box.mesh.elements: '2.5' is no integer; expected an integer, >= 2\n");
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 1e30}"}}),
            "box.yaml:5:20: box.mesh.elements: '1e30' is too large; expected an integer, >= 2\n");
  EXPECT_EQ(faults_with({{5, "  mesh: {elements: 1}"}}),
            "box.yaml:5:20: box.mesh.elements: '1' is out of bounds; expected an integer, >= 2\n");
}

TEST(DeckReader, ReportsWrongWords) {
  EXPECT_EQ(faults_with({{1, "problem: bax"}}),
            "box.yaml:1:10: problem: 'bax' is not known; did you mean 'box'? expected one of box, ball\n");
  EXPECT_EQ(faults_with({{7, "  wave: 1\n  solver: {method: qqqqqq, restart: maybe, probes: [[1], 2]}"}}),
            "box.yaml:8:20: box.solver.method: 'qqqqqq' is not known; expected one of schur, direct, multigrid\n"
            "box.yaml:8:37: box.solver.restart: expected true or false, found 'maybe'\n"
            "box.yaml:8:53: box.solver.probes[0]: expected a list of 2 numbers, found 1\n"
            "box.yaml:8:58: box.solver.probes[1]: expected a list of 2 numbers, found '2'\n");
  EXPECT_EQ(faults_with({{9, "output: {fields: [u, u_xx, u]}"}}),
            "box.yaml:9:22: output.fields[1]: 'u_xx' is not known; did you mean 'u_x'? expected one of u, u_x, u_y\n"
            "box.yaml:9:28: output.fields[2]: 'u' is named twice; keep one\n");
  EXPECT_EQ(faults_with({{8, "verify: {max_error: {u_z: 1, u: -1, u_x: }}"}}),
            "box.yaml:8:22: verify.max_error.u_z: unknown name; did you mean 'u_x'? expected one of u, u_x, u_y\n"
            "box.yaml:8:33: verify.max_error.u: '-1' is out of bounds; expected a number, >= 0\n"
            "box.yaml:8:37: verify.max_error.u_x: has no value; expected a number, >= 0\n");
}

TEST(DeckReader, ReportsFormulasWithACaret) {
  const std::string quoted = faults_with({{6, "  f: \"v + vv\""}});
  EXPECT_TRUE(quoted.starts_with("box.yaml:6:11: box.f: ")) << quoted;
  EXPECT_NE(quoted.find("v + vv\n"), std::string::npos) << quoted;
  EXPECT_NE(quoted.find("    ^"), std::string::npos) << quoted;
  const std::string folded = faults_with({{6, "  f: v +\n     1 + 2 *"}});
  EXPECT_TRUE(folded.starts_with("box.yaml:7:")) << folded;
  const std::string time = faults_with({{6, "  f: t"}});
  EXPECT_TRUE(time.starts_with("box.yaml:6:6: box.f: ")) << time;
  EXPECT_EQ(faults_with({{6, "  f: 1\n  start: t*v"}}), "");  // t is no variable of the definitions
  EXPECT_EQ(faults_with({{6, "  f: ''"}}), "box.yaml:6:7: box.f: is empty; expected a formula in x, y\n");
  const std::string set = read(good, {"box.f=v +* 1"}).faults;
  EXPECT_TRUE(set.starts_with("--set box.f: box.f: ")) << set;
}

TEST(DeckReader, ReportsDefinitions) {
  const std::string list = faults_with({{4, "  definitions: [w = sin(q*x), v = w*y]"}});
  EXPECT_TRUE(list.starts_with("box.yaml:4:25: box.definitions[0]: ")) << list;
  const std::string map = faults_with({{4, "  definitions: {w: sin(q*x), v: w*y}"}});
  EXPECT_TRUE(map.starts_with("box.yaml:4:24: box.definitions.w: ")) << map;
  const std::string constant = faults_with({{3, "  constants: {k: 2*x}"}});
  EXPECT_TRUE(constant.starts_with("box.yaml:3:20: box.constants.k: ")) << constant;
  const std::string bad = faults_with({{4, "  definitions: [w = x, v = y, 2x = 1]"}});
  EXPECT_TRUE(bad.starts_with("box.yaml:4:31: box.definitions[2]: ")) << bad;
}

TEST(DeckReader, ReportsAllFaultsInOnePassByPosition) {
  const std::string text =
      "output: {directry: out}\n"
      "problem: box\n"
      "box:\n"
      "  f: x +\n"
      "  mesh: {elements: 1, from: a, elements: 3}\n"
      "  solver: {tol: 2}\n";
  const std::string faults = read(text, {"verify.max_error=x"}).faults;
  std::vector<std::string> starts{"box.yaml:1:10: output.directry: unknown key",
                                  "box.yaml:3:1: box.wave: missing",
                                  "box.yaml:4:",
                                  "box.yaml:5:20: box.mesh.elements: '1' is out of bounds",
                                  "box.yaml:5:29: box.mesh.from: 'a' is no number",
                                  "box.yaml:5:32: box.mesh.elements: given twice",
                                  "box.yaml:6:17: box.solver.tol: '2' is out of bounds; expected a number, > 0 and < 1",
                                  "--set verify.max_error: verify.max_error: 'x' is no number"};
  std::size_t at = 0;
  for (const std::string& start : starts) {
    at = faults.find(start, at);
    ASSERT_NE(at, std::string::npos) << start << "\nin\n" << faults;
  }
}

TEST(DeckReader, TakesFaultsAcrossKeysAndThrowsAll) {
  const Deck deck("box: {mesh: {elements: 4}}\n", "box.yaml");
  DeckReader reader(deck);
  EXPECT_NO_THROW(reader.check());
  reader.at("box.mesh.elements", "must be even");
  reader.at("box.mesh.nodes[2]", "must increase");
  reader.at(Place{"box.yaml", 1, 2}, "here");
  try {
    reader.check();
    FAIL() << "no exception";
  } catch (const DeckError& error) {
    EXPECT_STREQ(error.what(),
                 "box.yaml:1:2: here\n"
                 "box.yaml:1:7: box.mesh.nodes[2]: must increase\n"
                 "box.yaml:1:24: box.mesh.elements: must be even\n"
                 "3 faults in box.yaml; nothing was computed");
  }
}

TEST(DeckReader, SurvivesHostileValues) {
  const std::string long_word(100000, 'x');
  EXPECT_LT(faults_with({{7, "  wave: " + long_word}}).size(), 2000U);
  EXPECT_NE(faults_with({{6, "  f: " + std::string(100000, '(')}}), "");
  EXPECT_NE(faults_with({{6, "  f: " + std::string(100000, '-') + "1"}}), "");
  std::string many = good;
  for (int i = 0; i < 100000; ++i) many += "unknown" + std::to_string(i) + ": 1\n";
  EXPECT_NE(read(many).faults, "");
}

}  // namespace
}  // namespace halocline
