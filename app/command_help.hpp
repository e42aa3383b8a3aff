// What the command line offers, as data: for texts that are made from it, so that these cannot differ from what is
// parsed.
#pragma once

#include <string>
#include <vector>

namespace halocline {

struct OptionHelp {
  std::vector<std::string> names;  // "--set", "-h"; empty for an argument without a name
  std::string value;  // what it takes, as "DECK" or "auto|FILE": words, or names of what goes there; "": nothing
  std::string help;
  bool required = false;
  bool named() const { return !names.empty(); }
};

struct CommandHelp {
  std::string name, help;
  std::vector<OptionHelp> options;
};

struct CommandLineHelp {
  std::string summary;  // one sentence
  std::string footer;
  std::vector<CommandHelp> commands;
  std::vector<OptionHelp> options;  // before any command
};

// The manual page, for man(1).
std::string manual_page(const CommandLineHelp& line, const std::string& version);

// Completions of the shells; `families` go where a FAMILY is expected.
std::string bash_completion(const CommandLineHelp& line, const std::vector<std::string>& families);
std::string zsh_completion(const CommandLineHelp& line, const std::vector<std::string>& families);

}  // namespace halocline
