// What is wrong with a box: in the deck, and with values that only rows show.
#include "tests/unit/sparse/sources.hpp"

namespace halocline::sparse {
namespace {

const std::string sound = R"(
exact: x*y
box:
  grid: {size: [1, 2], cells: [8, 4]}
  k: 1 + x
  velocity: [1, 0]
  source: 1
  sides: {x_max: {kind: neumann, value: 0}, rest: {kind: dirichlet, value: 0}}
)";

std::string changed(const std::string& what, const std::string& to) {
  std::string text = sound;
  return text.replace(text.find(what), what.size(), to);
}

TEST(BoxFaults, OfDecks) {
  ASSERT_EQ(read_box(sound).faults, "");
  const std::vector<std::array<std::string, 3>> cases{
      {"cells: [8, 4]", "cells: [8, 4], points: [8, 4]", "give one of them"},
      {", cells: [8, 4]", "", "lacks `cells` or `points`"},
      {"cells: [8, 4]", "cells: [8]", "expected 2 (2D) or 3 (3D)"},
      {"cells: [8, 4]", "cells: [8, 4.5]", "must be a whole number"},
      {"cells: [8, 4]", "cells: [8, 4, 2]", "grid.size: has 2 numbers; expected 3"},
      {"cells: [8, 4]", "cells: [8, 4], origin: [1]", "grid.origin: has 1 numbers"},
      {"size: [1, 2], ", "", "lacks `size`"},
      {"cells: [8, 4]", "cells: [0, 4]", "out of bounds"},
      {"  k: 1 + x\n", "", "box.k: missing"},
      {"velocity: [1, 0]", "velocity: [1]", "list of 2 formulas"},
      {"velocity: [1, 0]", "velocity: {x: 1, y: 0}", "list of 2 formulas"},
      {"velocity: [1, 0]", "velocity: [1, q]", "'q'"},
      {"velocity: [1, 0]", "anisotropy: {z: 2}", "names z"},
      {"velocity: [1, 0]", "random: {kind: jump, decades: 3}", "lacks `block`"},
      {"velocity: [1, 0]", "random: {kind: lognormal, decades: 3, block: 2}", "means nothing for kind lognormal"},
      {"source: 1", "source: manufactured", "follows from verify.exact"},
      {"source: 1", "source: manufactured + 1", "'manufactured'"},
      {", value: 0}, rest", "}, rest", "lacks `value`"},
      {", rest: {kind: dirichlet, value: 0}", "", "give no condition for x_min"},
      {"x_max: {", "z_max: {", "is no side of a box in 2D"},
      {"cells: [8, 4]", "points: [8, 4]", "neumann needs cells"},
      {"source: 1", "source: 1\n  stencil: hpcg", "means nothing with stencil hpcg"},
      {"source: 1", "source: 1\n  stencil: hpcg", "hpcg has unknowns on points"},
  };
  for (const auto& [what, to, message] : cases) {
    const ReadBox read = read_box(changed(what, to));
    EXPECT_FALSE(read.model) << to;
    EXPECT_NE(read.faults.find(message), std::string::npos) << to << "\n" << read.faults;
    EXPECT_NE(read.faults.find("deck.yaml:"), std::string::npos) << read.faults;
  }
  std::string unknown = changed("exact: x*y", "");
  unknown.replace(unknown.find("source: 1"), 9, "source: manufactured");
  EXPECT_NE(read_box(unknown).faults.find("needs the exact solution"), std::string::npos);
}

using BoxFaultsOfRows = OnEveryExecutor;

// Asked in two parts; the fault of the lower one is that of the whole.
TEST_P(BoxFaultsOfRows, NameFormulaAndPlace) {
  const std::vector<std::array<std::string, 4>> cases{
      {"k: 1 + x", "k: x - 0.4", "0", "deck.yaml:5:6: sparse.matrix.box.k: must be positive and finite"},
      {"k: 1 + x", "k: if(y < 1.5, 1, 0)", "24", "at x = 0.0625, y = 1.75"},
      {"k: 1 + x", "k: if(x*y < 0.9375*2, 1, 0)", "31", "it is not on y_max, beside the unknown at x = 0.9375"},
      {"source: 1", "source: 1/(x - 0.1875)", "1", "source: gives a source that is not finite at x = 0.1875, y = 0.25"},
      {"source: 1", "reaction: log(y - 1)", "0", "reaction: is not finite"},
      {"velocity: [1, 0]", "velocity: [1, 1/(y - 0.5)]", "0", "velocity: is not finite on a face of the unknown at"},
      {"velocity: [1, 0]", "velocity: [0.5 - y, 0]", "15",
       "flows in on x_max, beside the unknown at x = 0.9375, y = 0.75"},
      {"dirichlet, value: 0", "dirichlet, value: sqrt(y - 0.1)", "0", "value: is not finite on y_min"},
  };
  for (const auto& [what, to, row, message] : cases) {
    const BoxSource source = box_of(changed(what, to));
    const Index first = std::stoll(row);
    const RowFault all = source.part(executor(), {{0}, {32}}, 0)->fault();
    EXPECT_EQ(all.row, first) << to << ": " << all.message;
    EXPECT_NE(all.message.find(message), std::string::npos) << all.message;
    EXPECT_FALSE(source.part(executor(), {{0}, {first}}, 0)->fault().found());
    EXPECT_EQ(source.part(executor(), {{first}, {32}}, 0)->fault().message, all.message);
  }
  EXPECT_FALSE(box_of(sound).part(executor(), {{0}, {32}}, 0)->fault().found());
}

INSTANTIATE_TEST_SUITE_P(Executors, BoxFaultsOfRows, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::sparse
