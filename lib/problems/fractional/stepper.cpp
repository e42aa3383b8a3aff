#include "lib/problems/fractional/stepper.hpp"

#include <algorithm>
#include <optional>

#include "lib/fields/formula_errors.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/fractional/boxes/part_boxes.hpp"
#include "lib/problems/fractional/space/side_values.hpp"
#include "lib/problems/fractional/split/split_control.hpp"
#include "lib/problems/fractional/step/ghosts.hpp"
#include "lib/problems/fractional/step/lod_step.hpp"
#include "lib/problems/fractional/step/right_side.hpp"

namespace halocline::fractional {

namespace {

// All fields have rows of one length, in whatever numbers.
template <class T>
std::shared_ptr<Slabs<T>> slabs_of(const Context& context, const Formulation& f) {
  constexpr Index multiple = 16;
  const SlabRules rules{.halo = 1,
                        .periodic = f.grid.periodic[2],
                        .periodic_y = f.grid.periodic[1],
                        .across = false,
                        .also_alone = true,
                        .pitch = slab_pitch(f.grid.extent[0], multiple, sizeof(double))};
  return std::make_shared<Slabs<T>>(context.comm, context.team, boxes_of(f, context.shape.weights, context.partition),
                                    f.grid, rules);
}

// The slabs of c.
template <class T>
std::shared_ptr<Slabs<T>> slabs_of_c(const Context& context, const Formulation& f,
                                     const std::shared_ptr<Slabs<double>>& others) {
  if constexpr (std::is_same_v<T, double>) {
    return others;
  } else {
    return slabs_of<T>(context, f);
  }
}

// A step: history, sources and factors, right-hand side, solution. Ghosts travel from its begin, while devices have the
// history and the right-hand side of the planes that need none. Numbers: a precision of precision_layout.hpp.
template <class Numbers>
class StepperOf final : public Stepper {
 public:
  using Field = typename Numbers::Field;
  using Slot = typename Numbers::Slot;

  StepperOf(const Context& context, const Formulation& f)
      : f_(f),
        slabs_(slabs_of<double>(context, f)),
        coefficients_(f_, slabs_),
        weights_(f_.weights(coefficients_.media().media())),
        sides_(f_, slabs_, coefficients_),
        sources_(f_, slabs_, coefficients_.media()),
        factors_(f_, slabs_, coefficients_, sources_),
        right_side_(slabs_, coefficients_, sources_, factors_),
        c_(slabs_of_c<Field>(context, f, slabs_)),
        past_(f_, slabs_of<Slot>(context, f), coefficients_.media(), weights_),
        split_(f_, slabs_, coefficients_, sides_, factors_, weights_, context.log),
        shown_(f_, coefficients_) {
    if constexpr (std::is_same_v<Numbers, Fp64>) {
      if (f_.split.kind == Split::lod)
        lod_.emplace(f_, slabs_, coefficients_, sides_, sources_, factors_, split_.sweeps());
    }
  }

  void set_initial() override {
    set_to_formula(c_, f_.initial);
    slabs_->team().each([&](int p) { sides_.start(p); });
    past_.reset();
    ghosts_.forget();
  }
  void choose_split() override { split_.choose(past_.slot()); }

  void step() override {
    const LevelNumbers n = numbers();
    if (!lod_) ghosts_.start(n, c_, past_);  // the published step reads no neighbors before its sweeps
    past_.open_step();                       // may move the last increment to another field
    slabs_->team().each([&](int p) { sides_.next(p, n.t); });
    sources_.template evaluate<Numbers>(n, c_, past_.level() > 0 ? &past_.last() : nullptr);
    factors_.set(n);
    solve(n);
    slabs_->team().each([&](int p) { sides_.template keep<Numbers>(p, c_.data(p), past_.slot().data(p)); });
    past_.close_step();
  }
  void wait() override {
    const Team& team = slabs_->team();
    team.each([&](int p) { team.executor(p)->synchronize(); });
  }
  Index level() const override { return past_.level(); }

  void show(double fraction) override {
    if (fraction < 1 && level() > 0) return shown_.show_between<Numbers>(c_, fraction - 1, past_.last());
    shown_.show_level<Numbers>(c_);
  }
  const ShownField& shown() const override { return shown_; }
  Range<3> block(int part) const override { return slabs_->block(part); }
  Index first_bad() const override { return extremes(c_).bad; }

  void archive(StateArchive& archive) override {
    past_.archive(archive, c_);
    split_.archive(archive);
    if (!archive.restoring()) return;
    ghosts_.forget();
    const auto time = [&](Index l) { return l < 0 ? -1 : f_.levels->t(l); };
    slabs_->team().each([&](int p) { sides_.restore(p, {time(level()), time(level() - 1), time(level() - 2)}); });
  }

  Traffic traffic() const override {
    Traffic sent = slabs_->traffic();
    if constexpr (!std::is_same_v<Field, double>) sent += c_.slabs().traffic();
    sent += past_.traffic();
    sent += split_.traffic();
    return sent;
  }
  HistoryFigures history() const override { return {past_.history().terms(), past_.history().kernel_error()}; }
  const SplitFigures& split() const override { return split_.figures(); }
  std::string summary() const override { return past_.history().summary(); }

 private:
  LevelNumbers numbers() const {
    const Index l = past_.level() + 1;
    const double ratio = l == 1 || !f_.extrapolated ? 0 : std::min(1.0, f_.levels->step(l) / f_.levels->step(l - 1));
    return LevelNumbers::of(weights_, l, ratio);
  }

  // Of the slot, from its far value to its increment, and of c.
  void solve(const LevelNumbers& n) {
    if constexpr (std::is_same_v<Numbers, Fp64>) {
      if (lod_) return lod_->solve(c_, past_);
    }
    right_side_.set(n, c_, past_, Nodes::inner);
    ghosts_.finish(n, c_, past_);
    if (sides_.reads_neighbors()) factors_.exchange_nu();
    right_side_.set(n, c_, past_, Nodes::outer);
    slabs_->team().each([&](int p) { sides_.add_data(p, factors_.mu(p), n.ahead, past_.slot().data(p)); });
    split_.solve(n, c_, past_);
  }

  Formulation f_;
  std::shared_ptr<Slabs<double>> slabs_;
  Coefficients coefficients_;
  Weights weights_;
  SideValues sides_;
  StepSources sources_;
  StepFactors factors_;
  RightSide<Numbers> right_side_;
  SlabField<Field> c_;
  Ghosts<Numbers> ghosts_;
  Past<Numbers> past_;
  SplitControl<Numbers> split_;
  ShownField shown_;
  std::optional<LodStep> lod_;  // fp64 only
};

}  // namespace

std::unique_ptr<Stepper> make_stepper(const Context& context, const Formulation& formulation) {
  return with_precision(formulation.precision, [&](auto numbers) -> std::unique_ptr<Stepper> {
    return std::make_unique<StepperOf<decltype(numbers)>>(context, formulation);
  });
}

}  // namespace halocline::fractional
