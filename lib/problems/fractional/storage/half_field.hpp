// HalfField: a value on every node of the parts of a rank in two bytes. Values count in a power of two that is the
// field's own and follows from a bound of all of them, so that none overflows. Halves have 30 binary orders of full
// accuracy, so a bound may be a thousand times too large, and the field still loses nothing that it could keep.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/half.hpp"
#include "lib/base/publish.hpp"
#include "lib/fields/slabs.hpp"

namespace halocline::fractional {

class HalfField {
 public:
  /// Memory that is not set; of own nodes alone, laid out as the slabs are.
  explicit HalfField(const std::shared_ptr<Slabs<float>>& slabs);

  Half* data(int part) { return memory_[static_cast<std::size_t>(part)].view().data; }
  /// Of the magnitudes of what is stored, or of what aim() has announced.
  double bound() const { return bound_; }
  /// Of what is stored, and of what is to be stored in its place.
  float unit() const { return now_; }
  float next_unit() const { return next_; }
  /// What is launched from now on replaces all values, by none larger than `bound`.
  void aim(double bound);
  /// It has been launched.
  void settle() { now_ = next_; }

  /// Saves or restores bound and bits. Collective.
  void archive(StateArchive& archive, const std::string& name);

 private:
  std::shared_ptr<Slabs<float>> slabs_;
  std::vector<Array<Half, 1>> memory_;
  double bound_ = 0;
  float now_ = 1, next_ = 1;
};

/// A little more than a bound: of what rounding makes of values below it.
inline double rounded_bound(double bound) { return bound * (1 + 0x1p-9); }

}  // namespace halocline::fractional
