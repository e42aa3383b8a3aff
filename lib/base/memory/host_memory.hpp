// Host memory for the executors of lib/base: aligned blocks with huge pages, and copies by several threads.
#pragma once

#include <cstddef>
#include <string>

#include "lib/base/error.hpp"

namespace halocline {

// The machine or a device has no memory left. Callers add what they know of what the memory was for.
struct OutOfMemory final : MachineError {
  explicit OutOfMemory(const std::string& message) : MachineError(message) {}
};

// Blocks from this size on come from the system one by one and are returned to it one by one.
inline constexpr std::size_t large_host_block = std::size_t{4} << 20;

// Memory aligned to 64 bytes; large blocks lie on huge pages. `owner` stands in the message of the OutOfMemory thrown
// when the machine cannot give that much. Never null, also for 0 bytes.
void* allocate_host(std::size_t bytes, const std::string& owner);
void deallocate_host(void* pointer, std::size_t bytes) noexcept;

// Whole huge pages from the system: null when it has none. Parts may be given back on their own.
std::size_t whole_huge_pages(std::size_t bytes);
char* map_huge_pages(std::size_t bytes);
// For a block that begins at a huge page: those that it fills, and small pages at its end, where a huge one would be
// memory beyond the block. Pages that are there already stay as they are.
void choose_pages(char* start, std::size_t bytes) noexcept;
void unmap_pages(char* start, std::size_t bytes) noexcept;
// Tells the system that their contents are not needed any more: when memory is short it takes the pages, and gives
// others at the next write.
void forget_pages(char* start, std::size_t bytes) noexcept;
// Where in its pages a process's n-th large block begins. Blocks that all start at the same place of a page compete for
// the same cache sets, and their loads seem to depend on stores 4096 bytes apart.
std::size_t shift_of_block(unsigned n);

// memcpy, by `threads` OpenMP threads when that pays.
void copy_host(void* to, const void* from, std::size_t bytes, int threads);

// The error for a block that cannot be had.
[[noreturn]] void throw_out_of_memory(const std::string& owner, std::size_t needed, std::size_t free);
// Bytes of main memory: all of it, and the part not in use.
std::size_t physical_memory();
std::size_t free_memory();

}  // namespace halocline
