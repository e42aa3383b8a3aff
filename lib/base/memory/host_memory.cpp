#include "lib/base/memory/host_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace halocline {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
static_assert(large_host_block >= 2 * huge_page);
constexpr std::size_t colors = 13, color_step = 320;

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

// Where the system's block begins that a large block lies in.
char* system_block(void* pointer) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(pointer) / huge_page * huge_page);
}

std::size_t pages(int name) {
  const long count = sysconf(name);
  return count > 0 ? static_cast<std::size_t>(count) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

std::size_t physical_memory() { return pages(_SC_PHYS_PAGES); }
std::size_t free_memory() { return pages(_SC_AVPHYS_PAGES); }

void throw_out_of_memory(const std::string& owner, std::size_t needed, std::size_t free) {
  throw OutOfMemory(owner + ": out of memory: " + std::to_string(needed) + " bytes needed, " + std::to_string(free) +
                    " bytes free");
}

void* allocate_host(std::size_t bytes, const std::string& owner) {
  // The kernel promises more than it has and kills later; a block beyond all memory is refused here.
  if (bytes > physical_memory()) throw_out_of_memory(owner, bytes, free_memory());
  if (bytes < large_host_block) {
    void* pointer = std::aligned_alloc(64, round_up(std::max<std::size_t>(bytes, 1), 64));
    if (pointer == nullptr) throw_out_of_memory(owner, bytes, free_memory());
    return pointer;
  }
  static std::atomic<unsigned> next{0};
  const std::size_t shift = shift_of_block(next.fetch_add(1, std::memory_order_relaxed));
  const std::size_t size = round_up(bytes + shift, huge_page);
  void* pointer = std::aligned_alloc(huge_page, size);
  if (pointer == nullptr) throw_out_of_memory(owner, bytes, free_memory());
  choose_pages(static_cast<char*>(pointer), bytes + shift);
  return static_cast<char*>(pointer) + shift;
}

void deallocate_host(void* pointer, std::size_t bytes) noexcept {
  std::free(bytes >= large_host_block ? system_block(pointer) : pointer);
}

std::size_t shift_of_block(unsigned n) { return n % colors * color_step; }

std::size_t whole_huge_pages(std::size_t bytes) { return round_up(bytes, huge_page); }

void choose_pages(char* start, std::size_t bytes) noexcept {
  // Only wishes: memory of any pages does as well.
  const std::size_t filled = bytes / huge_page * huge_page;
  madvise(start, filled, MADV_HUGEPAGE);
  if (filled < bytes) madvise(start + filled, huge_page, MADV_NOHUGEPAGE);
}

char* map_huge_pages(std::size_t bytes) {
  const std::size_t size = bytes + huge_page;  // holds so many at a multiple of their size
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char *begin = static_cast<char*>(memory), *end = begin + size;
  char* start = begin + (huge_page - reinterpret_cast<std::uintptr_t>(begin) % huge_page) % huge_page;
  if (start > begin) unmap_pages(begin, static_cast<std::size_t>(start - begin));
  if (start + bytes < end) unmap_pages(start + bytes, static_cast<std::size_t>(end - (start + bytes)));
  madvise(start, bytes, MADV_HUGEPAGE);  // only a wish: small pages do as well
  return start;
}

void unmap_pages(char* start, std::size_t bytes) noexcept { munmap(start, bytes); }

void forget_pages(char* start, std::size_t bytes) noexcept { madvise(start, bytes, MADV_FREE); }

void copy_host(void* to, const void* from, std::size_t bytes, int threads) {
  constexpr std::size_t worth_a_team = std::size_t{256} << 10;
  if (bytes < worth_a_team || threads == 1) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    return;
  }
  const std::size_t share = round_up(bytes / static_cast<std::size_t>(threads) + 1, 4096);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; ++t) {
    const std::size_t first = std::min(bytes, share * static_cast<std::size_t>(t));
    const std::size_t last = std::min(bytes, first + share);
    if (first < last) {
      std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first, last - first);
    }
  }
}

}  // namespace halocline
