// The history as states of exponentials, memory and work per step independent of the number of steps.
#include "gpu/launch.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/history/flush_path.hpp"
#include "lib/problems/fractional/history/host_flush.hpp"
#include "lib/problems/fractional/history/state_names.hpp"

namespace halocline::fractional {

namespace {

template <class T>
class ExponentialHistory final : public History<T> {
 public:
  ExponentialHistory(const std::shared_ptr<Slabs<T>>& slabs, const Weights& weights, int block, double longest,
                     double eps)
      : History<T>(slabs, block), weights_(&weights), kernel_(weights, block, longest, eps), first_(slabs) {
    require(kernel_.terms() <= most_states, "ExponentialHistory: more exponentials than passes have room for");
    for (int j = 0; j < block; ++j) slots_.emplace_back(slabs);
    for (int k = 0; k < kernel_.terms(); ++k) states_.emplace_back(slabs);
    const Index terms = std::max(kernel_.terms(), 1);
    for (int p = 0; p < slabs->parts(); ++p) {
      const ExecutorPtr& executor = slabs->team().executor(p);
      tables_.push_back({DeviceTable<T>(executor, terms), DeviceTable<T>(executor, terms),
                         DeviceTable<T>(executor, terms * block),
                         DeviceTable<T>(executor, terms * block * weights.media())});
    }
    slabs->team().each([&](int p) {
      clear(first_, p);
      for (auto& state : states_) clear(state, p);
    });
  }

  SlabField<T>& slot(int j) override { return slots_[static_cast<std::size_t>(j)]; }
  SlabField<T>& first() override { return first_; }
  bool counts_first() const override { return weights_->alikhanov(); }

  void begin(Index start) override {
    if (start == 0) {
      slabs_->team().each([&](int p) {
        for (auto& slot : slots_) clear(slot, p);
      });
      return;
    }
    advance(start, true);
  }

  void archive(StateArchive& archive, Index start, int done) override {
    if (start > 0) first_.archive(archive, "first");
    for (std::size_t k = 0; k < states_.size() && start > 0; ++k)
      states_[k].archive(archive, numbered("state", 3, static_cast<Index>(k) + 1));
    if (archive.restoring()) {
      if (start == 0) begin(0);
      if (start > 0) advance(start, false);
    }
    for (int j = 0; j < done; ++j) slot(j).archive(archive, numbered("increment", 2, j + 1));
  }

  std::string summary() const override { return exponentials_text(kernel_.terms(), kernel_.error(), block_); }
  int terms() const override { return kernel_.terms(); }
  double kernel_error() const override { return kernel_.error(); }

 private:
  struct Tables {
    DeviceTable<T> decay, from_first, into, out;
  };

  void clear(SlabField<T>& field, int part) {
    const SlabLayout& slab = slabs_->layout(part);
    launch_rows(*slabs_->team().executor(part), "clear", Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                ClearBody<T>{{slab}, field.data(part)});
  }

  void set_tables(Index start) {
    if (known_ && repeats(*weights_, start, block_)) return;
    FarTables far = far_tables(*weights_, kernel_, start, block_);
    for (double& decay : far.decay) decay = DecayOf<T>::held(decay);
    known_ = true;
    for (Tables& of : tables_) {
      of.decay.assign(far.decay);
      of.from_first.assign(far.from_first);
      of.into.assign(far.into);
      of.out.assign(far.out);
    }
  }

  // Far values of the block that begins at level `start`. `takes`: states take up the block before it; else they have.
  void advance(Index start, bool takes) {
    set_tables(start);
    slabs_->team().each([&](int p) {
      flush_part(p, takes);
      if (weights_->media() > 1) media_far(p);
    });
  }

  void flush_part(int part, bool takes) {
    const SlabLayout& slab = slabs_->layout(part);
    const Executor& executor = *slabs_->team().executor(part);
    const Tables& t = tables_[static_cast<std::size_t>(part)];
    const FlushTablesOf<T> tables{kernel_.terms(),     block_,        t.decay.data(),
                                  t.from_first.data(), t.into.data(), t.out.data()};
    require(slab.plane == slab.extent[1] * slab.pitch, "a flush: planes have no gaps between rows");
    const Index nodes = slab.lines() * slab.pitch;
    const Label label{"history flush", sizeof(T) * static_cast<double>(nodes) * (2 * kernel_.terms() + 2 * block_ + 2)};
    if constexpr (std::is_same_v<T, double>) {
      if (takes && plan_flush(executor, tables))
        return flush(executor, label, tables, this->slots(part), first_.data(part), states(part), nodes);
    }
    if (executor.backend() != Backend::cuda) {
      const HostFlushBody<T> body{tables, this->slots(part), first_.data(part), states(part), takes, nodes};
      return launch_on_host(executor, label, body.tiles(), body);
    }
    with_most_slots(block_, [&](auto most) {
      launch_rows(executor, label, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                  FlushBody<most, T>{{slab}, tables, this->slots(part), first_.data(part), states(part), takes});
    });
  }

  void media_far(int part) {
    const SlabLayout& slab = slabs_->layout(part);
    const double values = static_cast<double>(slab.lines() * slab.pitch);
    const Label label{"history of media", sizeof(T) * values * (kernel_.terms() + block_)};
    with_most_slots(block_, [&](auto most) {
      launch_rows(*slabs_->team().executor(part), label, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                  MediaFarBody<most, T>{{slab, this->medium(part)},
                                        this->slots(part),
                                        states(part),
                                        kernel_.terms(),
                                        block_,
                                        tables_[static_cast<std::size_t>(part)].out.data()});
    });
  }

  StatesOf<T> states(int part) {
    StatesOf<T> states;
    for (std::size_t k = 0; k < states_.size(); ++k) states.data[k] = states_[k].data(part);
    return states;
  }

  using History<T>::slabs_;
  using History<T>::block_;
  const Weights* weights_;
  HistoryKernel kernel_;
  SlabField<T> first_;
  std::vector<SlabField<T>> slots_, states_;
  std::vector<Tables> tables_;
  bool known_ = false;  // tables are those of some block
};

}  // namespace

template <class T>
std::unique_ptr<History<T>> make_exponential_history(const std::shared_ptr<Slabs<T>>& slabs, const Weights& weights,
                                                     int block, double longest, double eps) {
  return std::make_unique<ExponentialHistory<T>>(slabs, weights, block, longest, eps);
}
template std::unique_ptr<History<double>> make_exponential_history(const std::shared_ptr<Slabs<double>>&,
                                                                   const Weights&, int, double, double);
template std::unique_ptr<History<float>> make_exponential_history(const std::shared_ptr<Slabs<float>>&, const Weights&,
                                                                  int, double, double);

}  // namespace halocline::fractional
