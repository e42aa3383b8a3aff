// Parcels: lists for other ranks that are filled value by value; there is one for each rank that gets something.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "mpi/exchange.hpp"

namespace halocline {

template <class T>
class Parcels {
 public:
  // What `rank` is to get; stays where it is until send().
  std::vector<T>& to(int rank) {
    if (last_ == nullptr || rank != last_rank_) {
      last_ = &by_rank_[rank];
      last_rank_ = rank;
    }
    return *last_;
  }
  // As exchange_lists; leaves nothing here. Collective.
  std::vector<Parcel<T>> send(const Communicator& comm) {
    std::vector<Parcel<T>> outgoing;
    for (auto& [rank, values] : by_rank_) outgoing.push_back({rank, std::move(values)});
    by_rank_.clear();
    last_ = nullptr;
    return exchange_lists(comm, outgoing);
  }

 private:
  std::map<int, std::vector<T>> by_rank_;
  int last_rank_ = -1;
  std::vector<T>* last_ = nullptr;
};

}  // namespace halocline
