#include "lib/problems/sparse/multigrid_options.hpp"

#include <charconv>
#include <limits>
#include <optional>

namespace halocline::sparse {
namespace {

// What a preset decides.
struct PresetValues {
  amg::Precision precision;
  Index sweeps;
  double omega;
  const char* bound;
  amg::CoarseningKind type = amg::CoarseningKind::classical;
};
PresetValues values_of(Preset preset) {
  switch (preset) {
    case Preset::robust:
      return {amg::Precision::fp64, 2, 1, "1"};
    case Preset::report:
      return {amg::Precision::fp64, 1, 0.9, "none"};
    case Preset::memory:
      return {amg::Precision::fp32, 1, 0.8, "1.9", amg::CoarseningKind::aggregation};
    case Preset::fast:
      break;
  }
  return {amg::Precision::fp32, 1, 0.8, "1.9"};
}

// Infinity for none; nothing where the text is neither that nor a positive number.
std::optional<double> bound_of(const std::string& text) {
  if (text == "none") return std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) return {};
  return value;
}

}  // namespace

void MultigridOptions::describe(Describer& d) {
  d.choice({"preset", "",
            "Defaults of what follows: fast; robust, for hard matrices; memory, for small levels; "
            "report, as the paper has it."},
           preset);
  const PresetValues values = values_of(preset);
  if (!type_given_) type = values.type;
  if (!precision_given_) precision = values.precision;
  if (!sweeps_given_) sweeps = values.sweeps;
  if (!omega_given_) omega = values.omega;
  if (!bound_given_) bound = values.bound;
  if (d.choice({"type", "", "classical: levels of some of the rows; aggregation: of sets of rows, smaller ones."},
               type))
    type_given_ = true;
  d.word_or_group({"near_null_space", "",
                   "aggregation: what coarse levels show: constants, rigid_body of elasticity, or {file: .., dataset: "
                   "..}, vectors on rows."},
                  near_null_space, near_null_file);
  d.item({"theta", "1", "Couplings of at least this times the largest of their row are strong."}, theta,
         Bounds::between(0, 1));
  d.choice({"interpolation", "", "classical: extended leaves out couplings that lead back to a row."}, interpolation);
  d.item({"entries", "1", "classical: of a row of the interpolation, at most."}, entries,
         Bounds::between(1, amg::most_weights_of_row));
  d.item({"coarse_max", "1", "A level of at most so many rows is solved directly."}, coarse_max,
         Bounds::between(1, amg::most_inverted_rows));
  d.item({"max_complexity", "1", "Entries of all levels over those of the matrix, at most."}, max_complexity,
         Bounds::at_least(1));
  if (d.choice({"precision", "", "Of levels and cycle."}, precision)) precision_given_ = true;
  d.choice({"cycle", "", "How often coarser levels are visited."}, cycle);
  d.choice({"smoother", "", "chebyshev is for symmetric matrices."}, smoother);
  d.item({"degree", "1", "Of smoother chebyshev."}, degree, Bounds::between(1, 50));
  if (d.item({"sweeps", "1", "Of the smoother, before and after a visit of the next level."}, sweeps,
             Bounds::between(1, 50)))
    sweeps_given_ = true;
  if (d.item({"omega", "1", "Largest weight of Jacobi's method."}, omega, Bounds::between(1e-3, 2)))
    omega_given_ = true;
  if (d.item({"bound", "1", "Weights are at most this times |a_ii| / sum |a_ij|; below 2 it converges; or none."},
             bound))
    bound_given_ = true;
}

bool MultigridOptions::bound_is_known() const { return bound_of(bound).has_value(); }

amg::AmgOptions MultigridOptions::made() const {
  amg::AmgOptions result;
  amg::HierarchyOptions& h = result.hierarchy;
  h.coarsening.kind = type;
  h.coarsening.theta = theta;
  h.coarsening.interpolation = {interpolation == InterpolationKind::extended_i, static_cast<int>(entries)};
  h.coarsening.coarse_max = coarse_max;
  h.coarsening.max_complexity = max_complexity;
  h.weights = {omega, *bound_of(bound)};
  h.smoother = {smoother, static_cast<int>(degree), static_cast<int>(sweeps)};
  result.cycle = cycle;
  result.precision = precision;
  return result;
}

}  // namespace halocline::sparse
