// Sweep: the values in which the systems of an ensemble differ.
#pragma once

#include <string>
#include <vector>

#include "lib/problems/ode_ensemble/options.hpp"

namespace halocline::ode_ensemble {

class Sweep {
 public:
  Sweep() = default;
  // Faults, if wanted, are reported with their keys below `path`; then values may be missing.
  Sweep(const ListOf<SweepOptions>& entries, bool zip, const std::string& path, Faults* faults);

  bool valid() const { return valid_; }       // false: faults have been reported
  Index systems() const { return systems_; }  // 1 without entries
  const std::vector<std::string>& names() const { return names_; }
  const std::string& spacing(int name) const { return axes_[axis_of_[static_cast<std::size_t>(name)]].spacing; }
  // Whether neighbors may differ in everything: random values, values of a table.
  bool shuffled() const;
  // Whether systems are all combinations of two names that are ordered, and the number of values of one of them.
  bool is_map() const;
  int paths() const;  // the name that is the number of a path, -1 where there is none
  Index points(int name) const { return axes_[axis_of_[static_cast<std::size_t>(name)]].points; }
  // Value of name number `name` for a system. Does not depend on who asks: random values are made from their number.
  double value(int name, Index system) const;

 private:
  struct Axis {
    Index points = 0;
    std::string spacing;  // linear, log, values, table, random, paths
    double from = 0, to = 0;
    std::vector<std::vector<double>> columns;  // of values and tables: one per name
    RandomOptions random;
    Index stride = 1;  // systems between two values
  };
  bool make_axis(const SweepOptions& entry, const std::string& path, Faults* faults, Axis& axis);
  bool make_range(const SweepOptions& entry, const std::string& path, Faults* faults, Axis& axis);
  bool make_table(const SweepOptions& entry, const std::string& path, Faults* faults, Axis& axis);
  bool make_random(const SweepOptions& entry, const std::string& path, Faults* faults, Axis& axis);
  void count(bool zip, const std::string& path, Faults* faults);

  std::vector<Axis> axes_;
  std::vector<std::string> names_;
  std::vector<std::size_t> axis_of_;
  std::vector<std::size_t> column_of_;
  Index systems_ = 1;
  bool valid_ = true;
};

// Number n of a sequence: a uniform value in [0, 1), from its number alone (SplitMix64; Steele, Lea, Flood, OOPSLA
// 2014).
double uniform_value(Index seed, Index stream, Index n);

}  // namespace halocline::ode_ensemble
