// The table at the end of a run.
#include "app/run/summary.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace halocline {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ResultTable, HasMessagesOfAnyLength) {
  Report report;
  report.failure = "no convergence in subdomain " + std::string(2000, '7') + "; try another method";
  const std::string text = result_table(report, "out");
  EXPECT_NE(text.find("  result                   NOT CONVERGED: " + report.failure + "\n"), std::string::npos) << text;
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

}  // namespace
}  // namespace halocline
