// What a deck gives on a side of a box, or on a piece of one: the kind of condition, its value, its transfer
// coefficient.
#pragma once

#include <array>
#include <span>
#include <string>

#include "lib/base/describe.hpp"
#include "lib/base/words.hpp"

namespace halocline {

enum class SideKind { dirichlet, neumann, robin, periodic, no_flux };
constexpr auto words_of(SideKind) {
  return std::to_array<Word<SideKind>>({{"dirichlet", SideKind::dirichlet},
                                        {"neumann", SideKind::neumann},
                                        {"robin", SideKind::robin},
                                        {"periodic", SideKind::periodic},
                                        {"no_flux", SideKind::no_flux}});
}
/// Whether a condition of this kind has a value.
constexpr bool wants_value(SideKind kind) {
  return kind == SideKind::dirichlet || kind == SideKind::neumann || kind == SideKind::robin;
}

struct SideCondition {
  SideKind kind = SideKind::dirichlet;
  Formula value;         // dirichlet: c; neumann: its outward derivative; robin: the c outside
  double transfer = -1;  // robin: dc/dn = transfer (value - c); negative: not given
};

/// The keys kind, value and transfer. `names`: variables that the value may use.
void describe_condition(Describer& d, SideCondition& condition, std::span<const char* const> names);

/// Reports a value or a transfer coefficient that is missing, or that the kind does not have, at or below `path`;
/// `holder`: what has the condition, in words. What the value says is left to its parser.
void check_condition(const SideCondition& condition, const std::string& path, const std::string& holder,
                     Faults& faults);

}  // namespace halocline
