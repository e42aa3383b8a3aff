#pragma once

#include <cerrno>

namespace halocline {

/// Whether a file that cannot be opened or read for this reason (errno) may be a good one: it is the machine, or who is
/// asked for leave there, that does not give it.
inline bool is_system_fault(int reason) {
  switch (reason) {
    case EIO:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ESTALE:
    case EACCES:
    case EPERM:
      return true;
    default:
      return false;
  }
}

}  // namespace halocline
