// The history as states of exponentials, memory and work per step independent of the number of steps.
#include "gpu/launch.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/history/flush_path.hpp"
#include "lib/problems/fractional/history/host_flush.hpp"
#include "lib/problems/fractional/history/state_names.hpp"

namespace halocline::fractional {

namespace {

class ExponentialHistory final : public History {
 public:
  ExponentialHistory(const std::shared_ptr<Slabs<double>>& slabs, const Weights& weights, int block, double longest,
                     double eps)
      : History(slabs, block), weights_(&weights), kernel_(weights, block, longest, eps), first_(slabs) {
    require(kernel_.terms() <= most_states, "ExponentialHistory: more exponentials than passes have room for");
    for (int j = 0; j < block; ++j) slots_.emplace_back(slabs);
    for (int k = 0; k < kernel_.terms(); ++k) states_.emplace_back(slabs);
    const Index terms = std::max(kernel_.terms(), 1);
    for (int p = 0; p < slabs->parts(); ++p) {
      const ExecutorPtr& executor = slabs->team().executor(p);
      tables_.push_back({DeviceTable(executor, terms), DeviceTable(executor, terms),
                         DeviceTable(executor, terms * block), DeviceTable(executor, terms * block * weights.media())});
    }
    slabs->team().each([&](int p) {
      clear(first_, p);
      for (auto& state : states_) clear(state, p);
    });
  }

  SlabField<double>& slot(int j) override { return slots_[static_cast<std::size_t>(j)]; }
  SlabField<double>& first() override { return first_; }
  bool counts_first() const override { return weights_->alikhanov(); }

  void begin(Index start) override {
    if (start == 0) {
      slabs_->team().each([&](int p) {
        for (auto& slot : slots_) clear(slot, p);
      });
      return;
    }
    set_tables(start);
    launch_flush(true);
    launch_media_far();
  }

  void archive(StateArchive& archive, Index start, int done) override {
    if (start > 0) first_.archive(archive, "first");
    for (std::size_t k = 0; k < states_.size() && start > 0; ++k)
      states_[k].archive(archive, numbered("state", 3, static_cast<Index>(k) + 1));
    if (archive.restoring()) {
      if (start == 0) begin(0);
      if (start > 0) {
        set_tables(start);
        launch_flush(false);
        launch_media_far();
      }
    }
    for (int j = 0; j < done; ++j) slot(j).archive(archive, numbered("increment", 2, j + 1));
  }

  std::string summary() const override { return exponentials_text(kernel_.terms(), kernel_.error(), block_); }
  int terms() const override { return kernel_.terms(); }
  double kernel_error() const override { return kernel_.error(); }

 private:
  struct Tables {
    DeviceTable decay, from_first, into, out;
  };

  void clear(SlabField<double>& field, int part) {
    const SlabLayout& slab = slabs_->layout(part);
    launch_rows(*slabs_->team().executor(part), "clear", Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                ClearBody{{slab}, field.data(part)});
  }

  void set_tables(Index start) {
    if (known_ && repeats(*weights_, start, block_)) return;
    const FarTables far = far_tables(*weights_, kernel_, start, block_);
    known_ = true;
    for (Tables& of : tables_) {
      of.decay.assign(far.decay);
      of.from_first.assign(far.from_first);
      of.into.assign(far.into);
      of.out.assign(far.out);
    }
  }

  // `takes`: states take up the block that is done; else only far values are made of them.
  void launch_flush(bool takes) {
    slabs_->team().each([&](int p) {
      const SlabLayout& slab = slabs_->layout(p);
      const Tables& t = tables_[static_cast<std::size_t>(p)];
      States states;
      for (std::size_t k = 0; k < states_.size(); ++k) states.data[k] = states_[k].data(p);
      const double values = static_cast<double>(slab.lines() * slab.pitch);
      const Label label{"history flush", 8 * values * (2 * kernel_.terms() + 2 * block_ + 2)};
      const Executor& executor = *slabs_->team().executor(p);
      const FlushTables tables{kernel_.terms(),     block_,        t.decay.data(),
                               t.from_first.data(), t.into.data(), t.out.data()};
      require(slab.plane == slab.extent[1] * slab.pitch, "a flush: planes have no gaps between rows");
      const Index nodes = slab.lines() * slab.pitch;
      if (takes && plan_flush(executor, tables))
        return flush(executor, label, tables, slots(p), first_.data(p), states, nodes);
      if (executor.backend() != Backend::cuda) {
        const HostFlushBody body{tables, slots(p), first_.data(p), states, takes, nodes};
        return launch_on_host(executor, label, body.tiles(), body);
      }
      with_most_slots(block_, [&](auto most) {
        launch_rows(executor, label, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                    FlushBody<most>{{slab}, tables, slots(p), first_.data(p), states, takes});
      });
    });
  }

  // Behind a flush.
  void launch_media_far() {
    if (weights_->media() == 1) return;
    slabs_->team().each([&](int p) {
      const SlabLayout& slab = slabs_->layout(p);
      const double values = static_cast<double>(slab.lines() * slab.pitch);
      const Label label{"history of media", 8 * values * (kernel_.terms() + block_)};
      with_most_slots(block_, [&](auto most) {
        launch_rows(*slabs_->team().executor(p), label, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                    MediaFarBody<most>{{slab, medium(p)},
                                       slots(p),
                                       states(p),
                                       kernel_.terms(),
                                       block_,
                                       tables_[static_cast<std::size_t>(p)].out.data()});
      });
    });
  }

  States states(int part) {
    States states;
    for (std::size_t k = 0; k < states_.size(); ++k) states.data[k] = states_[k].data(part);
    return states;
  }

  const Weights* weights_;
  HistoryKernel kernel_;
  SlabField<double> first_;
  std::vector<SlabField<double>> slots_, states_;
  std::vector<Tables> tables_;
  bool known_ = false;  // tables are those of some block
};

}  // namespace

std::unique_ptr<History> make_exponential_history(const std::shared_ptr<Slabs<double>>& slabs, const Weights& weights,
                                                  int block, double longest, double eps) {
  return std::make_unique<ExponentialHistory>(slabs, weights, block, longest, eps);
}

}  // namespace halocline::fractional
