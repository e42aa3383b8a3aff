// States of exponentials on all parts of a rank, and what a block of steps does with them, see blocks.hpp.
#pragma once

#include <span>
#include <vector>

#include "lib/problems/fractional/history/blocks.hpp"
#include "lib/problems/fractional/history/history_kernels.hpp"
#include "lib/problems/fractional/storage/device_table.hpp"
#include "lib/problems/fractional/storage/stored_field.hpp"

namespace halocline::fractional {

/// Stored: what states and slots are kept in, double, float or Half.
template <class Stored>
class ExponentialStates {
 public:
  using Number = Computed<Stored>;
  using Field = StoredField<Stored>;

  /// States of 0. `weights` outlives this. Collective.
  ExponentialStates(const std::shared_ptr<Slabs<Number>>& slabs, const Weights& weights, int block, double longest,
                    double eps);

  const HistoryKernel& kernel() const { return kernel_; }
  std::string summary() const;
  /// The flush at the begin of the block at level `start` > 0. `takes`: states take up the increments in `slots`, of
  /// which the last becomes `first`; else they have. Slots get far values, of the medium of each node by `media`, of
  /// the parts, where there are several. On the compute queues.
  void advance(Index start, bool takes, std::span<Field> slots, Field& first, std::span<const NodeMedium> media);
  /// Saves or restores the states. Collective.
  void archive(StateArchive& archive);

 private:
  struct Tables {
    DeviceTable<Number> decay, from_first, into, out;
  };
  // Of a launch.
  struct Pass {
    bool takes;
    std::span<Field> slots;
    Field& first;
  };

  void set_tables(Index start);
  void aim(const Pass& pass);
  void settle(const Pass& pass);
  void flush_part(int part, const Pass& pass);
  void media_far(int part, const Pass& pass, const NodeMedium& medium);

  std::shared_ptr<Slabs<Number>> slabs_;
  const Weights* weights_;
  int block_;
  HistoryKernel kernel_;
  std::vector<Field> states_;
  std::vector<Tables> tables_;
  FarTables far_;  // of some block
};

}  // namespace halocline::fractional
