// Values at nodes that no method can take, or that the user may want to know of.
#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/base/words.hpp"
#include "lib/problems/fractional/data_scale.hpp"
#include "lib/problems/fractional/node_sample.hpp"
#include "lib/problems/fractional/reading.hpp"
#include "lib/problems/fractional/weights/media.hpp"

namespace halocline::fractional {

namespace {

constexpr double same_value = 1e-10;  // relative difference of data that agree
constexpr double steep_peclet = 2;    // above it central differences of velocity make waves

std::string place_text(const UniformGrid& grid, const Node& at) { return grid.place_text(at[0], at[1], at[2]); }

// The first node where a formula has a value that `good` does not accept.
void check_formula(Reading& reading, const Formulation& f, const Coefficient& formula, const std::string& key,
                   const char* rule, bool (*good)(double)) {
  if (formula.constant()) return;  // told where it was read
  NodeSample(f.grid, {&formula}).each([&](const Node& at, std::span<const double> values) {
    if (good(values[0])) return true;
    reading.fault(key, formatted("must be {}, is {} at {}", rule, brief_text(values[0]), place_text(f.grid, at)));
    return false;
  });
}

bool finite(double value) { return std::isfinite(value); }
bool positive(double value) { return value > 0 && std::isfinite(value); }

void find_media(Reading& reading, Formulation& f) {
  if (f.order_of_time) {
    f.media = {{{1, 1}}};
    return;
  }
  std::vector<const Coefficient*> all;
  for (const Coefficient& one : f.coefficients) all.push_back(&one);
  MediaSet media(static_cast<int>(all.size()));
  NodeSample(f.grid, all).each([&](const Node& at, std::span<const double> values) {
    if (const std::string fault = fault_of_coefficients(values); !fault.empty()) {
      reading.fault("equation.terms", text_of_fault(fault) + place_text(f.grid, at));
      return false;
    }
    media.add(values);
    if (!media.too_many()) return true;
    reading.fault("equation.terms", text_of_too_many_media());
    return false;
  });
  if (!media.too_many()) f.media = media.media(f.orders);
}

void check_sides(Reading& reading, const Formulation& f) {
  for (int side = 0; side < 6; ++side) {
    const auto number = static_cast<std::size_t>(side);
    const Coefficient& value = f.sides[number].value;
    if (value.constant()) continue;
    const std::string key =
        std::string("sides.") + (reading.block().sides.sides[number].given ? side_names[number] : "rest") + ".value";
    bool good = true;
    NodeSample(f.grid, {&value}, side).each([&](const Node& at, std::span<const double> values) {
      if (finite(values[0])) return true;
      good = false;
      reading.fault(key, "is not finite at t = 0 and " + place_text(f.grid, at));
      return false;
    });
    if (!good && !reading.block().sides.sides[number].given) return;  // the same for all others
  }
}

// Dirichlet data that do not begin as the initial state does: the side where they differ most.
void note_jump(Formulation& f) {
  const Coefficient initial{0, f.initial};
  double largest = 0, gap = 0;
  int worst = 0;
  Node where{};
  const auto look = [&](double value) { largest = std::max(largest, std::abs(value)); };
  NodeSample(f.grid, {&initial}).each([&](const Node&, std::span<const double> values) {
    look(values[0]);
    return true;
  });
  for (int side = 0; side < 6; ++side) {
    if (!f.dirichlet(side)) continue;
    NodeSample(f.grid, {&initial, &f.sides[static_cast<std::size_t>(side)].value}, side)
        .each([&](const Node& at, std::span<const double> values) {
          look(values[1]);
          const double here = std::abs(values[0] - values[1]);
          if (here > gap) gap = here, worst = side, where = at;
          return true;
        });
  }
  if (gap > same_value * largest)
    f.notes.push_back(
        formatted("initial state and value of {} differ at t = 0, by {} at {}: the first steps are "
                  "less accurate",
                  side_names[static_cast<std::size_t>(worst)], brief_text(gap), place_text(f.grid, where)));
}

void note_peclet(Formulation& f) {
  if (!f.moving() || f.upwind) return;
  double largest = 0;
  NodeSample(f.grid, {&f.diffusivity, &f.velocity[0], &f.velocity[1], &f.velocity[2]})
      .each([&](const Node&, std::span<const double> values) {
        for (std::size_t axis = 0; axis < 3; ++axis)
          largest = std::max(largest, std::abs(values[1 + axis]) * f.grid.spacing[axis] / (values[0] * f.along[axis]));
        return true;
      });
  if (!(largest > steep_peclet)) return;
  f.steep_peclet = largest;
  f.notes.push_back(
      formatted("the cell Peclet number abs(v) h/D reaches {}, above {}: steep fronts make waves with "
                "solver.advection: central",
                brief_text(largest), steep_peclet));
}

// Floats end at 1e-38 and 3e38; increments of c and what is added up of them are smaller and larger than c.
void check_range(Reading& reading, const Formulation& f) {
  constexpr double least = 1e-30, most = 1e35;
  if (f.precision == Precision::fp64 || f.nonlinear()) return;
  const double scale = scale_of_data(f);
  if (scale == 0 || (scale >= least && scale <= most)) return;
  reading.fault("precision",
                formatted("{} holds c between {} and {}, but the data give reason for about {}: take another "
                          "unit for c, or fp64",
                          word_for(f.precision), brief_text(least), brief_text(most), brief_text(scale)));
}

}  // namespace

void check_node_values(Reading& reading, Formulation& f) {
  check_formula(reading, f, f.diffusivity, "equation.D", "positive and finite", positive);
  check_formula(reading, f, f.sigma, "equation.sigma", "positive and finite", positive);
  check_formula(reading, f, f.reaction, "equation.reaction", "finite", finite);
  for (std::size_t axis = 0; axis < 3; ++axis)
    check_formula(reading, f, f.velocity[axis], std::string("equation.velocity.") + axis_names[axis], "finite", finite);
  check_formula(reading, f, {0, f.initial}, "equation.initial", "finite", finite);
  find_media(reading, f);
  check_sides(reading, f);
  if (reading.faults() > 0) return;
  check_range(reading, f);
  note_jump(f);
  note_peclet(f);
}

}  // namespace halocline::fractional
