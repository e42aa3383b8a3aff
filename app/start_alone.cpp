#include "app/start_alone.hpp"

#include <algorithm>
#include <array>
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

}  // namespace halocline
