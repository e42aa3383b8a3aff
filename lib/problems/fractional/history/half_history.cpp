// The history as states of exponentials, all of it in halves but the increments of the sub-block under way and the one
// before them, which steps and neighbors read: floats, in a ring of fields.
#include "gpu/launch.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/history/exponential_states.hpp"
#include "lib/problems/fractional/history/state_names.hpp"

namespace halocline::fractional {

namespace {

class HalfHistory final : public History<float> {
 public:
  HalfHistory(const std::shared_ptr<Slabs<float>>& slabs, const Weights& weights, int block, double longest, double eps)
      : History<float>(slabs, block),
        counts_first_(weights.alikhanov()),
        sub_(sub_block(block)),
        states_(slabs, weights, block, longest, eps),
        first_(slabs),
        largest_(static_cast<std::size_t>(slabs->parts())) {
    for (int j = 0; j < block; ++j) slots_.emplace_back(slabs);
    for (int j = 0; j <= sub_; ++j) ring_.emplace_back(slabs);
    slabs->team().each([&](int p) {
      clear<Half>(*slabs_, first_, p);
      for (auto& field : ring_) clear<float>(*slabs_, field, p);
    });
  }

  /// Of the sub-block under way, or the slot before it.
  SlabField<float>& slot(int j) override { return ring_[static_cast<std::size_t>(start_ + j) % ring_.size()]; }
  SlabField<float>& first() override { return slot(-1); }
  bool counts_first() const override { return counts_first_; }

  void begin(Index start) override {
    if (start > 0) {
      keep(block_);
      start_ = start;
      states_.advance(start, true, slots_, first_, media());
    } else {
      restart();
    }
    kept_ = 0;
    sum(nullptr, nullptr, 0, 0, sub_);
  }

  void near_pass(const NearTables&, const std::vector<DeviceTable<float>>& near,
                 const std::vector<DeviceTable<float>>& first, int sources, int from, int to) override {
    keep(sources);
    sum(&near, &first, sources, from, to);
  }

  void archive(StateArchive& archive, Index start, int done) override {
    const int whole = done / sub_ * sub_;
    if (archive.restoring()) {
      restart();
      start_ = start;
    } else {
      keep(whole);
    }
    if (start > 0) {
      first_.archive(archive, "first");
      states_.archive(archive);
      if (archive.restoring()) states_.advance(start, false, slots_, first_, media());
    }
    if (archive.restoring()) sum(nullptr, nullptr, 0, 0, sub_);
    for (int j = 0; j < whole; ++j)
      slots_[static_cast<std::size_t>(j)].archive(archive, numbered("half_increment", 2, j + 1));
    kept_ = whole;
    for (int j = whole - 1; j < done; ++j)
      if (start + j >= 0) slot(j).archive(archive, numbered("increment", 2, j + 1));
  }

  std::string summary() const override { return states_.summary() + ", in half precision"; }
  int terms() const override { return states_.kernel().terms(); }
  double kernel_error() const override { return states_.kernel().error(); }

 private:
  // Slots of level 0.
  void restart() {
    start_ = 0;
    for (HalfField& slot : slots_) {
      slot.aim(0);
      slot.settle();
    }
    slabs_->team().each([&](int p) {
      for (HalfField& slot : slots_) clear<Half>(*slabs_, slot, p);
    });
  }

  // Increments of the slots up to `to` become halves, those of a sub-block at most, in the unit of the largest.
  void keep(int to) {
    if (kept_ == to) return;
    require(to - kept_ <= sub_, "HalfHistory: increments of one sub-block");
    const double bound = rounded_bound(largest(kept_, to));
    for (int j = kept_; j < to; ++j) slots_[static_cast<std::size_t>(j)].aim(bound);
    slabs_->team().each([&](int p) {
      const Executor& executor = *slabs_->team().executor(p);
      const SlabLayout slab = layout_of_nodes(executor, slabs_->layout(p));
      const double values = static_cast<double>(slab.lines() * slab.pitch) * (to - kept_);
      launch_rows(executor, {"history keep", (sizeof(float) + sizeof(Half)) * values},
                  Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                  KeepBody<Half>{{slab}, increments(p, kept_, to), halves(p), kept_, to});
    });
    for (int j = kept_; j < to; ++j) slots_[static_cast<std::size_t>(j)].settle();
    kept_ = to;
  }

  double largest(int from, int to) {
    return largest_of_parts(
        *slabs_,
        [&](int p) {
          const SlabLayout& slab = slabs_->layout(p);
          using Body = LargestOfBody<float>;
          const double values = static_cast<double>(slab.lines() * slab.extent[0]) * (to - from);
          return reduce(*slabs_->team().executor(p), {"largest increment", sizeof(float) * values},
                        Range<2>{{0, 0}, {slab.lines(), (slab.extent[0] + Body::group - 1) / Body::group}}, 0.0,
                        Larger{}, Body{slab, increments(p, from, to), from, to});
        },
        largest_);
  }

  // Far values of the slots from .. to - 1, with what the first `sources` increments add, to the ring.
  void sum(const std::vector<DeviceTable<float>>* near, const std::vector<DeviceTable<float>>* first, int sources,
           int from, int to) {
    slabs_->team().each([&](int p) {
      const Executor& executor = *slabs_->team().executor(p);
      const SlabLayout slab = layout_of_nodes(executor, slabs_->layout(p));
      const auto part = static_cast<std::size_t>(p);
      const double values = static_cast<double>(slab.lines() * slab.pitch);
      const double bytes = sizeof(Half) * values * (sources + to - from) + sizeof(float) * values * (to - from);
      FirstOf<Half> before;
      if (sources > 0 && counts_first_) before = fields_of<Half, 1>({&first_, 1}, p);
      launch_rows(executor, {"history near", bytes}, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                  NearPassBody<Half>{{slab, medium(p)},
                                     halves(p),
                                     before,
                                     increments(p, from, to),
                                     near ? (*near)[part].data() : nullptr,
                                     first ? (*first)[part].data() : nullptr,
                                     block_,
                                     sources,
                                     from,
                                     to});
    });
  }

  SlotsOf<Half> halves(int part) { return fields_of<Half, most_slots>(slots_, part); }
  SlotsOf<float> increments(int part, int from, int to) {
    SlotsOf<float> increments;
    for (int j = from; j < to; ++j) increments.data[j] = slot(j).data(part);
    return increments;
  }

  bool counts_first_;
  int sub_;
  ExponentialStates<Half> states_;
  HalfField first_;
  std::vector<HalfField> slots_;
  std::vector<SlabField<float>> ring_;
  std::vector<double> largest_;  // of parts
  Index start_ = 0;
  int kept_ = 0;  // slots of the block whose increments are halves
};

}  // namespace

std::unique_ptr<History<float>> make_half_history(const std::shared_ptr<Slabs<float>>& slabs, const Weights& weights,
                                                  int block, double longest, double eps) {
  return std::make_unique<HalfHistory>(slabs, weights, block, longest, eps);
}

}  // namespace halocline::fractional
