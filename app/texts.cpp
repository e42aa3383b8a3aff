#include "app/texts.hpp"

#include <array>

#include "app/cli.hpp"
#include "app/run/launcher.hpp"
#include "app/run/session.hpp"
#include "app/run/summary.hpp"
#include "gpu/devices.hpp"
#include "io/deck/combined_schema.hpp"
#include "io/deck/deck_schema.hpp"

namespace halocline {
namespace {

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family& family : families()) names.emplace_back(family.name);
  return names;
}

const Family& family_of(const std::string& name) {
  std::string known;
  for (const Family& family : families()) {
    if (name == family.name) return family;
    known += std::string(known.empty() ? "" : ", ") + family.name;
  }
  throw DeckError("halocline: there is no family '" + name + "'; known are " + known);
}

// Describes the whole deck of a family, as a deck has it.
void describe_deck(const Family& family, Describer& describer) {
  const std::array<const char*, 1> names{family.name};
  int chosen = 0;
  describer.choice(problem_key, chosen, names);
  const auto options = family.options();
  options->describe(describer);
  SharedOptions shared;
  // Where decks may name fields of their own, any name is one.
  if (family.fields_of == nullptr) shared.output.known_fields = family.known_fields(*options);
  shared.describe(describer);
}

std::string family_schema(const Family& family) {
  DeckSchema schema(std::string("halocline deck: ") + family.name);
  describe_deck(family, schema);
  return schema.text();
}

}  // namespace

std::string list_text() {
  std::string text;
  for (const Family& family : families()) text += std::string(family.name) + ": " + family.summary + "\n";
  return text;
}

std::string explain_text(const std::string& what) {
  const std::size_t dot = what.find('.');
  DeckExplainer explainer;
  describe_deck(family_of(what.substr(0, dot)), explainer);
  return explainer.text(dot == std::string::npos ? "" : what);
}

std::string schema_text(const std::string& family) {
  if (!family.empty()) return family_schema(family_of(family)) + "\n";
  std::vector<std::pair<std::string, std::string>> schemas;
  for (const Family& one : families()) schemas.emplace_back(one.name, family_schema(one));
  return combined_schema(problem_key.name, schemas);
}

std::string info_text(const Communicator& comm, const std::string& mpi_library) {
  std::string text = version_text() + "\n";
  for (const auto& [name, value] : build_facts()) text += "  " + name + ": " + value + "\n";
  text += "  libraries: " HALOCLINE_LIBRARIES "\n  mpi: " + mpi_library + "\n  ranks: " + std::to_string(comm.size()) +
          "\n  threads per rank: " + std::to_string(default_threads(comm)) + "\n";
  for (const std::string& device : describe_devices()) text += "  device " + device + "\n";
  return text;
}

std::string installed_text(const std::string& kind) {
  const CommandLineHelp line = describe_command_line();
  if (kind == "man") return manual_page(line, version_text());
  return kind == "bash" ? bash_completion(line, family_names()) : zsh_completion(line, family_names());
}

}  // namespace halocline
