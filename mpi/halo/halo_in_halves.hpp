// HaloInHalves: a Halo whose start comes in two halves, so that devices have work that is queued in between while the
// host waits for what is to be sent, and sends it.
#pragma once

#include <memory>
#include <span>

#include "lib/base/traffic.hpp"
#include "lib/base/view.hpp"
#include "mpi/communicator.hpp"
#include "mpi/halo/links.hpp"
#include "mpi/team.hpp"

namespace halocline {

// T: double or float (instantiated in halo.cpp).
template <class T>
class HaloInHalves {
 public:
  // As of Halo. Collective.
  HaloInHalves(const Communicator& comm, const Team& team, const Links& links);
  ~HaloInHalves();
  HaloInHalves(HaloInHalves&&) noexcept;
  HaloInHalves& operator=(HaloInHalves&&) noexcept;

  // Queues what collects; the host waits for nothing.
  void pack(std::span<const View<const T, 1>> owned);
  // The host waits for what was collected, and sends. Exchanges with the same ranks are packed and sent in one order.
  void send();
  void finish(std::span<const View<T, 1>> ghosts);

  const Traffic& sent() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline
