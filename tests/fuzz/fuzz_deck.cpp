// Fuzz target: the input is a deck. It is read as the program reads it, with every family, up to the plan; its resolved
// text is read again and must not lose values.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "app/launcher.hpp"
#include "io/deck.hpp"
#include "io/deck_reader.hpp"
#include "io/deck_schema.hpp"
#include "lib/base/error.hpp"

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
  shared.output.known_fields = family.fields;
  options->describe(reader);
  shared.describe(reader);
  reader.finish();
  const bool described_well = reader.faults().empty();
  shared.check(1, reader);
  if (described_well) family.plan(*options, Shape{}, reader);
  reader.check();
  DeckEcho echo(deck);
  echo.choice(problem_key, chosen, family_names());
  options->describe(echo);
  shared.describe(echo);
  return echo.text();
}

// The lines that are no comments, without the marks of defaults.
std::string bare(const std::string& text) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '#') continue;
    const std::string mark = "  # default";
    if (line.size() > mark.size() && line.ends_with(mark)) line.resize(line.size() - mark.size());
    all += line + "\n";
  }
  return all;
}

void run(const std::string& input) {
  std::string first, second;
  try {
    first = resolve(input);
    second = resolve(first);  // a default may be a fault once it is given
  } catch (const DeckError& error) {
    if (std::string(error.what()).empty()) std::abort();
    return;
  }
  if (bare(second).size() >= bare(first).size()) return;
  std::fprintf(stderr, "values are lost:\n%s\n%s\n", first.c_str(), second.c_str());
  std::abort();
}

}  // namespace
}  // namespace halocline

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  halocline::run(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
