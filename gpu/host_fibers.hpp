// Fibers that stand for the threads of CUDA blocks on the host, for gpu/block_kernel_host.hpp: stacks, barriers, the
// exchange of values inside a warp. One fiber of a process runs at a time.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned nx = 1, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz) {}
  std::size_t size() const { return std::size_t{x} * y * z; }
};

inline constexpr int warpSize = 32;
inline thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace halocline::host_blocks {

constexpr std::size_t stack_bytes = std::size_t{128} << 10;
constexpr std::size_t lanes_of_warp = 32;

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "block kernel: %s, in block (%u, %u, %u), thread (%u, %u, %u)\n", what, blockIdx.x, blockIdx.y,
               blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  std::abort();
}

// Switches of stacks, announced to the address sanitizer where it is at work.
struct Stack {
  const void* bottom = nullptr;
  std::size_t size = 0;
  void* shadow = nullptr;
};
inline void leave(Stack& from, const Stack& to, bool for_ever = false) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(for_ever ? nullptr : &from.shadow, to.bottom, to.size);
#else
  (void)from, (void)to, (void)for_ever;
#endif
}
inline void arrive(const Stack& here, Stack* previous) {
#if defined(__SANITIZE_ADDRESS__)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(here.shadow, &bottom, &size);
  if (previous != nullptr) previous->bottom = bottom, previous->size = size;
#else
  (void)here, (void)previous;
#endif
}

enum class Wait { none, warp, block, grid, ended };

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> memory{new char[stack_bytes]};
  Stack stack{memory.get(), stack_bytes};
  dim3 place;
  Wait wait = Wait::ended;
  unsigned mask = 0;                            // of the warp barrier it waits at
  std::uint64_t offered = 0;                    // to the other lanes of its warp
  std::vector<std::vector<Copy>> batches = {};  // asynchronous copies, committed ones and the one that is filled
};

// Blocks that live together: one runs at a time, until it ends or meets the others.
class Grid {
 public:
  explicit Grid(std::size_t blocks) : blocks_(blocks) {}
  std::unique_lock<std::mutex> turn() { return std::unique_lock(mutex_); }
  void meet(std::unique_lock<std::mutex>& turn) {
    if (ended_ > 0) fail("a grid barrier that another block never reaches");
    const long round = round_;
    if (++waiting_ == blocks_) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(turn, [&] { return round_ != round; });
  }
  void end() {
    ++ended_;
    if (waiting_ > 0) fail("a grid barrier that this block never reaches");
  }

 private:
  std::size_t blocks_, waiting_ = 0, ended_ = 0;
  long round_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

class Block {
 public:
  Block(dim3 extent, std::size_t shared_bytes, unsigned seed)
      : extent_(extent), shared_bytes_(shared_bytes), random_(seed) {
    fibers_.resize(extent.size());
    for (std::size_t i = 0; i < fibers_.size(); ++i) order_.push_back(i);
  }
  // body() on every thread. `meet` waits for the other blocks.
  void run(const std::function<void()>& body, const std::function<void()>& meet) {
    body_ = &body;
    blockDim = extent_;
    shared_.reset(new unsigned char[shared_bytes_]);
    std::memset(shared_.get(), 0xff, shared_bytes_);  // not a number
    for (std::size_t i = 0; i < fibers_.size(); ++i) prepare(i);
    std::shuffle(order_.begin(), order_.end(), random_);
    for (;;) {
      bool ran = false;
      for (const std::size_t i : order_) {
        if (fibers_[i].wait == Wait::none) resume(i), ran = true;
      }
      if (ran || release_a_warp() || release(Wait::block)) continue;
      if (all_wait(Wait::ended)) return;
      if (!all_wait(Wait::grid))
        fail("a barrier that not all threads reach; the last thread that ran was the one named");
      meet();
      release(Wait::grid);
    }
  }

  // For the thread that runs.
  Fiber& self() { return fibers_[running_]; }
  std::size_t lane() const { return running_ % lanes_of_warp; }
  // The thread on a lane of this warp, null where there is none any more.
  const Fiber* neighbor(std::size_t lane) const {
    const std::size_t other = running_ - this->lane() + lane;
    return other < fibers_.size() && fibers_[other].wait != Wait::ended ? &fibers_[other] : nullptr;
  }
  void pause(Wait wait) {
    Fiber& fiber = self();
    fiber.wait = wait;
    leave(fiber.stack, scheduler_stack_, wait == Wait::ended);
    swapcontext(&fiber.context, &scheduler_);
    arrive(fiber.stack, &scheduler_stack_);
  }
  void pause_warp(unsigned mask) {
    if ((mask >> lane() & 1U) == 0) fail("a warp barrier whose mask lacks the calling lane");
    self().mask = mask;
    pause(Wait::warp);
  }
  unsigned char* shared() { return shared_.get(); }

  static thread_local Block* current;

 private:
  static void enter() {
    Block& block = *current;
    arrive(Stack{}, &block.scheduler_stack_);
    (*block.body_)();
    block.pause(Wait::ended);
  }
  void prepare(std::size_t i) {
    Fiber& fiber = fibers_[i];
    const std::size_t row = i / extent_.x;
    fiber.place = dim3(static_cast<unsigned>(i % extent_.x), static_cast<unsigned>(row % extent_.y),
                       static_cast<unsigned>(row / extent_.y));
    fiber.wait = Wait::none;
    fiber.batches.assign(1, {});
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.memory.get();
    fiber.context.uc_stack.ss_size = stack_bytes;
    fiber.context.uc_link = nullptr;
    makecontext(&fiber.context, &Block::enter, 0);
  }
  void resume(std::size_t i) {
    running_ = i;
    current = this;
    threadIdx = fibers_[i].place;
    leave(scheduler_stack_, fibers_[i].stack);
    swapcontext(&scheduler_, &fibers_[i].context);
    arrive(scheduler_stack_, nullptr);
  }
  // Threads that have ended hold nobody up.
  bool all_wait(Wait wait) const {
    return std::all_of(fibers_.begin(), fibers_.end(),
                       [&](const Fiber& fiber) { return fiber.wait == wait || fiber.wait == Wait::ended; });
  }
  bool release(Wait wait) {
    if (!all_wait(wait)) return false;
    bool any = false;
    std::shuffle(order_.begin(), order_.end(), random_);
    for (Fiber& fiber : fibers_) {
      if (fiber.wait == wait) fiber.wait = Wait::none, any = true;
    }
    return any;
  }
  // Lets one warp go on, the same as long as it can, then one drawn at random: warps get as far from each other as
  // barriers of the block allow.
  bool release_a_warp() {
    const std::size_t warps = (fibers_.size() + lanes_of_warp - 1) / lanes_of_warp;
    if (release_warp(leading_)) return true;
    const std::size_t start = random_() % warps;
    for (std::size_t n = 0; n < warps; ++n) {
      leading_ = (start + n) % warps;
      if (release_warp(leading_)) return true;
    }
    return false;
  }
  bool release_warp(std::size_t warp) {
    bool any = false;
    const std::size_t first = warp * lanes_of_warp, end = std::min(first + lanes_of_warp, fibers_.size());
    for (std::size_t i = first; i < end; ++i) {
      if (fibers_[i].wait != Wait::warp) continue;
      const unsigned mask = fibers_[i].mask;
      const auto each_of_mask = [&](const auto& call) {
        bool all = true;
        for (std::size_t n = first; n < end; ++n) {
          if ((mask >> (n - first) & 1U) != 0 && fibers_[n].wait != Wait::ended) all = call(fibers_[n]) && all;
        }
        return all;
      };
      if (!each_of_mask([&](const Fiber& f) { return f.wait == Wait::warp && f.mask == mask; })) continue;
      each_of_mask([](Fiber& f) { return f.wait = Wait::none, true; });
      any = true;
    }
    return any;
  }

  dim3 extent_;
  std::size_t shared_bytes_;
  std::unique_ptr<unsigned char[]> shared_;
  std::vector<Fiber> fibers_;
  std::vector<std::size_t> order_;
  std::minstd_rand random_;
  const std::function<void()>* body_ = nullptr;
  ucontext_t scheduler_{};
  Stack scheduler_stack_;
  std::size_t running_ = 0, leading_ = 0;  // thread, warp
};
inline thread_local Block* Block::current = nullptr;

// Value of lane `source`, which must offer one as well; bits of all ones where there is no such thread.
template <class T>
T exchange(unsigned mask, const T& value, std::size_t source) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  Block& block = *Block::current;
  std::memcpy(&block.self().offered, &value, sizeof(T));
  block.pause_warp(mask);
  std::uint64_t bits = ~std::uint64_t{0};
  const Fiber* neighbor = (mask >> source & 1U) != 0 ? block.neighbor(source) : nullptr;
  if (neighbor != nullptr) bits = neighbor->offered;
  block.pause_warp(mask);
  T result;
  std::memcpy(&result, &bits, sizeof(T));
  return result;
}

// The lanes of the mask that say yes, as bits; absent ones do not.
inline unsigned vote(unsigned mask, bool yes) {
  Block& block = *Block::current;
  block.self().offered = yes ? 1 : 0;
  block.pause_warp(mask);
  unsigned votes = 0;
  for (unsigned lane = 0; lane < lanes_of_warp; ++lane) {
    const Fiber* neighbor = (mask >> lane & 1U) != 0 ? block.neighbor(lane) : nullptr;
    if (neighbor != nullptr && neighbor->offered == 1) votes |= 1U << lane;
  }
  block.pause_warp(mask);
  return votes;
}

}  // namespace halocline::host_blocks
