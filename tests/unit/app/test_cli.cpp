#include "app/cli.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "app/trial/process_end.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "halocline");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLine, ReadsRun) {
  const Command command = parse({"run", "--set", "a.b=1", "--set", "c=[1, 2]", "x.yaml", "--overwrite", "--verbose"});
  EXPECT_EQ(command.action, Action::run);
  EXPECT_EQ(command.deck, "x.yaml");
  EXPECT_EQ(command.overrides, (std::vector<std::string>{"a.b=1", "c=[1, 2]"}));
  EXPECT_TRUE(command.overwrite);
  EXPECT_TRUE(command.verbose);
  EXPECT_EQ(parse({"run", "x.yaml", "--restart", "auto"}).restart, "auto");
}

TEST(CommandLine, ReadsTheOthers) {
  EXPECT_EQ(parse({"check", "x.yaml", "--set", "a="}).action, Action::check);
  const Command study = parse({"study", "x.yaml", "--refine", "4"});
  EXPECT_EQ(study.action, Action::study);
  EXPECT_EQ(study.refine, 4);
  const Command sweep = parse({"sweep", "--over", "a.b=1,2", "x.yaml", "--over", "c=[1, 2],[3, 4]", "--each", "all"});
  EXPECT_EQ(sweep.action, Action::sweep);
  EXPECT_EQ(sweep.deck, "x.yaml");
  EXPECT_EQ(sweep.over, (std::vector<std::string>{"a.b=1,2", "c=[1, 2],[3, 4]"}));
  EXPECT_EQ(sweep.each, "all");
  EXPECT_EQ(parse({"explain", "box"}).family, "box");
  EXPECT_EQ(parse({"schema", "box"}).action, Action::schema);
  EXPECT_EQ(parse({"schema"}).family, "");
  EXPECT_EQ(parse({"texts", "man"}).action, Action::texts);
  EXPECT_EQ(parse({"list"}).action, Action::list);
  EXPECT_EQ(parse({"info"}).action, Action::info);
  EXPECT_EQ(parse({"--help"}).action, Action::help);
  EXPECT_NE(parse({"run", "--help"}).text.find("--restart"), std::string::npos);
}

TEST(CommandLine, DescribesItself) {
  const CommandLineHelp line = describe_command_line();
  const auto named = [&](const std::string& name) {
    return std::find_if(line.commands.begin(), line.commands.end(), [&](const auto& one) { return one.name == name; });
  };
  ASSERT_NE(named("run"), line.commands.end());
  EXPECT_EQ(named("texts"), line.commands.end());
  const auto& options = named("run")->options;
  const auto restart = std::find_if(options.begin(), options.end(), [](const OptionHelp& option) {
    return option.names == std::vector<std::string>{"--restart"};
  });
  ASSERT_NE(restart, options.end());
  EXPECT_EQ(restart->value, "auto|FILE");
  const auto deck = std::find_if(options.begin(), options.end(), [](const OptionHelp& one) { return !one.named(); });
  ASSERT_NE(deck, options.end());
  EXPECT_EQ(deck->value, "DECK");
  EXPECT_TRUE(deck->required);
}

TEST(CommandLine, RefusesTheRest) {
  EXPECT_THROW(parse({}), DeckError);
  EXPECT_THROW(parse({"solve"}), DeckError);
  EXPECT_THROW(parse({"texts", "html"}), DeckError);
  EXPECT_THROW(parse({"run"}), DeckError);
  EXPECT_THROW(parse({"run", "a", "b"}), DeckError);
  EXPECT_THROW(parse({"run", "a", "--set"}), DeckError);
  EXPECT_THROW(parse({"run", "a", "--overwrite", "--restart", "auto"}), DeckError);
  EXPECT_THROW(parse({"study", "a"}), DeckError);
  EXPECT_THROW(parse({"study", "a", "--refine", "21"}), DeckError);
  EXPECT_THROW(parse({"check", "a", "--overwrite"}), DeckError);
  EXPECT_THROW(parse({"sweep", "a"}), DeckError);
  EXPECT_THROW(parse({"sweep", "a", "--over", "b=1", "--overwrite", "--restart", "auto"}), DeckError);
}

std::string refusal(std::vector<const char*> arguments) {
  try {
    parse(std::move(arguments));
  } catch (const DeckError& error) {
    return error.what();
  }
  return "";
}

std::string message_of(const std::vector<const char*>& arguments) {
  try {
    parse(arguments);
  } catch (const DeckError& error) {
    return error.what();
  }
  return "";
}

TEST(CommandLine, TellsOfOverridesInTwoWords) {
  EXPECT_EQ(message_of({"run", "x.yaml", "--set", "a.b", "12"}),
            "halocline: --set a.b: expected key.path=value in one word; did you mean --set a.b=12?");
  EXPECT_EQ(message_of({"run", "x.yaml", "--set", "a.b"}), "halocline: --set a.b: expected key.path=value in one word");
}

TEST(CommandLine, TellsTheOneThatGoesOn) {
  const Command command = parse({"run", "x.yaml", "--set", "a=[1, 2]", "--overwrite"});
  EXPECT_EQ(line_of(command), "halocline run x.yaml --set 'a=[1, 2]' --overwrite");
  EXPECT_EQ(continuing_line(command), "halocline run x.yaml --set 'a=[1, 2]' --restart auto");
  EXPECT_EQ(continuing_line(parse({"run", "--restart", "c.h5", "x.yaml"})), "halocline run x.yaml --restart auto");
}

TEST(CommandLine, RefusesRangesWithoutRoom) {
  for (const auto& [low, high] : {std::pair{"1", "1"}, {"2", "1"}, {"nan", "1"}, {"0", "inf"}})
    EXPECT_NE(refusal({"plot", "a", "--range", low, high}).find("the lower one first"), std::string::npos) << low;
  for (const char* low : {"-1", "0"})
    EXPECT_NE(refusal({"plot", "a", "--log-color", "--range", low, "1"}).find("begin above 0"), std::string::npos);
  EXPECT_EQ(parse({"plot", "a", "--range", "-1", "1"}).plot.range, (std::vector<double>{-1, 1}));
}

TEST(CommandLine, RefusesEmptyTexts) {
  EXPECT_NE(refusal({"sweep", "a", "--over", "b=1", "--each", ""}).find("empty text"), std::string::npos);
  EXPECT_NE(refusal({"run", "a", "--monitor", ""}).find("empty text"), std::string::npos);
  EXPECT_NE(refusal({"run", "a", "--monitor="}).find("--monitor"), std::string::npos);
}

TEST(CommandLine, NamesTheCommand) {
  EXPECT_EQ(parse({"run", "--help"}).text.find("Usage: run"), std::string::npos);
  EXPECT_NE(parse({"run", "--help"}).text.find("Usage: halocline run"), std::string::npos);
  EXPECT_NE(refusal({"runn", "a.yaml"}).find("'runn' is no command; did you mean 'run'?"), std::string::npos);
  EXPECT_NE(refusal({"a.yaml"}).find("'a.yaml' is no command"), std::string::npos) << refusal({"a.yaml"});
  EXPECT_NE(refusal({}).find("A subcommand is required"), std::string::npos);
}

// A process that ends with a code, or stays until it is ended.
pid_t process_that(bool ends) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  if (!ends)
    for (;;) ::pause();
  ::_exit(7);
}

bool is_there(pid_t process) { return ::kill(process, 0) == 0 || errno != ESRCH; }

TEST(ProcessEnd, IsThatOfTheProcess) {
  const ProcessEnd end = end_of_process(process_that(true), std::chrono::seconds{60}, [] { return false; });
  EXPECT_EQ(end.how, ProcessEnd::How::by_itself);
  EXPECT_TRUE(WIFEXITED(end.status));
  EXPECT_EQ(WEXITSTATUS(end.status), 7);
}

TEST(ProcessEnd, ComesWhenTimeIsOver) {
  const pid_t process = process_that(false);
  ::kill(process, SIGSTOP);
  EXPECT_EQ(end_of_process(process, std::chrono::milliseconds{50}, [] { return false; }).how,
            ProcessEnd::How::too_late);
  EXPECT_FALSE(is_there(process));
}

TEST(ProcessEnd, ComesWhenSomebodyInterrupts) {
  const pid_t process = process_that(false);
  int asked = 0;
  EXPECT_EQ(end_of_process(process, std::chrono::seconds{60}, [&] { return ++asked > 3; }).how,
            ProcessEnd::How::interrupted);
  EXPECT_FALSE(is_there(process));
}

}  // namespace
}  // namespace halocline
