// The table at the end of a run.
#include "app/run/summary.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "io/output/read_report.hpp"
#include "io/output/report.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ResultTable, HasMessagesOfAnyLength) {
  Report report;
  report.failure = "no convergence in subdomain " + std::string(2000, '7') + "; try another method";
  const std::string text = result_table(report, "out");
  EXPECT_NE(text.find("  result                   NOT CONVERGED: " + report.failure + "\n"), std::string::npos) << text;
}

TEST(ResultTable, HasTimersBelowTheirOwnParents) {
  Report report;
  report.finished = true;
  report.seconds = 10;
  for (const auto& [path, seconds] : {std::pair{"solve", 5.0},
                                      {"solve/begin", 1.0},
                                      {"output", 2.0},
                                      {"output/wait", 1.5},
                                      {"solve/steps", 4.0},
                                      {"solve/steps/halo", 3.0}})
    report.timers.push_back({path, 1, seconds, seconds, seconds});
  const std::string text = result_table(report, "out");
  std::size_t last = 0;
  for (const char* line :
       {"\n    solve ", "\n      begin ", "\n      steps ", "\n        halo ", "\n    output ", "\n      wait "}) {
    const std::size_t at = text.find(line);
    ASSERT_NE(at, std::string::npos) << line << text;
    EXPECT_GT(at + 1, last) << text;
    last = at;
  }
}

TEST(ResultTable, LinesUpFindings) {
  Report report;
  report.finished = true;
  report.findings.push_back({"iterations", "1", 287, 280, 290});
  report.findings.push_back({"max_error.u", "m", 2.5e-9, 0, 1e-9});
  report.findings.push_back({"rate", "1", 4.0, 2, infinity});
  report.seconds = 1.2345;
  const std::string text = result_table(report, "out");
  for (const char* line : {"  iterations               287              in [280, 290]           ok\n",
                           "  max_error.u              2.5e-09 m        <= 1e-09                FAILED\n",
                           "  rate                     4                >= 2                    ok\n",
                           "  time                     1.23 s\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST(ResultTable, HasCommandsThatAShellReads) {
  const std::string directory = (std::filesystem::temp_directory_path() / "table's test").string();
  std::filesystem::create_directory(directory);
  std::ofstream(directory + "/fields.xdmf") << "\n";
  const std::string text = result_table({}, directory);
  std::filesystem::remove_all(directory);
  EXPECT_NE(text.find("table'\\''s test/fields.xdmf'\n"), std::string::npos) << text;
}

// Written, read and written again: the same bytes.
TEST(ReportFile, IsReadBackAsItWasWritten) {
  Report report;
  report.provenance = {{"version", "1.2"}, {"deck", "a \"b\""}};
  report.ranks = 3, report.parts = 4, report.devices = {"rank 0"};
  report.failure = "broke", report.going_on = "halocline run a.yaml --restart auto";
  report.timers = {{"solve/iterate", 7, 1, 2, 3}};
  report.sent = {{5, 6}};
  report.unknowns = 123;
  report.size = "41 systems of 3 equations";
  EXPECT_NE(result_table(report, "out").find("123: 41 systems of 3 equations\n"), std::string::npos);
  report.seconds = 1.25;
  report.time = -infinity;
  report.stopped_by = "the wall limit";
  report.exit_code = 1;
  report.findings.push_back({"error", "m", std::numeric_limits<double>::quiet_NaN(), -infinity, 1e-9});
  report.findings.push_back({"iterations", "1", 287});
  const Report read = parse_report(report_text(report));
  EXPECT_EQ(report_text(read), report_text(report));
  EXPECT_FALSE(read.findings[0].holds());
  EXPECT_FALSE(read.findings[1].checked());
  EXPECT_THROW(parse_report("{}"), DeckError);
  EXPECT_THROW(parse_report("{\"unkn"), DeckError);
}

}  // namespace
}  // namespace halocline
