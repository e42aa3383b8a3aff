// History: the increments of a field and what they still count for. Steps come in blocks of M: slot j = 0 .. M - 1 of
// a block that begins at level l0 holds a far value until step l0 + j + 1 has used it, then that step's increment. See
// blocks.hpp for the sums.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/fields/slab_field.hpp"
#include "lib/problems/fractional/history/blocks.hpp"
#include "lib/problems/fractional/history/history_kernels.hpp"
#include "lib/problems/fractional/history/series_tables.hpp"
#include "lib/problems/fractional/history/variant.hpp"
#include "lib/problems/fractional/storage/device_table.hpp"

namespace halocline::fractional {

/// T: of slots, states and the sums of them; double or float.
template <class T>
class History {
 public:
  virtual ~History() = default;

  int block() const { return block_; }
  /// Which media the nodes of every part are of, where there are several. Before begin().
  void set_media(std::vector<NodeMedium> of_parts) { media_ = std::move(of_parts); }
  /// A block of steps begins at level `start`, a multiple of block(): far values to its slots. On the compute queues.
  virtual void begin(Index start) = 0;
  /// Slot j of the block under way; its ghosts are the caller's to exchange.
  virtual SlabField<T>& slot(int j) = 0;
  /// The increment of the level at which the block under way began; not at level 0.
  virtual SlabField<T>& first() = 0;
  /// Whether near sums count `first` by its coefficients.
  virtual bool counts_first() const = 0;
  /// State besides slots: everything that begin() of later blocks needs. `start`: of the block under way; `done`: its
  /// steps done. On a restart followed by the caller's near passes. Collective.
  virtual void archive(StateArchive& archive, Index start, int done) = 0;
  virtual std::string summary() const = 0;
  /// Exponentials and the largest relative error measured of the kernel, or terms of the series and the error at the
  /// newest increment; 0 without.
  virtual int terms() const { return 0; }
  virtual double kernel_error() const { return 0; }

  /// Adds the increments of the first `sources` steps of the block, those of whole sub-blocks, to the far values of
  /// slots from .. to - 1, of the next one.
  virtual void near_pass(const NearTables& tables, const std::vector<DeviceTable<T>>& near,
                         const std::vector<DeviceTable<T>>& first, int sources, int from, int to);

 protected:
  History(std::shared_ptr<Slabs<T>> slabs, int block) : slabs_(std::move(slabs)), block_(block) {}
  SlotsOf<T> slots(int part);
  std::span<const NodeMedium> media() const { return media_; }
  NodeMedium medium(int part) const { return media_.empty() ? NodeMedium{} : media_[static_cast<std::size_t>(part)]; }
  std::shared_ptr<Slabs<T>> slabs_;
  int block_;

 private:
  std::vector<NodeMedium> media_;
};

/// The layout by whose lines, padding included, an executor visits nodes that ask of no neighbors: those of the slab
/// for threads of a host, which share them out, whole planes for a GPU.
inline SlabLayout layout_of_nodes(const Executor& executor, const SlabLayout& slab) {
  if (executor.backend() == Backend::omp) return slab;
  SlabLayout flat = slab;
  flat.extent[0] = flat.pitch = slab.extent[1] * slab.pitch;
  flat.extent[1] = 1;
  return flat;
}

/// All increments stored. `weights` outlives engines. Variants but the plain one are of double only. Engines are made
/// collectively.
template <class T>
std::unique_ptr<History<T>> make_direct_history(const std::shared_ptr<Slabs<T>>& slabs, const Weights& weights,
                                                int block, const Variant& variant);
/// States of exponentials.
template <class T>
std::unique_ptr<History<T>> make_exponential_history(const std::shared_ptr<Slabs<T>>& slabs, const Weights& weights,
                                                     int block, double longest, double eps);
/// The same with states and increments in halves, but for those of the sub-block under way. `block`: a multiple of 4.
std::unique_ptr<History<float>> make_half_history(const std::shared_ptr<Slabs<float>>& slabs, const Weights& weights,
                                                  int block, double longest, double eps);
/// The truncated series of equal steps in t, in blocks of one step.
std::unique_ptr<History<double>> make_series_history(const std::shared_ptr<Slabs<double>>& slabs,
                                                     const SeriesKernel& kernel, const Variant& variant);

}  // namespace halocline::fractional
