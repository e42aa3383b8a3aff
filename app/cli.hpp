// The command line of halocline: text in, a Command out. Nothing is done here.
#pragma once

#include <string>
#include <vector>

#include "app/command_help.hpp"
#include "lib/base/types.hpp"

namespace halocline {

enum class Action { run, check, study, sweep, reproduce, plot, report, list, explain, schema, info, texts, help };

struct Command {
  Action action = Action::help;
  std::vector<std::string> words;      // all of them, as given
  std::string deck;                    // run, check, study; reproduce: the table
  std::string deck_text = {};          // what all ranks have read of it; "": not known, see require_same_start()
  std::vector<std::string> overrides;  // key.path=value
  std::string restart;                 // "", "auto" or a file
  bool overwrite = false;
  bool verbose = false;
  bool profile = false;           // run
  std::string monitor;            // run: a file; "": none
  Index refine = 0;               // study: number of grids
  std::vector<std::string> over;  // sweep: key.path=v1,v2,...
  std::string each;               // sweep: ranks of a case, a number or "all"; "": shared out
  Index ranks = 0;                // check: of the run; 0: as there are now
  std::string devices;            // check: of the forecast; "": none
  std::string rates;              // check: a file; info: "here" to measure
  std::string match;              // reproduce: part of the labels of the rows to run
  std::string family;             // explain, schema; "" of schema: all of them in one
  std::string text;               // help: what to print; texts: which
  struct Plot {
    std::vector<std::string> files;  // tables, or directories of runs
    std::string x = {};              // column; "": the first swept one, a time, a number
    std::vector<std::string> y = {};
    std::string map = {};    // a column over two swept values, in colors
    std::string field = {};  // in colors
    std::string time = {}, plane = {};
    std::vector<double> range = {};  // of colors: low, high
    Index contours = -1;             // -1: as the field is
    bool log_x = false, log_y = false, log_color = false, lines = false;
    std::string output = {};       // "": in the directory of the run
    double width = 0, height = 0;  // mm; 0: as the figure wants it
    double resolution = 200;       // pixels per inch
  } plot;
};

// A word of a command as a shell reads it, in quotes where it needs them.
std::string shell_word(const std::string& word);

// The command line for a shell, and the one that goes on where that run has stopped.
std::string line_of(const Command& command);
std::string continuing_line(const Command& command);

// Throws DeckError with the reason and the usage when the command line cannot be understood.
Command parse_command_line(int argc, const char* const* argv);

// All of it but what is hidden.
CommandLineHelp describe_command_line();

// "halocline 0.1.0 (commit)".
std::string version_text();

}  // namespace halocline
