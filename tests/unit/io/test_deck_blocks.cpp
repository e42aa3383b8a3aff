// Lists of blocks, and keys that take a word or a block: read, faults, resolved deck, help.
#include <gtest/gtest.h>

#include "io/deck/deck_reader.hpp"
#include "io/deck/deck_schema.hpp"

namespace halocline {
namespace {

enum class GateKind { shut, open };  // not in the order of the words
constexpr auto words_of(GateKind) {
  return std::to_array<Word<GateKind>>({{"open", GateKind::open}, {"shut", GateKind::shut}});
}

struct GateOptions final : Options {
  double from = 0;
  GateKind kind = GateKind::open;
  void describe(Describer& d) override {
    d.item({"from", "m", "Where it begins."}, from);
    d.choice({"kind", "", "What it is.", true}, kind);
  }
};

struct FenceOptions final : Options {
  ListOf<GateOptions> gates;
  std::optional<GateKind> paint = GateKind::open;
  GateOptions own_paint;
  void describe(Describer& d) override {
    d.groups({"gates", "", "Openings."}, gates);
    d.word_or_group({"paint", "", "Color."}, paint, own_paint);
  }
};

std::string read(const std::string& text, FenceOptions& options, std::string* echo = nullptr) {
  const Deck deck(text, "fence.yaml");
  DeckReader reader(deck);
  options.describe(reader);
  reader.finish();
  if (echo != nullptr) {
    DeckEcho written(deck);
    options.describe(written);
    *echo = written.text();
  }
  return reader.faults().empty() ? "" : format(reader.faults(), deck.file());
}

TEST(DeckBlocks, ReadsListsSingleBlocksAndWords) {
  FenceOptions listed;
  EXPECT_EQ(read("gates: [{from: 1, kind: shut}, {kind: open}]\npaint: shut\n", listed), "");
  ASSERT_EQ(listed.gates.size(), 2);
  EXPECT_EQ(listed.gates.blocks[0].from, 1);
  EXPECT_EQ(listed.gates.blocks[0].kind, GateKind::shut);
  EXPECT_EQ(listed.gates.blocks[1].kind, GateKind::open);
  EXPECT_EQ(listed.paint, GateKind::shut);
  FenceOptions single;
  EXPECT_EQ(read("gates: {from: 3, kind: shut}\npaint: {kind: shut, from: 7}\n", single), "");
  ASSERT_EQ(single.gates.size(), 1);
  EXPECT_EQ(single.gates.blocks[0].from, 3);
  EXPECT_FALSE(single.paint);
  EXPECT_EQ(single.own_paint.from, 7);
  FenceOptions none;
  EXPECT_EQ(read("paint: open\n", none), "");
  EXPECT_EQ(none.gates.size(), 0);
}

TEST(DeckBlocks, NamesThePlaceOfFaults) {
  FenceOptions options;
  const std::string faults = read("gates:\n  - {from: 1}\n  - {kind: shut, fro: 2}\n  - 7\npaint: blue\n", options);
  EXPECT_NE(faults.find("fence.yaml:2:5: gates[0].kind: missing"), std::string::npos) << faults;
  EXPECT_NE(faults.find("fence.yaml:3:18: gates[1].fro: unknown key; did you mean 'from'?"), std::string::npos);
  EXPECT_NE(faults.find("fence.yaml:4:5: gates[2]: expected a block of keys, found '7'"), std::string::npos);
  EXPECT_NE(faults.find("fence.yaml:5:8: paint: 'blue' is not known"), std::string::npos);
}

TEST(DeckBlocks, ResolvedDeckReadsBackTheSame) {
  for (const char* text : {"gates: [{from: 1, kind: shut}, {kind: open}]\npaint: shut\n",
                           "gates: {from: 3, kind: shut}\npaint: {kind: shut, from: 7}\n", "paint: open\n"}) {
    FenceOptions first, second;
    std::string echo, again;
    ASSERT_EQ(read(text, first, &echo), "");
    ASSERT_EQ(read(echo, second, &again), "") << echo;
    ASSERT_EQ(second.gates.size(), first.gates.size()) << echo;
    for (std::size_t n = 0; n < first.gates.blocks.size(); ++n) {
      EXPECT_EQ(second.gates.blocks[n].from, first.gates.blocks[n].from) << echo;
      EXPECT_EQ(second.gates.blocks[n].kind, first.gates.blocks[n].kind) << echo;
    }
    EXPECT_EQ(second.paint, first.paint) << echo;
    EXPECT_EQ(second.own_paint.from, first.own_paint.from) << echo;
  }
}

TEST(DeckBlocks, HelpNamesTheKeysOfABlock) {
  FenceOptions options;
  DeckExplainer help;
  options.describe(help);
  EXPECT_NE(help.text().find("gates[].from"), std::string::npos) << help.text();
  EXPECT_NE(help.text().find("paint.kind"), std::string::npos);
  DeckSchema schema("fence");
  options.describe(schema);
  EXPECT_NE(schema.text().find("\"anyOf\""), std::string::npos);
}

struct NamesOptions final : Options {
  std::vector<NamedFormula> start, equations;
  ListOf<GateOptions> gates;
  std::vector<std::string> names;
  void describe(Describer& d) override {
    d.formulas({"equations", "", "Equations."}, equations);
    d.formulas({"start", "", "Values at the start."}, start);
    d.groups({"gates", "", "Openings by name."}, gates, names);
  }
};

const char* const named_deck =
    "equations:\n  - x' = a +\n      b\n  - y' = 1\nstart: {x: 2*3, y: 1}\ngates: {north: {kind: shut}, south: {kind: "
    "open, from: 2}}\n";

TEST(DeckBlocks, ReadsFormulasAndBlocksByName) {
  const Deck deck(named_deck, "names.yaml");
  NamesOptions options;
  DeckReader reader(deck);
  options.describe(reader);
  ASSERT_EQ(options.equations.size(), 2u);
  EXPECT_EQ(options.equations[0].formula.text, "x' = a + b");
  ASSERT_EQ(options.start.size(), 2u);
  EXPECT_EQ(options.start[0].name, "x");
  EXPECT_EQ(options.start[0].formula.text, "2*3");
  EXPECT_EQ(options.names, (std::vector<std::string>{"north", "south"}));
  EXPECT_EQ(options.gates.blocks[1].from, 2);
  reader.at(options.equations[0].formula, 9, "what is b?");  // on the folded line
  reader.finish();
  ASSERT_EQ(reader.faults().size(), 1u);
  EXPECT_EQ(reader.faults()[0].place.line, 3);
  EXPECT_EQ(reader.faults()[0].place.column, 7);
  DeckEcho echo(deck);
  options.describe(echo);
  const Deck again(echo.text(), "again.yaml");
  NamesOptions second;
  DeckReader second_reader(again);
  second.describe(second_reader);
  second_reader.finish();
  EXPECT_EQ(second_reader.faults().size(), 0u) << echo.text();
  EXPECT_EQ(second.equations[0].formula.text, options.equations[0].formula.text);
  EXPECT_EQ(second.start[1].formula.text, "1");
  EXPECT_EQ(second.names, options.names);
  EXPECT_EQ(second.gates.blocks[0].kind, GateKind::shut);
  DeckExplainer help;
  NamesOptions().describe(help);
  EXPECT_NE(help.text().find("gates.NAME.kind"), std::string::npos);
  DeckSchema schema("names");
  NamesOptions().describe(schema);
  EXPECT_NE(schema.text().find("Values at the start."), std::string::npos);
}

}  // namespace
}  // namespace halocline
