// What tests of halos share: teams of every kind of device on any number of ranks and devices per rank, and fields.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/array.hpp"
#include "mpi/halo/halo.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {

// Devices of each rank; 0 stands for uneven: 1, 2, 3, 1, ... on ranks 0, 1, 2, 3, ...
// A mixed rank has the host for every second part.
struct Setting {
  TestDevice device;
  int devices;
  Transfer transfer = Transfer::staged;
  bool mixed = false;
};

class HaloTest : public testing::TestWithParam<Setting> {
 protected:
  int devices_of(int rank) const {
    const int devices = GetParam().devices;
    return devices > 0 ? devices : rank % 3 + 1;
  }
  int first_part(int rank) const {
    int first = 0;
    for (int r = 0; r < rank; ++r) first += devices_of(r);
    return first;
  }
  int total() const { return first_part(comm.size()); }

  std::vector<ExecutorPtr> executors() const {
    std::vector<ExecutorPtr> all = make_test_executors(GetParam().device, devices_of(comm.rank()));
    for (std::size_t i = 1; GetParam().mixed && i < all.size(); i += 2) all[i] = make_omp_executor(2);
    return all;
  }

  Communicator comm{MPI_COMM_WORLD};
  Team team{executors(), first_part(comm.rank()), total(), GetParam().transfer};
};

// Direct messages wherever MPI can read the memory: always that of the host, that of GPUs if it is CUDA-aware. Past MPI
// between devices that can: in a mixed rank those of some parts.
inline std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const TestDevice device : test_devices()) {
    const bool host = device == TestDevice::omp_1 || device == TestDevice::omp_3;
    for (const int devices : {1, 2, 4, 0}) {
      all.push_back({device, devices});
      if (host || (device == TestDevice::cuda && mpi_takes_cuda_pointers()))
        all.push_back({device, devices, Transfer::direct});
      if (!host) all.push_back({device, devices, Transfer::ipc});
    }
    if (!host) all.push_back({device, 3, Transfer::automatic, true});
    if (!host) all.push_back({device, 3, Transfer::ipc, true});
  }
  return all;
}

inline std::string setting_name(const testing::TestParamInfo<Setting>& info) {
  const Setting& s = info.param;
  return executor_name({s.device, 0}) + (s.devices > 0 ? "_x" + std::to_string(s.devices) : "_uneven") +
         (s.transfer == Transfer::direct ? "_direct" : "") + (s.transfer == Transfer::ipc ? "_ipc" : "") +
         (s.mixed ? "_mixed" : "");
}

// One array per part of this rank, all filled on their devices; the values wait in a second one.
template <class T>
class Fields {
 public:
  Fields(const Team& team, Index size)
      : Fields(team, std::vector<Index>(static_cast<std::size_t>(team.parts()), size)) {}
  Fields(const Team& team, const std::vector<Index>& sizes) : team_(team) {
    for (int part = 0; part < team.parts(); ++part) {
      arrays_.emplace_back(team.executor(part), std::array<Index, 1>{sizes[part]});
      sources_.emplace_back(team.executor(part), std::array<Index, 1>{sizes[part]});
      views.push_back(arrays_.back().view());
      const_views.push_back(std::as_const(arrays_.back()).view());
    }
  }
  // value(part, position) everywhere, written by work on the compute queue.
  template <class Value>
  void fill(const Value& value) {
    for (int part = 0; part < team_.parts(); ++part) {
      std::vector<T> host(static_cast<std::size_t>(views[part].size()));
      for (std::size_t i = 0; i < host.size(); ++i) host[i] = value(part, static_cast<Index>(i));
      sources_[part].assign(host);
      arrays_[part].assign(sources_[part]);
    }
  }
  // Overwrites one value on the compute queue with another of the last fill().
  void overwrite(int part, Index to, Index from) {
    team_.executor(part)->copy_async(views[part].data + to, sources_[part].view().data + from, sizeof(T),
                                     Queue::compute);
  }
  std::vector<T> to_host(int part) const { return arrays_[part].to_host(); }

  std::vector<View<T, 1>> views;
  std::vector<View<const T, 1>> const_views;

 private:
  const Team& team_;
  std::vector<Array<T, 1>> arrays_, sources_;
};

constexpr int untouched = -7;

// The same on every rank; every third part has no row.
inline Partition uneven_rows(int parts) {
  std::vector<Index> starts{0};
  for (int part = 0; part < parts; ++part) starts.push_back(starts.back() + (part % 3 == 1 ? 0 : 7 + 5 * (part % 4)));
  return Partition::from_starts(starts);
}

}  // namespace halocline
