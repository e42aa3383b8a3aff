#include "mpi/settle_transfer.hpp"

#include "lib/base/error.hpp"
#include "mpi/doors.hpp"

namespace halocline {

std::string settle_transfer(const Communicator& comm, Team& team, bool gpus) {
  const bool by_name = team.transfer() == Transfer::ipc;
  if (!by_name && team.transfer() != Transfer::automatic) return "";
  if (!by_name && (!gpus || comm.size() == 1)) return "";
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
