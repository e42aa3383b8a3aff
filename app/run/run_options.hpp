// Options that every family shares: the blocks `run`, `output` and `checkpoint` of a deck.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/formats/compat.hpp"
#include "io/h5/writers.hpp"
#include "io/image/image.hpp"
#include "io/output/checkpoint.hpp"
#include "io/output/geometry.hpp"
#include "lib/base/describe.hpp"
#include "lib/problems/problem.hpp"
#include "mpi/transfer.hpp"

namespace halocline {

enum class Shares { weights, measured };  // of the work: as given, or by what the devices can do
constexpr auto words_of(Shares) {
  return std::to_array<Word<Shares>>({{"weights", Shares::weights}, {"measured", Shares::measured}});
}

enum class Sums { exact };
constexpr auto words_of(Sums) { return std::to_array<Word<Sums>>({{"exact", Sums::exact}}); }

struct RunOptions final : Options {
  std::vector<std::string> devices{"auto"};  // of every rank
  Index per_rank = 1;                        // copies of each
  std::vector<double> weights;               // empty, one per part of a rank, or one per part of all ranks
  Index threads = 0;                         // of a rank; 0: as the machine offers
  double wall_limit = 0;                     // s; 0: none
  Shares balance = Shares::weights;
  Transfer transfer = Transfer::automatic;
  Sums sums = Sums::exact;
  void describe(Describer& d) override;
};

// Pictures of a field, or of a plane of it; of the end alone when neither period is given.
struct ImageOptions final : Options {
  bool present = false;
  double every = 0;       // problem time; 0: not given
  Index every_steps = 0;  // 0: not given
  int field = 0;          // number of a known field
  ColorMap map = ColorMap::viridis;
  std::vector<double> range;  // values at the ends of the map; empty: those of each picture
  Index pixels = 1024;        // of the longer side at most
  int axis = 2;               // through the plane of a 3D field: x, y, z
  bool has_axis = false;
  std::vector<double> at;  // where on that axis; empty: in the middle
  std::span<const char* const> known_fields;
  void describe(Describer& d) override;
  bool given() const { return present || every > 0 || every_steps > 0; }
};

// Series over time: extremes and integral of fields, their values at points and along lines. Of the end alone when
// neither period is given.
struct ProbeOptions final : Options {
  bool present = false;
  double every = 0;       // problem time; 0: not given
  Index every_steps = 0;  // 0: not given
  std::vector<std::string> fields;
  std::vector<std::vector<double>> points, lines;
  Index samples = 101;  // of a line
  std::span<const char* const> known_fields;
  void describe(Describer& d) override;
  bool given() const { return present || every > 0 || every_steps > 0; }
};

struct OutputOptions final : Options {
  std::string directory;            // "": out/<name of the deck>
  double every = 0;                 // problem time; 0: not given
  Index every_steps = 0;            // 0: not given
  std::vector<double> at;           // problem times
  std::vector<std::string> fields;  // empty: all
  Compat compat = Compat::none;
  Geometry geometry = Geometry::automatic;
  bool has_geometry = false;
  Index buffers = 2;  // of outputs on their way to the disk
  bool has_buffers = false;
  std::string writers = "auto";  // a WriterChoice
  double max_size = 64;          // GiB, of results in tables.h5
  bool has_max_size = false;
  ImageOptions images;
  ProbeOptions probes;
  std::span<const char* const> known_fields;  // of the family
  void describe(Describer& d) override;
  // Ranks that write, of checkpoints too.
  WriterChoice writer_choice() const { return halocline::writer_choice(writers).value_or(WriterChoice{}); }
  // Outputs that may be on their way while the run goes on; none where the end alone is written.
  Index on_the_way() const { return every > 0 || every_steps > 0 || !at.empty() ? buffers : 0; }
};

struct CheckpointOptions final : Options {
  double interval = 1800;  // s of wall time
  double every = 0;        // problem time; 0: not given
  Index keep = 2;
  bool at_end = true;
  CheckpointFiles files = CheckpointFiles::one;
  void describe(Describer& d) override;
};

struct SharedOptions final : Options {
  RunOptions run;
  OutputOptions output;
  CheckpointOptions checkpoint;
  void describe(Describer& d) override;
  // Rules across keys, for a run on `ranks` ranks.
  void check(int ranks, Faults& faults) const;
  // Keys that mean nothing for this family, and results that are too large.
  void check_for(const Family& family, const Plan& plan, Faults& faults) const;
};

}  // namespace halocline
