// The history as states of exponentials, memory and work per step independent of the number of steps.
#include "lib/problems/fractional/history/engine.hpp"
#include "lib/problems/fractional/history/exponential_states.hpp"
#include "lib/problems/fractional/history/state_names.hpp"

namespace halocline::fractional {

namespace {

template <class T>
class ExponentialHistory final : public History<T> {
 public:
  ExponentialHistory(const std::shared_ptr<Slabs<T>>& slabs, const Weights& weights, int block, double longest,
                     double eps)
      : History<T>(slabs, block),
        counts_first_(weights.alikhanov()),
        states_(slabs, weights, block, longest, eps),
        first_(slabs) {
    for (int j = 0; j < block; ++j) slots_.emplace_back(slabs);
    slabs->team().each([&](int p) { clear<T>(*slabs_, first_, p); });
  }

  SlabField<T>& slot(int j) override { return slots_[static_cast<std::size_t>(j)]; }
  SlabField<T>& first() override { return first_; }
  bool counts_first() const override { return counts_first_; }

  void begin(Index start) override {
    if (start > 0) return states_.advance(start, true, slots_, first_, this->media());
    slabs_->team().each([&](int p) {
      for (auto& slot : slots_) clear<T>(*slabs_, slot, p);
    });
  }

  void archive(StateArchive& archive, Index start, int done) override {
    if (start > 0) {
      first_.archive(archive, "first");
      states_.archive(archive);
    }
    if (archive.restoring()) {
      if (start == 0) begin(0);
      if (start > 0) states_.advance(start, false, slots_, first_, this->media());
    }
    for (int j = 0; j < done; ++j) slot(j).archive(archive, numbered("increment", 2, j + 1));
  }

  std::string summary() const override { return states_.summary(); }
  int terms() const override { return states_.kernel().terms(); }
  double kernel_error() const override { return states_.kernel().error(); }

 private:
  using History<T>::slabs_;
  bool counts_first_;
  ExponentialStates<T> states_;
  SlabField<T> first_;
  std::vector<SlabField<T>> slots_;
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
