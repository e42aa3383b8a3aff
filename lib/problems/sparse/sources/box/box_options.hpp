// Keys of the matrix source `box`: grid, coefficients, walls.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline::sparse {

constexpr std::array<const char*, 3> axis_names{"x", "y", "z"};
constexpr std::array<const char*, 6> side_names{"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
// Variables of formulas, in the order programs take them.
constexpr std::array<const char*, 4> variables{"x", "y", "z", "t"};

enum class SideKind { dirichlet, neumann };
constexpr auto words_of(SideKind) {
  return std::to_array<Word<SideKind>>({{"dirichlet", SideKind::dirichlet}, {"neumann", SideKind::neumann}});
}

enum class Stencil { fv, hpcg };
constexpr auto words_of(Stencil) {
  return std::to_array<Word<Stencil>>({{"fv", Stencil::fv}, {"hpcg", Stencil::hpcg}});
}

enum class RandomKind { jump, lognormal };
constexpr auto words_of(RandomKind) {
  return std::to_array<Word<RandomKind>>({{"jump", RandomKind::jump}, {"lognormal", RandomKind::lognormal}});
}

struct BoxGridOptions final : Options {
  std::vector<double> size, cells, points, origin;
  void describe(Describer& d) override;
};

struct BoxSideOptions final : Options {
  bool given = false;
  SideKind kind = SideKind::dirichlet;
  Formula value;
  void describe(Describer& d) override;
};

struct BoxSidesOptions final : Options {
  std::array<BoxSideOptions, 7> sides;  // x_min .. z_max, rest
  void describe(Describer& d) override;
  // What holds for a side: its own block or `rest`; null when neither is given.
  const BoxSideOptions* of(std::size_t side) const;
};

struct RandomOptions final : Options {
  bool given = false;
  RandomKind kind = RandomKind::jump;
  double decades = 0;
  Index block = 0;  // 0: not given
  Index seed = 0;
  void describe(Describer& d) override;
};

struct BoxOptions final : Options {
  BoxGridOptions grid;
  Formula k, reaction, source;
  NamedNumbers anisotropy;
  std::vector<NamedFormula> velocity;
  Stencil stencil = Stencil::fv;
  RandomOptions random;
  BoxSidesOptions sides;
  void describe(Describer& d) override;
  void refine(int factor) override;
  bool manufactured() const { return source.text == "manufactured"; }
};

}  // namespace halocline::sparse
