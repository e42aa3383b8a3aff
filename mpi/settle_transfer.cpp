#include "mpi/settle_transfer.hpp"

#include <array>

#include "lib/base/error.hpp"
#include "mpi/doors.hpp"

namespace halocline {

std::string settle_transfer(const Communicator& comm, Team& team) {
  const bool by_name = team.transfer() == Transfer::ipc;
  if (!by_name && team.transfer() != Transfer::automatic) return "";
  std::array<Index, 1> gpus{0};
  for (int p = 0; p < team.parts(); ++p) gpus[0] += team.executor(p)->backend() == Backend::cuda ? 1 : 0;
  comm.max(gpus);
  if (!by_name && (gpus[0] == 0 || comm.size() == 1)) return "";
  const Doors& doors = team.doors(comm);
  if (by_name) {
    if (doors.why_not_all().empty()) return "";
    throw MachineError("run.transfer: ipc: " + doors.why_not_all() + "; use auto or staged");
  }
  if (doors.any()) team.set_transfer(Transfer::ipc);
  if (doors.why_not_on_node().empty()) return "";
  return std::string("run.transfer: auto does without ipc ") + (doors.any() ? "in part" : "here") + ", since " +
         doors.why_not_on_node();
}

}  // namespace halocline
