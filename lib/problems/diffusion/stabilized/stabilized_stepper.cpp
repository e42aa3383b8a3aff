#include "lib/problems/diffusion/stabilized/stabilized_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/launch.hpp"
#include "lib/problems/diffusion/host/blocking.hpp"
#include "lib/problems/diffusion/steppers/limit_watch.hpp"

namespace halocline::diffusion {

namespace {

// Stages are chosen for a spectral radius somewhat larger than the bound where it changes, so that few steps are made
// again.
constexpr double margin = 1.05;

constexpr Index least_band = 8, most_band_stages = 32;

// A power of two that brings states whose squares are no doubles near 1; 1 for all others, which keep their bits.
double scale_of(double largest) {
  const bool ordinary = largest == 0 || (largest > 1e-100 && largest < 1e100);
  return ordinary || !std::isfinite(largest) ? 1 : std::ldexp(1.0, std::min(-std::ilogb(largest), 1000));
}

}  // namespace

// Rows of the arrays of a stage that fit three quarters of a core's cache, half of them as the band itself.
StabilizedStepper::Bands StabilizedStepper::choose_bands() const {
  const Executor& executor = *context_.team.executor(0);
  const bool alone = context_.partition.parts() == 1 && !f_.walls.periodic(f_.geometry.slow_axis());
  if (!alone || !operator_->steady() || executor.backend() == Backend::cuda) return {};
  const ConvolveBlock<double>& b = field_.block(0);
  const Index row = b.slow_stride() * static_cast<Index>(sizeof(double)) * (operator_->ahead() > 0 ? 6 : 5);
  const Index fit = static_cast<Index>(read_caches().second) * 3 / 4 / row;
  Bands bands;
  bands.lag = f_.stencil.radius[f_.geometry.slow_axis()] + operator_->ahead();
  bands.rows = std::max<Index>(least_band, fit / 2);
  bands.stages = static_cast<int>(std::clamp<Index>((fit - bands.rows) / bands.lag, 0, most_band_stages));
  return bands.stages > 1 ? bands : Bands{};
}

StabilizedStepper::StabilizedStepper(const Context& context, const Formulation& formulation)
    : FieldStepper(context, formulation, halo_of_rates(formulation), !formulation.walls.closed()),
      table_(formulation.method, formulation.most_stages),
      start_(field_.slabs()),
      rate_(field_.slabs()),
      operator_(make_rate_operator(context_, f_, field_)),
      records_(!formulation.walls.closed() || formulation.keeps_source),
      most_reach_(largest_reach(formulation.method, formulation.most_stages)),
      bands_(choose_bands()) {}

void StabilizedStepper::set(const Program& initial) {
  FieldStepper::set(initial);
  judged_ = known_ = false;
}

Index StabilizedStepper::advance(const Clock& clock, Index steps) {
  for (Index n = 0; n < steps; ++n)
    if (!make_step(clock.at(n), clock.dt, clock.at(n + 1))) return n;
  return steps;
}

// Walls, formulas and the bound for the old state at time t.
void StabilizedStepper::judge(double t) {
  if (judged_ && judged_at_ == t) return;
  operator_->prepare(t);
  range_ = extremes(field_.old_state());
  radius_ = operator_->radius(range_);
  judged_ = true;
  judged_at_ = t;
}

bool StabilizedStepper::make_step(double t, double dt, double end) {
  error_ = 0;
  judge(t);
  if (range_.bad >= 0) refuse_state(f_.geometry, range_.bad, t);
  if (!within_reach(radius_, dt, t)) return false;
  const FieldRange range = range_;
  const double radius = radius_;
  double wanted = operator_->moving() ? margin * radius : radius;
  for (;;) {
    table_.choose(stages_for(f_.method, std::min(wanted * dt, most_reach_), f_.most_stages));
    stages_ += table_.stages();
    ++tried_;
    run_stages(t, dt);
    judge(end);
    if (range_.bad >= 0 && f_.tolerance <= 0 && operator_->moving()) blame(t, dt, end);
    if (good_enough(dt, end)) return true;
    ++again_;
    const bool more_stages = error_ <= 1 && within_reach(radius_, dt, end);
    wanted = margin * std::max(wanted, radius_);
    restore();
    if (!more_stages) return false;
    operator_->prepare(t);
    range_ = range, radius_ = radius;
    judged_ = true, judged_at_ = t;
  }
}

// Whether the stages that the deck allows are enough for a step of this size with the spectral radius at time t.
bool StabilizedStepper::within_reach(double radius, double dt, double t) {
  if (radius * dt <= most_reach_ * (1 + limit_tolerance)) return true;
  allowed_ = most_reach_ / radius;
  if (f_.tolerance <= 0 || !(radius < std::numeric_limits<double>::infinity())) operator_->refuse(dt, t);
  return false;
}

void StabilizedStepper::run_stages(double t, double dt) {
  if (records_) context_.team.each([&](int p) { field_.keep_records(p); });
  first_stage(t, dt);
  if (bands_.rows > 0 && table_.stages() > 2) return stages_in_bands(dt);
  for (int j = 2; j <= table_.stages(); ++j) stage(j, t, dt);
}

// After a step that has left c no number: the same once more, with a look at D and the mobility before every stage, so
// that they are named where they are to blame.
void StabilizedStepper::blame(double t, double dt, double end) {
  restore();
  operator_->prepare(t);
  if (records_) context_.team.each([&](int p) { field_.keep_records(p); });
  first_stage(t, dt);
  for (int j = 2; j <= table_.stages(); ++j) {
    const double time = t + table_[j - 1].time * dt;
    operator_->prepare(time);
    const FieldRange range = extremes(field_.old_state());
    const bool good = range.bad >= 0 || operator_->radius(range) < std::numeric_limits<double>::infinity();
    if (!good) operator_->refuse(dt, time);
    stage(j, t, dt);
  }
  judge(end);
}

void StabilizedStepper::first_stage(double t, double dt) {
  const double by = table_[1].rate * dt, share = records_ ? table_[0].weight * dt : 0;
  if (known_ && known_at_ == t && !records_) {
    step([&](int p, const SlabBox& cells) {
      const ConvolveBlock<double>& b = field_.block(p);
      SlabLayout slab = b;
      const SlabRows &rows = cells.rows, &along_y = cells.along_y;
      const Index from = rows.lo * b.slow_stride() + along_y.lo * b.pitch;
      if (b.dimensions == 3) slab.extent[1] = along_y.hi - along_y.lo;
      slab.extent[slab.slow_axis()] = rows.hi - rows.lo;
      const FirstFromKnown body{slab, b.c + from, rate_.data(p) + from, b.next + from, by};
      const Label label{"first stage", bytes_of_box(b, cells, 3)};
      const Executor& executor = *context_.team.executor(p);
      if (executor.backend() == Backend::cuda) {
        launch(executor, label, Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}}, body);
      } else {
        launch_on_host(executor, label, Range<1>{{0}, {slab.lines()}}, body);
      }
    });
  } else {
    begin();
    step([&](int p, const SlabBox& cells) {
      const ConvolveBlock<double>& b = field_.block(p);
      operator_->apply(p, cells, FirstStage{b.c, rate_.data(p), b.next, by}, share);
    });
    known_ = true;
    known_at_ = t;
  }
  context_.team.each([&](int p) { field_.swap_new(start_, p); });
}

// From Y_{j-1}, the old state.
void StabilizedStepper::stage(int j, double t, double dt) {
  operator_->prepare(t + table_[j - 1].time * dt);
  begin();
  const double share = records_ ? table_[j - 1].weight * dt : 0;
  step([&](int p, const SlabBox& cells) { operator_->apply(p, cells, use(j, p, dt), share); });
}

NextStage StabilizedStepper::use(int j, int part, double dt) const {
  const ConvolveBlock<double>& b = field_.block(part);
  const StageTable::Stage& s = table_[j];
  const double* start = start_.data(part);
  return {b.c, j == 2 ? start : b.next, start, rate_.data(part), b.next, s.mu, s.nu, s.rate * dt, s.start * dt};
}

// What stages need of all rows.
void StabilizedStepper::begin() {
  context_.team.each([&](int p) {
    const ConvolveBlock<double>& b = field_.block(p);
    operator_->begin(p, rows_of_level(b, operator_->ahead(), {0, b.slow_extent()}, 0, 2));
  });
}

// Stages 2 to s where one part of the host holds all: several at a time on a band of rows that stays in the cache, each
// `lag` rows behind the one before, whose rows it reads. What Y_j takes the place of, Y_{j-2}, is then read no more.
void StabilizedStepper::stages_in_bands(double dt) {
  context_.team.each([&](int p) {
    int at = 2;  // field_ lies for stage `at`
    const auto turn_to = [&](int j) {
      if ((j - at) % 2 != 0) field_.swap(p);
      at = j;
    };
    const Index n = field_.block(p).slow_extent(), ahead = operator_->ahead();
    const auto inside = [n](Index row) { return std::clamp<Index>(row, 0, n); };
    for (int first = 2; first <= table_.stages(); first += bands_.stages) {
      const int last = std::min(table_.stages(), first + bands_.stages - 1);
      for (Index lo = 0; lo < n + (last - first) * bands_.lag; lo += bands_.rows)
        for (int j = first; j <= last; ++j) {
          const Index from = lo - (j - first) * bands_.lag, to = from + bands_.rows;
          turn_to(j);
          operator_->begin(p, {lo == 0 ? 0 : inside(from + ahead), inside(to + ahead)});
          operator_->apply(p, field_.block(p).box({inside(from), inside(to)}), use(j, p, dt),
                           records_ ? table_[j - 1].weight * dt : 0);
        }
    }
    turn_to(table_.stages() + 1);
  });
}

// Whether the step that has been computed counts; error_ is 0 where it is not judged. A state that is not finite is
// taken where no error is estimated: the run tells so.
bool StabilizedStepper::good_enough(double dt, double end) {
  const bool finite = range_.bad < 0 && radius_ < std::numeric_limits<double>::infinity();
  trouble_ = range_.bad >= 0 ? "c is not finite"
             : finite        ? "the rate of change of c is not finite"
                             : "D is negative or not finite";
  if (f_.tolerance > 0) {
    error_ = finite ? estimate(dt) : std::numeric_limits<double>::infinity();
    if (finite && !errors_count_) error_ = 0;
    if (!(error_ <= 1)) {
      if (std::isnan(error_)) error_ = std::numeric_limits<double>::infinity();
      return false;
    }
  }
  if (finite && radius_ * dt > stable_reach(f_.method, table_.stages()) * (1 + limit_tolerance)) return false;
  known_ = f_.tolerance > 0;
  known_at_ = end;
  if (known_) context_.team.each([&](int p) { field_.swap_new(rate_, p); });
  return true;
}

// Root mean square of the estimated error over the tolerance times the largest |c|. The rate of the new state comes to
// lie in the place of Y_{s-1}.
double StabilizedStepper::estimate(double dt) {
  std::vector<ExactSum> parts(static_cast<std::size_t>(context_.team.parts()));
  const double largest = std::max(std::abs(range_.low), std::abs(range_.high)), scale = scale_of(largest);
  begin();
  context_.team.each([&](int p) {
    const ConvolveBlock<double>& b = field_.block(p);
    operator_->apply(p, b.box(b.rows()), RateAlone{b.next}, 0);
    sum_chunks<1>(*context_.team.executor(p), {"error of a step", bytes_of(b, {0, b.slow_extent()}, 4)}, b.lines(),
                  ErrorOfLine{b, start_.data(p), b.c, rate_.data(p), b.next, 0.5 * dt, scale},
                  std::span<ExactSum, 1>(&parts[static_cast<std::size_t>(p)], 1));
  });
  ExactSum all;
  for (const ExactSum& part : parts) all.add(part);
  context_.comm.sum({&all, 1});
  const double rms = std::sqrt(all.value() / static_cast<double>(f_.geometry.unknowns()));
  return rms > 0 ? table_.error_share() * rms / (f_.tolerance * (scale * largest)) : rms;
}

// The state before the step.
void StabilizedStepper::restore() {
  context_.team.each([&](int p) {
    field_.swap(p);
    field_.swap_new(start_, p);
    field_.swap(p);
    if (records_) field_.restore_records(p);
  });
  judged_ = false;
}

void StabilizedStepper::undo(bool made) {
  if (made) restore();
  judged_ = known_ = false;
  stages_ = marked_[0], tried_ = marked_[1], again_ = marked_[2];
  errors_count_ = true;
}

Measures StabilizedStepper::measure() const {
  Measures m = FieldStepper::measure();
  m.energy = operator_->energy();
  return m;
}

void StabilizedStepper::report(Findings& findings) const {
  findings.add("stages", "1", static_cast<double>(stages_));
  findings.add("steps_again", "1", static_cast<double>(again_));
}

void StabilizedStepper::archive(StateArchive& archive) {
  FieldStepper::archive(archive);
  archive.scalar("stages", stages_);
  archive.scalar("steps_tried", tried_);
  archive.scalar("steps_again", again_);
  if (archive.restoring()) judged_ = known_ = false;
}

std::string StabilizedStepper::summary() const {
  return std::string("method ") + word_for(f_.method) + ", at most " + std::to_string(f_.most_stages) + " stages, " +
         operator_->summary();
}

Index halo_of_rates(const Formulation& f) {
  const Index radius = f.stencil.radius[f.geometry.slow_axis()];
  return f.equation == EquationKind::cahn_hilliard ? 2 * radius : radius;
}

std::unique_ptr<RateOperator> make_rate_operator(const Context& context, const Formulation& f, Field<double>& field) {
  if (f.equation == EquationKind::cahn_hilliard) return make_spinodal_rate(context, f, field);
  return f.terms.in_flux_form() ? make_flux_rate(context, f, field) : make_mask_rate(context, f, field);
}

std::unique_ptr<Stepper> make_stabilized_stepper(const Context& context, const Formulation& formulation) {
  return std::make_unique<StabilizedStepper>(context, formulation);
}

}  // namespace halocline::diffusion
