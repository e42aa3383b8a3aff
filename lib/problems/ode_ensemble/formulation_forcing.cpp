// Functions of time from tables.
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/ode_ensemble/formulator.hpp"
#include "lib/problems/ode_ensemble/tables/forcing.hpp"

namespace halocline::ode_ensemble {

void Formulator::read_forcing() {
  auto numbers = std::make_shared<std::vector<double>>();
  for (std::size_t i = 0; i < block_.forcing.blocks.size(); ++i) {
    const ForcingOptions& one = block_.forcing.blocks[i];
    const std::string path = "ode_ensemble.forcing[" + std::to_string(i) + "]";
    const Points points = read_points(one.file, one.time, one.value);
    if (!points.fault.empty()) {
      names_.fault(path + "." + points.key, points.fault);
      continue;
    }
    made_.system.forcings[i] = add_table(points.x, points.y, one.interpolation == Interpolation::monotone,
                                         one.outside == Outside::hold, *numbers);
    if (one.outside == Outside::refuse) covers_.push_back({path + ".outside", points.x.front(), points.x.back()});
  }
  made_.tables = std::move(numbers);
}

// The last time of all systems, where start and length are the same for all.
std::optional<double> Formulator::common_end(bool restarts) const {
  if (!made_.start.is_constant() || !made_.length.is_constant() || made_.base.phase_by_event != 0) return std::nullopt;
  const double phases = restarts ? 1 : static_cast<double>(made_.base.transient + made_.base.record);
  return made_.start.value() + phases * made_.length.value();
}

// A table that ends before all systems is a fault of the deck.
void Formulator::check_forcing() {
  const std::optional<double> end = common_end(made_.base.restart_time != 0);
  if (!end) return;
  const double first = made_.start.value(), last = *end;
  const double slack = 1e-9 * (std::abs(first) + std::abs(last));
  for (const Cover& one : covers_)
    if (one.first > first + slack || one.last < last - slack)
      names_.fault(one.path, "the table has times " + exact_text(one.first) + " to " + exact_text(one.last) +
                                 ", systems run from " + exact_text(first) + " to " + exact_text(last) +
                                 "; `outside: hold` goes on with the first and the last value");
}

}  // namespace halocline::ode_ensemble
