// Checkpoints: a problem's state through StateArchive, in checkpoint_0001.h5, checkpoint_0002.h5, ..., on any number of
// parts and ranks.
//
// A file gets its name when it is whole and on the disk (fsync of file and folder around a rename), and so are the
// outputs before it; `keep` generations stay. Every file ends with a seal (io/output/seal.hpp), whose checksums do not
// depend on the partition. One whose seal is broken, or before which outputs are gone, is passed over, with a warning,
// for the generation before; nothing of it is read before. Values may lie in files of their own,
// checkpoint_0001.0001.values and so on, which are on the disk before the sealed file is, and are part of what it
// seals.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "io/fingerprint.hpp"
#include "io/h5/writers.hpp"
#include "io/output/outputs.hpp"
#include "lib/base/publish.hpp"
#include "lib/base/words.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// What a checkpoint belongs to. Another family, another key that must not change or another shape refuses a restart;
// another version warns.
struct CheckpointIdentity {
  std::string family;
  std::string shape;          // what must not change between runs, in words: "512 x 512 elements"
  std::string version;        // of the program
  std::string deck;           // resolved, kept for the reader
  std::string formulas = {};  // what else must not change, as a program chooses it where the deck leaves it open
  Fingerprint keys = {};      // of the deck
  double end = std::numeric_limits<double>::infinity();  // of the run; checkpoints of later times are refused
};

// Where values of checkpoints lie: with the rest in one file, or in a file of each writer beside it (value_files.hpp).
enum class CheckpointFiles { one, writers };
constexpr auto words_of(CheckpointFiles) {
  return std::to_array<Word<CheckpointFiles>>({{"one", CheckpointFiles::one}, {"writers", CheckpointFiles::writers}});
}

class Checkpoints {
 public:
  using Archive = std::function<void(StateArchive&)>;  // Problem::archive, and what the driver itself keeps

  // Files lie in `directory`, which exists; the communicator outlives this. keep >= 1.
  Checkpoints(Writers writers, std::string directory, int keep, CheckpointIdentity identity,
              CheckpointFiles files = CheckpointFiles::one);

  // Saves a new generation and removes those beyond `keep`; returns the file. Collective. MachineError on all ranks
  // when it cannot be written; older generations stay then, and no unfinished file.
  std::string save(const Archive& archive);

  struct Restored {
    std::string file;                   // "" when there was no checkpoint to go on from
    std::vector<std::string> warnings;  // files passed over, other versions
  };
  // Restores the newest whole generation whose outputs are there. Collective. DeckError when it belongs to another
  // family or shape; MachineError when there are checkpoints, but none is whole.
  Restored restore_newest(const Archive& archive) const;
  // The file that restore_newest() ("auto") or restore() would read; throws what they would. Collective.
  Restored check(const std::string& restart) const;
  // Restores this file; DeckError when it does not exist, MachineError when it is damaged.
  Restored restore(const std::string& file, const Archive& archive) const;

 private:
  void write_file(const std::string& path, const Archive& archive, const std::string& outputs) const;
  void remove_old(const std::vector<std::string>& old) const;
  void remove_remains(const std::vector<std::string>& whole) const;
  std::string find_newest(std::vector<std::string>& warnings) const;
  void check_file(const std::string& file) const;
  std::vector<std::string> generations() const;  // oldest first; the same on every rank
  // Text that says what is wrong with the file; "" when it is whole. Collective.
  std::string damage(const std::string& file) const;
  std::string damage_beside(const std::string& file) const;
  std::string lack(const std::string& file) const;
  void check_identity(const std::string& file, std::vector<std::string>& warnings) const;
  Restored read(const std::string& file, const Archive& archive, std::vector<std::string> warnings) const;

  Writers writers_;
  const Communicator& comm_;
  std::string directory_;
  int keep_;
  CheckpointIdentity identity_;
  Outputs outputs_;
  CheckpointFiles files_;
};

// Whether the folder holds a checkpoint of any generation.
bool holds_checkpoint(const std::string& directory);

}  // namespace halocline
