// The history as all increments stored: exact, with memory that grows with the number of steps.
#include "gpu/launch.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/history/state_names.hpp"

namespace halocline::fractional {

namespace {

constexpr Index at_a_time = 16;  // increments in a pass

class DirectHistory final : public History {
 public:
  DirectHistory(const std::shared_ptr<Slabs<double>>& slabs, const Weights& weights, int block)
      : History(slabs, block), weights_(&weights) {
    const Index blocks = (weights.levels().steps() + block - 1) / block;
    for (Index n = 0; n < blocks * block; ++n) increments_.emplace_back(slabs);
    for (int p = 0; p < slabs->parts(); ++p) tables_.emplace_back(slabs->team().executor(p), at_a_time * block);
  }

  SlabField<double>& slot(int j) override { return increments_[static_cast<std::size_t>(start_ + j)]; }
  SlabField<double>& first() override { return increments_[static_cast<std::size_t>(start_ - 1)]; }
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
    const std::vector<double> weights =
        count > 0 ? direct_far(*weights_, start_, block_, from + 1, count) : std::vector<double>();
    slabs_->team().each([&](int p) {
      const SlabLayout& slab = slabs_->layout(p);
      DeviceTable& table = tables_[static_cast<std::size_t>(p)];
      table.assign(weights);
      Slots increments;
      for (Index m = 0; m < count; ++m) increments.data[m] = increments_[static_cast<std::size_t>(from + m)].data(p);
      const double values = static_cast<double>(slab.lines() * slab.pitch);
      const Label label{"history direct", 8 * values * static_cast<double>(count + (from > 0 ? 2 : 1) * block_)};
      with_most_slots(block_, [&](auto most) {
        launch_rows(
            *slabs_->team().executor(p), label, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
            DirectFarBody<most>{{slab}, slots(p), increments, block_, static_cast<int>(count), table.data(), from > 0});
      });
    });
  }

  const Weights* weights_;
  std::vector<SlabField<double>> increments_;
  std::vector<DeviceTable> tables_;
  Index start_ = 0;
};

}  // namespace

std::unique_ptr<History> make_direct_history(const std::shared_ptr<Slabs<double>>& slabs, const Weights& weights,
                                             int block) {
  return std::make_unique<DirectHistory>(slabs, weights, block);
}

}  // namespace halocline::fractional
