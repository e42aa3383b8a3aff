// Files as other programs write them, beside the usual ones: `output.compat`.
//
// A format is a word of Compat, a class that implements CompatFiles, and its cases in compat.cpp. A family names
// the formats that it has (Family::compat); the driver calls what it was given.
#pragma once

#include <memory>
#include <string>

#include "lib/base/timers.hpp"
#include "lib/base/words.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {

enum class Compat { none, hiperc };
constexpr auto words_of(Compat) {
  return std::to_array<Word<Compat>>({{"none", Compat::none}, {"hiperc", Compat::hiperc}});
}

class CompatFiles {
 public:
  // An output of a run.
  struct Moment {
    double t = 0;
    bool last = false;   // the run has reached its end
    double seconds = 0;  // of wall time since the run began, earlier runs that it continues included
    const Timers& timers;
  };

  virtual ~CompatFiles() = default;
  // Before the first output: DeckError when the problem has not what these files need. Collective.
  virtual void check(const Problem& problem) = 0;
  // Collective; MachineError.
  virtual void write(const Problem& problem, const Moment& moment) = 0;
  // What is written next follows the files of an earlier run.
  virtual void resume() = 0;
};

// For messages: "it is for the benchmark of family diffusion".
const char* purpose_of(Compat compat);

// Null for `none`. `comm` and `directory`, which exists when the first file is written, outlive the files.
std::unique_ptr<CompatFiles> make_compat_files(Compat compat, const Communicator& comm, const std::string& directory);

}  // namespace halocline
