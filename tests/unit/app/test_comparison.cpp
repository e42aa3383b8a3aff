#include "app/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/reproduce.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;

constexpr const char* small = R"(title: some paper
tables:
  - title: first
    deck: a.yaml
    set: [x=1]
    quantities: [iterations, seconds]
    cases:
      - {label: coarse, set: ["n=[2, 3]"], published: [12]}
      - {label: fine}
    variants:
      - {label: two threads, set: ["run.devices=[omp:2]"]}
)";

std::string faults_of(const std::string& text) {
  try {
    read_comparison(text, "some.table");
  } catch (const DeckError& error) {
    return error.what();
  }
  return "";
}

TEST(Comparison, IsRead) {
  const Comparison comparison = read_comparison(small, "some.table");
  ASSERT_EQ(comparison.tables.blocks.size(), 1U);
  const ComparisonTable& table = comparison.tables.blocks[0];
  EXPECT_EQ(table.deck, "a.yaml");
  EXPECT_EQ(table.set, (std::vector<std::string>{"x=1"}));
  ASSERT_EQ(table.cases.blocks.size(), 2U);
  EXPECT_EQ(table.cases.blocks[0].set, (std::vector<std::string>{"n=[2, 3]"}));
  EXPECT_EQ(table.cases.blocks[0].published, (std::vector<double>{12}));
  EXPECT_EQ(table.variants.blocks[0].label, "two threads");
}

TEST(Comparison, TellsWhatIsWrongAndWhere) {
  EXPECT_THAT(faults_of("title: t\ntables:\n  - {title: a, deck: b, quantites: [x], quantities: [y], cases: []}\n"),
              HasSubstr("some.table:3:25: tables[0].quantites: unknown key; did you mean 'quantities'?"));
  EXPECT_THAT(faults_of("title: t\n"), HasSubstr("tables"));
  EXPECT_THAT(
      faults_of("title: t\ntables: {title: a, deck: b, quantities: [y], cases: {label: c, published: [1, 2]}}\n"),
      HasSubstr("more numbers"));
}

TEST(Comparison, ListsTablesThatExist) {
  try {
    find_comparison("no_such_paper");
    FAIL();
  } catch (const DeckError& error) {
    EXPECT_THAT(error.what(), HasSubstr("thesis"));
  }
  EXPECT_THAT(find_comparison("thesis"), HasSubstr("collocation/thesis.table"));
}

TEST(Reproduce, ShowsBothValuesAndTheirRatio) {
  EXPECT_EQ(comparison_cells(294, 287), "294 | 287 | 0.976");
  EXPECT_EQ(comparison_cells(0, 1.5), "- | 1.5 | -");
  EXPECT_EQ(comparison_cells(9176, 0.0123), "9176 | 0.0123 | 1.34e-06");
}

TEST(Reproduce, ShowsWhatIsLeftOut) {
  EXPECT_EQ(left_out_cells(0.0432), "0.0432 | no GPU | -");
  EXPECT_EQ(left_out_cells(0), "- | no GPU | -");
}

}  // namespace
}  // namespace halocline
