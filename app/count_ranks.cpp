#include "app/count_ranks.hpp"

#include <cstdlib>
#include <string_view>

namespace halocline {
namespace {

// A number of processes from the environment; 0: not there.
int number_of(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : 0;
}

struct Launched {
  int processes = 0;
  const char* variable = "";
};

// The innermost launcher counts: mpirun in a step of SLURM hands the variables of the step on. Batch scripts, which are
// one process, have SLURM_NTASKS too, so it counts in steps alone.
Launched launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const int count = number_of(name); count > 0) return {count, name};
  if (std::getenv("SLURM_STEP_ID") == nullptr && std::getenv("SLURM_STEPID") == nullptr) return {};
  for (const char* name : {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"})
    if (const int count = number_of(name); count > 0) return {count, name};
  return {};
}

}  // namespace

std::string fault_of_launcher(int size) {
  const Launched by = launched();
  const char* copies = std::getenv("HALOCLINE_COPIES");
  if (size > 1 || by.processes <= 1 || (copies != nullptr && std::string_view(copies) == "1")) return "";
  return std::to_string(by.processes) + " processes were started (" + by.variable +
         "), but MPI makes each of them a run of its own: it does not know the launcher. Use `srun --mpi=pmix`, or "
         "mpirun of the MPI that halocline was built with; where copies are meant, set HALOCLINE_COPIES=1";
}

}  // namespace halocline
