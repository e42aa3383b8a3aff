// Exceptions with exit codes, places in a deck, and the check for programming errors.
// Exit codes: 0 ok, 1 verification failed, 2 deck or command line, 3 numerical, 4 machine, 5 defect of halocline.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace halocline {

enum class ExitCode { ok = 0, verification = 1, deck = 2, numerical = 3, machine = 4, defect = 5 };

// A position in a text the user wrote; line and column count from 1, 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

// "file:line:column", leaving out what is unknown.
inline std::string to_string(const Place& place) {
  std::string text = place.file;
  if (place.line > 0) text.append(":").append(std::to_string(place.line));
  if (place.line > 0 && place.column > 0) text.append(":").append(std::to_string(place.column));
  return text;
}

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// The deck or the command line asks for something that cannot be done. The message may have several lines.
struct DeckError : Error {
  explicit DeckError(const std::string& message) : Error(ExitCode::deck, message) {}
};
// The computation itself failed: breakdown, non-finite values, no convergence.
struct NumericalError : Error {
  explicit NumericalError(const std::string& message) : Error(ExitCode::numerical, message) {}
};
// The machine failed: no device, no memory, a file that cannot be written, MPI.
struct MachineError : Error {
  explicit MachineError(const std::string& message) : Error(ExitCode::machine, message) {}
};
// A defect of halocline: a broken precondition.
struct InternalError : Error {
  explicit InternalError(const std::string& message) : Error(ExitCode::defect, message) {}
};

// Checks a precondition that only a defect of halocline can break.
inline void require(bool condition, std::string_view what,
                    std::source_location where = std::source_location::current()) {
  if (condition) return;
  throw InternalError(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " + std::string(what));
}

}  // namespace halocline
