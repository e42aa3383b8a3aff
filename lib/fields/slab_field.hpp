// SlabField: a value on every unknown of a grid in slabs: memory of every part, copies to and from the host, ghosts,
// checkpoints.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/publish.hpp"
#include "lib/fields/slabs.hpp"

namespace halocline {

/// T: double or float.
template <class T>
class SlabField {
 public:
  /// Memory that is not set.
  explicit SlabField(std::shared_ptr<Slabs<T>> slabs);
  SlabField(SlabField&&) noexcept = default;
  SlabField& operator=(SlabField&&) noexcept = default;
  /// As many fields as the slabs exchange at once, each part's in one piece of memory; the first one's exchange fills
  /// the ghosts of all.
  static std::vector<SlabField> together(const std::shared_ptr<Slabs<T>>& slabs);

  Slabs<T>& slabs() const { return *slabs_; }
  const SlabLayout& layout(int part) const { return slabs_->layout(part); }
  /// Unknown (0, 0, 0) of a part, aligned to 64 bytes, on GPUs to 128; others as layout(part) says.
  T* data(int part) { return data_[static_cast<std::size_t>(part)]; }
  const T* data(int part) const { return data_[static_cast<std::size_t>(part)]; }
  /// Exchanges the memory of a part with a field on the same slabs, an old state with a new one, say.
  void swap(SlabField& other, int part);

  /// Fills the ghosts of all parts, see Slabs; allocates nothing.
  void start_exchange();
  void finish_exchange();

  /// A part where it lies, (z, y, x) with gaps between rows.
  View<const T, 3> view(int part) const;
  /// The same on the host, without gaps.
  std::vector<double> read(int part) const { return read(part, layout(part).rows()); }
  /// Own unknowns of a part, without gaps; gaps, and ghosts along y, become 0.
  void write(int part, const std::vector<double>& values) { write(part, layout(part).rows(), values); }

  /// Saves or restores own unknowns as doubles, a row per line along x, so that any partition restores; a few MB of
  /// them at a time are on the host. Ghosts are not restored. Collective.
  void archive(StateArchive& state, const std::string& name);

  /// Of a part's device memory.
  std::size_t bytes(int part) const { return static_cast<std::size_t>(slabs_->size(part)) * sizeof(T); }

 private:
  struct Empty {};
  SlabField(std::shared_ptr<Slabs<T>> slabs, Empty) : slabs_(std::move(slabs)) {}
  // The same of some rows (planes).
  std::vector<double> read(int part, const SlabRows& rows) const;
  void write(int part, const SlabRows& rows, const std::vector<double>& values);

  std::shared_ptr<Slabs<T>> slabs_;
  std::vector<std::shared_ptr<Array<T, 1>>> memory_;  // of fields together that of all
  std::vector<T*> data_;
};

/// Saves or restores `width` values for each line in own rows (planes) of a part, which lie one behind the other.
/// Collective over parts, which may take it in several calls.
void archive_lines(StateArchive& state, const std::string& name, const SlabLayout& slab, const SlabRows& rows,
                   const UniformGrid& grid, Index width, View<double, 1> values, const Executor& executor);

/// Calls work(rows) for some own rows (planes) of a part after others, a few MB of them at a time; of a part that has
/// none once, with none.
template <class Work>
void each_rows(const SlabLayout& slab, const Work& work) {
  constexpr Index at_once = Index{1} << 20;  // values
  const Index all = slab.slow_extent(), step = std::max<Index>(1, at_once / std::max<Index>(1, slab.slow_stride()));
  Index lo = 0;
  do {
    const Index hi = std::min(lo + step, all);
    work(SlabRows{lo, hi});
    lo = hi;
  } while (lo < all);
}

}  // namespace halocline
