#include "lib/problems/diffusion/cuda/cuda_sweep.hpp"

#include <algorithm>

#include "lib/problems/diffusion/cuda/fast_paths.hpp"

namespace halocline::diffusion {

namespace {

constexpr int most_passes = 16, most_resident_steps = 1 << 15;  // of one call: milliseconds

// Steps of a pass on few rows: none comes to a row from both sides of a periodic axis.
int most_on_rows(const SweepShape& shape) {
  if (shape.dimensions == 3) return most_resident_steps;
  return static_cast<int>(std::clamp<Index>((shape.extent[1] - 1) / (2 * shape.radius), 1, most_resident_steps));
}

PlanePart plane(const SweepShape& shape) { return {shape.dimensions, shape.extent[0], shape.extent[1], shape.kind}; }

// By strips of a plane or prisms in space.
template <class T>
class PassSweep final : public Sweep<T> {
 public:
  // `limit`: most steps of a pass.
  PassSweep(const SweepShape& shape, int limit)
      : deep_(shape.dimensions == 3), kind_(shape.kind), steps_(std::max(1, shape.steps)), limit_(limit) {}
  const char* name() const override { return limit_ == 1 ? "fused" : "blocked"; }
  int most_steps(bool open) const override { return open ? steps_ : limit_ * most_passes; }
  bool splits(int steps) const override { return passes(steps) == 1; }
  bool in_next(int steps) const override { return passes(steps) % 2 == 1; }
  void run_on(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
              const SlabBox& cells) override {
    deep_ ? pass_prisms(executor, block, mask, steps, limit_, cells)
          : pass_strips(executor, block, mask, steps, limit_, cells);
  }

 private:
  int passes(int steps) const { return deep_ ? prism_passes(steps, limit_) : strip_passes(kind_, steps, limit_); }
  bool deep_;
  MaskKind kind_;
  int steps_, limit_;
};

template <class T>
class ResidentSweep final : public Sweep<T> {
 public:
  explicit ResidentSweep(const ResidentPlan& plan) : plan_(plan) {}
  const char* name() const override { return "resident"; }
  int most_steps(bool /*open*/) const override { return most_resident_steps; }
  bool splits(int /*steps*/) const override { return false; }
  bool in_next(int steps) const override { return plan_.in_next(steps); }
  void run_on(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
              const SlabBox& /*cells*/) override {
    resident(executor, block, mask, steps, plan_);
  }

 private:
  ResidentPlan plan_;
};

// As HiPerC does it, a step at a time.
template <class T>
class TiledSweep final : public Sweep<T> {
 public:
  TiledSweep() = default;
  TiledSweep(const TiledSweep&) = delete;
  TiledSweep& operator=(const TiledSweep&) = delete;
  ~TiledSweep() override {
    if (work_) executor_->deallocate(work_, bytes_);
  }
  const char* name() const override { return "tiled"; }
  int most_steps(bool /*open*/) const override { return 1; }
  bool splits(int /*steps*/) const override { return true; }
  bool in_next(int /*steps*/) const override { return true; }
  void run_on(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int /*steps*/,
              const SlabBox& cells) override {
    if (!work_) {
      executor_ = &executor;
      bytes_ = static_cast<std::size_t>(block.pitch * block.extent[1]) * sizeof(T);
      work_ = static_cast<T*>(executor.allocate(bytes_));
    }
    tiled(executor, block, mask, work_, cells.rows);
  }

 private:
  const Executor* executor_ = nullptr;  // of the part: the same in every call
  T* work_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace

int cuda_steps(const SweepShape& shape, const Executor& executor) {
  return std::max({1, plan_strips(executor, plane(shape)).most, plan_prisms(executor, shape.dimensions, shape.kind)});
}

template <class T>
std::unique_ptr<Sweep<T>> make_cuda_sweep(const SweepShape& shape, const Executor& executor) {
  const KernelChoice kernel = shape.kernel;
  const bool automatic = kernel == KernelChoice::automatic;
  if ((automatic || kernel == KernelChoice::resident) && !shape.open && !shape.moving_walls) {
    const auto plan = plan_resident<T>(executor, plane(shape));
    if (plan.applies) return std::make_unique<ResidentSweep<T>>(plan);
  }
  if (kernel == KernelChoice::tiled && plan_tiled(executor, plane(shape))) return std::make_unique<TiledSweep<T>>();
  const int most =
      std::max(plan_strips(executor, plane(shape)).most, plan_prisms(executor, shape.dimensions, shape.kind));
  if (most == 0 || !(automatic || kernel == KernelChoice::blocked || kernel == KernelChoice::fused)) return nullptr;
  const int limit = kernel == KernelChoice::fused ? 1 : std::clamp(shape.steps, 1, std::min(most, most_on_rows(shape)));
  return std::make_unique<PassSweep<T>>(shape, limit);
}

template std::unique_ptr<Sweep<double>> make_cuda_sweep<double>(const SweepShape&, const Executor&);
template std::unique_ptr<Sweep<float>> make_cuda_sweep<float>(const SweepShape&, const Executor&);

}  // namespace halocline::diffusion
