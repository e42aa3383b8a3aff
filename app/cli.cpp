#include "app/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <sstream>

#include "app/commit.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/printable.hpp"
#include "lib/expression/scope.hpp"

namespace halocline {
namespace {

constexpr const char* description = "halocline solves the problem that a YAML deck describes and writes HDF5 files.";
constexpr const char* footer =
    "\nOn several ranks: mpirun -n N halocline run DECK. Exit codes: 0 ok, 1 verification failed, 2 deck or command "
    "line,\n3 numerical failure, 4 machine (files, memory, devices), 5 defect of halocline.";

// An empty variable of a script is no choice.
std::string filled(const std::string& text) { return text.empty() ? "expected a value, found an empty text" : ""; }

CLI::App* add_deck_command(CLI::App& app, Command& command, Action action, const char* name, const char* help,
                           const char* argument = "DECK", const char* what = "YAML file") {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->add_option(argument, command.deck, what)->required();
  // Takes one value per --set, so that a deck may follow it.
  sub->add_option("--set", command.overrides, "Replace a key of the deck; may be given several times")
      ->type_name("key.path=value")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  // Left in the environment, where who compiles formulas looks for them; see jit_options_of_environment().
  const auto leave = [](const char* variable) {
    return [variable](const std::string& value) { setenv(variable, value.c_str(), 1); };
  };
  sub->add_option_function<std::string>("--compiler", leave("HALOCLINE_COMPILER"),
                                        "Compiler of formulas; by default the first of g++, c++, clang++")
      ->type_name("PATH")
      ->check(filled);
  sub->add_option_function<std::string>("--cache", leave("HALOCLINE_CACHE"),
                                        "Folder for compiled formulas, or none; by default the user's")
      ->type_name("FOLDER")
      ->check(filled);
  sub->add_flag("--verbose", command.verbose, "Show every message of the log");
  sub->callback([&command, action] { command.action = action; });
  return sub;
}

CLI::App* add_command(CLI::App& app, Command& command, Action action, const char* name, const char* help) {
  CLI::App* sub = app.add_subcommand(name, help);
  sub->callback([&command, action] { command.action = action; });
  return sub;
}

void add_sweep(CLI::App& app, Command& command) {
  CLI::App* sweep = add_deck_command(app, command, Action::sweep, "sweep",
                                     "Solve a deck with every combination of values of some keys, in one job");
  sweep->add_option("--over", command.over, "Values of a key; of several keys all combinations, the last one fastest")
      ->type_name("key.path=v1,v2,...")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  sweep->add_option("--each", command.each, "Ranks of a case; by default all are shared out over the cases")
      ->type_name("N|all")
      ->check(filled);
  auto* restart = sweep
                      ->add_option("--restart", command.restart,
                                   "Go on with a sweep: finished cases stay, others go on from their checkpoints")
                      ->type_name("auto");
  sweep->add_flag("--overwrite", command.overwrite, "Replace the files of an earlier sweep")->excludes(restart);
}

void add_check(CLI::App& app, Command& command) {
  CLI::App* check =
      add_deck_command(app, command, Action::check, "check", "Report all faults of a deck, or what a run would cost");
  check->add_option("--ranks", command.ranks, "Ranks of the run; by default those of this command")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20));
  CLI::Option* devices =
      check->add_option("--devices", command.devices, "Forecast its time on such devices, one for each part")
          ->type_name("h200|h100|host[:THREADS]|NAME")
          ->check(filled);
  check->add_option("--rates", command.rates, "What these can do, as `info --rates` prints it")
      ->type_name("FILE")
      ->check(filled)
      ->needs(devices);
}

// "85x60", "85", in mm; "3.4x2.5in".
void take_size(const std::string& text, Command::Plot& plot) {
  std::istringstream words(text);
  words.imbue(std::locale::classic());
  char x = 0;
  std::string unit;
  bool good = static_cast<bool>(words >> plot.width) && plot.width > 0;
  if (good && words.peek() == 'x') good = static_cast<bool>(words >> x >> plot.height) && plot.height > 0;
  if (good) words >> unit;
  if (!good || (!unit.empty() && unit != "mm" && unit != "in"))
    throw CLI::ValidationError("--size", "'" + text + "': expected WIDTHxHEIGHT or WIDTH, in mm or followed by in");
  constexpr double mm_per_inch = 25.4;
  if (unit == "in") plot.width *= mm_per_inch, plot.height *= mm_per_inch;
}

// Ends of colors between which there is nothing to draw, or no logarithm.
void check_range(const Command::Plot& plot) {
  if (plot.range.empty()) return;
  const double low = plot.range[0], high = plot.range[1];
  const std::string given = "halocline: --range " + shortest_text(low) + " " + shortest_text(high) + ": ";
  if (!(low < high) || !std::isfinite(high - low)) throw DeckError(given + "expected two numbers, the lower one first");
  if (plot.log_color && low <= 0) throw DeckError(given + "logarithmic colors begin above 0");
}

void add_look(CLI::App* plot, Command& command) {
  plot->add_flag("--log-x", command.plot.log_x, "Logarithmic horizontal axis, as by default over a logarithmic sweep");
  plot->add_flag("--log-y", command.plot.log_y, "Logarithmic vertical axis, as by default of residuals");
  plot->add_flag("--log-color", command.plot.log_color, "Logarithmic colors of a field or map");
  plot->add_option("--range", command.plot.range,
                   "Values at the ends of the colors of a field or map, or of the vertical axis")
      ->type_name("LOW HIGH")
      ->expected(2);
  plot->add_option("--contours", command.plot.contours, "About so many contours; 0 for none")
      ->type_name("N")
      ->check(CLI::Range(0, 100));
  plot->add_flag("--lines", command.plot.lines, "Join the points of an ensemble");
  plot->add_option_function<std::string>(
          "--size", [&command](const std::string& text) { take_size(text, command.plot); },
          "Size of the figure in mm, or followed by in; by default 150 wide")
      ->type_name("WxH");
  plot->add_option("--dpi", command.plot.resolution, "Pixels per inch of PNG; by default 200")
      ->check(CLI::Range(20.0, 2400.0));
  plot->add_option("--output", command.plot.output,
                   "The figure: .png, .svg or .pdf; by default plot_NAME.png of the run")
      ->type_name("FILE");
}

void add_plot(CLI::App& app, Command& command) {
  CLI::App* plot = add_command(app, command, Action::plot, "plot", "Draw figures of runs: fields, series, ensembles");
  plot->add_option("RUN", command.plot.files, "Directory of a run, or its tables.h5; several for their series")
      ->required();
  CLI::Option* x =
      plot->add_option("--x", command.plot.x, "Column for the horizontal axis; by default the first swept one")
          ->type_name("NAME");
  CLI::Option* y = plot->add_option("--y", command.plot.y, "Column or series to draw; may be given several times")
                       ->type_name("NAME")
                       ->expected(1)
                       ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                       ->allow_extra_args(false);
  CLI::Option* map = plot->add_option("--map", command.plot.map, "Column to draw in colors over two swept values")
                         ->type_name("NAME")
                         ->excludes(x)
                         ->excludes(y);
  plot->add_option("--field", command.plot.field, "Field to draw in colors")
      ->type_name("NAME")
      ->excludes(x)
      ->excludes(y)
      ->excludes(map);
  plot->add_option("--time", command.plot.time,
                   "Output of a field: first, last or the nearest to a time; by default last")
      ->type_name("TIME");
  plot->add_option("--plane", command.plot.plane, "Plane of a field in space; by default in the middle of z")
      ->type_name("x|y|z=PLACE");
  add_look(plot, command);
}

void add_report(CLI::App& app, Command& command) {
  CLI::App* report = add_command(app, command, Action::report, "report",
                                 "Make one page (HTML) of a run: results, figures, times, the deck");
  report->add_option("RUN", command.plot.files, "Directory of a run")->required()->expected(1);
  report->add_option("--output", command.plot.output, "The page; by default report.html of the run")->type_name("FILE");
}

void describe(CLI::App& app, Command& command) {
  app.require_subcommand(1);
  app.footer(footer);
  CLI::App* run = add_deck_command(app, command, Action::run, "run", "Solve a deck");
  auto* restart = run->add_option("--restart", command.restart,
                                  "Go on from a checkpoint file, or from the newest of the output directory (auto)")
                      ->type_name("auto|FILE");
  run->add_flag("--overwrite", command.overwrite, "Replace the files of an earlier run")->excludes(restart);
  run->add_flag("--profile", command.profile,
                "Measure kernels and scopes and print the most expensive; costs some time itself");
  run->add_option("--monitor", command.monitor, "Append a line of JSON to this file after every slice of work")
      ->type_name("FILE")
      ->check(filled);
  add_check(app, command);
  CLI::App* study =
      add_deck_command(app, command, Action::study, "study", "Solve on finer and finer grids: errors, orders");
  study->add_option("--refine", command.refine, "Number of grids, each twice as fine as the one before")
      ->type_name("N")
      ->required()
      ->check(CLI::Range(1, 20));
  study->add_flag("--overwrite", command.overwrite, "Replace the files of an earlier run");
  add_sweep(app, command);
  CLI::App* reproduce = add_deck_command(app, command, Action::reproduce, "reproduce",
                                         "Run the decks behind published tables and print both values", "TABLE",
                                         "Name of a table (thesis), or a file NAME.table");
  reproduce->add_option("--match", command.match, "Only rows with this in their 'CASE, VARIANT'")->type_name("TEXT");
  add_plot(app, command);
  add_report(app, command);
  add_command(app, command, Action::list, "list", "List the families of problems");
  add_command(app, command, Action::explain, "explain", "Print the keys of a family's decks")
      ->add_option("FAMILY", command.family,
                   "As `halocline list` names it; with keys behind it, as collocation.solver, what is below these")
      ->required();
  add_command(app, command, Action::schema, "schema", "Print them as JSON Schema")
      ->add_option("FAMILY", command.family, "As `halocline list` names it; without one, a schema for all decks");
  CLI::App* info = add_command(app, command, Action::info, "info", "Print version, libraries and devices");
  info->add_flag_callback(
      "--rates", [&command] { command.rates = "here"; },
      "Measure this machine and print a file for `check --devices here --rates FILE`");
  // For those who install: not in the help.
  add_command(app, command, Action::texts, "texts", "Print a manual page or a shell's completion")
      ->group("")
      ->add_option("KIND", command.text)
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh"}));
}

}  // namespace

namespace {

// What a command line without a command holds in its place; "" where CLI11 says it well.
std::string no_command(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.front() == '-') return "";
  std::vector<std::string> known;
  for (const CLI::App* sub : app.get_subcommands({})) known.push_back(sub->get_name());  // hidden ones too
  if (std::find(known.begin(), known.end(), word) != known.end()) return "";
  const std::string near = nearest_name(word, known);
  return "'" + word + "' is no command" + (near.empty() ? "" : "; did you mean '" + near + "'?");
}

OptionHelp help_of(const CLI::Option& option) {
  OptionHelp help;
  for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
  help.value = option.get_positional()         ? option.get_name()
               : option.get_expected_max() > 0 ? option.get_type_name()
                                               : "";
  help.help = option.get_description();
  help.required = option.get_required();
  return help;
}

std::vector<OptionHelp> options_of(const CLI::App& app) {
  std::vector<OptionHelp> options;
  for (const CLI::Option* option : app.get_options()) options.push_back(help_of(*option));
  return options;
}

}  // namespace

namespace {

// An override in two words, which would be said to lack a value or to be one word too many.
void check_overrides(int argc, const char* const* argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    const std::string key = argv[i + 1];
    if (argv[i] != std::string("--set") || key.find('=') != std::string::npos) continue;
    const std::string next = i + 2 < argc ? argv[i + 2] : "";
    const bool has_value = !next.empty() && next.front() != '-';
    throw DeckError("halocline: --set " + key + ": expected key.path=value in one word" +
                    (has_value ? "; did you mean --set " + key + "=" + next + "?" : ""));
  }
}

bool needs_no_quotes(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string("_-./=:,+@%").find(c) != std::string::npos;
}

}  // namespace

std::string shell_word(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), needs_no_quotes)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string continuing_line(const Command& command) {
  std::string text;
  for (std::size_t n = 0; n < command.words.size(); ++n) {
    const std::string& word = command.words[n];
    if (word == "--overwrite" || word.starts_with("--restart=")) continue;
    if (word == "--restart") {
      ++n;
      continue;
    }
    text += shell_word(word) + " ";
  }
  return text + "--restart auto";
}

std::string line_of(const Command& command) {
  std::string text;
  for (const std::string& word : command.words) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

CommandLineHelp describe_command_line() {
  CLI::App app(description, "halocline");
  app.set_version_flag("--version", version_text());
  Command unused;
  describe(app, unused);
  CommandLineHelp help{description, footer, {}, options_of(app)};
  for (const CLI::App* sub : app.get_subcommands({}))
    if (!sub->get_group().empty()) help.commands.push_back({sub->get_name(), sub->get_description(), options_of(*sub)});
  return help;
}

std::string version_text() {
  const std::string of = commit();
  return "halocline " HALOCLINE_VERSION + (of.empty() ? "" : " (" + of + ")");
}

namespace {

// Names go to terminals and into files of JSON, XML and HDF5.
void check_words(int argc, const char* const* argv) {
  for (int n = 1; n < argc; ++n) {
    const std::string word = argv[n];
    if (first_unprintable(word) < word.size())
      throw DeckError("halocline: '" + printable(word) + "': names and values are printable text in UTF-8");
  }
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  check_words(argc, argv);
  check_overrides(argc, argv);
  CLI::App app(description, "halocline");
  app.set_version_flag("--version", version_text());
  Command command;
  command.words.assign(argv, argv + argc);
  describe(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    command.action = Action::help;
    command.text = version_text() + "\n";
  } catch (const CLI::CallForHelp&) {
    command.action = Action::help;
    command.text = app.help();  // of the command, where there is one
  } catch (const CLI::ParseError& error) {
    const std::string reason = no_command(app, argc > 1 ? argv[1] : "");
    throw DeckError("halocline: " + (reason.empty() ? error.what() : reason) +
                    "\nhalocline --help explains the command line");
  }
  check_range(command.plot);
  return command;
}

}  // namespace halocline
