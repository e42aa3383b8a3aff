// Help, JSON Schema and resolved deck of the sample options.
#include "io/deck/deck_schema.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/deck/deck_reader.hpp"
#include "tests/unit/io/sample_options.hpp"

namespace halocline {
namespace {

void expect_equal(const Formula& a, const Formula& b) { EXPECT_EQ(a.text, b.text); }

void expect_equal(const SampleOptions& a, const SampleOptions& b) {
  EXPECT_TRUE(a.box.mesh == b.box.mesh);
  EXPECT_TRUE(a.box.solver == b.box.solver);
  expect_equal(a.box.f, b.box.f);
  expect_equal(a.box.start, b.box.start);
  EXPECT_EQ(a.box.wave, b.box.wave);
  ASSERT_EQ(a.box.names.constants.size(), b.box.names.constants.size());
  ASSERT_EQ(a.box.names.definitions.size(), b.box.names.definitions.size());
  for (std::size_t i = 0; i < a.box.names.constants.size(); ++i) {
    EXPECT_EQ(a.box.names.constants[i].first, b.box.names.constants[i].first);
    expect_equal(a.box.names.constants[i].second, b.box.names.constants[i].second);
  }
  for (std::size_t i = 0; i < a.box.names.definitions.size(); ++i) {
    expect_equal(a.box.names.definitions[i], b.box.names.definitions[i]);
  }
  EXPECT_EQ(a.output.directory, b.output.directory);
  EXPECT_EQ(a.output.fields, b.output.fields);
  EXPECT_EQ(a.output.tags, b.output.tags);
  expect_equal(a.verify.exact, b.verify.exact);
  EXPECT_EQ(a.verify.max_error.entries, b.verify.max_error.entries);
}

void read(const Deck& deck, SampleOptions& options) {
  DeckReader reader(deck);
  int problem = 0;
  reader.choice({"problem", "", "The family.", true}, problem, SampleOptions::problems);
  options.describe(reader);
  reader.finish();
  reader.check();
}

std::string echo_of(const Deck& deck, SampleOptions& options) {
  DeckEcho echo(deck);
  int problem = 0;
  echo.choice({"problem", "", "The family.", true}, problem, SampleOptions::problems);
  options.describe(echo);
  return echo.text();
}

const char* const smallest = "problem: box\nbox: {mesh: {elements: 4}, f: 1, wave: 1/3}\n";
const char* const full =
    "problem: box\n"
    "box:\n"
    "  constants: {k: 2*pi, e1: 'max(1, 2)'}\n"
    "  definitions: {w: sin(k*x), v: w*y - e1}\n"
    "  mesh: {from: -0.1, to: 1e300, elements: 123456789012345678, nodes: [0, 1/3, 5e-324]}\n"
    "  solver: {method: multigrid, tol: 1e-9, limit: 5, restart: on, probes: [[1, 2], [0.1, 1/7]]}\n"
    "  f: |\n    v +\n    if(x < y, 1, 2)\n"
    "  wave: 0.1\n"
    "verify: {exact: 2 * x, max_error: {u: 1e-9, u_x: 1/3}}\n"
    "output: {directory: \"a \\\"b\\\\ # c: d\\n\\te\", fields: [], tags: [null, '', '- x', '*y', 'true', \xC3\xA9, "
    "'#', a b ]}\n";

TEST(DeckEcho, ParsesBackToTheSameOptions) {
  for (const char* text : {smallest, full}) {
    std::string source = text;
    if (text == full) source.replace(source.find("[null"), 5, "['null'");
    const Deck deck(source, "box.yaml");
    SampleOptions options;
    read(deck, options);
    const std::string echo = echo_of(deck, options);
    const Deck again(echo, "deck.yaml");
    SampleOptions copy;
    ASSERT_NO_THROW(read(again, copy)) << echo;
    expect_equal(options, copy);
    EXPECT_EQ(echo_of(again, copy), echo);  // the resolved deck is its own resolved deck
  }
}

TEST(DeckEcho, ShowsDefaultsAndWhatWasNotGiven) {
  const Deck deck(smallest, "box.yaml");
  SampleOptions options;
  read(deck, options);
  EXPECT_EQ(echo_of(deck, options),
            "problem: box\n"
            "box:\n"
            "  mesh:\n"
            "    # from: 0  # default\n"
            "    # to: 1  # default\n"
            "    elements: 4\n"
            "    # nodes: not given\n"
            "  # solver:  not given\n"
            "  #  method: schur  # default\n"
            "  #  tol: 1e-10  # default\n"
            "  #  # limit: not given\n"
            "  #  restart: false  # default\n"
            "  #  # probes: not given\n"
            "  f: 1\n"
            "  # start: not given\n"
            "  wave: 0.3333333333333333\n"
            "# verify:  not given\n"
            "#  # exact: not given\n"
            "#  # max_error: not given\n"
            "# output:  not given\n"
            "#  # directory: not given\n"
            "#  fields: [u]  # default\n"
            "#  # tags: not given\n");
}

TEST(DeckExplainer, ListsEveryKeyInOneHundredColumns) {
  SampleOptions options;
  DeckExplainer explainer;
  options.describe(explainer);
  const std::string text = explainer.text();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100U) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
  for (const char* path : {"box ", "box.constants", "box.definitions", "box.mesh.from", "box.mesh.elements",
                           "box.solver.method", "box.f", "output.fields", "verify.max_error"}) {
    EXPECT_NE(text.find(std::string("\n") + path), std::string::npos) << path;
  }
  const auto line_of = [&](const std::string& path) {
    const std::size_t start = text.find("\n" + path + " ") + 1;
    return text.substr(start, text.find('\n', start) - start);
  };
  EXPECT_NE(line_of("box.solver.tol").find("  number, > 0 and < 1  "), std::string::npos);
  EXPECT_TRUE(line_of("box.solver.tol").ends_with("  default 1e-10"));
  EXPECT_TRUE(line_of("box.mesh.elements").ends_with("  required"));
  EXPECT_TRUE(line_of("box.solver.limit").ends_with("  optional"));  // infinity has no reading
  EXPECT_TRUE(line_of("box.mesh.nodes").ends_with("  optional"));
  EXPECT_NE(line_of("box.mesh.from").find("  number in m  "), std::string::npos);
  EXPECT_TRUE(explainer.text("box.mesh").find("box.mesh.nodes") != std::string::npos);
  EXPECT_EQ(explainer.text("box.mesh").find("box.solver"), std::string::npos);
  EXPECT_THROW(explainer.text("box.mes"), DeckError);
  EXPECT_NE(text.find("    How the system is solved. One of schur, direct, multigrid.\n"), std::string::npos);
}

// Checks `value` against the part of JSON Schema that is used here; written from the standard, not from the code.
bool matches(const nlohmann::json& schema, const nlohmann::json& value) {
  if (schema.contains("anyOf")) {
    bool any = false;
    for (const auto& option : schema["anyOf"]) any = any || matches(option, value);
    if (!any) return false;
  }
  if (schema.contains("enum")) {
    if (std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) return false;
  }
  if (schema.contains("type")) {
    const auto is = [&](const std::string& type) {
      if (type == "integer") return value.is_number() && value.get<double>() == std::floor(value.get<double>());
      return (type == "number" && value.is_number()) || (type == "string" && value.is_string()) ||
             (type == "boolean" && value.is_boolean()) || (type == "array" && value.is_array()) ||
             (type == "object" && value.is_object()) || (type == "null" && value.is_null());
    };
    bool any = false;
    if (schema["type"].is_string()) any = is(schema["type"]);
    if (schema["type"].is_array()) {
      for (const auto& type : schema["type"]) any = any || is(type);
    }
    if (!any) return false;
  }
  if (value.is_number()) {
    if (schema.contains("minimum") && value < schema["minimum"]) return false;
    if (schema.contains("maximum") && value > schema["maximum"]) return false;
    if (schema.contains("exclusiveMinimum") && value <= schema["exclusiveMinimum"]) return false;
    if (schema.contains("exclusiveMaximum") && value >= schema["exclusiveMaximum"]) return false;
  }
  if (value.is_array()) {
    if (schema.contains("minItems") && value.size() < schema["minItems"]) return false;
    if (schema.contains("maxItems") && value.size() > schema["maxItems"]) return false;
    for (const auto& item : value) {
      if (schema.contains("items") && !matches(schema["items"], item)) return false;
    }
  }
  if (value.is_object()) {
    for (const auto& name : schema.value("required", nlohmann::json::array())) {
      if (!value.contains(name.get<std::string>())) return false;
    }
    for (const auto& [name, member] : value.items()) {
      if (schema.contains("propertyNames") && !matches(schema["propertyNames"], name)) return false;
      if (schema.contains("properties") && schema["properties"].contains(name)) {
        if (!matches(schema["properties"][name], member)) return false;
      } else if (schema.contains("additionalProperties")) {
        const auto& other = schema["additionalProperties"];
        if (other.is_boolean() ? !other.get<bool>() : !matches(other, member)) return false;
      }
    }
  }
  return true;
}

TEST(DeckSchema, AcceptsGoodDecksAndRefusesBadOnes) {
  SampleOptions options;
  DeckSchema describer("halocline deck: box");
  int problem = 0;
  describer.choice({"problem", "", "The family.", true}, problem, SampleOptions::problems);
  options.describe(describer);
  const nlohmann::json schema = nlohmann::json::parse(describer.text());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["title"], "halocline deck: box");
  EXPECT_EQ(schema["properties"]["box"]["properties"]["solver"]["properties"]["tol"]["default"], 1e-10);
  EXPECT_FALSE(schema["properties"]["box"]["properties"]["mesh"]["properties"]["elements"].contains("default"));
  EXPECT_EQ(schema["properties"]["box"]["properties"]["mesh"]["properties"]["from"]["description"], "Lower end. [m]");

  const auto good = nlohmann::json::parse(R"({"problem": "box", "box": {"mesh": {"elements": 4, "nodes": [0, "1/3"]},
      "f": 1, "wave": "1/3", "constants": {"k": "2*pi"}, "definitions": ["w = x"], "solver": {"restart": "on",
      "probes": [[1, 2]], "method": "direct"}}, "output": null, "verify": {"max_error": {"u": 1}, "exact": "w"}})");
  EXPECT_TRUE(matches(schema, good));
  const std::pair<const char*, const char*> changes[] = {{"/problem", "\"bax\""},
                                                         {"/bax", "1"},
                                                         {"/box/mesh", "{}"},
                                                         {"/box/mesh/elements", "1"},
                                                         {"/box/mesh/elements", "2.5"},
                                                         {"/box/mesh/form", "1"},
                                                         {"/box/wave", "0"},
                                                         {"/box/wave", "[1]"},
                                                         {"/box/solver/probes", "[[1]]"},
                                                         {"/box/solver/method", "\"fast\""},
                                                         {"/box/solver/tol", "1"},
                                                         {"/box/solver/restart", "3"},
                                                         {"/output", "{\"fields\": [\"w\"]}"},
                                                         {"/verify/max_error", "{\"w\": 1}"},
                                                         {"/verify/max_error", "-1"},
                                                         {"/box/definitions", "5"}};
  for (const auto& [path, value] : changes) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(path)] = nlohmann::json::parse(value);
    EXPECT_FALSE(matches(schema, bad)) << path << " " << value;
  }
}

}  // namespace
}  // namespace halocline
