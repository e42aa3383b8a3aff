#include "io/image/axis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr const char* minus = "\xE2\x88\x92";
constexpr const char* times = "\xC2\xB7";

double measure(const PlotAxis& axis, double value) { return axis.logarithmic ? std::log10(value) : value; }

std::string with_minus(std::string text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at)) text.replace(at, 1, minus);
  return text;
}

std::string number_text(double value, int decimals) {
  return with_minus(formatted("{:.{}f}", value, std::max(0, decimals)));
}

// The power of ten of a size's first digit; 0 where it has none.
int decade_of(double size) {
  return size > 0 && std::isfinite(size) ? static_cast<int>(std::floor(std::log10(size) + 1e-9)) : 0;
}

// The power of ten that stands in the label, so that numbers on the axis are short; 0 for none.
int exponent_of(const PlotAxis& axis) {
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  return !axis.logarithmic && (largest >= 99999.5 || largest < 9.99e-4) ? decade_of(largest) : 0;
}

std::vector<Tick> linear_ticks(const PlotAxis& axis, Index most) {
  const double range = axis.high - axis.low;
  const double wanted = range / static_cast<double>(std::max<Index>(most, 2));
  double step = std::pow(10.0, decade_of(wanted));
  for (const double factor : {2.0, 2.5, 2.0})
    if (step < wanted * (1 - 1e-9)) step *= factor;
  const int decimals = -decade_of(step);
  const int exponent = exponent_of(axis);
  std::vector<Tick> ticks;
  // Counted, since neighboring numbers have no steps between them.
  const double first = std::ceil(axis.low / step - 1e-9);
  for (Index k = 0; k <= 2 * std::max<Index>(most, 2); ++k) {
    const double n = first + static_cast<double>(k);
    if (!(n * step <= axis.high + 1e-9 * range)) break;
    const bool zero = std::abs(n) < 0.5;
    const double value = zero ? 0 : n * step;
    ticks.push_back(
        {value, zero && exponent != 0 ? "0" : number_text(value / std::pow(10.0, exponent), decimals + exponent)});
  }
  return ticks;
}

std::string power_text(int digit, int decade) {
  if (decade >= -2 && decade <= 3) return number_text(digit * std::pow(10.0, decade), -decade);
  const std::string power = "10^" + with_minus(std::to_string(decade));
  return digit == 1 ? power : std::to_string(digit) + times + power;
}

std::vector<Tick> logarithmic_ticks(const PlotAxis& axis, Index most) {
  require(axis.low > 0 && std::isfinite(axis.high), "logarithmic axis from 0 or without end");
  const int first = static_cast<int>(std::floor(std::log10(axis.low) + 1e-9)),
            last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-9));
  const int decades = last - first + 1;
  const int every = std::max(1, static_cast<int>((decades + most - 1) / std::max<Index>(most, 1)));
  const bool room = 3 * decades <= most + 1;
  std::vector<Tick> ticks;
  for (int decade = first; decade <= last; ++decade)
    for (int digit = 1; digit < 10; ++digit) {
      const double value = digit * std::pow(10.0, decade);
      if (value < axis.low * (1 - 1e-9) || value > axis.high * (1 + 1e-9) || (every > 1 && digit > 1)) continue;
      const bool large = digit == 1 ? decade % every == 0 : room && (digit == 2 || digit == 5);
      ticks.push_back({value, large ? power_text(digit, decade) : ""});
    }
  return ticks;
}

}  // namespace

double share(const PlotAxis& axis, double value) {
  const double low = measure(axis, axis.low), high = measure(axis, axis.high);
  return (measure(axis, value) - low) / (high - low);
}

bool same_in_figures(double low, double high) { return high - low <= 1e-13 * std::max(std::abs(low), std::abs(high)); }

PlotAxis axis_for(const std::string& label, bool logarithmic, const std::vector<const std::vector<double>*>& values,
                  double margin) {
  PlotAxis axis{label, logarithmic, std::numeric_limits<double>::infinity(), 0};
  axis.high = -axis.low;
  for (const std::vector<double>* list : values)
    for (const double value : *list) {
      if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
      axis.low = std::min(axis.low, value);
      axis.high = std::max(axis.high, value);
    }
  if (axis.low > axis.high)
    throw DeckError(label + ": there is no " + std::string(logarithmic ? "positive " : "") + "finite value to draw");
  const bool constant = same_in_figures(axis.low, axis.high);
  if (logarithmic) {
    const double factor = constant ? 2 : std::pow(axis.high / axis.low, margin);
    axis.low = std::max(axis.low / factor, std::numeric_limits<double>::min());
    axis.high = std::min(axis.high * factor, std::numeric_limits<double>::max());
  } else {
    const double more = constant ? std::max(1e-300, std::abs(axis.low) / 2) : margin * (axis.high - axis.low);
    const bool nothing = axis.low == 0 && axis.high == 0;
    axis.low -= nothing ? 0.5 : more;
    axis.high += nothing ? 0.5 : more;
  }
  return axis;
}

std::string full_label(const PlotAxis& axis) {
  const int exponent = exponent_of(axis);
  if (exponent == 0) return axis.label;
  const std::string power = "10^" + with_minus(std::to_string(exponent));
  if (axis.label.empty()) return power;
  const std::size_t unit = axis.label.ends_with(')') ? axis.label.rfind(" (") : std::string::npos;
  if (unit == std::string::npos || axis.label.find(',', unit) != std::string::npos)  // "to (2, 3)" is a place
    return axis.label + " (" + power + ")";
  return axis.label.substr(0, unit + 2) + power + " " + axis.label.substr(unit + 2);
}

std::vector<double> levels_of(const PlotAxis& axis, Index count) {
  const std::vector<Tick> ticks = ticks_of(axis, count);
  const auto named = std::count_if(ticks.begin(), ticks.end(), [](const Tick& tick) { return !tick.text.empty(); });
  std::vector<double> levels;
  for (const Tick& tick : ticks)
    if (tick.value > axis.low && tick.value < axis.high && (named < 3 || !tick.text.empty()))
      levels.push_back(tick.value);
  return levels;
}

std::vector<Tick> ticks_of(const PlotAxis& axis, Index most) {
  if (!axis.words.empty()) {
    std::vector<Tick> ticks;
    for (std::size_t n = 0; n < axis.words.size(); ++n) ticks.push_back({static_cast<double>(n), axis.words[n]});
    return ticks;
  }
  return axis.logarithmic ? logarithmic_ticks(axis, most) : linear_ticks(axis, most);
}

}  // namespace halocline
