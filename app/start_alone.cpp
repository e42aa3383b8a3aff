#include "app/start_alone.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

namespace halocline {

void start_alone() {
  // Of mpirun; of srun and others by PMIx, PMI-1 and PMI-2.
  constexpr std::array launched = {"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMI_RANK", "PMI_FD", "PMI_PORT"};
  if (std::any_of(launched.begin(), launched.end(), [](const char* name) { return std::getenv(name) != nullptr; }))
    return;
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  // All such processes have one name, by which they would share folders and memory: they need neither.
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
  setenv("OMPI_MCA_btl", "self", 1);
}

const char* lack_for_mpi() {
  // No more than one rank alone takes of files. With less memory some runs do by chance, and others crash in MPI.
  constexpr std::size_t bytes = std::size_t{16} << 20;
  constexpr std::size_t files = 9;
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return "halocline: out of memory: there is too little to start MPI";
  ::munmap(room, bytes);
  std::array<int, files> opened{};
  bool all = true;
  for (int& file : opened) {
    file = ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    all = all && (file >= 0 || (errno != EMFILE && errno != ENFILE));
  }
  for (const int file : opened)
    if (file >= 0) ::close(file);
  return all ? nullptr : "halocline: too few files may be open (ulimit -n) to start MPI";
}

}  // namespace halocline
