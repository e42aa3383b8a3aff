// The history as all increments stored: exact, with memory that grows with the number of steps.
#include <cmath>

#include "gpu/launch.hpp"
#include "lib/problems/fractional/history/direct_kernels.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/history/state_names.hpp"

namespace halocline::fractional {

namespace {

constexpr Index at_a_time = 16;  // increments in a pass

// Weights in units of a power of two, which is returned, so that the largest is below 1; then as halves are.
double halves_of(std::vector<double>& weights) {
  double largest = 0;
  for (const double weight : weights) largest = std::max(largest, std::abs(weight));
  if (!(largest > 0)) return 1;
  const double unit = std::exp2(std::ilogb(largest) + 1);
  for (double& weight : weights) weight = static_cast<double>(to_float(to_half(weight / unit)));
  return unit;
}

template <class T>
class DirectHistory final : public History<T> {
 public:
  DirectHistory(const std::shared_ptr<Slabs<T>>& slabs, const Weights& weights, int block, const Variant& variant)
      : History<T>(slabs, block), weights_(&weights), variant_(variant) {
    require(variant.plain() || (block == 1 && std::is_same_v<T, double>),
            "make_direct_history: variants take single steps and doubles");
    const Index blocks = (weights.levels().steps() + block - 1) / block;
    for (Index n = 0; n < blocks * block; ++n) increments_.emplace_back(slabs);
    for (int p = 0; p < slabs->parts(); ++p)
      tables_.emplace_back(slabs->team().executor(p), at_a_time * block * weights.media());
  }

  SlabField<T>& slot(int j) override { return increments_[static_cast<std::size_t>(start_ + j)]; }
  SlabField<T>& first() override { return increments_[static_cast<std::size_t>(start_ - 1)]; }
  bool counts_first() const override { return false; }  // sums over stored increments have its whole weight

  void begin(Index start) override {
    start_ = start;
    if (start == 0) return sum(0, 0);
    for (Index from = 0; from < start; from += at_a_time) sum(from, std::min(at_a_time, start - from));
  }

  void archive(StateArchive& archive, Index start, int done) override {
    for (Index n = 0; n < start + done; ++n) {
      // Far values of the open block are made before its increments take their places.
      if (archive.restoring() && n == start) begin(start);
      increments_[static_cast<std::size_t>(n)].archive(archive, numbered("increment", 5, n + 1));
    }
    if (archive.restoring() && done == 0) begin(start);
  }

  std::string summary() const override { return direct_text(block_); }

 private:
  // Adds what increments from + 1 .. from + count give to the slots; the first of them replace what was there.
  void sum(Index from, Index count) {
    std::vector<double> weights =
        count > 0 ? direct_far(*weights_, start_, block_, from + 1, count) : std::vector<double>();
    const double unit = variant_.arithmetic == Arithmetic::fp16 ? halves_of(weights) : 1;
    slabs_->team().each([&](int p) {
      const SlabLayout& slab = slabs_->layout(p);
      DeviceTable<T>& table = tables_[static_cast<std::size_t>(p)];
      table.assign(weights);
      SlotsOf<T> increments;
      for (Index m = 0; m < count; ++m) increments.data[m] = increments_[static_cast<std::size_t>(from + m)].data(p);
      const double values = static_cast<double>(slab.lines() * slab.pitch);
      const Label label{"history direct",
                        sizeof(T) * values * static_cast<double>(count + (from > 0 ? 2 : 1) * block_)};
      const Executor& executor = *slabs_->team().executor(p);
      if (variant_.plain())
        return with_most_slots(block_, [&](auto most) {
          launch_rows(executor, label, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                      DirectFarBody<most, T>{{slab, this->medium(p)},
                                             this->slots(p),
                                             increments,
                                             block_,
                                             static_cast<int>(count),
                                             table.data(),
                                             from > 0});
        });
      if constexpr (std::is_same_v<T, double>) {
        with_number(variant_.arithmetic, [&](auto stored) {
          with_neighbors(variant_, [&](auto group) {
            launch_rows(
                executor, label, Range<2>{{0, 0}, {slab.lines(), slab.pitch / group}},
                DirectVariantBody<decltype(stored), group>{
                    {slab}, slot(0).data(p), increments, static_cast<int>(count), table.data(), from > 0, unit});
          });
        });
      }
    });
  }

  using History<T>::slabs_;
  using History<T>::block_;
  const Weights* weights_;
  Variant variant_;
  std::vector<SlabField<T>> increments_;
  std::vector<DeviceTable<T>> tables_;
  Index start_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<History<T>> make_direct_history(const std::shared_ptr<Slabs<T>>& slabs, const Weights& weights,
                                                int block, const Variant& variant) {
  return std::make_unique<DirectHistory<T>>(slabs, weights, block, variant);
}
template std::unique_ptr<History<double>> make_direct_history(const std::shared_ptr<Slabs<double>>&, const Weights&,
                                                              int, const Variant&);
template std::unique_ptr<History<float>> make_direct_history(const std::shared_ptr<Slabs<float>>&, const Weights&, int,
                                                             const Variant&);

}  // namespace halocline::fractional
