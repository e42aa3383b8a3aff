// Constant diffusivity: c_new = c + dt D (mask applied to c), by sweeps of several steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "lib/fields/measure.hpp"
#include "lib/problems/diffusion/boxes/boxes_of.hpp"
#include "lib/problems/diffusion/boxes/edges.hpp"
#include "lib/problems/diffusion/stepper.hpp"
#include "lib/problems/diffusion/steppers/known_values.hpp"

namespace halocline::diffusion {

namespace {

constexpr int most_levels = 16;  // of walls that change with time

// The mask for one time step, on the devices of a rank.
template <class T>
class DeviceMasks {
 public:
  DeviceMasks(const Team& team, const Stencil& stencil, double factor) {
    const std::vector<double> scaled = scale(stencil.weights, factor);
    const std::vector<T> weights(scaled.begin(), scaled.end());
    for (int p = 0; p < team.parts(); ++p) {
      weights_.push_back(make_array(team.executor(p), weights));
      ConvolveMask<T> mask;
      mask.kind = stencil.kind;
      std::copy(stencil.radius, stencil.radius + 3, mask.radius);
      for (int n = 0; n < 7; ++n) mask.k[n] = static_cast<T>(stencil.k[n] * factor);
      if (mask.kind == MaskKind::general && weights.size() <= std::size(mask.k))
        std::copy(weights.begin(), weights.end(), mask.k);
      mask.sum = static_cast<T>(near_zero(stencil) ? 0 : stencil.sum() * factor);
      mask.weights = weights_.back().view().data;
      masks_.push_back(mask);
    }
  }
  const ConvolveMask<T>& of(int part) const { return masks_[static_cast<std::size_t>(part)]; }

 private:
  static std::vector<double> scale(std::vector<double> values, double factor) {
    for (double& value : values) value *= factor;
    return values;
  }
  // The weights of a Laplacian sum to zero but for rounding, and rounding must not make or destroy mass.
  static bool near_zero(const Stencil& stencil) {
    double size = 0;
    for (const double w : stencil.weights) size += std::abs(w);
    return std::abs(stencil.sum()) <= 1e-12 * size;
  }
  std::vector<Array<T, 1>> weights_;
  std::vector<ConvolveMask<T>> masks_;
};

SweepShape shape_of(const Context& context, const BoxPartition& boxes, const Formulation& f, std::size_t value_bytes,
                    int part) {
  const int number = context.team.first_part() + part;
  SweepShape shape;
  shape.kernel = f.kernel;
  shape.steps = f.steps_per_sweep;
  shape.dimensions = f.geometry.dimensions;
  std::copy(f.geometry.extent, f.geometry.extent + 3, shape.extent);
  shape.extent[f.geometry.slow_axis()] = boxes.planes(number).size();
  if (boxes.cut_along_y()) shape.extent[f.geometry.slow_axis() - 1] = boxes.rows(number).size();
  shape.radius = f.stencil.reach();
  shape.kind = f.stencil.kind;
  shape.open = boxes.parts() > 1;
  shape.cut_across = boxes.cut_along_y();
  shape.thinnest = boxes.z().count();
  for (const Partition* cut : {&boxes.z(), &boxes.y()})
    for (int n = 0; n < cut->parts() && cut->parts() > 1; ++n)
      shape.thinnest = std::min(shape.thinnest, cut->block(n).size());
  shape.moving_walls = f.walls.moving();
  shape.value_bytes = value_bytes;
  return shape;
}

// The same on all ranks and parts, so that halos match.
int steps_per_sweep(const Context& context, const BoxPartition& boxes, const Formulation& f, std::size_t value_bytes) {
  if (f.steps_per_sweep > 0) return f.steps_per_sweep;
  Index least = 1024;
  for (int p = 0; p < context.team.parts(); ++p) {
    const SweepShape shape = shape_of(context, boxes, f, value_bytes, p);
    Index steps = automatic_steps(shape, *context.team.executor(p));
    if (shape.open)
      steps = std::min(steps, std::max<Index>(1, shape.thinnest / f.stencil.radius[f.geometry.slow_axis()]));
    least = std::min(least, steps);
  }
  std::array<Index, 1> negative{-least};
  context.comm.max(std::span<Index>(negative));
  return static_cast<int>(-negative[0]);
}

template <class T>
class ConvolveStepper final : public Stepper {
 public:
  ConvolveStepper(const Context& context, const Formulation& f)
      : context_(context),
        f_(f),
        boxes_(boxes_of(context, f)),
        steps_(steps_per_sweep(context, boxes_, f, sizeof(T))),
        levels_(f.walls.moving() ? std::max(steps_, most_levels) : 1),
        field_(context, boxes_, f.geometry, f.stencil, f.walls, halo_rows(f, steps_), levels_,
               f.geometry.layout == GridLayout::cells && !f.walls.closed()) {
    make_sweeps();
  }

  void set(const Program& initial) override {
    set_to_formula(field_.old_state(), initial);
    refresh();
  }

  Index advance(const Clock& clock, Index steps) override {
    const DeviceMasks<T>& masks = masks_for(clock.dt);
    for (Index done = 0; done < steps;) {
      const int now = static_cast<int>(std::min<Index>(group(), steps - done));
      field_.set_walls({clock.origin, clock.dt, clock.step + done}, now);
      sweep(masks, now);
      done += now;
    }
    return steps;
  }

  Index group() const override { return group_; }
  std::vector<double> state(int part) const override { return field_.old_state().read(part); }
  View<const double, 3> view(int part) const override {
    if constexpr (std::is_same_v<T, double>) return field_.old_state().view(part);
    return {};
  }
  Range<3> box(int part) const override { return field_.slabs()->block(part); }

  Measures measure() const override { return measures_of(field_, f_.geometry.volume()); }
  Index first_bad() const override { return extremes(field_.old_state()).bad; }
  ErrorSums errors(const KnownSolution& known) const override { return errors_of(field_.old_state(), known); }

  void archive(StateArchive& state) override {
    field_.archive(state, "c");
    if (state.restoring()) refresh();
  }

  // A sweep of one step leaves the state before it in place of the new one.
  bool may_refuse() const override { return false; }
  void mark(bool /*judged*/) override {
    context_.team.each([&](int p) { field_.keep_records(p); });
  }
  void undo(bool made) override {
    if (!made) return;
    field_.swap_all();
    context_.team.each([&](int p) { field_.restore_records(p); });
  }

  void wait() const override {
    context_.team.each([&](int p) { context_.team.executor(p)->synchronize(); });
  }
  Traffic traffic() const override { return field_.traffic(); }

  std::string summary() const override {
    std::string text = "kernel ";
    for (std::size_t p = 0; p < sweeps_.size(); ++p)
      if (p == 0 || std::string(sweeps_[p]->name()) != sweeps_[p - 1]->name())
        text += (p == 0 ? "" : ", ") + std::string(sweeps_[p]->name());
    return text + ", " + std::to_string(group_) + (group_ == 1 ? " step" : " steps") + " per sweep";
  }

 private:
  void make_sweeps() {
    group_ = field_.open() ? steps_ : 1 << 20;
    std::string missing;
    for (int p = 0; p < context_.team.parts(); ++p) {
      SweepShape shape = shape_of(context_, boxes_, f_, sizeof(T), p);
      shape.steps = steps_;
      const Executor& executor = *context_.team.executor(p);
      sweeps_.push_back(make_sweep<T>(shape, executor));
      if (!sweeps_.back()) {
        missing = executor.name();
        continue;
      }
      group_ = std::min<Index>(group_, sweeps_.back()->most_steps(field_.open()));
    }
    if (levels_ > 1) group_ = std::min<Index>(group_, levels_);
    std::array<Index, 2> most{missing.empty() ? 0 : 1, -group_};
    context_.comm.max(std::span<Index>(most));
    if (most[0] > 0)
      throw DeckError(std::string("diffusion.time.kernel: there is no kernel '") + word_for(f_.kernel) +
                      "' for this problem on " + (missing.empty() ? "a device of another rank" : missing));
    group_ = -most[1];
  }

  // Halos of a state that was set as a whole.
  void refresh() {
    field_.start_exchange(false);
    field_.finish_exchange(false);
  }

  // Two time steps are in use at most times: the step of the run, and shorter ones that hit times of output.
  const DeviceMasks<T>& masks_for(double dt) {
    const auto found = masks_.find(dt);
    if (found != masks_.end()) return found->second;
    if (masks_.size() > 4) {
      wait();
      masks_.clear();
    }
    return masks_.emplace(dt, DeviceMasks<T>(context_.team, f_.stencil, dt * f_.diffusivity)).first->second;
  }

  void run(int part, const DeviceMasks<T>& masks, int steps, const SlabBox& cells) {
    if (empty(cells)) return;
    sweeps_[static_cast<std::size_t>(part)]->run_on(*context_.team.executor(part), field_.block(part), masks.of(part),
                                                    steps, cells);
  }

  // Several steps of a piece compute cells around it again; on hosts, which are slower than their networks, thin pieces
  // at both axes cost more than messages.
  EdgesAndInside split(int part, int steps) const {
    const bool costly = steps > 1 && context_.team.executor(part)->backend() != Backend::cuda;
    return split_edges(field_.block(part), static_cast<Index>(f_.stencil.radius[f_.geometry.slow_axis()]) * steps_,
                       costly ? 0.75 : 0.25);
  }

  // Edges first, then messages, the interior meanwhile. Sweeps that cannot be split do all cells at first.
  void sweep(const DeviceMasks<T>& masks, int steps) {
    context_.team.each([&](int p) {
      const ConvolveBlock<T>& b = field_.block(p);
      if (!sweeps_[static_cast<std::size_t>(p)]->splits(steps)) {
        run(p, masks, steps, b.box(b.rows()));
        if (!sweeps_[static_cast<std::size_t>(p)]->in_next(steps)) field_.swap(p);
        return;
      }
      const EdgesAndInside cells = split(p, steps);
      for (const SlabBox& edge : cells.outer()) run(p, masks, steps, edge);
      if (!field_.open()) run(p, masks, steps, cells.inside);
    });
    field_.start_exchange(true);
    if (field_.open())
      context_.team.each([&](int p) {
        if (sweeps_[static_cast<std::size_t>(p)]->splits(steps)) run(p, masks, steps, split(p, steps).inside);
      });
    field_.finish_exchange(true);
    field_.swap_all();
  }

  Context context_;
  Formulation f_;
  BoxPartition boxes_;
  int steps_;   // per sweep, where parts have open sides
  int levels_;  // of moving walls
  Field<T> field_;
  std::vector<std::unique_ptr<Sweep<T>>> sweeps_;
  std::map<double, DeviceMasks<T>> masks_;
  Index group_ = 1;
};

}  // namespace

int halo_rows(const Formulation& f, int steps_per_sweep) {
  const int radius = f.stencil.radius[f.geometry.slow_axis()];
  if (f.equation == EquationKind::cahn_hilliard) return 2 * radius;  // two passes
  return f.terms.in_flux_form() ? radius : radius * steps_per_sweep;
}

std::unique_ptr<Stepper> make_convolve_stepper(const Context& context, const Formulation& formulation, bool single) {
  if (single) return std::make_unique<ConvolveStepper<float>>(context, formulation);
  return std::make_unique<ConvolveStepper<double>>(context, formulation);
}

}  // namespace halocline::diffusion
