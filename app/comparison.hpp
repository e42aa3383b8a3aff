// Comparison: what a file NAME.table describes: published results, and the decks that reproduce them.
#pragma once

#include <string>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline {

// A set of overrides with a name: one published case, or one way to run all cases.
struct CaseOptions final : Options {
  std::string label;
  std::vector<std::string> set;   // key.path=value
  std::vector<double> published;  // in the order of the table's quantities; 0 where nothing was published
  void describe(Describer& d) override;
};

struct VariantOptions final : Options {
  std::string label;
  std::vector<std::string> set;
  void describe(Describer& d) override;
};

struct ComparisonTable final : Options {
  std::string title, deck;
  std::vector<std::string> set;
  std::vector<std::string> quantities;
  bool profile = false;  // runs measure their kernels
  ListOf<CaseOptions> cases;
  ListOf<VariantOptions> variants;
  void describe(Describer& d) override;
};

struct Comparison final : Options {
  std::string title;
  ListOf<ComparisonTable> tables;
  void describe(Describer& d) override;
};

// Reads the text of `file`; throws DeckError with every fault in it.
Comparison read_comparison(const std::string& text, const std::string& file);

// Where `name` is: itself when it is a file, else NAME.table in a folder of `inputs` below the working directory,
// beside the program, or in the source tree the program was built in. Throws DeckError listing the tables there are.
std::string find_comparison(const std::string& name);

}  // namespace halocline
