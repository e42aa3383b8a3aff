#include "mpi/halo/link_checks.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace halocline {
namespace {

// By team: several ranks may live in one process, where clusters are simulated.
struct Registry {
  std::mutex access;
  std::map<const Team*, LinkChecks*> open;
};

Registry& registry() {
  static Registry of_all;
  return of_all;
}

}  // namespace

LinkChecks::LinkChecks(const Team& team) : team_(&team) {
  const std::lock_guard lock(registry().access);
  registry().open[team_] = this;
}

LinkChecks::~LinkChecks() {
  leave();
  for (WaitingHalo* halo : waiting_) halo->give_up();
}

void LinkChecks::leave() {
  const std::lock_guard lock(registry().access);
  const auto own = registry().open.find(team_);
  if (own != registry().open.end() && own->second == this) registry().open.erase(own);
}

LinkChecks* LinkChecks::of(const Team& team) {
  const std::lock_guard lock(registry().access);
  const auto found = registry().open.find(&team);
  return found == registry().open.end() ? nullptr : found->second;
}

void LinkChecks::remove(const WaitingHalo& halo) { std::erase(waiting_, &halo); }

void LinkChecks::settle(const Communicator& comm) {
  if (waiting_.empty()) return;
  std::vector<Route> routes;
  std::string fault;
  Index number = 0;
  for (const WaitingHalo* halo : waiting_) {
    for (Route& route : halo->all_routes()) {
      route.halo = number;
      routes.push_back(std::move(route));
    }
    ++number;
    if (fault.empty()) fault = halo->fault();
  }
  const PartRanks ranks = check_links(comm, *team_, routes, fault);
  std::vector<WaitingHalo*> ready;
  ready.swap(waiting_);
  for (WaitingHalo* halo : ready) halo->go_on(ranks);
}

void LinkChecks::close(const Communicator& comm) {
  settle(comm);
  leave();
}

}  // namespace halocline
