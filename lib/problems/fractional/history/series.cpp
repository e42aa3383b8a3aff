// The history as the truncated series of the psi-Caputo CUDA paper, in blocks of one step.
#include "gpu/launch.hpp"
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/history/series_kernels.hpp"
#include "lib/problems/fractional/history/series_path.hpp"
#include "lib/problems/fractional/history/series_tables.hpp"
#include "lib/problems/fractional/history/state_names.hpp"
#include "lib/problems/fractional/storage/stored_planes.hpp"

namespace halocline::fractional {

namespace {

// Stored: of the states.
template <class Stored>
class SeriesHistory final : public History<double> {
 public:
  SeriesHistory(const std::shared_ptr<Slabs<double>>& slabs, const SeriesKernel& kernel, const Variant& variant)
      : History<double>(slabs, 1), kernel_(kernel), variant_(variant), slot_(slabs), first_(slabs) {
    for (int p = 0; p < slabs->parts(); ++p) {
      const ExecutorPtr& executor = slabs->team().executor(p);
      states_.emplace_back(executor, std::array<Index, 1>{kernel.terms * distance(p)});
      tables_.push_back({DeviceTable<double>(executor, kernel.terms), DeviceTable<double>(executor, kernel.terms),
                         DeviceTable<double>(executor, kernel.terms)});
    }
  }

  SlabField<double>& slot(int) override { return slot_; }
  SlabField<double>& first() override { return first_; }
  bool counts_first() const override { return false; }

  void begin(Index start) override {
    start_ = start;
    if (start == 0) return clear();
    set_tables(start);
    advance(true);
  }

  void archive(StateArchive& archive, Index start, int done) override {
    start_ = start;
    if (archive.restoring()) clear();
    if (start > 0) {
      first_.archive(archive, "first");
      for (int n = 0; n < kernel_.terms; ++n) archive_state(archive, n);
      if (archive.restoring()) {
        set_tables(start);
        advance(false);
      }
    }
    if (done > 0) slot_.archive(archive, "increment");
  }

  std::string summary() const override { return series_text(kernel_.terms); }
  int terms() const override { return kernel_.terms; }
  double kernel_error() const override { return start_ > 0 ? series_deficit(kernel_, start_ + 1) : 0; }

 private:
  struct Tables {
    DeviceTable<double> decay, into, out;
  };

  Index distance(int part) const {
    const SlabLayout& slab = slabs_->layout(part);
    return slab.extent[2] * slab.plane;
  }
  Stored* states(int part) { return states_[static_cast<std::size_t>(part)].view().data; }

  void clear() {
    slabs_->team().each([&](int p) {
      const SlabLayout& slab = slabs_->layout(p);
      launch_rows(
          *slabs_->team().executor(p), "clear", Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
          ClearSeriesBody<Stored>{{slab}, slot_.data(p), first_.data(p), states(p), distance(p), kernel_.terms});
    });
  }

  void set_tables(Index start) {
    SeriesTables of = series_tables(kernel_, start + 1);
    for (double& out : of.out) out = kept<Stored>(static_cast<Computed<Stored>>(out));
    scale_ = of.scale;
    for (Tables& tables : tables_) {
      tables.decay.assign(of.decay);
      tables.into.assign(of.into);
      tables.out.assign(of.out);
    }
  }

  // `takes`: states take up the step that is done; else only the history of the next is made of them.
  void advance(bool takes) {
    with_neighbors(variant_, [&](auto count) { advance_by<count>(takes); });
  }
  template <int N>
  void advance_by(bool takes) {
    slabs_->team().each([&](int p) {
      const SlabLayout& slab = slabs_->layout(p);
      const Executor& executor = *slabs_->team().executor(p);
      const Tables& t = tables_[static_cast<std::size_t>(p)];
      const double of_states = 2.0 * static_cast<double>(sizeof(Stored)) * kernel_.terms, of_slots = 8.0 * 3;
      const Label label{"history series", static_cast<double>(slab.lines() * slab.pitch) * (of_states + of_slots)};
      const SeriesStep step{kernel_.terms, takes, t.decay.data(), t.into.data(), t.out.data(), scale_};
      if constexpr (std::is_same_v<Stored, Half>) {
        if (variant_.tensor && plan_series_tiles(executor, kernel_.terms))
          return series_tiles(executor, label,
                              {slot_.data(p), first_.data(p), states(p), distance(p), distance(p), step.terms, takes,
                               step.decay, step.into, step.out, scale_});
      }
      launch_rows(executor, label, Range<2>{{0, 0}, {slab.lines(), slab.pitch / N}},
                  SeriesBody<Stored, N>{{slab}, slot_.data(p), first_.data(p), states(p), distance(p), step});
    });
  }

  void archive_state(StateArchive& archive, int n) {
    for (int p = 0; p < slabs_->parts(); ++p)
      archive_stored(archive, numbered("state", 4, Index{n} + 1), *slabs_, p, states(p) + n * distance(p));
  }

  SeriesKernel kernel_;
  Variant variant_;
  SlabField<double> slot_, first_;
  std::vector<Array<Stored, 1>> states_;
  std::vector<Tables> tables_;
  Index start_ = 0;   // level at which the step under way began
  double scale_ = 0;  // of its tables
};

}  // namespace

std::unique_ptr<History<double>> make_series_history(const std::shared_ptr<Slabs<double>>& slabs,
                                                     const SeriesKernel& kernel, const Variant& variant) {
  return with_number(variant.arithmetic, [&](auto stored) -> std::unique_ptr<History<double>> {
    return std::make_unique<SeriesHistory<decltype(stored)>>(slabs, kernel, variant);
  });
}

}  // namespace halocline::fractional
