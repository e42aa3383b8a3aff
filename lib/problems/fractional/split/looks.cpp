#include "lib/problems/fractional/split/looks.hpp"

#include <algorithm>

#include "lib/base/format.hpp"

namespace halocline::fractional {

namespace {

constexpr double near_limit = 0.25;  // of the admissible error, above which the next step is looked at too
constexpr double most_growth = 4;    // of a drive, without a look
constexpr Index most_steps = 256;    // from one look to the next

bool always_looked_at(Index level) { return (level & (level - 1)) == 0 || level % most_steps == 0; }

}  // namespace

double Looks::enough() const { return near_limit * limit_; }

// The error of sweeps is of the order nu^2 W, so the last bound tells what is to be expected; but one that changes its
// sign may be small just there, so the bound before it has a say too.
bool Looks::trust(Index level, const Demand& now) {
  if (always_looked_at(level)) return false;
  double growth = 1;  // since the last look
  for (std::size_t n = 0; n < now.drives.size(); ++n) {
    const double drive = std::max(now.drives[n], slight_);
    if (drive > most_growth * std::max(least_.drives[n], slight_)) return false;
    if (drive > looked_.drives[n]) growth = std::max(growth, drive / std::max(looked_.drives[n], slight_));
    least_.drives[n] = std::min(least_.drives[n], drive);
  }
  const double nu = now.nu / looked_.nu;
  return std::max(error_, before_) * std::max(1.0, growth * nu * nu) <= enough();
}

void Looks::note(const Demand& now, double error) {
  before_ = error_;
  error_ = error;
  looked_ = least_ = now;
}

void Looks::archive(StateArchive& archive) {
  archive.scalar("split_last_error", error_);
  archive.scalar("split_error_before", before_);
  archive.scalar("split_looked_nu", looked_.nu);
  for (std::size_t n = 0; n < looked_.drives.size(); ++n) {
    archive.scalar(formatted("split_looked_drive_{}", n).c_str(), looked_.drives[n]);
    archive.scalar(formatted("split_least_drive_{}", n).c_str(), least_.drives[n]);
  }
}

}  // namespace halocline::fractional
