// Fuzz target: the input is a deck. It is read as the program reads it, with every family, up to the plan; what is
// faultless must also be faultless, and resolve to the same text, when its resolved text is read again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "app/run/launcher.hpp"
#include "io/deck/deck.hpp"
#include "io/deck/deck_reader.hpp"
#include "io/deck/deck_schema.hpp"
#include "lib/base/error.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace halocline {
namespace {

std::vector<const char*> family_names() {
  std::vector<const char*> names;
  for (const Family& family : families()) names.push_back(family.name);
  return names;
}

// The resolved text, or "" when the deck has faults, which are formatted then.
std::string resolve(const std::string& text) {
  const Deck deck(text, "deck.yaml");
  DeckReader reader(deck);
  int chosen = -1;
  reader.choice(problem_key, chosen, family_names());
  if (chosen < 0) reader.check();
  if (chosen < 0) return "";
  const Family& family = families()[static_cast<std::size_t>(chosen)];
  const std::unique_ptr<Options> options = family.options();
  SharedOptions shared;
  options->describe(reader);
  shared.output.known_fields = family.known_fields(*options);
  shared.describe(reader);
  reader.finish();
  const bool described_well = reader.faults().empty();
  shared.check(1, reader);
  Plan plan;
  if (described_well) plan = family.plan(*options, Shape{}, reader);
  shared.check_for(family, plan, reader);
  reader.check();
  DeckEcho echo(deck);
  echo.choice(problem_key, chosen, family_names());
  options->describe(echo);
  shared.describe(echo);
  return echo.text();
}

void run(const std::string& input) {
  std::string resolved;
  try {
    resolved = resolve(input);
  } catch (const DeckError& error) {  // faults of the deck
    if (std::string(error.what()).empty()) std::abort();
    ++fuzz::refusals;
    return;
  }
  if (resolved.empty()) std::abort();
  try {
    if (resolve(resolved) == resolved) return;
    std::fprintf(stderr, "resolves to another text:\n%s\n", resolved.c_str());
  } catch (const DeckError& error) {
    std::fprintf(stderr, "faults of the resolved text:\n%s\n%s\n", error.what(), resolved.c_str());
  }
  std::abort();
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halocline::run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
