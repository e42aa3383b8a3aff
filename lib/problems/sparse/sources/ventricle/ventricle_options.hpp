// Keys of the matrix source `ventricle`.
#pragma once

#include <string>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline::sparse {

enum class Numbering { lattice, morton, random };
constexpr auto words_of(Numbering) {
  return std::to_array<Word<Numbering>>(
      {{"lattice", Numbering::lattice}, {"morton", Numbering::morton}, {"random", Numbering::random}});
}

struct VentricleOptions final : Options {
  double h = 0;
  std::vector<std::string> conductivity{"bidomain"};  // a word, or two numbers: along fibers, across
  bool ground = true;
  double mass = 0;
  Numbering numbering = Numbering::lattice;
  Index seed = 1;
  void describe(Describer& d) override;
  void refine(int factor) override;
};

}  // namespace halocline::sparse
