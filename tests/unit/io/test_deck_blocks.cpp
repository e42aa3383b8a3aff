// Lists of blocks, and keys that take a word or a block: read, faults, resolved deck, help.
#include <gtest/gtest.h>

#include "io/deck_reader.hpp"
#include "io/deck_schema.hpp"

namespace halocline {
namespace {

constexpr std::array<const char*, 2> kinds{"open", "shut"};

struct GateOptions final : Options {
  double from = 0;
  int kind = 0;
  void describe(Describer& d) override {
    d.item({"from", "m", "Where it begins."}, from);
    d.choice({"kind", "", "What it is.", true}, kind, kinds);
  }
};

struct FenceOptions final : Options {
  ListOf<GateOptions> gates;
  int paint = 0;
  GateOptions own_paint;
  void describe(Describer& d) override {
    d.groups({"gates", "", "Openings."}, gates);
    d.word_or_group({"paint", "", "Color."}, paint, kinds, own_paint);
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
  EXPECT_EQ(listed.gates.blocks[0].kind, 1);
  EXPECT_EQ(listed.gates.blocks[1].kind, 0);
  EXPECT_EQ(listed.paint, 1);
  FenceOptions single;
  EXPECT_EQ(read("gates: {from: 3, kind: shut}\npaint: {kind: shut, from: 7}\n", single), "");
  ASSERT_EQ(single.gates.size(), 1);
  EXPECT_EQ(single.gates.blocks[0].from, 3);
  EXPECT_EQ(single.paint, -1);
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

}  // namespace
}  // namespace halocline
