#include "lib/problems/fractional/weights/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/base/format.hpp"

namespace halocline::fractional {

namespace {

constexpr double ulp = std::numeric_limits<double>::epsilon();
constexpr double least_step = 1e-100, most_psi = 1e100;  // of psi: squares and cubes of them are numbers
constexpr Index sampled_steps = 4096;                    // equal ones of t at which psi is looked at, whatever the mesh

std::string at(double t) { return " at t = " + std::to_string(t); }

// psi(end), the far end of the mesh in s; psi(0) must be 0 but for rounding.
double far_end(const TimeChange& psi, double end, Index steps) {
  const double start = psi.value(0), s = psi.value(end);
  if (!std::isfinite(start)) throw LevelFault(0, "psi is not finite" + at(0));
  if (!std::isfinite(s)) throw LevelFault(steps, "psi is not finite" + at(end));
  if (std::abs(start) > 1e-14 * std::abs(s))
    throw LevelFault(0, "psi is " + std::to_string(start) + at(0) + ", where it must be 0");
  if (!(s > 0)) throw LevelFault(steps, "psi is " + std::to_string(s) + at(end) + ", where it must have increased");
  return s;
}

}  // namespace

Levels::Levels(const MeshOptions& options, TimeChange psi)
    : psi_(std::move(psi)),
      t_(static_cast<std::size_t>(options.steps) + 1),
      s_(t_.size()),
      step_(t_.size()),
      equal_from_(options.steps + 1) {
  require(options.end > 0 && options.steps >= 1 && options.grading >= 1 && options.start_steps >= 1,
          "Levels: a mesh without length, steps or grading");
  t_.back() = options.end;
  s_.back() = far_end(psi_, options.end, options.steps);
  if (options.mesh == Mesh::uniform_t)
    place_by_t();
  else
    place_by_s(options);
  for (Index l = 1; l <= steps(); ++l)
    step_[static_cast<std::size_t>(l)] = l > equal_from_ ? equal_step_ : s(l) - s(l - 1);
  check_increase();
  check();
}

void Levels::place_by_t() {
  const auto count = static_cast<double>(steps());
  bool equal = true;
  for (Index l = 1; l < steps(); ++l) {
    const double share = static_cast<double>(l) / count;
    double& s_here = s_[static_cast<std::size_t>(l)];
    t_[static_cast<std::size_t>(l)] = share * t_.back();
    s_here = psi_.value(t(l));
    equal = equal && std::abs(s_here - share * s_.back()) <= 4 * ulp * s_here;
  }
  if (!equal) return;
  for (Index l = 1; l < steps(); ++l) s_[static_cast<std::size_t>(l)] = static_cast<double>(l) / count * s_.back();
  equal_from_ = 0;
  equal_step_ = s_.back() / count;
}

void Levels::place_by_s(const MeshOptions& options) {
  const double end = s_.back(), r = options.mesh == Mesh::uniform_psi ? 1 : options.grading;
  // Levels up to `graded` follow the power law, which ends at s = `meeting`.
  Index graded = steps();
  double meeting = end;
  if (r == 1) {
    graded = 0;
    meeting = 0;
  } else if (options.mesh == Mesh::graded_start && options.start_steps < steps()) {
    graded = options.start_steps;
    meeting =
        end * static_cast<double>(graded) / (r * static_cast<double>(steps() - graded) + static_cast<double>(graded));
  }
  if (graded < steps()) {
    equal_from_ = graded;
    equal_step_ = (end - meeting) / static_cast<double>(steps() - graded);
  }
  for (Index l = 1; l < steps(); ++l)
    s_[static_cast<std::size_t>(l)] = l <= graded
                                          ? meeting * std::pow(static_cast<double>(l) / static_cast<double>(graded), r)
                                          : meeting + static_cast<double>(l - graded) * equal_step_;
  // Downward, so that each time found bounds the next.
  for (Index l = steps() - 1; l >= 1; --l) t_[static_cast<std::size_t>(l)] = inverse(psi_, s(l), 0, t(l + 1));
}

// Levels found by inverses of a psi that falls between them, or stays, look as good as others.
void Levels::check_increase() const {
  double before = 0, value_before = psi_.value(0);
  for (Index n = 1; n <= sampled_steps; ++n) {
    const double now = t_.back() * static_cast<double>(n) / sampled_steps, value = psi_.value(now);
    const Index level = std::lower_bound(t_.begin() + 1, t_.end() - 1, now) - t_.begin();
    if (!std::isfinite(value)) throw LevelFault(level, "psi is not finite" + at(now));
    if (!(value > value_before))
      throw LevelFault(level, formatted("psi does not increase: it is {:.10g} at t = {:.7g} and {:.10g} at t = {:.7g}",
                                        value_before, before, value, now));
    before = now;
    value_before = value;
  }
}

void Levels::check() const {
  for (Index l = 1; l <= steps(); ++l) {
    const double value = psi_.value(t(l));
    if (!std::isfinite(value) || !std::isfinite(s(l))) throw LevelFault(l, "psi is not finite" + at(t(l)));
    // Far from s_l is the value at an inverse of a psi that jumps or falls.
    if (!(step(l) > 0) || !(t(l) > t(l - 1)) || std::abs(value - s(l)) > 1e-3 * step(l))
      throw LevelFault(l, "psi does not increase continuously from level to level" + at(t(l)));
    if (step(l) < least_step || s(l) > most_psi)
      throw LevelFault(l, formatted("step {} has length {:.3g} of psi and ends at {:.3g}, where weights take steps of "
                                    "{:g} or more and ends of {:g} or less: count time in a {} unit",
                                    l, step(l), s(l), least_step, most_psi, s(l) > most_psi ? "larger" : "smaller"));
  }
}

double Levels::time_within(Index l, double theta) const {
  if (theta == 0) return t(l);
  return inverse(psi_, s(l) - theta * step(l), t(l - 1), t(l));
}

double Levels::fraction_within(Index l, double t_between) const {
  if (t_between >= t(l)) return 1;
  return std::clamp((psi_.value(t_between) - s(l - 1)) / step(l), 0.0, 1.0);
}

double default_grading(Scheme scheme, double smallest_order) {
  if (smallest_order >= 1) return 1;
  return std::min(8.0, (scheme == Scheme::alikhanov ? 2 : 2 - smallest_order) / smallest_order);
}

}  // namespace halocline::fractional
