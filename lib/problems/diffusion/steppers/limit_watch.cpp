#include "lib/problems/diffusion/steppers/limit_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline::diffusion {

namespace {

constexpr double least_share = 1e-6;  // of the deck's step: shorter ones would never end
constexpr double infinity = std::numeric_limits<double>::infinity();

// On cells, see is_wanted(). Collective.
FoundValue find(const SlabField<double>& field, double wanted) {
  const Slabs<double>& slabs = field.slabs();
  const UniformGrid& g = slabs.grid();
  const Index none = g.unknowns(), nx = g.extent[0], ny = g.extent[1];
  Index first = none;
  double value = 0;
  for (int p = 0; p < slabs.parts(); ++p) {
    const SlabLayout& slab = field.layout(p);
    const std::vector<double> values = field.read(p);
    const auto number = [&](std::size_t n) {
      const auto own = static_cast<Index>(n);
      return slab.global_line(own / nx, ny) * nx + own % nx;
    };
    for (std::size_t n = 0; n < values.size() && number(n) < first; ++n)
      if (is_wanted(values[n], wanted)) first = number(n), value = values[n];
  }
  return first_found(slabs.comm(), first, none, value,
                     [&](Index at) { return g.place_text(at % nx, at / nx % ny, at / (nx * ny)); });
}

}  // namespace

void refuse_state(const UniformGrid& grid, Index bad, double t, const std::string& suspect) {
  const Index nx = grid.extent[0], ny = grid.extent[1];
  throw NumericalError("c is not finite at t = " + brief_text(t) + ", first at " +
                       grid.place_text(bad % nx, bad / nx % ny, bad / (nx * ny)) +
                       (suspect.empty() ? "" : "; " + suspect));
}

double DecayBound::largest(double low, double high, double t) {
  if (low_ <= low && high <= high_ && !decay_.uses(3)) return bound_;
  constexpr int samples = 257;
  std::array<double, samples> c, values;
  for (int n = 0; n < samples; ++n) c[static_cast<std::size_t>(n)] = low + (high - low) * n / (samples - 1);
  c.back() = high;
  const double zero = 0;
  const std::span<const double> one(&zero, 1), at[5] = {one, one, one, {&t, 1}, c};
  const std::span<double> results[1] = {values};
  evaluate(decay_, at, results);
  bound_ = 0;
  for (const double value : values)
    if (std::isfinite(value)) bound_ = std::max(bound_, value);
  low_ = low, high_ = high;
  return bound_;
}

void LimitWatch::note(double largest_D, double reaction) {
  D_ = largest_D;
  reaction_ = reaction;
  const double rate = D_ * f_->symbol + reaction_;
  limit_ = rate > 0 ? f_->reach / rate : infinity;
}

void LimitWatch::note_curvature(double mobility, double curvature) {
  D_ = mobility;
  reaction_ = curvature;
  const double rate = spinodal_rate(*f_, mobility, curvature);
  limit_ = rate > 0 ? f_->reach / rate : infinity;
}

std::string LimitWatch::cause(const SlabField<double>* D, const SlabField<double>* decay,
                              const WallDiffusivity* walls) const {
  if (f_->equation == EquationKind::cahn_hilliard)
    return "f''(c) is up to " + brief_text(reaction_) +
           (f_->terms.varying_mobility ? ", the mobility up to " + brief_text(D_) : "");
  const auto where = [](const SlabField<double>* field, double value, const WallDiffusivity* on_walls) {
    if (field == nullptr) return std::string();
    const FoundValue cell = find(*field, value);
    if (!cell.place.empty()) return " at " + cell.place;
    const FoundValue wall = on_walls ? on_walls->find(value) : FoundValue{};
    return wall.place.empty() ? std::string(" on a wall") : " on " + wall.place;
  };
  std::string text = "D is " + brief_text(D_) + where(D, D_, walls);
  if (reaction_ > 0) text += ", -dS/dc " + brief_text(reaction_) + where(decay, reaction_, nullptr);
  return text;
}

bool LimitWatch::bad_D() const { return !(D_ < infinity); }

bool LimitWatch::tells() const { return !told_ || bad_D() || f_->on_limit == OnLimit::stop || useless(); }

bool LimitWatch::useless() const { return limit_ < least_share * f_->dt; }

void LimitWatch::refuse(double dt, double t, const SlabField<double>* D, const SlabField<double>* decay,
                        const WallDiffusivity* walls) {
  const std::string when = "at t = " + brief_text(t);
  if (bad_D()) {
    const FoundValue bad = D ? find(*D, infinity) : FoundValue{};
    const FoundValue on_wall = bad.place.empty() && walls ? walls->find(infinity) : FoundValue{};
    std::string is = "negative or not finite on a wall";
    if (!bad.place.empty()) is = brief_text(bad.value) + " at " + bad.place;
    if (!on_wall.place.empty()) is = brief_text(on_wall.value) + " on " + on_wall.place;
    throw NumericalError((f_->terms.varying_mobility ? "the mobility is " : "D is ") + is + " " + when +
                         "; it must be finite and not negative");
  }
  told_ = true;
  const std::string text = when + " the limit of stability is " + brief_text(limit_) + ", below the step " +
                           brief_text(dt) + ": " + cause(D, decay, walls);
  if (useless()) throw NumericalError(text + "; it has fallen below a millionth of the deck's step");
  if (f_->on_limit == OnLimit::stop)
    throw NumericalError(text + "; take a smaller step (diffusion.stencil), or diffusion.time.on_limit: shorten");
  log_->warning(text + "; steps are shortened where it asks for that");
}

}  // namespace halocline::diffusion
