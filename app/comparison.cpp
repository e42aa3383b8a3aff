#include "app/comparison.hpp"

#include <algorithm>
#include <filesystem>

#include "io/deck/deck.hpp"
#include "io/deck/deck_reader.hpp"

namespace halocline {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> input_folders() {
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  std::vector<fs::path> folders{"inputs"};
  if (!program.empty()) {
    folders.push_back(program / "../share/inputs");            // of a bundle
    folders.push_back(program / "../share/halocline/inputs");  // of an installation
    folders.push_back(program / "../../../inputs");            // of build/PRESET/bin in the source tree
  }
  return folders;
}

// All NAME.table one folder deep below `folder`, sorted.
std::vector<fs::path> tables_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& family : fs::directory_iterator(folder, ignored)) {
    for (const auto& entry : fs::directory_iterator(family.path(), ignored))
      if (entry.path().extension() == ".table") found.push_back(entry.path().lexically_normal());
  }
  std::sort(found.begin(), found.end());
  return found;
}

void check(const Comparison& comparison, Faults& faults) {
  if (comparison.tables.blocks.empty()) faults.at("tables", "lists no table");
  for (std::size_t t = 0; t < comparison.tables.blocks.size(); ++t) {
    const ComparisonTable& table = comparison.tables.blocks[t];
    const std::string path = "tables[" + std::to_string(t) + "]";
    if (table.quantities.empty()) faults.at(path + ".quantities", "names no quantity");
    if (table.cases.blocks.empty()) faults.at(path + ".cases", "lists no case");
    for (std::size_t c = 0; c < table.cases.blocks.size(); ++c)
      if (table.cases.blocks[c].published.size() > table.quantities.size())
        faults.at(path + ".cases[" + std::to_string(c) + "].published", "has more numbers than the table quantities");
  }
}

}  // namespace

void CaseOptions::describe(Describer& d) {
  d.item({"label", "", "Name of the case in the table.", true}, label);
  d.item({"set", "", "Overrides key.path=value of the deck."}, set);
  d.item({"published", "", "Published values in the order of `quantities`; 0 where there is none."}, published);
}

void VariantOptions::describe(Describer& d) {
  d.item({"label", "", "Name of the variant in the table.", true}, label);
  d.item({"set", "", "Overrides key.path=value of the deck."}, set);
}

void ComparisonTable::describe(Describer& d) {
  d.item({"title", "", "Title of the table.", true}, title);
  d.item({"deck", "", "The deck, relative to this file.", true}, deck);
  d.item({"set", "", "Overrides key.path=value of the deck for all cases."}, set);
  d.item({"quantities", "", "Names of the report's figures to compare, or `seconds`.", true}, quantities);
  d.item({"profile", "", "Whether runs measure their kernels, as run --profile does, for figures of theirs."}, profile);
  d.groups({"cases", "", "What was published.", true}, cases);
  d.groups({"variants", "", "Ways to run every case."}, variants);
}

void Comparison::describe(Describer& d) {
  d.item({"title", "", "What is compared, with its source.", true}, title);
  d.groups({"tables", "", "Tables in the order to print them.", true}, tables);
}

Comparison read_comparison(const std::string& text, const std::string& file) {
  const Deck deck(text, file);
  DeckReader reader(deck);
  Comparison comparison;
  comparison.describe(reader);
  reader.finish();
  if (reader.faults().empty()) check(comparison, reader);
  reader.check();
  return comparison;
}

std::string find_comparison(const std::string& name) {
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored)) return name;
  std::string known;
  for (const fs::path& folder : input_folders())
    for (const fs::path& table : tables_in(folder)) {
      if (table.stem() == name) return table.string();
      const std::string stem = table.stem().string();
      if (known.find(stem) == std::string::npos) known += (known.empty() ? "" : ", ") + stem;
    }
  throw DeckError("halocline: no table '" + name + "'; " + (known.empty() ? "found none" : "there are: " + known) +
                  " (NAME.table below the folder `inputs`, or give a file)");
}

}  // namespace halocline
