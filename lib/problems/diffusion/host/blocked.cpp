#include "lib/problems/diffusion/host/blocked.hpp"

#include <omp.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "lib/base/memory/host_memory.hpp"
#include "lib/base/profile/kernel_profile.hpp"

namespace halocline::diffusion {

namespace {

// Scratch memory of one thread, zeros at first.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : bytes_(bytes), memory_(allocate_host(bytes, "the rings of a sweep")) {
    std::memset(memory_, 0, bytes);
  }
  ~Scratch() { deallocate_host(memory_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* get() const { return memory_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

template <class T>
class BlockedSweep final : public Sweep<T> {
 public:
  BlockedSweep(const SweepShape& shape, const Executor& executor, const Blocking& blocking, RowLanes lanes)
      : blocking_(blocking),
        kernels_(row_kernels<T>(shape.kind, lanes)),
        scratch_(static_cast<std::size_t>(executor.threads())) {}
  const char* name() const override { return blocking_.steps == 1 ? "fused" : "blocked"; }
  int most_steps(bool /*open*/) const override { return blocking_.steps; }
  bool splits(int /*steps*/) const override { return true; }
  bool in_next(int /*steps*/) const override { return true; }

  void run_on(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
              const SlabBox& cells) override {
    run_kernel(executor, {blocking_.steps == 1 ? "fused sweep" : "blocked sweep", bytes_of_box(block, cells, 2)},
               [this, block, mask, steps, cells] { sweep(block, mask, steps, cells); });
  }

 private:
  void sweep(const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps, const SlabBox& cells) {
    const auto none = [](const SlabRows& some) { return some.hi <= some.lo; };
    if (none(cells.rows) || none(cells.along_y) || none(cells.along_x)) return;
    const int threads = static_cast<int>(scratch_.size());
    const WallRecords<T> records(block, mask);
    const Index ahead = block.dimensions == 2 && (steps > 1 || blocking_.width <= 64 * line_cells<T>) ? 2 : 0;
    const TilePassSetup<T> setup{block, mask, records, kernels_, steps, blocking_.past_caches && steps == 1, ahead};
    const Tiling tiling =
        cut_tiles(blocking_, block.dimensions, mask.radius[block.slow_axis()], steps, cells, threads, line_cells<T>);
    const std::size_t bytes =
        TilePass<T>::scratch_bytes(block, mask, blocking_.steps, blocking_.width, blocking_.height);
    const auto count = static_cast<Index>(tiling.tiles.size());
    for (auto& scratch : scratch_)
      if (!scratch) scratch = std::make_unique<Scratch>(bytes);
    const auto pass = [&](Index n) {
      void* scratch = scratch_[static_cast<std::size_t>(omp_get_thread_num())]->get();
      TilePass<T>(setup, tiling.tiles[static_cast<std::size_t>(n)], scratch).run();
    };
    if (tiling.even) {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
      for (Index n = 0; n < count; ++n) pass(n);
    } else {
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
      for (Index n = 0; n < count; ++n) pass(n);
    }
  }

  Blocking blocking_;
  RowKernels<T> kernels_;
  std::vector<std::unique_ptr<Scratch>> scratch_;  // of every thread, made at the first sweep
};

}  // namespace

template <class T>
std::unique_ptr<Sweep<T>> make_blocked_sweep(const SweepShape& shape, const Executor& executor,
                                             const Blocking& blocking, RowLanes lanes) {
  if (shape.radius > most_reach) return nullptr;
  return std::make_unique<BlockedSweep<T>>(shape, executor, blocking, lanes);
}

template <class T>
std::unique_ptr<Sweep<T>> make_blocked_sweep(const SweepShape& shape, const Executor& executor) {
  return make_blocked_sweep<T>(shape, executor, choose_blocking(shape, read_caches()),
                               have_wide_rows() ? RowLanes::wide : RowLanes::base);
}

template std::unique_ptr<Sweep<double>> make_blocked_sweep(const SweepShape&, const Executor&);
template std::unique_ptr<Sweep<float>> make_blocked_sweep(const SweepShape&, const Executor&);
template std::unique_ptr<Sweep<double>> make_blocked_sweep(const SweepShape&, const Executor&, const Blocking&,
                                                           RowLanes);
template std::unique_ptr<Sweep<float>> make_blocked_sweep(const SweepShape&, const Executor&, const Blocking&,
                                                          RowLanes);

}  // namespace halocline::diffusion
