#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/error.hpp"
#include "lib/base/memory/host_memory.hpp"
#include "lib/base/memory/host_pool.hpp"

namespace halocline {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

// What blocks occupy: whole huge pages, since none begins at the start of its first page but every 13th.
constexpr std::size_t page = 2 * mib;
std::size_t occupied(std::size_t bytes) { return (bytes / page + 1) * page; }

char* page_of(void* block) { return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(block) / page * page); }

TEST(HostPool, TakesPartsOfWhatItKeepsAndJoinsThemAgain) {
  HostPool pool;
  pool.deallocate(pool.allocate(5 * mib, "test"), 5 * mib);  // the only one that begins with its page
  pool.deallocate(pool.allocate(23 * mib, "test"), 23 * mib);
  void* first = pool.allocate(23 * mib, "test");
  std::memset(first, 1, 23 * mib);
  pool.deallocate(first, 23 * mib);
  EXPECT_EQ(pool.kept(), 24 * mib);
  void* left = pool.allocate(9 * mib, "test");
  void* right = pool.allocate(13 * mib, "test");
  EXPECT_EQ(pool.kept(), 0u);
  EXPECT_EQ(page_of(left), page_of(first));
  EXPECT_EQ(page_of(right), page_of(first) + 10 * mib);
  std::memset(left, 2, 9 * mib);
  std::memset(right, 3, 13 * mib);
  pool.deallocate(left, 9 * mib);
  EXPECT_EQ(pool.kept(), 10 * mib);
  pool.deallocate(right, 13 * mib);
  void* whole = pool.allocate(23 * mib, "test");
  EXPECT_EQ(page_of(whole), page_of(first));
  pool.deallocate(whole, 23 * mib);
}

// Pages in use, of those of 4 KiB between two addresses.
std::size_t resident(char* begin, char* end) {
  std::vector<unsigned char> pages(static_cast<std::size_t>(end - begin) / 4096);
  EXPECT_EQ(mincore(begin, static_cast<std::size_t>(end - begin), pages.data()), 0);
  return static_cast<std::size_t>(std::count_if(pages.begin(), pages.end(), [](unsigned char p) { return p & 1; }));
}

// Forecasts count the bytes of fields, no pages.
TEST(HostPool, TakesNoMemoryBeyondABlock) {
  HostPool pool;
  std::vector<std::pair<char*, std::size_t>> left;
  for (const std::size_t bytes : {4 * mib + 100, 4 * mib + 3000, 7 * mib + 5000}) {
    char* block = static_cast<char*>(pool.allocate(bytes, "test"));
    std::memset(block, 1, bytes);
    char* start = page_of(block);
    const std::size_t needed = (static_cast<std::size_t>(block - start) + bytes + 4095) / 4096;
    EXPECT_EQ(resident(start, start + occupied(bytes)), needed);
    left.emplace_back(block, bytes);
  }
  for (const auto& [block, bytes] : left) pool.deallocate(block, bytes);
}

TEST(HostPool, TakesTheSmallestThatIsLargeEnough) {
  HostPool pool;
  void* a = pool.allocate(21 * mib, "test");
  void* b = pool.allocate(5 * mib, "test");
  void* c = pool.allocate(11 * mib, "test");
  void* d = pool.allocate(5 * mib, "test");  // between the others no two are joined
  pool.deallocate(a, 21 * mib);
  pool.deallocate(c, 11 * mib);
  void* again = pool.allocate(9 * mib, "test");
  EXPECT_EQ(page_of(again), page_of(c));
  pool.deallocate(again, 9 * mib);
  pool.deallocate(b, 5 * mib);
  pool.deallocate(d, 5 * mib);
}

TEST(HostPool, ReturnsSmallBlocksAtOnce) {
  HostPool pool;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, large_host_block - 1}) {
    void* block = pool.allocate(bytes, "test");
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
    std::memset(block, 1, bytes);
    pool.deallocate(block, bytes);
    EXPECT_EQ(pool.kept(), 0u);
  }
}

TEST(HostPool, GivesBackWhatWouldBeMoreThanOnceWasInUse) {
  HostPool pool;
  void* a = pool.allocate(21 * mib, "test");
  void* b = pool.allocate(5 * mib, "test");
  void* c = pool.allocate(21 * mib, "test");
  pool.deallocate(a, 21 * mib);
  pool.deallocate(c, 21 * mib);
  pool.deallocate(b, 5 * mib);
  EXPECT_EQ(pool.kept(), 50 * mib);
  void* d = pool.allocate(59 * mib, "test");  // fresh, whatever lies beside each other
  EXPECT_EQ(pool.kept(), 0u);
  pool.deallocate(d, 59 * mib);
  EXPECT_EQ(pool.kept(), 60 * mib);
}

// Random demands: blocks do not overlap, hold their values, and all that is held was once in use at the same time.
void play(HostPool& pool, unsigned seed, bool alone) {
  std::mt19937 random(seed);
  struct Mine {
    char* start;
    std::size_t bytes;
    char value;
  };
  std::vector<Mine> blocks;
  std::size_t used = 0, most = 0;
  const auto check = [&](const Mine& block) {
    for (std::size_t at = 0; at < block.bytes; at += 4096) ASSERT_EQ(block.start[at], block.value);
    ASSERT_EQ(block.start[block.bytes - 1], block.value);
  };
  for (int round = 0; round < 120; ++round) {
    if (blocks.empty() || (blocks.size() < 6 && random() % 2 == 0)) {
      const std::size_t bytes = mib + random() % (12 * mib);
      const auto value = static_cast<char>(random());
      auto* start = static_cast<char*>(pool.allocate(bytes, "test"));
      for (std::size_t at = 0; at < bytes; at += 4096) start[at] = value;
      start[bytes - 1] = value;
      blocks.push_back({start, bytes, value});
      used += bytes >= large_host_block ? occupied(bytes) : 0;
      most = std::max(most, used);
    } else {
      const std::size_t which = random() % blocks.size();
      const Mine block = blocks[which];
      check(block);
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
      pool.deallocate(block.start, block.bytes);
      used -= block.bytes >= large_host_block ? occupied(block.bytes) : 0;
    }
    if (alone) {
      EXPECT_LE(used + pool.kept(), most);
    }
  }
  for (const Mine& block : blocks) {
    check(block);
    pool.deallocate(block.start, block.bytes);
  }
}

TEST(HostPool, HoldsNoMoreThanOnceWasInUse) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    HostPool pool;
    play(pool, seed, true);
    EXPECT_GT(pool.kept(), 0u);
  }
}

TEST(HostPool, ServesSeveralThreads) {
  HostPool pool;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back([&pool, t] { play(pool, 10 + t, false); });
  for (std::thread& thread : threads) thread.join();
}

TEST(HostPool, RefusesWhatNoMachineHas) {
  HostPool pool;
  pool.deallocate(pool.allocate(8 * mib, "test"), 8 * mib);
  EXPECT_THROW(pool.allocate(std::size_t{1} << 60, "test"), MachineError);
  void* block = pool.allocate(8 * mib, "test");
  pool.deallocate(block, 8 * mib);
}

#if !defined(__SANITIZE_ADDRESS__)  // which reserves more addresses than any limit leaves
std::size_t addresses_in_use() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<std::size_t>(pages) * 4096;
}

TEST(HostPool, GivesBackWhatItKeepsBeforeItFails) {
  HostPool pool;
  void* a = pool.allocate(200 * mib, "test");
  void* b = pool.allocate(400 * mib, "test");
  pool.deallocate(a, 200 * mib);
  ASSERT_GE(pool.kept(), 200 * mib);
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  const rlimit tight{addresses_in_use() + 20 * mib, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  void* c = nullptr;
  EXPECT_NO_THROW(c = pool.allocate(210 * mib, "test"));
  EXPECT_THROW(pool.allocate(400 * mib, "test"), MachineError);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(pool.kept(), 0u);
  pool.deallocate(b, 400 * mib);
  if (c != nullptr) pool.deallocate(c, 210 * mib);
}
#endif

TEST(HostPool, ServesTheArraysOfTheHost) {
  const ExecutorPtr executor = make_omp_executor(2);
  const char* place = nullptr;
  for (int round = 0; round < 3; ++round) {
    Array<double, 1> array(executor, {static_cast<Index>(2 * mib - 1000)});
    if (round > 0) {
      EXPECT_EQ(page_of(array.view().data), place);
    }
    place = page_of(array.view().data);
  }
}

}  // namespace
}  // namespace halocline
