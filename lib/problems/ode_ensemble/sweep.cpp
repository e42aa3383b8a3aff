#include "lib/problems/ode_ensemble/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "lib/problems/ode_ensemble/tables/csv.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr Index most_systems = Index{1} << 40;

bool complain(Faults* faults, const std::string& path, const std::string& message) {
  if (faults != nullptr) faults->at(path, message);
  return false;
}

std::string name_of(const SweepOptions& entry) { return entry.has_paths && entry.name.empty() ? "path" : entry.name; }

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

double uniform_value(Index seed, Index stream, Index n) {
  const std::uint64_t key = mix(mix(static_cast<std::uint64_t>(seed)) + static_cast<std::uint64_t>(stream));
  return static_cast<double>(mix(key ^ mix(static_cast<std::uint64_t>(n))) >> 11) * 0x1p-53;
}

Sweep::Sweep(const ListOf<SweepOptions>& entries, bool zip, const std::string& path, Faults* faults) {
  for (std::size_t i = 0; i < entries.blocks.size(); ++i) {
    const SweepOptions& entry = entries.blocks[i];
    const std::string here = path + "[" + std::to_string(i) + "]";
    Axis axis;
    if (!make_axis(entry, here, faults, axis)) {
      valid_ = false;
      continue;
    }
    const std::vector<std::string> own =
        entry.has_table ? entry.table.columns : std::vector<std::string>{name_of(entry)};
    for (std::size_t c = 0; c < own.size(); ++c) {
      names_.push_back(own[c]);
      axis_of_.push_back(axes_.size());
      column_of_.push_back(c);
    }
    axes_.push_back(std::move(axis));
  }
  count(zip, path, faults);
}

bool Sweep::make_axis(const SweepOptions& entry, const std::string& path, Faults* faults, Axis& axis) {
  const bool range = entry.has_from || entry.has_to || entry.has_spacing;
  const int kinds = (range ? 1 : 0) + (entry.has_values ? 1 : 0) + (entry.has_table ? 1 : 0) +
                    (entry.has_random ? 1 : 0) + (entry.has_paths ? 1 : 0);
  if (kinds != 1) return complain(faults, path, "give one of: from, to and points; values; table; random; paths");
  if (entry.has_table) return make_table(entry, path, faults, axis);
  if (entry.has_paths) {
    if (entry.has_points) return complain(faults, path + ".points", "is not used with `paths`");
    axis.spacing = "paths";
    axis.points = entry.paths;
    return true;
  }
  if (entry.name.empty()) return complain(faults, path + ".name", "missing; the name of the swept value in formulas");
  if (entry.has_values) {
    if (entry.values.empty()) return complain(faults, path + ".values", "is empty");
    if (entry.has_points) return complain(faults, path + ".points", "is not used with `values`");
    axis.spacing = "values";
    axis.columns = {entry.values};
    axis.points = static_cast<Index>(entry.values.size());
    return true;
  }
  if (!entry.has_points) return complain(faults, path, "`points` is missing");
  if (entry.points < 1) return complain(faults, path + ".points", "must be at least 1");
  axis.points = entry.points;
  return entry.has_random ? make_random(entry, path, faults, axis) : make_range(entry, path, faults, axis);
}

bool Sweep::make_range(const SweepOptions& entry, const std::string& path, Faults* faults, Axis& axis) {
  if (!entry.has_from || (!entry.has_to && entry.points > 1))
    return complain(faults, path, "a range needs `from`, `to` and `points`");
  axis.from = entry.from;
  axis.to = entry.points > 1 ? entry.to : entry.from;
  axis.spacing = word_for(entry.spacing);
  if (axis.from == axis.to && axis.points > 1)
    return complain(faults, path + ".to", "equals `from`, but there are several points");
  if (entry.spacing == Spacing::log && !(axis.from > 0 && axis.to > 0))
    return complain(faults, path + (axis.from > 0 ? ".to" : ".from"), "must be positive where the spacing is log");
  return true;
}

bool Sweep::make_table(const SweepOptions& entry, const std::string& path, Faults* faults, Axis& axis) {
  if (!entry.name.empty()) return complain(faults, path + ".name", "is not used with `table`; its columns have names");
  if (entry.table.file.size() != 1) return complain(faults, path + ".table.file", "must be one file");
  axis.spacing = "table";
  try {
    const CsvTable table = read_csv(entry.table.file.front().formula);
    for (const std::string& name : entry.table.columns) {
      const int column = table.column(name);
      if (column < 0) return complain(faults, path + ".table.columns", table.lacks(name));
      axis.columns.emplace_back();
      const auto c = static_cast<std::size_t>(column);
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const double value = csv_number(table.rows[row][c]);
        if (!std::isfinite(value))
          return complain(
              faults, path + ".table.columns",
              table.place(row, c) + ": column '" + name + "' holds '" + table.rows[row][c] + "', no number");
        axis.columns.back().push_back(value);
      }
    }
    axis.points = static_cast<Index>(table.rows.size());
  } catch (const DeckError& error) {
    return complain(faults, path + ".table.file", error.what());
  }
  if (axis.points < 1) return complain(faults, path + ".table.file", "the file has no rows");
  return true;
}

bool Sweep::make_random(const SweepOptions& entry, const std::string& path, Faults* faults, Axis& axis) {
  const RandomOptions& random = entry.random;
  const bool uniform = !random.uniform.empty(), normal = !random.normal.empty();
  if (uniform == normal) return complain(faults, path + ".random", "give `uniform: [a, b]` or `normal: [m, s]`");
  if ((uniform ? random.uniform : random.normal).size() != 2)
    return complain(faults, path + (uniform ? ".random.uniform" : ".random.normal"), "expected two numbers");
  if (uniform && !(random.uniform[0] < random.uniform[1]))
    return complain(faults, path + ".random.uniform", "the bounds must increase");
  if (normal && !(random.normal[1] > 0))
    return complain(faults, path + ".random.normal", "the standard deviation must be positive");
  axis.spacing = "random";
  axis.random = random;
  return true;
}

void Sweep::count(bool zip, const std::string& path, Faults* faults) {
  systems_ = 1;
  if (zip) {
    for (const Axis& axis : axes_) {
      if (axis.points != axes_.front().points)
        valid_ = complain(faults, path,
                          "`combine: zip` needs equal numbers of values, found " +
                              std::to_string(axes_.front().points) + " and " + std::to_string(axis.points));
    }
    if (!axes_.empty()) systems_ = axes_.front().points;
    return;
  }
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    axis->stride = systems_;
    if (axis->points > most_systems / systems_) {
      valid_ = complain(faults, path, "makes more than 2^40 systems");
      return;
    }
    systems_ *= axis->points;
  }
}

int Sweep::paths() const {
  for (std::size_t n = 0; n < names_.size(); ++n)
    if (axes_[axis_of_[n]].spacing == "paths") return static_cast<int>(n);
  return -1;
}

bool Sweep::is_map() const {
  if (axes_.size() != 2 || names_.size() != 2 || shuffled() || paths() >= 0) return false;
  const auto ordered = [this](int name) {
    const Axis& axis = axes_[static_cast<std::size_t>(name)];
    const auto& column = axis.columns;
    return axis.points > 1 &&
           (column.empty() ? axis.from < axis.to : std::is_sorted(column[0].begin(), column[0].end()));
  };
  return systems_ == axes_[0].points * axes_[1].points && ordered(0) && ordered(1);
}

bool Sweep::shuffled() const {
  return std::any_of(axes_.begin(), axes_.end(),
                     [](const Axis& axis) { return axis.spacing == "random" || axis.spacing == "table"; });
}

double Sweep::value(int name, Index system) const {
  const auto n = static_cast<std::size_t>(name);
  const Axis& axis = axes_[axis_of_[n]];
  const Index i = system / axis.stride % axis.points;
  if (!axis.columns.empty()) return axis.columns[column_of_[n]][static_cast<std::size_t>(i)];
  if (axis.spacing == "paths") return static_cast<double>(i);
  const auto stream = static_cast<Index>(axis_of_[n]);
  if (!axis.random.uniform.empty()) {
    const double low = axis.random.uniform[0], high = axis.random.uniform[1];
    return low + (high - low) * uniform_value(axis.random.seed, stream, i);
  }
  if (!axis.random.normal.empty()) {  // Box, Muller, Ann. Math. Statist. 29, 1958
    const double radius = std::sqrt(-2 * std::log(1 - uniform_value(axis.random.seed, stream, 2 * i)));
    const double angle = 2 * std::numbers::pi * uniform_value(axis.random.seed, stream, 2 * i + 1);
    return axis.random.normal[0] + axis.random.normal[1] * radius * std::cos(angle);
  }
  if (i == axis.points - 1) return axis.to;
  const double share = static_cast<double>(i), last = static_cast<double>(axis.points - 1);
  if (axis.spacing == "log") return axis.from * std::pow(axis.to / axis.from, share / last);
  return axis.from + (axis.to - axis.from) * share / last;
}

}  // namespace halocline::ode_ensemble
