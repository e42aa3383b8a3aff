#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "lib/base/timers.hpp"

namespace halocline {
namespace {

TEST(Timers, NestsScopesByPath) {
  Timers timers;
  for (int i = 0; i < 3; ++i) {
    const auto solve = timers.scope("solve");
    {
      const auto iterate = timers.scope("iterate");
      const auto exchange = timers.scope("exchange");
    }
    const auto exchange = timers.scope("exchange");
  }
  { const auto write = timers.scope("write"); }
  std::vector<std::string> paths;
  for (const Timers::Entry& entry : timers.entries()) paths.push_back(entry.path);
  EXPECT_EQ(paths,
            (std::vector<std::string>{"solve", "solve/iterate", "solve/iterate/exchange", "solve/exchange", "write"}));
  for (const Timers::Entry& entry : timers.entries()) EXPECT_EQ(entry.calls, entry.path == "write" ? 1 : 3);
}

std::string heard;

TEST(Timers, TellAListener) {
  heard.clear();
  Timers timers({[](const char* name) { heard += name; }, [] { heard += '.'; }});
  {
    const auto outer = timers.scope("a");
    { const auto inner = timers.scope("b"); }
    const auto next = timers.scope("b");
  }
  EXPECT_EQ(heard, "ab.b..");
}

TEST(Timers, TellsNamesApartThatShareTheirEnds) {
  Timers timers;
  { const auto alike = timers.scope("a-b"); }
  {
    const auto outer = timers.scope("a");
    const auto inner = timers.scope("b/b");
  }
  {
    const auto outer = timers.scope("a");
    const auto inner = timers.scope("b");
  }
  { const auto other = timers.scope("b"); }
  ASSERT_EQ(timers.entries().size(), 5u);
  EXPECT_EQ(timers.entries()[3].path, "a/b");
  EXPECT_EQ(timers.entries()[4].path, "b");
}

TEST(Timers, MeasuresWallTime) {
  Timers timers;
  {
    const auto outer = timers.scope("outer");
    const auto inner = timers.scope("inner");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_GE(timers.entries()[1].seconds, 0.02);
  EXPECT_GE(timers.entries()[0].seconds, timers.entries()[1].seconds);
  EXPECT_LT(timers.entries()[0].seconds, 10);
  EXPECT_EQ(timers.seconds("outer/inner"), timers.entries()[1].seconds);
  EXPECT_EQ(timers.seconds("inner"), 0);
  EXPECT_GE(timers.elapsed(), timers.seconds("outer"));
}

}  // namespace
}  // namespace halocline
