#include "lib/problems/fractional/split/looks.hpp"

#include <algorithm>

#include "lib/base/format.hpp"

namespace halocline::fractional {

namespace {

constexpr double near_limit = 0.25;  // of the admissible error, above which the next step is looked at too
constexpr double most_growth = 4;    // of a drive, without a look
constexpr Index most_apart = 256;    // steps from one look to the next

}  // namespace

double Looks::enough() const { return near_limit * limit_; }

// The error of sweeps is of the order nu^2 W, so the last bound tells what is to be expected; but one that changes its
// sign may be small just there, so the bound before it has a say too. What a step leaves out its successors predict
// from, so that errors may grow like the square of the steps since the last one that was solved as a whole: looks twice
// as far from it as the last one find four times the error at most.
bool Looks::trust(Index level, const Demand& now) {
  double growth = 1;  // since the last look
  for (std::size_t n = 0; n < now.drives.size(); ++n) {
    const double drive = std::max(now.drives[n], slight_);
    if (drive > most_growth * std::max(least_.drives[n], slight_)) return look_closely();
    if (drive > looked_.drives[n]) growth = std::max(growth, drive / std::max(looked_.drives[n], slight_));
    least_.drives[n] = std::min(least_.drives[n], drive);
  }
  const double nu = now.nu / looked_.nu;
  if (!(std::max(error_, before_) * std::max(1.0, growth * nu * nu) <= enough())) return look_closely();
  return level < level_ + apart_;
}

bool Looks::look_closely() {
  apart_ = 0;
  return false;
}

void Looks::note(Index level, const Demand& now, double error) {
  level_ = level;
  apart_ = std::clamp<Index>(2 * apart_, 1, most_apart);
  before_ = error_;
  error_ = error;
  looked_ = least_ = now;
}

void Looks::archive(StateArchive& archive) {
  archive.scalar("split_last_error", error_);
  archive.scalar("split_error_before", before_);
  archive.scalar("split_looked_level", level_);
  archive.scalar("split_looks_apart", apart_);
  archive.scalar("split_looked_nu", looked_.nu);
  for (std::size_t n = 0; n < looked_.drives.size(); ++n) {
    archive.scalar(formatted("split_looked_drive_{}", n).c_str(), looked_.drives[n]);
    archive.scalar(formatted("split_least_drive_{}", n).c_str(), least_.drives[n]);
  }
}

}  // namespace halocline::fractional
