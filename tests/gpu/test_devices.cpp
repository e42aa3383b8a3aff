// Names of devices and their map to the ranks of a node; needs no GPU.
#include "gpu/devices.hpp"

#include <gtest/gtest.h>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

using Names = std::vector<std::string>;

// The devices of all ranks of a node, one after the other.
Names whole_node(const Names& wanted, int per_rank, int ranks, int gpus) {
  Names all;
  for (int rank = 0; rank < ranks; ++rank) {
    const Names own = devices_of_rank(wanted, per_rank, {rank, ranks}, gpus);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

TEST(DevicesOfRank, OneCardServesAnyNumberOfRanksAndParts) {
  const Names four(4, "cuda:0");
  EXPECT_EQ(whole_node({"auto"}, 4, 1, 1), four);
  EXPECT_EQ(whole_node({"cuda"}, 2, 2, 1), four);
  EXPECT_EQ(whole_node({"auto"}, 1, 4, 1), four);
}

TEST(DevicesOfRank, EveryPartHasACardOfItsOwnWhereThereAreEnough) {
  const Names four{"cuda:0", "cuda:1", "cuda:2", "cuda:3"};
  EXPECT_EQ(whole_node({"auto"}, 4, 1, 4), four);
  EXPECT_EQ(whole_node({"cuda"}, 2, 2, 8), four);
  EXPECT_EQ(whole_node({"cuda", "cuda"}, 1, 2, 4), four);
  EXPECT_EQ(whole_node({"auto"}, 1, 4, 4), four);
}

TEST(DevicesOfRank, PartsThatShareCardsAreNeighbors) {
  EXPECT_EQ(whole_node({"cuda"}, 1, 5, 2), (Names{"cuda:0", "cuda:0", "cuda:0", "cuda:1", "cuda:1"}));
  EXPECT_EQ(whole_node({"auto"}, 3, 2, 3), (Names{"cuda:0", "cuda:0", "cuda:1", "cuda:1", "cuda:2", "cuda:2"}));
}

TEST(DevicesOfRank, OtherNamesStay) {
  EXPECT_EQ(whole_node({"cuda", "omp"}, 1, 2, 2), (Names{"cuda:0", "omp", "cuda:1", "omp"}));
  EXPECT_EQ(whole_node({"cuda:1", "omp:3"}, 2, 1, 4), (Names{"cuda:1", "cuda:1", "omp:3", "omp:3"}));
}

TEST(DevicesOfRank, WithoutCardsAutoIsTheHostAndCudaIsRefusedLater) {
  EXPECT_EQ(whole_node({"auto"}, 2, 1, 0), (Names{"omp", "omp"}));
  EXPECT_EQ(whole_node({"cuda"}, 1, 1, 0), Names{"cuda"});
}

TEST(NamesGpu, IsFalseForWhatTheHostCanBe) {
  EXPECT_TRUE(names_gpu({"cuda"}));
  EXPECT_TRUE(names_gpu({"omp:2", "cuda:1"}));
  EXPECT_FALSE(names_gpu({"auto"}));
  EXPECT_FALSE(names_gpu({"omp", "emulated", "emulated-lazy:2"}));
}

TEST(ShareThreads, HostDevicesShareWhatOthersLeave) {
  EXPECT_EQ(share_threads({"omp"}, 8), (std::vector<int>{8}));
  EXPECT_EQ(share_threads({"omp", "emulated", "omp"}, 8), (std::vector<int>{2, 3, 3}));
  EXPECT_EQ(share_threads({"omp:5", "omp", "emulated-lazy:1"}, 8), (std::vector<int>{5, 2, 1}));
  EXPECT_EQ(share_threads({"cuda:0", "omp", "cuda:1"}, 16), (std::vector<int>{1, 14, 1}));
  EXPECT_EQ(share_threads({"omp:5", "omp", "cuda"}, 2), (std::vector<int>{5, 1, 1}));
}

TEST(DeviceNames, AreCheckedWithoutLookingAtTheMachine) {
  for (const char* good : {"omp", "omp:3", "emulated:2", "emulated-lazy", "cuda", "cuda:4000"})
    EXPECT_NO_THROW(check_device_name(good)) << good;
  for (const char* bad : {"", "opm", "omp:", "omp:0", "omp:x", "cuda:-1", "cuda:1x", "gpu", "auto"})
    EXPECT_THROW(check_device_name(bad), DeckError) << bad;
}

TEST(DeviceNames, AMissingDeviceIsAFaultOfTheMachineInOneLine) {
  for (const char* name : {"cuda", "cuda:4000"}) {
    if (cuda_device_count() > 0 && std::string(name) == "cuda") continue;
    try {
      make_executor(name, 1);
      FAIL() << name;
    } catch (const MachineError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("device 'cuda:"), std::string::npos) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      if (cuda_device_count() == 0) {
        EXPECT_NE(text.find(why_no_cuda() + "; use omp or auto"), std::string::npos) << text;
      }
    }
  }
}

TEST(DeviceList, ReadsListsOfLinux) {
  EXPECT_EQ(numbers_of_list("0-3,8,10-11"), (std::vector<int>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(numbers_of_list("7"), std::vector<int>{7});
  for (const char* bad : {"", "a", "3-1", "-4", "1-", "1;2", "1-99999999"})
    EXPECT_TRUE(numbers_of_list(bad).empty()) << bad;
}

TEST(DeviceList, HostsAreNearNothingAndHaveNoCard) {
  const ExecutorPtr host = make_executor("omp", 1);
  EXPECT_TRUE(cores_near(*host).empty());
  EXPECT_EQ(gpu_state(*host).bus, "");
}

TEST(DeviceList, PlainMemoryOfHostsIsTheirOwn) {
  const ExecutorPtr host = make_executor("omp", 1);
  auto* memory = static_cast<double*>(allocate_plain(*host, 8 * sizeof(double)));
  memory[7] = 1;
  deallocate_plain(*host, memory, 8 * sizeof(double));
}

TEST(DeviceList, NamesEveryCardOrSaysWhyThereIsNone) {
  EXPECT_EQ(why_no_cuda().empty(), cuda_device_count() > 0);
  std::string all;
  for (const std::string& line : describe_devices()) all += line + "\n";
  EXPECT_NE(all.find("omp: the host"), std::string::npos);
  EXPECT_NE(all.find(cuda_device_count() > 0 ? "cuda:0: " : "cuda: none, " + why_no_cuda()), std::string::npos) << all;
}

}  // namespace
}  // namespace halocline
