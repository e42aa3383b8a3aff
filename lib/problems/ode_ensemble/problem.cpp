#include "lib/problems/ode_ensemble/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/problems/ode_ensemble/endings.hpp"
#include "lib/problems/ode_ensemble/jit/jit_cache.hpp"
#include "lib/problems/ode_ensemble/jit/jit_host.hpp"
#include "lib/problems/ode_ensemble/pilot.hpp"
#include "lib/time/slices.hpp"

namespace halocline::ode_ensemble {

EnsembleProblem::EnsembleProblem(const Context& context, const EnsembleOptions& options)
    : context_(context), options_(options), formulation_(formulate(options, nullptr)), host_(make_omp_executor(1)) {
  for (const std::string& warning : formulation_.warnings) context_.log.warning(warning);
  make_backend();
  cut_systems();
  for (int p = 0; p < context_.team.parts(); ++p) {
    const Range<1> own = context_.own(p);
    parts_.emplace_back(formulation_, *model_.backend, own.lo[0], own.size());
  }
}

void EnsembleProblem::make_backend() {
  const Evaluation wanted = options_.block.evaluation;
  if (wanted == Evaluation::tree) {
    model_.backend = make_tree_backend(formulation_.system, formulation_.method);
  } else if (wanted == Evaluation::automatic && is_builtin()) {
    std::array<double, 1> level{static_cast<double>(host_level())};
    context_.comm.min(level);
    model_.backend = make_builtin_backend(formulation_.model, formulation_.method, static_cast<int>(level[0]));
  } else {
    const LoweredModel lowered = lower(formulation_.system, lowering());
    const HostCode code = wanted == Evaluation::compiled      ? HostCode::compiled
                          : wanted == Evaluation::interpreted ? HostCode::interpreted
                                                              : HostCode::any;
    const JitOptions jit = jit_options_of_environment();
    const auto scope = context_.timers.scope("equations");
    model_ = make_host_model(context_.comm, context_.log, jit, lowered, formulation_.method, code,
                             [&](const OdeBackend& interpreter) { return interpreter_does(lowered, interpreter); });
  }
  std::string how = model_.backend->name();
  if (!model_.compiler.empty())
    how += formatted(", {} in {:.2g} s", model_.cached ? "from the cache" : "compiled", model_.seconds);
  context_.log.info("equations: " + how);
  make_device_model();
}

// By processor time and counts alone, so that a deck has the same results however many ranks and threads it gets, and
// with compiled code in the cache too.
bool EnsembleProblem::interpreter_does(const LoweredModel& lowered, const OdeBackend& interpreter) const {
  // Measured: compiling, and what compiled code saves per operation and per trial (docs/performance/ode_ensemble.md).
  constexpr double compiling = 1.2, per_line = 1e-3, per_operation = 0.15e-9, per_trial = 2e-9;  // s
  const std::optional<double> trials = forecast_trials(formulation_, interpreter);
  if (!trials) return false;
  const auto lines = static_cast<double>(flattened_rhs(lowered).lines.size() + lowered.linearized.lines.size());
  const double saved = *trials * (per_trial + per_operation * lines * stages_of(formulation_.method));
  const double cost = compiling + per_line * lines;
  if (saved >= cost) return false;
  context_.log.info(
      formatted("the equations are interpreted: compiling takes about {:.2g} s and would save {:.2g} s; "
                "`ode_ensemble.evaluation` decides otherwise",
                cost, saved));
  return true;
}

LoweringOptions EnsembleProblem::lowering() const {
  LoweringOptions lowering;
  lowering.exp_log_powers = options_.block.math.pow == Powers::exp_log;
  lowering.linearized = has_jacobian(formulation_.method);
  lowering.noise_slopes = formulation_.method == Method::milstein;
  return lowering;
}

// What is written by hand knows nothing of recorded formulas, nor of Jacobians and noise.
bool EnsembleProblem::is_builtin() const {
  const OdeSystem& system = formulation_.system;
  return !formulation_.model.empty() && !has_jacobian(formulation_.method) && !is_stochastic(formulation_.method) &&
         system.outputs.empty() && !system.inside && system.forcings.empty();
}

// Collective: all ranks take part when one has a GPU.
void EnsembleProblem::make_device_model() {
  std::vector<const Executor*> executors;
  for (int p = 0; p < context_.team.parts(); ++p)
    if (context_.team.executor(p)->backend() == Backend::cuda) executors.push_back(context_.team.executor(p).get());
  if (context_.comm.agree(executors.empty())) return;
  device_model_ = std::make_unique<DeviceModel>(context_.comm, executors, lower(formulation_.system, lowering()),
                                                formulation_.method);
  context_.log.info("equations on GPUs: " + device_model_->compiler());
}

void EnsembleProblem::upload() {
  devices_.resize(parts_.size());
  for (int p = 0; p < context_.team.parts(); ++p) {
    Part& part = parts_[static_cast<std::size_t>(p)];
    const ExecutorPtr& executor = context_.team.executor(p);
    if (executor->backend() != Backend::cuda) continue;
    devices_[static_cast<std::size_t>(p)] = std::make_unique<DeviceEnsemble>(
        executor, part.view(), part.rows(), formulation_.system.parameters, formulation_.sweep.shuffled());
  }
}

void EnsembleProblem::download() const {
  for (const auto& device : devices_)
    if (device) device->download();
}

void EnsembleProblem::cut_systems() {
  if (context_.partition.parts() > 0) return;
  const auto scope = context_.timers.scope("pilot");
  const Index systems = formulation_.sweep.systems(), stride = sample_stride(systems);
  const std::vector<Index> costs =
      sample_costs(context_.comm, formulation_, *model_.backend, context_.all_threads(), stride);
  context_.partition = cut_by_cost(systems, stride, costs, context_.shape.weights);
}

void EnsembleProblem::initialize() {
  std::vector<std::vector<long long>> bad;
  for (Part& part : parts_) bad.push_back(part.mark_bad_starts(formulation_));
  refuse_bad_starts(bad);
}

// Unless failures are to be reported only, systems that cannot begin end the run: the first ten are listed.
void EnsembleProblem::refuse_bad_starts(const std::vector<std::vector<long long>>& bad) {
  constexpr std::size_t most = 10;
  Index count = 0;
  std::vector<Index> first(most, -1);
  std::size_t listed = 0;
  for (std::size_t p = 0; p < bad.size(); ++p) {
    count += static_cast<Index>(bad[p].size());
    for (const long long system : bad[p])
      if (listed < most) first[listed++] = parts_[p].first() + system;
  }
  context_.comm.sum(std::span(&count, 1));
  if (count == 0) return;
  std::string text;
  for (const Index system : first)
    if (system >= 0) text += "\n  " + values_of(formulation_, system);
  std::string all;
  for (const std::string& own : context_.comm.gather(text)) all += own;
  for (std::size_t at = 0, lines = 0; lines <= most && at != std::string::npos; ++lines) {
    at = all.find('\n', at + 1);
    if (lines + 1 == most && at != std::string::npos) all.resize(at), at = std::string::npos;
  }
  context_.comm.broadcast(all);
  const std::string message = bad_starts_text(count, all);
  if (options_.block.on_failure != OnFailure::report)
    throw DeckError(message + "\n`on_failure: report` leaves them out");
  context_.log.warning(message);
}

Step EnsembleProblem::advance(double /*t_stop*/) { return systems_done_ ? follow() : advance_systems(); }

// With the wait for the slowest rank.
void EnsembleProblem::add_over_ranks(std::span<Index> values) const {
  const auto scope = context_.team.scope("sums");
  context_.comm.sum(values);
}

Step EnsembleProblem::advance_systems() {
  const auto deadline = Part::Clock::now() + std::chrono::milliseconds(static_cast<int>(1000 * slice_seconds));
  if (devices_.empty()) upload();
  context_.team.each([&](int p) {
    Part& part = parts_[static_cast<std::size_t>(p)];
    DeviceEnsemble* device = devices_[static_cast<std::size_t>(p)].get();
    if (device == nullptr) return part.advance(*model_.backend, context_.team.executor(p)->threads(), deadline);
    const bool all = device->advance(*device_model_, slice_seconds) == 0;
    if (!all && options_.block.on_failure != OnFailure::stop) return;
    device->download();
    part.refresh();
  });
  std::array<Index, 2> sums{0, 0};  // phases done, parts that are not finished
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const long long each = formulation_.base.transient + formulation_.base.record;
    const bool on_host = devices_[p] == nullptr;
    sums[0] += on_host ? parts_[p].phases_done() : each * (parts_[p].systems() - devices_[p]->left());
    sums[1] += (on_host ? parts_[p].finished() : devices_[p]->left() == 0) ? 0 : 1;
  }
  add_over_ranks(sums);
  const Index phases = (formulation_.base.transient + formulation_.base.record) * formulation_.sweep.systems();
  systems_done_ = sums[1] == 0;
  finished_ = systems_done_ && !options_.block.record.has_trajectory;
  if (options_.block.on_failure == OnFailure::stop) stopped_ = some_failed();
  const double fraction = phases > 0 ? static_cast<double>(sums[0]) / static_cast<double>(phases) : 1;
  if (systems_done_ && formulation_.method == Method::automatic)
    context_.log.info(std::to_string(stiff_systems()) + " of " + std::to_string(formulation_.sweep.systems()) +
                      " systems turned out to be stiff and went on with rodas5p");
  return {fraction, fraction, finished_ || stopped_,
          std::to_string(sums[0]) + " of " + std::to_string(phases) + " phases"};
}

// One after the other, each by the rank that has it.
Step EnsembleProblem::follow() {
  const TrajectoryOptions& wanted = options_.block.record.trajectory;
  const auto deadline = Part::Clock::now() + std::chrono::milliseconds(static_cast<int>(1000 * slice_seconds));
  std::array<Index, 1> left{0};
  followers_.resize(wanted.systems.size());
  for (std::size_t k = 0; k < wanted.systems.size(); ++k) {
    const auto system = static_cast<Index>(wanted.systems[k]);
    const bool own = std::any_of(parts_.begin(), parts_.end(), [system](const Part& part) {
      return system >= part.first() && system < part.first() + part.systems();
    });
    if (!own) continue;
    const bool begins = followers_[k] == nullptr;
    const bool late = left[0] > 0 || Part::Clock::now() >= deadline;
    if (begins && !late)
      followers_[k] = std::make_unique<Follower>(formulation_, *model_.backend, system, wanted.every);
    if (late || !followers_[k]->advance(*model_.backend, deadline)) ++left[0];
  }
  add_over_ranks(left);
  finished_ = left[0] == 0;
  const std::size_t count = wanted.systems.size();
  return {1, 1, finished_ || stopped_,
          "trajectories: " + std::to_string(static_cast<Index>(count) - left[0]) + " of " + std::to_string(count)};
}

Index EnsembleProblem::stiff_systems() const {
  Index stiff = 0;
  for (const Part& part : parts_)
    for (long long i = 0; i < part.systems(); ++i) stiff += part.counter(Counter::stiff)[i];
  context_.comm.sum(std::span(&stiff, 1));
  return stiff;
}

bool EnsembleProblem::some_failed() const {
  bool well = true;
  for (const Part& part : parts_)
    for (long long i = 0; i < part.systems() && well; ++i)
      well = (part.counter(Counter::status)[i] & Status::unwell) == 0;
  return !context_.comm.agree(well);
}

void EnsembleProblem::archive(StateArchive& archive) {
  if (!archive.restoring()) download();
  const Index recorded = archive_phases(archive), wanted = formulation_.base.record;
  const Index total = formulation_.sweep.systems();
  const auto block = [&](const std::string& name, auto&& row) {
    for (Part& part : parts_)
      archive.block(name.c_str(), total, 1, {{part.first()}, {part.first() + part.systems()}}, row(part), *host_);
  };
  // What keeps phases and records of systems that are not begun is 0, and nothing else is needed to go on.
  const long long rows = model_.backend->state_rows();
  for (long long row = 0; row < rows; ++row)
    block("state_" + std::to_string(row), [&](Part& part) { return View<double, 1>(part.state(row), part.systems()); });
  for (int row = 0; row < Counter::rows; ++row) archive_counter(archive, row);
  for (long long r = 0; r < formulation_.base.each_phase_records; ++r)
    for (Index k = 0; k < recorded; ++k)
      block("each_phase_" + std::to_string(r * recorded + k), [&](Part& part) {
        return View<double, 1>(part.each_phase().data() + (r * wanted + k) * part.systems(), part.systems());
      });
  for (long long row = 0; row < formulation_.base.all_phases_records; ++row)
    block("all_phases_" + std::to_string(row),
          [&](Part& part) { return View<double, 1>(part.all_phases().data() + row * part.systems(), part.systems()); });
  for (int record = 0; record < formulation_.base.time_records; ++record) archive_times(archive, record);
  if (!archive.restoring()) return;
  for (Part& part : parts_) {
    if (recorded < wanted) part.go_on_after(formulation_.base.transient + recorded);
    part.refresh();
  }
}

// How many phases the run records that an archive is of: perhaps fewer than this one, never more.
Index EnsembleProblem::archive_phases(StateArchive& archive) const {
  const Index wanted = formulation_.base.record, compiles = model_.compiler.empty() ? 0 : 1;
  Index recorded = wanted, compiled = compiles;
  archive.scalar("recorded_phases", recorded);
  archive.scalar("compiled", compiled);
  if (recorded > wanted)
    throw DeckError(formatted(
        "ode_ensemble.repeat.record: is {}, but the checkpoint is of a run that records {} phases", wanted, recorded));
  if (recorded < wanted && compiled != compiles)
    throw DeckError(formatted(
        "ode_ensemble.evaluation: `auto` {} equations for {} phases, but {} them for the {} of the checkpoint, and "
        "results would not be those of one run; begin anew with `interpreted` or `compiled`",
        compiles != 0 ? "compiles" : "interprets", wanted, compiled != 0 ? "compiled" : "interpreted", recorded));
  return recorded;
}

// All times of a system side by side: one array of the checkpoint per record, however many times there are.
void EnsembleProblem::archive_times(StateArchive& archive, int record) {
  const std::string name = "at_times_" + std::to_string(record);
  const long long count = formulation_.base.time_count;
  for (Part& part : parts_) {
    double* const own = part.at_times().data() + record * count * part.systems();
    std::vector<double> values(static_cast<std::size_t>(count * part.systems()));
    const auto each = [&](auto&& visit) {
      for (long long i = 0; i < part.systems(); ++i)
        for (long long k = 0; k < count; ++k)
          visit(values[static_cast<std::size_t>(i * count + k)], own[k * part.systems() + i]);
    };
    each([](double& kept, double& value) { kept = value; });
    archive.block(name.c_str(), formulation_.sweep.systems(), count, {{part.first()}, {part.first() + part.systems()}},
                  View<double, 1>(values.data(), static_cast<Index>(values.size())), *host_);
    each([](double& kept, double& value) { value = kept; });
  }
}

// The counters' type is that of the contract, which need not be Index.
void EnsembleProblem::archive_counter(StateArchive& archive, int row) {
  const std::string name = "counter_" + std::to_string(row);
  for (Part& part : parts_) {
    std::vector<Index> values(part.counter(row), part.counter(row) + part.systems());
    archive.block(name.c_str(), formulation_.sweep.systems(), 1, {{part.first()}, {part.first() + part.systems()}},
                  View<Index, 1>(values.data(), part.systems()), *host_);
    std::copy(values.begin(), values.end(), part.counter(row));
  }
}

// --- Verification ----------------------------------------------------------------------------------------------------

double EnsembleProblem::worst_difference(const Comparison& comparison) const {
  const Result* found = nullptr;
  for (const auto* list : {&formulation_.final_values, &formulation_.each_phase, &formulation_.all_phases})
    for (const Result& one : *list)
      if (one.name == comparison.result) found = &one;
  std::ptrdiff_t timed = -1;
  for (const Result& one : formulation_.at_times)
    if (times_prefix + one.name == comparison.result) timed = &one - formulation_.at_times.data();
  double worst = 0;
  for (const Expected& one : comparison.expected)
    for (const Part& part : parts_) {
      const long long i = one.system - part.first();
      if (i < 0 || i >= part.systems()) continue;
      double value = std::numeric_limits<double>::quiet_NaN();
      if (timed >= 0) {
        value = part.at_times()[static_cast<std::size_t>(
            (timed * formulation_.base.time_count + one.phase) * part.systems() + i)];
      } else if (part.valid(i)) {
        const auto r = one.phase < 0 ? 0 : static_cast<long long>(found - formulation_.each_phase.data());
        value = one.phase < 0 ? result(part, *found, i)
                              : part.each_phase()[static_cast<std::size_t>(
                                    (r * formulation_.base.record + one.phase) * part.systems() + i)];
      }
      const double difference = std::abs(value - one.value);
      worst = difference <= worst      ? worst
              : std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                       : difference;
    }
  context_.comm.max(std::span(&worst, 1));
  return worst;
}

void EnsembleProblem::verify(Findings& findings) const {
  download();
  std::array<Index, 4> sums{};  // trials: accepted, rejected, retaken
  for (const Part& part : parts_)
    for (long long i = 0; i < part.systems(); ++i)
      for (int row : {Counter::accepted, Counter::rejected, Counter::retaken})
        sums[static_cast<std::size_t>(row)] += part.counter(row)[i];
  context_.comm.sum(sums);
  findings.add("steps.accepted", "1", static_cast<double>(sums[Counter::accepted]));
  findings.add("steps.rejected", "1", static_cast<double>(sums[Counter::rejected]));
  findings.add("steps.retaken", "1", static_cast<double>(sums[Counter::retaken]));
  if (is_stochastic(formulation_.method))
    findings.add("noise.seed", "1", static_cast<double>(formulation_.base.noise_seed));
  if (formulation_.method == Method::automatic)
    findings.add("stiff_systems", "1", static_cast<double>(stiff_systems()));
  const Endings endings = endings_of(context_.comm, parts_);
  findings.add("failed_systems", "1", static_cast<double>(endings.unwell));
  for (std::size_t r = 0; r < reasons.size(); ++r)
    if (endings.counts[r] > 0)
      findings.add(std::string("ended.") + reasons[r].name, "1", static_cast<double>(endings.counts[r]));
  if (endings.below > 0) findings.add("below_atol", "1", static_cast<double>(endings.below));
  if (endings.below > 0) context_.log.warning(endings.advice());
  if (endings.unwell > 0 && options_.block.on_failure == OnFailure::report) context_.log.warning(endings.text());
  if (endings.unwell > 0 && options_.block.on_failure != OnFailure::report) findings.failure = endings.text();
  if (!options_.verify.given || options_.verify.reference.empty()) return;
  for (const Comparison& one : read_reference(options_.verify, formulation_, nullptr)) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    findings.add("compared." + one.result, "1", static_cast<double>(one.expected.size()));
    findings.check("max_error." + one.result, "1", worst_difference(one), -infinity,
                   options_.verify.max_error.of(one.result, infinity));
  }
}

}  // namespace halocline::ode_ensemble
