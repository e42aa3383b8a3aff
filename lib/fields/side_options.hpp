// What a deck gives on a side of a box, or on a piece of one: the kind of condition, its value, its transfer
// coefficient.
#pragma once

#include <array>
#include <span>
#include <string>

#include "lib/base/describe.hpp"
#include "lib/base/words.hpp"

namespace halocline {

enum class SideKind { dirichlet, neumann, robin, periodic, no_flux, flux };
constexpr auto words_of(SideKind) {
  return std::to_array<Word<SideKind>>({{"dirichlet", SideKind::dirichlet},
                                        {"neumann", SideKind::neumann},
                                        {"robin", SideKind::robin},
                                        {"periodic", SideKind::periodic},
                                        {"no_flux", SideKind::no_flux},
                                        {"flux", SideKind::flux}});
}
/// Whether a condition of this kind has a value.
constexpr bool wants_value(SideKind kind) { return kind != SideKind::periodic && kind != SideKind::no_flux; }

struct SideCondition {
  SideKind kind = SideKind::dirichlet;
  Formula value;         // dirichlet: c; neumann: its outward derivative; robin: the c outside; flux: what comes in
  double transfer = -1;  // robin: dc/dn = transfer (value - c); negative: not given
};

/// The keys kind, value and transfer. `names`: variables that the value may use. The kind `flux` where the family has
/// it.
enum class FluxKind { none, known };
void describe_condition(Describer& d, SideCondition& condition, std::span<const char* const> names,
                        FluxKind flux = FluxKind::none);

/// Reports a value or a transfer coefficient that is missing, or that the kind does not have, at or below `path`;
/// `holder`: what has the condition, in words. What the value says is left to its parser.
void check_condition(const SideCondition& condition, const std::string& path, const std::string& holder,
                     Faults& faults);

}  // namespace halocline
