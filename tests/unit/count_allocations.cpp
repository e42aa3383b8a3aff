#include "tests/unit/count_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> allocations{0}, until_failure{0};
}

namespace halocline {
long allocation_count() { return allocations; }
long fail_allocation(long number) { return until_failure.exchange(number); }
}  // namespace halocline

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  if (until_failure > 0 && --until_failure == 0) return nullptr;
  return std::malloc(bytes > 0 ? bytes : 1);
}
void* operator new(std::size_t bytes) {
  if (void* memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
