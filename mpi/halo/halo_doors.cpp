#include "mpi/halo/halo_doors.hpp"

#include <map>
#include <utility>

#include "mpi/exchange.hpp"

namespace halocline {

DoorBuffer::DoorBuffer(Door& door, std::size_t half) : door_(&door), block_(door.allocate(2 * half)), half_(half) {}

DoorBuffer::~DoorBuffer() {
  if (door_ != nullptr) door_->deallocate(block_);
}

void DoorBuffer::swap(DoorBuffer& other) noexcept {
  std::swap(door_, other.door_);
  std::swap(block_, other.block_);
  std::swap(half_, other.half_);
}

std::vector<DoorOffer> exchange_offers(const Communicator& comm, const PartRanks& ranks,
                                       const std::vector<DoorOffer>& own) {
  std::map<int, std::vector<DoorOffer>> by_rank;
  for (const DoorOffer& offer : own) by_rank[ranks.rank_of(offer.to)].push_back(offer);
  std::vector<Parcel<DoorOffer>> outgoing;
  for (auto& [rank, offers] : by_rank) outgoing.push_back({rank, std::move(offers)});
  std::vector<DoorOffer> all;
  for (const Parcel<DoorOffer>& parcel : exchange_lists(comm, outgoing))
    all.insert(all.end(), parcel.values.begin(), parcel.values.end());
  return all;
}

}  // namespace halocline
