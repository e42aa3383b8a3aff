// LinkChecks: compares the links of all halos that are made in a set-up at once, by one reduction in place of one each.
#pragma once

#include <string>
#include <vector>

#include "mpi/halo/halo_routes.hpp"

namespace halocline {

// A halo whose links other ranks have not seen. It exchanges nothing before they have.
struct WaitingHalo {
  virtual ~WaitingHalo() = default;
  virtual std::vector<Route> all_routes() const = 0;
  virtual const std::string& fault() const = 0;  // that this rank has found; empty for none
  virtual void go_on(const PartRanks& ranks) = 0;
  virtual void give_up() = 0;  // nobody will compare them
};

class LinkChecks {
 public:
  // Halos of `team` that are made from here on wait. The team outlives the checks.
  explicit LinkChecks(const Team& team);
  ~LinkChecks();
  LinkChecks(const LinkChecks&) = delete;
  LinkChecks& operator=(const LinkChecks&) = delete;

  // Those of a team, null where halos compare their links when they are made.
  static LinkChecks* of(const Team& team);

  void add(WaitingHalo& halo) { waiting_.push_back(&halo); }
  void remove(const WaitingHalo& halo);

  // Compares the links of all that wait; InternalError on all ranks where they do not match. The first exchange of one
  // of them calls it, on all ranks at the same time as all that is done in a set-up. Collective, where any wait.
  void settle(const Communicator& comm);
  // Settles; halos that are made from here on compare their links themselves, as those have to whose first exchanges
  // not all ranks take part in. Collective.
  void close(const Communicator& comm);

 private:
  void leave();

  const Team* team_;
  std::vector<WaitingHalo*> waiting_;
};

}  // namespace halocline
