#include "lib/problems/diffusion/reactions/reaction_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline::diffusion {

namespace {

constexpr double least_share = 1e-6;  // of the deck's step: shorter ones would never end

}  // namespace

ReactionWatch::ReactionWatch(const Reactions& reactions, Log& log)
    : r_(&reactions), log_(&log), rates_(reactions.still), limit_(reactions.limit) {}

void ReactionWatch::note(const ReactionRates& moving) {
  for (std::size_t n = 0; n < rates_.size(); ++n) rates_[n] = std::max(r_->still[n], moving[n]);
}

void ReactionWatch::judge(const std::vector<double>& largest_D) {
  std::vector<double>::size_type f = 0;
  std::array<double, most_fields> diffusion{};
  for (const double D : largest_D) diffusion[f++] = D * r_->fields.front().alone.symbol;
  const double rate = fastest_rate(r_->count(), rates_, std::span(diffusion).first(f));
  limit_ = rate > 0 ? 2 / rate : std::numeric_limits<double>::infinity();
}

void ReactionWatch::refuse(double dt, double t, const std::vector<double>& largest_D) {
  const std::string when = "at t = " + brief_text(t);
  std::string cause;
  for (std::size_t f = 0; f < largest_D.size(); ++f) {
    const std::string D = "D of " + r_->fields[f].name;
    if (!std::isfinite(largest_D[f]))
      throw NumericalError(D + " is negative or not finite somewhere " + when + "; it must be finite and not negative");
    cause += (f == 0 ? "" : ", ") + D + " is up to " + brief_text(largest_D[f]);
  }
  double reaction = 0;
  for (const double rate : rates_) reaction = std::max(reaction, rate);
  const std::string text = when + " the limit of stability is " + brief_text(limit_) + ", below the step " +
                           brief_text(dt) + ": " + cause + ", derivatives of sources up to " + brief_text(reaction);
  if (limit_ < least_share * r_->dt)
    throw NumericalError(text + "; it has fallen below a millionth of the deck's step");
  if (r_->on_limit == OnLimit::stop)
    throw NumericalError(text + "; take a smaller step (diffusion.stencil), or diffusion.time.on_limit: shorten");
  if (!told_) log_->warning(text + "; steps are shortened where it asks for that");
  told_ = true;
}

void ReactionWatch::archive(StateArchive& state) {
  state.scalar("reaction_steps", steps_);
  state.scalar("reaction_limit", limit_);
  for (int n = 0; n < r_->count() * r_->count(); ++n)
    state.scalar(("reaction_rate_" + std::to_string(n)).c_str(), rates_[static_cast<std::size_t>(n)]);
}

}  // namespace halocline::diffusion
