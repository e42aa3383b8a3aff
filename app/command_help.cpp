#include "app/command_help.hpp"

#include <string_view>

#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

// Text as roff shows it: a hyphen of an option is a minus, and no line begins with a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\\')
      out += "\\e";
    else if (letter == '-')
      out += "\\-";
    else
      out += letter;
  }
  return !out.empty() && (out.front() == '.' || out.front() == '\'') ? "\\&" + out : out;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string roff_option(const OptionHelp& option) {
  std::string text = ".TP\n";
  if (option.named()) text += ".B " + roff(joined(option.names, ", "));
  if (!option.value.empty()) text += (option.named() ? " \\fI" : ".I ") + roff(option.value) + "\\fR";
  return text + "\n" + roff(option.help) + ".\n";
}

// The words that a value may be, as "auto"; what is in capitals only names it.
std::vector<std::string> words_of_value(const OptionHelp& option, const std::vector<std::string>& families) {
  if (option.value == "FAMILY") return families;
  std::vector<std::string> words;
  for (std::string_view parts = option.value, part; next_part(parts, part, '|');) {
    if (!part.empty() && part.find_first_not_of("abcdefghijklmnopqrstuvwxyz-_") == std::string_view::npos)
      words.emplace_back(part);
  }
  return words;
}

bool takes_files(const OptionHelp& option) {
  for (const char* name : {"DECK", "FILE", "TABLE", "PNG", "DIR", "RUN"})
    if (option.value.find(name) != std::string::npos) return true;
  return false;
}

std::string bash_values(const OptionHelp& option, const std::vector<std::string>& families) {
  const std::vector<std::string> words = words_of_value(option, families);
  std::string text;
  if (takes_files(option)) text += option.value == "DECK" ? "_halocline_files yaml; " : "_halocline_files; ";
  if (!words.empty()) text += "_halocline_words " + joined(words, " ") + "; ";
  return text.empty() ? ":" : text.substr(0, text.size() - 2);
}

// In single quotes of a shell; zsh also ends parts of a specification at colons and brackets.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\'')
      out += "'\\''";
    else if (letter == ':' || letter == '[' || letter == ']')
      out += std::string("\\") + letter;
    else
      out += letter;
  }
  return out;
}

std::string zsh_values(const OptionHelp& option, const std::vector<std::string>& families) {
  const std::vector<std::string> words = words_of_value(option, families);
  std::string message = zsh_text(option.value);
  if (option.value == "DECK") return ":" + message + ":_files -g \"*.yaml\"";
  if (takes_files(option)) return ":" + message + ":_files";
  return ":" + message + ":(" + joined(words, " ") + ")";
}

std::string zsh_option(const OptionHelp& option, const std::vector<std::string>& families) {
  if (!option.named()) return " '" + zsh_values(option, families) + "'";
  std::string text;
  for (const std::string& name : option.names) {
    text += " '*" + name + "[" + zsh_text(option.help) + "]";
    text += (option.value.empty() ? "" : zsh_values(option, families)) + "'";
  }
  return text;
}

}  // namespace

std::string manual_page(const CommandLineHelp& line, const std::string& version) {
  std::string text = ".TH HALOCLINE 1 \"\" \"" + roff(version) +
                     "\"\n.SH NAME\nhalocline \\- solver of problems that a YAML " +
                     "deck describes\n.SH SYNOPSIS\n.B halocline\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" +
                     roff(line.summary) + "\n.SH OPTIONS\n";
  for (const OptionHelp& option : line.options) text += roff_option(option);
  for (const CommandHelp& command : line.commands) {
    text += ".SH \"HALOCLINE " + roff(command.name) + "\"\n" + roff(command.help) + ".\n";
    for (const OptionHelp& option : command.options) text += roff_option(option);
  }
  text += ".SH EXIT STATUS\n";
  for_each_line(line.footer, [&text](std::string_view part) {
    if (!part.empty()) text += roff(std::string(part)) + "\n";
  });
  return text;
}

std::string bash_completion(const CommandLineHelp& line, const std::vector<std::string>& families) {
  std::vector<std::string> commands;
  std::string cases;
  for (const CommandHelp& command : line.commands) {
    commands.push_back(command.name);
    std::string options, argument = ":";
    for (const OptionHelp& option : command.options) {
      if (!option.named()) {
        argument = bash_values(option, families);
        continue;
      }
      options += (options.empty() ? "" : " ") + joined(option.names, " ");
      if (option.value.empty()) continue;
      for (const std::string& name : option.names)
        cases += "    " + command.name + ":" + name + ") " + bash_values(option, families) + " ;;\n";
    }
    cases += "    " + command.name + ":*) if [[ $cur == -* ]]; then _halocline_words " + options + "; else " +
             argument + "; fi ;;\n";
  }
  std::vector<std::string> options;
  for (const OptionHelp& option : line.options) options.insert(options.end(), option.names.begin(), option.names.end());
  return R"(# Completion of halocline for bash; made by `halocline texts bash`.
_halocline_words() { COMPREPLY+=($(compgen -W "$*" -- "$cur")); }
_halocline_files() {
  local IFS=$'\n'
  compopt -o filenames
  COMPREPLY+=($(compgen -d -- "$cur"))
  if [[ -n ${1:-} ]]; then COMPREPLY+=($(compgen -f -X "!*.$1" -- "$cur")); else COMPREPLY+=($(compgen -f -- "$cur")); fi
}
_halocline() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if [[ $COMP_CWORD == 1 ]]; then
    _halocline_words )" +
         joined(commands, " ") + " " + joined(options, " ") + "\n    return\n  fi\n  case $command:$prev in\n" + cases +
         "  esac\n}\ncomplete -F _halocline halocline\n";
}

std::string zsh_completion(const CommandLineHelp& line, const std::vector<std::string>& families) {
  std::string names, cases;
  for (const CommandHelp& command : line.commands) {
    names += "    '" + command.name + ":" + zsh_text(command.help) + "'\n";
    cases += "    " + command.name + ") _arguments";
    for (const OptionHelp& option : command.options) cases += zsh_option(option, families);
    cases += " ;;\n";
  }
  std::string options;
  for (const OptionHelp& option : line.options) options += zsh_option(option, families);
  return "#compdef halocline\n# Made by `halocline texts zsh`.\n_halocline() {\n  local state\n  local -a "
         "commands=(\n" +
         names + "  )\n  _arguments -C" + options +
         " '1:command:->command' '*::argument:->arguments'\n  case $state in\n    command) _describe command commands "
         ";;\n"
         "    arguments) case $words[1] in\n" +
         cases + "    esac ;;\n  esac\n}\n_halocline \"$@\"\n";
}

}  // namespace halocline
