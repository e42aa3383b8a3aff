// Options that every family shares: the blocks `run`, `output` and `checkpoint` of a deck.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline {

struct RunOptions final : Options {
  std::vector<std::string> devices{"auto"};  // of every rank
  Index per_rank = 1;                        // copies of each
  std::vector<double> weights;               // empty, one per part of a rank, or one per part of all ranks
  Index threads = 0;                         // of a rank; 0: as the machine offers
  double wall_limit = 0;                     // s; 0: none
  int transfer = 0;
  int sums = 0;
  void describe(Describer& d) override;
};

struct OutputOptions final : Options {
  std::string directory;                      // "": out/<name of the deck>
  double every = 0;                           // problem time; 0: not given
  Index every_steps = 0;                      // 0: not given
  std::vector<double> at;                     // problem times
  std::vector<std::string> fields;            // empty: all
  std::span<const char* const> known_fields;  // of the family
  void describe(Describer& d) override;
};

struct CheckpointOptions final : Options {
  double interval = 1800;  // s of wall time
  double every = 0;        // problem time; 0: not given
  Index keep = 2;
  void describe(Describer& d) override;
};

struct SharedOptions final : Options {
  RunOptions run;
  OutputOptions output;
  CheckpointOptions checkpoint;
  void describe(Describer& d) override;
  // Rules across keys, for a run on `ranks` ranks.
  void check(int ranks, Faults& faults) const;
};

}  // namespace halocline
