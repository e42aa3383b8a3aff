#include "lib/problems/diffusion/sweep.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/diffusion/cuda/cuda_sweep.hpp"
#include "lib/problems/diffusion/cuda/fast_paths.hpp"
#include "lib/problems/diffusion/host/blocked.hpp"
#include "lib/problems/diffusion/shell_kernels.hpp"
#include "lib/problems/diffusion/step_kernels.hpp"

namespace halocline::diffusion {

namespace {

// The reference: one pass per step, back and forth between the two arrays.
template <class T>
class FusedSweep final : public Sweep<T> {
 public:
  explicit FusedSweep(const SweepShape& shape) : most_(shape.open ? (shape.steps > 0 ? shape.steps : 1) : 64) {}
  const char* name() const override { return "fused"; }
  int most_steps(bool /*open*/) const override { return most_; }
  bool splits(int steps) const override { return steps == 1; }
  bool in_next(int steps) const override { return steps % 2 == 1; }
  void run_on(const Executor& executor, const ConvolveBlock<T>& block, const ConvolveMask<T>& mask, int steps,
              const SlabBox& cells) override {
    ConvolveBlock<T> b = block;
    for (int level = 0; level < steps; ++level) {
      const SlabBox now = box_of_level(b, mask.radius, cells, level, steps);
      dispatch(mask.kind, [&](auto kind) { step<decltype(kind)::value>(executor, b, mask, level, now); });
      std::swap(b.c, b.next);
    }
  }

 private:
  template <MaskKind K>
  static void step(const Executor& executor, const ConvolveBlock<T>& b, const ConvolveMask<T>& mask, int level,
                   const SlabBox& cells) {
    const bool deep = b.dimensions == 3;
    const Rows z = deep ? cells.rows : Rows{0, 1}, y = deep ? cells.along_y : cells.rows, x = cells.along_x;
    const Label label{"fused step", bytes_of_box(b, cells, 2)};
    if (plan_planes(executor, b, mask)) {
      const Shell shell = make_shell_of(b, mask, cells);
      pass_planes(executor, b, mask, shell.inner);
      launch(executor, {"fused step at walls", 2.0 * sizeof(T) * static_cast<double>(shell.cells())},
             Range<1>{{0}, {shell.cells()}}, ShellCell<K, T>{b, mask, level, shell});
    } else if (executor.backend() == Backend::cuda) {
      launch(executor, label, Range<3>{{z.lo, y.lo, x.lo}, {z.hi, y.hi, x.hi}}, StepCell<K, T>{b, mask, level});
    } else if (deep) {
      launch_on_host(executor, label, Range<2>{{z.lo, y.lo}, {z.hi, y.hi}}, StepRow<K, T>{b, mask, level, x});
    } else {
      launch_on_host(executor, label, Range<1>{{y.lo}, {y.hi}}, FlatRow<K, T>{{b, mask, level, x}});
    }
  }

  int most_;
};

}  // namespace

int automatic_steps(const SweepShape& shape, const Executor& executor) {
  if (shape.kernel == KernelChoice::fused) return 1;
  if (executor.backend() == Backend::cuda) return cuda_steps(shape, executor);
  return choose_blocking(shape, read_caches()).steps;
}

template <class T>
std::unique_ptr<Sweep<T>> make_sweep(const SweepShape& shape, const Executor& executor) {
  if (executor.backend() == Backend::cuda)
    if (auto sweep = make_cuda_sweep<T>(shape, executor)) return sweep;
  if (executor.backend() != Backend::cuda &&
      (shape.kernel == KernelChoice::automatic || shape.kernel == KernelChoice::blocked))
    return make_blocked_sweep<T>(shape, executor);
  if (shape.kernel == KernelChoice::automatic || shape.kernel == KernelChoice::fused)
    return std::make_unique<FusedSweep<T>>(shape);
  return nullptr;
}

template std::unique_ptr<Sweep<double>> make_sweep<double>(const SweepShape&, const Executor&);
template std::unique_ptr<Sweep<float>> make_sweep<float>(const SweepShape&, const Executor&);

}  // namespace halocline::diffusion
