// Doors between the devices of ranks, on any number of ranks. No test stops at its first failure: the other ranks would
// wait for ever.
#include "mpi/doors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/emulated/shared_file.hpp"
#include "lib/base/error.hpp"
#include "mpi/exchange.hpp"
#include "mpi/settle_transfer.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

std::vector<TestDevice> devices_with_doors() {
  std::vector<TestDevice> devices = test_devices();
  std::erase_if(devices, [](TestDevice device) { return device == TestDevice::omp_1 || device == TestDevice::omp_3; });
  return devices;
}

class DoorsTest : public OnEveryExecutor {
 protected:
  Communicator comm{MPI_COMM_WORLD};
  std::vector<ExecutorPtr> executors{executor()};
  int next() const { return (comm.rank() + 1) % comm.size(); }
  int before() const { return (comm.rank() + comm.size() - 1) % comm.size(); }

  // What a rank gives, from the one before.
  template <class V>
  V from_before(const V& own) {
    return gather_lists(comm, std::vector<V>{own}).values[static_cast<std::size_t>(before())];
  }
  template <class V>
  V from_next(const V& own) {
    return gather_lists(comm, std::vector<V>{own}).values[static_cast<std::size_t>(next())];
  }
};

INSTANTIATE_TEST_SUITE_P(Executors, DoorsTest, testing::ValuesIn(devices_with_doors()), executor_name);

TEST_P(DoorsTest, AllDevicesOfOneKindReachEachOther) {
  const Doors doors(comm, executors, comm.rank());
  EXPECT_EQ(doors.any(), comm.size() > 1);
  EXPECT_EQ(doors.why_not_all(), "");
  EXPECT_EQ(doors.why_not_on_node(), "");
  for (int part = 0; part < comm.size(); ++part) EXPECT_EQ(doors.peer(0, part) != nullptr, part != comm.rank());
}

TEST_P(DoorsTest, HostsHaveNone) {
  const ExecutorPtr host = make_omp_executor(2);
  const Doors doors(comm, std::vector<ExecutorPtr>{executor(), host}, 2 * comm.rank());
  EXPECT_EQ(doors.own(1), nullptr);
  EXPECT_EQ(doors.why_not_all(), "omp:2 has no memory that other processes can open");
  EXPECT_EQ(doors.why_not_on_node(), "");
  for (int part = 0; part < 2 * comm.size(); ++part) {
    EXPECT_EQ(doors.peer(1, part), nullptr);
    EXPECT_EQ(doors.peer(0, part) != nullptr, part % 2 == 0 && part != 2 * comm.rank());
  }
}

TEST_P(DoorsTest, AReasonOfOneRankIsKnownToAll) {
  if (comm.rank() + 1 == comm.size()) executors.push_back(make_omp_executor(2));
  const Doors doors(comm, executors, comm.rank());
  EXPECT_EQ(doors.why_not_all(), "omp:2 has no memory that other processes can open");
  EXPECT_EQ(doors.why_not_on_node(), "");
  EXPECT_EQ(doors.any(), comm.size() > 1);
}

TEST_P(DoorsTest, DevicesOfOtherKindsDoNotReachEachOther) {
  if (comm.size() == 1 || GetParam() != TestDevice::cuda) return;
  const Doors doors(comm, std::vector<ExecutorPtr>{comm.rank() == 0 ? make_emulated_executor(1, false) : executor()},
                    comm.rank());
  EXPECT_NE(doors.why_not_on_node().find("devices of different kinds"), std::string::npos) << doors.why_not_on_node();
}

// Each rank writes into the memory of the next one, again and again, and none waits for a device: the reader waits for
// the mark behind the copy, the writer for the mark behind the reading.
TEST_P(DoorsTest, QueuesWaitForMarksOfOtherProcesses) {
  if (comm.size() == 1) return;
  constexpr Index size = 5000;
  constexpr int rounds = 8;
  const Doors doors(comm, executors, comm.rank());
  Door& door = *doors.own(0);
  const DoorBlock block = door.allocate(size * sizeof(double));
  PeerDoor& there = *doors.peer(0, next());
  const PeerDoor& source = *doors.peer(0, before());
  void* target = there.open(from_next(block.key));
  Index freed = door.mark(Queue::compute);
  std::vector<Array<double, 1>> values, read;
  for (int round = 0; round < rounds; ++round) {
    values.push_back(make_array(executor(), std::vector<double>(size, 10.0 * comm.rank() + round)));
    read.emplace_back(executor(), std::array<Index, 1>{size});
  }
  for (int round = 0; round < rounds; ++round) {
    door.wait(Queue::transfer, there, Queue::compute, from_next(freed));
    door.copy_async(there, target, values[round].view().data, block.bytes, Queue::transfer);
    const Index sent = door.mark(Queue::transfer);
    door.wait(Queue::compute, source, Queue::transfer, from_before(sent));
    executor()->copy_async(read[round].view().data, block.data, block.bytes, Queue::compute);
    freed = door.mark(Queue::compute);
  }
  for (int round = 0; round < rounds; ++round)
    EXPECT_EQ(read[round].to_host(), std::vector<double>(size, 10.0 * before() + round));
  door.deallocate(block);
  comm.barrier();
}

TEST_P(DoorsTest, TransferIsSettledForAllRanks) {
  const bool cuda = GetParam() == TestDevice::cuda;
  const auto settled = [&](std::vector<ExecutorPtr> own, Transfer wanted) {
    const int parts = static_cast<int>(own.size());
    Team team(std::move(own), parts * comm.rank(), parts * comm.size(), wanted);
    EXPECT_EQ(settle_transfer(comm, team, cuda), "");
    return team.transfer();
  };
  const bool gpu = cuda && comm.size() > 1;
  EXPECT_EQ(settled(executors, Transfer::automatic), gpu ? Transfer::ipc : Transfer::automatic);
  EXPECT_EQ(settled(executors, Transfer::ipc), Transfer::ipc);
  EXPECT_EQ(settled(executors, Transfer::staged), Transfer::staged);
  EXPECT_EQ(settled({executor(), make_omp_executor(1)}, Transfer::automatic),
            gpu ? Transfer::ipc : Transfer::automatic);
  // A host on the last rank alone: all ranks throw the same.
  const ExecutorPtr last = comm.rank() + 1 == comm.size() ? make_omp_executor(2) : executor();
  Team team({last}, comm.rank(), comm.size(), Transfer::ipc);
  try {
    settle_transfer(comm, team, cuda);
    ADD_FAILURE() << "ipc with a host device";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(),
                 "run.transfer: ipc: omp:2 has no memory that other processes can open; use auto or staged");
  }
}

TEST(SharedFile, IsFoundByItsKeyAlone) {
  const SharedFile file(4096);
  SharedFileKey key = file.key();
  const SharedFile same(key);
  same.board().lines[0].reached.raise(3);
  EXPECT_EQ(file.board().lines[0].reached.now(), 3);
  ++key.password[0];
  EXPECT_THROW(SharedFile{key}, MachineError);  // as in a container with processes of its own under these numbers
  key.file = 1 << 20;
  EXPECT_THROW(SharedFile{key}, MachineError);
}

}  // namespace
}  // namespace halocline
