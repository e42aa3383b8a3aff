// The deck's tree: places, overrides, and texts that must be refused.
#include "io/deck/deck.hpp"

#include <gtest/gtest.h>

#include <random>

namespace halocline {
namespace {

using Kind = DeckNode::Kind;

Deck deck_of(const std::string& text, std::vector<std::string> overrides = {}) {
  return Deck(text, "box.yaml", overrides);
}

std::string message_of(const std::string& text, std::vector<std::string> overrides = {}) {
  try {
    const Deck deck(text, "box.yaml", overrides);
    return deck.faults().empty() ? "" : format(deck.faults(), deck.file());
  } catch (const DeckError& error) {
    EXPECT_EQ(error.code(), ExitCode::deck);
    return error.what();
  }
}

std::string place_of(const Deck& deck, const std::string& path) { return to_string(deck.place(path)); }

TEST(Deck, KeepsThePlaceOfKeysAndValues) {
  const Deck deck = deck_of("# head\nproblem: box\nbox:\n  size: [1, 2.5]\n  name: 'a ''b'''\n  deep: {x: {n: 7}}\n");
  EXPECT_EQ(place_of(deck, "problem"), "box.yaml:2:10");
  EXPECT_EQ(place_of(deck, "box"), "box.yaml:3:1");
  EXPECT_EQ(place_of(deck, "box.size"), "box.yaml:4:3");
  EXPECT_EQ(place_of(deck, "box.size[1]"), "box.yaml:4:13");
  EXPECT_EQ(place_of(deck, "box.name"), "box.yaml:5:10");  // inside the quote
  EXPECT_EQ(place_of(deck, "box.deep.x.n"), "box.yaml:6:17");
  EXPECT_EQ(deck.root().find("box")->value.find("name")->value.text, "a 'b'");
}

TEST(Deck, GivesTheNearestAncestorOfAPathThatIsMissing) {
  const Deck deck = deck_of("box:\n  deep: {n: 7}\n");
  EXPECT_EQ(place_of(deck, "box.deep.m.k"), "box.yaml:2:3");
  EXPECT_EQ(place_of(deck, "box.deep.n[3]"), "box.yaml:2:13");
  EXPECT_EQ(place_of(deck, "run.devices"), "box.yaml:1:1");
  EXPECT_TRUE(deck.has("box.deep.n"));
  EXPECT_FALSE(deck.has("box.deep.m"));
  EXPECT_FALSE(deck.has("box[99999999999999999999999]"));
}

TEST(Deck, FindsCharactersOfFoldedAndQuotedTexts) {
  const Deck deck = deck_of("f: 1 +\n   2 + q\ng: 'it''s q'\nh: |\n  1 +\n  q\n");
  const auto character_place = [&](const char* key, char wanted) {
    const DeckNode& node = deck.root().find(key)->value;
    return to_string(deck.place(node, node.text.find(wanted)));
  };
  EXPECT_EQ(character_place("f", 'q'), "box.yaml:2:8");
  EXPECT_EQ(character_place("g", 'q'), "box.yaml:3:11");
  EXPECT_EQ(character_place("h", 'q'), "box.yaml:6:3");
}

TEST(Deck, TakesAByteOrderMarkWindowsLinesAndUnicode) {
  const Deck deck = deck_of(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: \xC3\xA9t\xC3\xA9\r\n");
  EXPECT_EQ(place_of(deck, "a"), "box.yaml:1:4");
  EXPECT_EQ(place_of(deck, "b"), "box.yaml:2:4");
  EXPECT_EQ(deck.root().find("b")->value.text, "\xC3\xA9t\xC3\xA9");
}

TEST(Deck, AppliesOverrides) {
  const Deck deck = deck_of("a: {b: 1, c: 2}\nd:\n", {"a.b=5", "a.n.m=[1, 2]", "d.x=y", "t={u: 1}", "t.u=a=b", "e="});
  EXPECT_EQ(deck.root().find("a")->value.find("b")->value.text, "5");
  EXPECT_EQ(deck.root().find("a")->value.find("c")->value.text, "2");
  EXPECT_EQ(deck.root().find("a")->value.find("n")->value.find("m")->value.items.size(), 2U);
  EXPECT_EQ(deck.root().find("d")->value.find("x")->value.text, "y");
  EXPECT_EQ(deck.root().find("t")->value.find("u")->value.text, "a=b");
  EXPECT_EQ(deck.root().find("e")->value.kind, Kind::null);
  EXPECT_EQ(place_of(deck, "a.b"), "--set a.b");
  EXPECT_EQ(place_of(deck, "a.n.m[1]"), "--set a.n.m");
  EXPECT_EQ(place_of(deck, "a.c"), "box.yaml:1:14");
  EXPECT_EQ(place_of(deck, "e"), "--set e");
}

TEST(Deck, AppliesOverridesToItemsOfLists) {
  const Deck deck = deck_of("s: [{p: 1, q: 2}, {p: 3}]\nn: [[1, 2], [3, 4]]\n", {"s[1].p=7", "s[0].r=8", "n[1][0]=9"});
  const auto& sweep = deck.root().find("s")->value.items;
  EXPECT_EQ(sweep[0].find("p")->value.text, "1");
  EXPECT_EQ(sweep[0].find("r")->value.text, "8");
  EXPECT_EQ(sweep[1].find("p")->value.text, "7");
  EXPECT_EQ(deck.root().find("n")->value.items[1].items[0].text, "9");
  EXPECT_EQ(deck.root().find("n")->value.items[1].items[1].text, "4");
  EXPECT_EQ(place_of(deck, "s[1].p"), "--set s[1].p");
  EXPECT_EQ(place_of(deck, "n[1][0]"), "--set n[1][0]");
}

TEST(Deck, RefusesOverridesThatCannotBeApplied) {
  EXPECT_EQ(message_of("a: 1\n", {"a.b=5"}),
            "--set a.b: there is no map above 'b'\n1 fault in box.yaml; nothing was computed");
  EXPECT_NE(message_of("a: 1\n", {"a"}).find("--set a: expected key.path=value\n"), std::string::npos);
  EXPECT_NE(message_of("a: 1\n", {"=1"}).find("expected key.path=value"), std::string::npos);
  EXPECT_NE(message_of("a: [1]\n", {"a[1]=1"}).find("there is no item '[1]': the list has 1, counted from [0]"),
            std::string::npos);
  EXPECT_NE(message_of("a: [1]\n", {"a[x]=1"}).find("there is no item '[x]'"), std::string::npos);
  EXPECT_NE(message_of("a: 1\n", {"a[0]=1"}).find("there is no list before '[0]'"), std::string::npos);
  EXPECT_NE(message_of("a: 1\n", {"[0]=1"}).find("there is no list before '[0]'"), std::string::npos);
  EXPECT_NE(message_of("a: 1\n", {"a..b=1"}).find("expected keys joined by dots"), std::string::npos);
  EXPECT_NE(message_of("a: 1\n", {"b=[1, 2"}).find("a bracket is not closed"), std::string::npos);
}

TEST(Deck, ReportsDuplicateKeysAndUnsupportedYaml) {
  EXPECT_EQ(message_of("a: 1\nb: {c: 1, d: 2, c: 3}\na: 2\n"),
            "box.yaml:2:17: b.c: given twice, first in line 2; keep one\n"
            "box.yaml:3:1: a: given twice, first in line 1; keep one\n"
            "2 faults in box.yaml; nothing was computed");
  const std::string text = message_of("a: &base {x: 1}\nb: *base\nc:\n  <<: *base\nd: !!int 3\n");
  EXPECT_NE(text.find("box.yaml:1:4: a: anchors (&name) are not supported"), std::string::npos) << text;
  EXPECT_NE(text.find("box.yaml:2:4: b: aliases (*name) are not supported"), std::string::npos) << text;
  EXPECT_NE(text.find("box.yaml:4:3: c.<<: merge keys (<<) are not supported"), std::string::npos) << text;
  EXPECT_NE(text.find("box.yaml:5:4: d: tags (!name) are not supported"), std::string::npos) << text;
}

struct Refused {
  const char* text;
  const char* message;
};

TEST(Deck, RefusesTextsThatAreNoDeck) {
  const Refused cases[] = {
      {"", "box.yaml: the deck is empty"},
      {"# nothing\n", "box.yaml: the deck is empty"},
      {"~\n", "box.yaml: the deck is empty"},
      {"just words\n", "box.yaml:1:1: a deck is a map of keys to values"},
      {"- a\n- b\n", "box.yaml:1:1: a deck is a map of keys to values"},
      {"a: 1\n---\nb: 2\n", "box.yaml:3:1: a second document"},
      {"a: [1, 2\nb: 3\n", "box.yaml:1:4: this bracket is never closed"},
      {"a: [{b: 1, c: [2}]\n", "box.yaml:1:17: no valid YAML: this bracket does not match"},
      {"a: 1\n b: 2\n", "box.yaml:2:3: no valid YAML: a ':' cannot stand here; check the indentation"},
      {"a: 1\nb: 'x' y\n", "box.yaml:2:8: no valid YAML: this does not belong here"},
      {"a:\n\tb: 1\n", "box.yaml:2:1: a tab in the indentation"},
      {"a: 1\nb: 'open\n", "box.yaml:2:4: the quote ' is never closed"},
      {"a: 1\nb: \"open\n", "box.yaml:2:4: "},
      {"? [a, b]\n: 1\n", "box.yaml:1:3: a key must be a single word"},
      {": 1\n", "a key is missing before ':'"},
      {"a: \x01\n", "box.yaml:1:4: the control character number 1"},
      {"a: b\xFF\n", "box.yaml:1:5: a byte that is no UTF-8 text"},
      {"a: b\rc: d\n", "box.yaml:1:5: the control character number 13"},
  };
  for (const Refused& refused : cases) {
    const std::string text = message_of(refused.text);
    EXPECT_NE(text.find(refused.message), std::string::npos) << refused.text << "\ngave\n" << text;
    EXPECT_TRUE(text.ends_with("1 fault in box.yaml; nothing was computed")) << text;
  }
}

TEST(Deck, SurvivesDeepNesting) {
  const auto repeated = [](const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
  };
  for (const char* part : {"[", "{", "{a: ", "- ", "? ", "[{", "{? ", "&a ", "!t ", "a: ", "|\n"}) {
    for (const int times : {51, 600, 100000}) {
      EXPECT_NE(message_of(repeated(part, times)), "") << part;
      EXPECT_NE(message_of("a: " + repeated(part, times)), "") << part;
    }
  }
  EXPECT_NE(message_of("a: " + repeated("[", 51) + repeated("]", 51)).find("nested deeper than 50 levels"),
            std::string::npos);
  EXPECT_EQ(message_of("a: " + repeated("[", 49) + repeated("]", 49)), "");
  EXPECT_NE(message_of("a: 1\n", {"b=" + repeated("[", 100000)}), "");
}

TEST(Deck, SurvivesLongTextsAndZeros) {
  EXPECT_NE(message_of("a: " + std::string(std::size_t{5} << 20, 'x')).find("larger than 4 MiB"), std::string::npos);
  EXPECT_EQ(message_of("a: " + std::string(std::size_t{1} << 20, 'x')), "");
  EXPECT_NE(message_of(std::string(std::size_t{1} << 20, 'k') + ": 1"), "x");
  EXPECT_NE(message_of(std::string("a: 1\0b", 6)).find("control character number 0"), std::string::npos);
  std::string many;
  for (int i = 0; i < 100000; ++i) many.append("k").append(std::to_string(i % 60000)).append(": 1\n");
  EXPECT_NE(message_of(many).find("200 faults"), std::string::npos);
}

TEST(Deck, SurvivesRandomBytesAndRandomYaml) {
  std::mt19937 random(7);
  const std::string alphabet = "ab:1 -[]{},?&*!|>'\"%@`#\n\n  <~\\.";
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 60, ' ');
    for (char& c : text) c = i % 8 == 0 ? static_cast<char>(random() % 256) : alphabet[random() % alphabet.size()];
    message_of(text);
  }
}

}  // namespace
}  // namespace halocline
