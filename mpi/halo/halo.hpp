// Halo: exchanges values between parts along links, by peer copy inside a rank and by messages between ranks.
// Buffers, counts and peers are fixed at construction; start() and finish() allocate nothing.
#pragma once

#include <memory>
#include <span>

#include "lib/base/traffic.hpp"
#include "lib/base/view.hpp"
#include "mpi/communicator.hpp"
#include "mpi/halo/links.hpp"
#include "mpi/team.hpp"

namespace halocline {

// T: double, float, std::int32_t or std::int64_t (instantiated in halo.cpp).
template <class T>
class Halo {
 public:
  // Global part numbers of the links map to ranks through the team layouts. Collective; links that do not match are a
  // defect, found here. For the way back, from ghosts to owners, make one of reversed(links).
  Halo(const Communicator& comm, const Team& team, const Links& links);
  ~Halo();
  Halo(Halo&&) noexcept;
  Halo& operator=(Halo&&) noexcept;

  // Packs and sends from `owned` (one view per part of this rank, in device memory). Called by the rank's main thread.
  // Work on the data that `finish` fills must wait; interior work may run in between.
  void start(std::span<const View<const T, 1>> owned);
  // Receives and unpacks into `ghosts` (one view per part; may be the same memory as `owned`).
  void finish(std::span<const View<T, 1>> ghosts);

  const Traffic& sent() const;  // by this rank to others, since construction

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline
