// Decks of family fractional as texts.
#pragma once

#include <map>
#include <string>

#include "io/deck/deck_reader.hpp"
#include "lib/problems/fractional/options.hpp"
#include "lib/problems/fractional/plan.hpp"

namespace halocline::fractional {

inline constexpr std::array<const char*, 1> family_names{"fractional"};

// A deck that is right, a line each for its blocks, to be changed.
struct DeckText {
  std::string more;  // whole lines of the block
  std::string grid = "{size: [1, 1, 1], cells: [6, 5, 4]}";
  std::map<std::string, std::string> equation{{"order", "0.6"}, {"D", "1"}, {"initial", "0"}};
  std::string sides = "{rest: {kind: dirichlet, value: 0}}";
  std::string time = "{end: 1, steps: 8}";
  std::string verify = "{}";

  std::string text() const {
    std::string deck = "problem: fractional\nfractional:\n" + more + "  grid: " + grid + "\n  equation:\n";
    for (const auto& [key, value] : equation)
      if (!value.empty()) deck += "    " + key + ": " + value + "\n";
    return deck + "  sides: " + sides + "\n  time: " + time + "\nverify: " + verify + "\n";
  }
};

// The faults of a deck as `check` reports them, each line "file:line:column: path: message"; `options` is filled.
inline std::string read_deck(const std::string& text, FractionalOptions& options, Plan& made, const Shape& shape = {}) {
  const Deck deck(text, "deck.yaml");
  DeckReader reader(deck);
  int problem = 0;
  reader.choice({"problem", "", "The family.", true}, problem, family_names);
  options.describe(reader);
  reader.finish();
  if (reader.faults().empty()) made = plan(options, shape, reader);
  return reader.faults().empty() ? "" : format(reader.faults(), deck.file());
}

inline FractionalOptions read_deck(const std::string& text) {
  FractionalOptions options;
  Plan made;
  const std::string faults = read_deck(text, options, made);
  if (!faults.empty()) throw DeckError(faults);
  return options;
}

}  // namespace halocline::fractional
