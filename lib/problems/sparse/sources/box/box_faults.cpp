#include "lib/problems/sparse/sources/box/box_faults.hpp"

namespace halocline::sparse {

namespace {

std::string told(const Coefficient& c, const std::string& text) {
  return (c.place.line > 0 ? to_string(c.place) + ": " : "") + c.path + ": " + text;
}

}  // namespace

std::string fault_text(const BoxModel& model, BoxFault fault, int axis, int side, Index row) {
  const auto number = static_cast<std::size_t>(2 * axis + side);
  const Coefficient& velocity = model.velocity[static_cast<std::size_t>(axis)];
  const std::string at = " at " + place_text(model.layout, row);
  const std::string beside = " on " + std::string(side_names[number]) + ", beside the unknown" + at;
  switch (fault) {
    case BoxFault::k:
      return told(model.k, "must be positive and finite; it is not" + at);
    case BoxFault::wall_k:
      return told(model.k, "must be positive and finite; it is not" + beside);
    case BoxFault::reaction:
      return told(model.reaction, "is not finite" + at);
    case BoxFault::source:
      return told(model.source, "gives a source that is not finite" + at);
    case BoxFault::velocity:
      return told(velocity, "is not finite on a face of the unknown" + at);
    case BoxFault::wall_value:
      return told(model.sides[number].value, "is not finite" + beside);
    case BoxFault::inflow:
      return told(velocity, "flows in" + beside + "; a neumann side lets out only, give kind dirichlet with a value");
    case BoxFault::none:
      break;
  }
  throw InternalError("a row of a box has lost its fault");
}

}  // namespace halocline::sparse
