// Runs CUDA block kernels on the host with a plain C++ compiler: slow, for tests. Included by gpu/block_kernel.hpp.
//
// Every CUDA thread is a fiber with a stack of its own; one runs at a time, until a barrier or its end. Between two
// barriers the threads of a block run in a random order (the same in every run), and warps one after the other however
// often their own lanes meet, so that results that hang on a missing barrier change. Every block has a host thread of
// its own, which makes `static thread_local` its shared memory. Blocks run one after the other; those of
// launch_resident() live together and take turns.
//
// What is there: threadIdx and its like, __shared__, dynamic_shared(), __syncthreads(), __syncwarp(), shuffles, votes,
// atomics, __pipeline_memcpy_async(), grid_barrier(). What is not: waiting in a loop for another thread, streams,
// textures. A barrier that some threads never reach ends the program. Indices beyond a __shared__ array show through
// the undefined-behavior sanitizer, those beyond dynamic shared or global memory through the address sanitizer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/host_fibers.hpp"
#include "lib/base/error.hpp"
#include "lib/base/executor.hpp"

#define __global__
#define __device__
#define __host__
#define __shared__ static thread_local
#define __forceinline__ inline
#define __launch_bounds__(...)

namespace halocline {

// As in the CUDA branch.
struct Blocks {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  bool early = false;
};

namespace host_blocks {

inline void place_block(std::size_t i, const dim3& grid) {
  gridDim = grid;
  blockIdx = dim3(static_cast<unsigned>(i % grid.x), static_cast<unsigned>(i / grid.x % grid.y),
                  static_cast<unsigned>(i / grid.x / grid.y));
}

inline void run_grid(const Blocks& blocks, const std::function<void()>& body) {
  Block block(blocks.block, blocks.shared_bytes, 1);
  for (std::size_t i = 0; i < blocks.grid.size(); ++i) {
    std::thread([&] {
      place_block(i, blocks.grid);
      block.run(body, [] { fail("a grid barrier in a kernel of launch_blocks()"); });
    }).join();
  }
}

inline void run_resident(const Blocks& blocks, const std::function<void()>& body) {
  Grid grid(blocks.grid.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < blocks.grid.size(); ++i) {
    threads.emplace_back([&, i] {
      auto turn = grid.turn();
      place_block(i, blocks.grid);
      Block(blocks.block, blocks.shared_bytes, static_cast<unsigned>(i + 1)).run(body, [&] { grid.meet(turn); });
      grid.end();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace host_blocks

template <class T>
T* dynamic_shared() {
  return reinterpret_cast<T*>(host_blocks::Block::current->shared());
}

inline void after_others() {}  // kernels run one after the other
inline void grid_barrier() { host_blocks::Block::current->pause(host_blocks::Wait::grid); }

// Reads, so that sanitizers see an address that is none.
inline void prefetch(const void* data) { static_cast<void>(*static_cast<const volatile unsigned char*>(data)); }

namespace detail {

constexpr int blocks_at_once = 4;  // of the pretended device: enough to meet, few enough to need loops

template <class... P>
void launch_kernel(const Executor& executor, const Label& label, const Blocks& blocks, bool resident,
                   void (*kernel)(P...), P... parameters) {
  require(blocks.block.size() >= 1 && blocks.block.size() <= 1024 && blocks.block.z <= 64, label.name);
  require(blocks.grid.size() >= 1 && blocks.grid.x <= 0x7fffffffU && blocks.grid.y <= 65535 && blocks.grid.z <= 65535,
          label.name);
  require(blocks.shared_bytes <= std::size_t{227} << 10, label.name);
  require(!resident || blocks.grid.size() <= blocks_at_once, label.name);
  const auto work = [=] {
    (resident ? host_blocks::run_resident : host_blocks::run_grid)(blocks, [&] { kernel(parameters...); });
  };
  run_kernel(executor, label, work);
}

}  // namespace detail

struct BlockLimits {
  int multiprocessors;
  std::size_t shared_bytes;
};
// Tests may pretend to be a device with less.
inline BlockLimits pretended_limits{detail::blocks_at_once, std::size_t{227} << 10};
inline BlockLimits block_limits(const Executor&) { return pretended_limits; }
inline bool runs_block_kernels(const Executor& executor) { return executor.backend() != Backend::cuda; }

template <class... P>
int resident_blocks(const Executor&, const char*, int, std::size_t, void (*)(P...)) {
  return detail::blocks_at_once;
}

}  // namespace halocline

// CUDA's functions. One thread runs at a time, so nothing interrupts an atomic operation.

inline void __syncthreads() { halocline::host_blocks::Block::current->pause(halocline::host_blocks::Wait::block); }
inline void __syncwarp(unsigned mask = ~0U) { halocline::host_blocks::Block::current->pause_warp(mask); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const auto lane = static_cast<int>(halocline::host_blocks::Block::current->lane());
  return halocline::host_blocks::exchange(mask, value, static_cast<std::size_t>(lane / width * width + source % width));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const auto lane = static_cast<int>(halocline::host_blocks::Block::current->lane());
  const int other = lane % width + static_cast<int>(by) < width ? lane + static_cast<int>(by) : lane;
  return halocline::host_blocks::exchange(mask, value, static_cast<std::size_t>(other));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const auto lane = static_cast<int>(halocline::host_blocks::Block::current->lane());
  const int other = lane % width >= static_cast<int>(by) ? lane - static_cast<int>(by) : lane;
  return halocline::host_blocks::exchange(mask, value, static_cast<std::size_t>(other));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
  const auto lane = static_cast<int>(halocline::host_blocks::Block::current->lane());
  const int other = (lane ^ with) / width == lane / width ? lane ^ with : lane;
  return halocline::host_blocks::exchange(mask, value, static_cast<std::size_t>(other));
}
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return halocline::host_blocks::vote(mask, predicate != 0);
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0 ? 1 : 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate == 0 ? 1 : 0) == 0 ? 1 : 0; }

template <class T>
T atomicExch(T* place, std::type_identity_t<T> value) {
  return std::exchange(*place, value);
}
template <class T>
T atomicAdd(T* place, std::type_identity_t<T> value) {
  return std::exchange(*place, static_cast<T>(*place + value));
}
template <class T>
T atomicMax(T* place, std::type_identity_t<T> value) {
  return std::exchange(*place, std::max(*place, value));
}
template <class T>
T atomicMin(T* place, std::type_identity_t<T> value) {
  return std::exchange(*place, std::min(*place, value));
}
template <class T>
T atomicOr(T* place, std::type_identity_t<T> value) {
  return std::exchange(*place, static_cast<T>(*place | value));
}
template <class T>
T atomicCAS(T* place, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return *place == expected ? std::exchange(*place, value) : *place;
}
template <class T>
T __ldg(const T* place) {
  return *place;
}

// Copies happen as late as they may: when they are waited for.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes) {
  if (bytes != 4 && bytes != 8 && bytes != 16)
    halocline::host_blocks::fail("an asynchronous copy of other than 4, 8, 16 bytes");
  const auto places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (places % bytes != 0) halocline::host_blocks::fail("an asynchronous copy that is not aligned");
  halocline::host_blocks::Block::current->self().batches.back().push_back({to, from, bytes});
}
inline void __pipeline_commit() { halocline::host_blocks::Block::current->self().batches.emplace_back(); }
// All but the last `open` committed batches have arrived.
inline void __pipeline_wait_prior(std::size_t open) {
  auto& batches = halocline::host_blocks::Block::current->self().batches;
  while (batches.size() > open + 1) {
    for (const auto& copy : batches.front()) std::memcpy(copy.to, copy.from, copy.bytes);
    batches.erase(batches.begin());
  }
}
