#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "lib/base/error.hpp"
#include "lib/base/log.hpp"

namespace halocline {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void say_everything(Log& log) {
  log.debug("one {} debug");  // braces are text, not a format
  log.info("two info");
  log.warning("three warning");
  log.error("four error");
  log.flush();
}

TEST(Log, SpeaksPlainlyOnTheTerminal) {
  testing::internal::CaptureStderr();
  Log log(true, LogLevel::info);
  say_everything(log);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "two info\nwarning: three warning\nerror: four error\n");
}

TEST(Log, KeepsLevelsApart) {
  testing::internal::CaptureStderr();
  Log all(true, LogLevel::debug), errors(true, LogLevel::error), off(true, LogLevel::off),
      silent(false, LogLevel::debug);
  say_everything(errors);
  say_everything(off);
  say_everything(silent);
  all.debug("{}");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: four error\n{}\n");
}

TEST(Log, CopiesEverythingWithTimesToTheFile) {
  const auto path = std::filesystem::temp_directory_path() / "halocline_test_log.txt";
  std::ofstream(path) << "old contents\n";
  Log log(false, LogLevel::info);
  log.info("before the file is open");
  log.open_file(path.string());
  say_everything(log);
  log.flush();
  const std::string stamp = R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} )";
  const std::regex expected(stamp + "info +before the file is open\n" + stamp + "debug +one \\{\\} debug\n" + stamp +
                            "info +two info\n" + stamp + "warning +three warning\n" + stamp + "error +four error\n");
  EXPECT_TRUE(std::regex_match(read(path), expected)) << read(path);
  std::filesystem::remove(path);
}

TEST(Log, ReportsAFileItCannotOpen) {
  Log log(false, LogLevel::info);
  EXPECT_THROW(log.open_file("/proc/no/such/folder/run.log"), MachineError);
}

}  // namespace
}  // namespace halocline
