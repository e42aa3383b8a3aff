#include "lib/problems/ode_ensemble/part.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "lib/base/format.hpp"
#include "lib/expression/program.hpp"
#include "lib/problems/ode_ensemble/stepper/functions.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr auto done_course = static_cast<long long>(Course::done);

std::size_t size_of(long long n) { return static_cast<std::size_t>(n); }

// Evaluates formulas for all systems at times t (null: 0): variables of the scope by rows, states first where they are
// known.
std::vector<std::vector<double>> evaluate_all(const Formulation& f, std::span<const Expression> formulas,
                                              const std::vector<double>& parameters, const double* state,
                                              const double* t, long long systems) {
  const OdeSystem& system = f.system;
  const int variables = system.variables();
  const Program program(formulas, variables);
  const std::vector<double> zero(size_of(systems), 0.0);
  std::vector<std::span<const double>> inputs(size_of(variables), zero);
  for (int i = 0; i < system.states && state != nullptr; ++i)
    inputs[size_of(system.state(i))] = {state + i * systems, size_of(systems)};
  for (int i = 0; i < system.parameters; ++i)
    inputs[size_of(system.parameter(i))] = {parameters.data() + i * systems, size_of(systems)};
  std::vector<std::vector<double>> forced(system.forcings.size(), zero);
  if (t != nullptr) inputs[OdeSystem::time] = {t, size_of(systems)};
  for (std::size_t k = 0; t != nullptr && k < forced.size(); ++k) {
    double slope = 0;
    for (long long i = 0; i < systems; ++i)
      look_up(f.tables->data(), system.forcings[k], t[i], &forced[k][size_of(i)], &slope);
    inputs[size_of(system.forcing(static_cast<int>(k)))] = forced[k];
  }
  std::vector<std::vector<double>> results(formulas.size(), std::vector<double>(size_of(systems)));
  std::vector<std::span<double>> outputs(results.begin(), results.end());
  if (systems > 0) evaluate(program, inputs, outputs);
  return results;
}

}  // namespace

Part::Part(const Formulation& formulation, const OdeBackend& backend, Index first, Index count, Index stride)
    : Part(formulation, backend.state_rows(), first, count, stride) {}

Part::Part(const Formulation& formulation, long long rows, Index first, Index count, Index stride)
    : base_(formulation.base),
      first_(first),
      systems_(count),
      rows_(rows),
      states_(has_fixed_steps(formulation.method) ? 0 : formulation.system.states),
      tolerance_(formulation.system.tolerance),
      parameters_(size_of(formulation.system.parameters * systems_)),
      state_(size_of(rows_ * systems_), 0.0),
      each_phase_(size_of(base_.each_phase_records * base_.record * systems_), 0.0),
      all_phases_(size_of(base_.all_phases_records * systems_), 0.0),
      at_times_(size_of(base_.time_records * base_.time_count * systems_), std::numeric_limits<double>::quiet_NaN()),
      times_(formulation.times),
      tables_(formulation.tables),
      counters_(size_of(Counter::rows * systems_), 0) {
  base_.first = first;
  base_.stride = stride;
  for (int p = 0; p < formulation.system.parameters; ++p)
    for (long long i = 0; i < systems_; ++i)
      parameters_[size_of(p * systems_ + i)] = formulation.sweep.value(p, first + i * stride);
  const auto initial = evaluate_all(formulation, formulation.initial, parameters_, nullptr, nullptr, systems_);
  for (std::size_t i = 0; i < initial.size(); ++i)
    std::copy(initial[i].begin(), initial[i].end(), state(static_cast<long long>(i)));
  const auto starts =
      evaluate_all(formulation, std::span(&formulation.start, 1), parameters_, nullptr, nullptr, systems_).front();
  std::copy(starts.begin(), starts.end(), state(rows_ - 5));
  for (long long i = 0; i < systems_; ++i) begins_.push_back(is_zero(i) ? 2 : is_below(i) ? 1 : 0);
  if (formulation.length.is_constant()) {
    length_ = {formulation.length.value()};
  } else {
    length_ =
        evaluate_all(formulation, std::span(&formulation.length, 1), parameters_, nullptr, nullptr, systems_).front();
    base_.length_per_system = 1;
  }
  refresh();
}

Ensemble Part::view() {
  Ensemble e = base_;
  e.systems = systems_;
  e.count = systems_;
  e.parameters = parameters_.data();
  e.state = state_.data();
  e.counters = counters_.data();
  e.each_phase = each_phase_.data();
  e.all_phases = all_phases_.data();
  e.at_times = at_times_.data();
  e.times = times_.data();
  e.tables = tables_ ? tables_->data() : nullptr;
  e.table_numbers = tables_ ? static_cast<long long>(tables_->size()) : 0;
  e.length = length_.data();
  return e;
}

void Part::refresh() {
  open_.clear();
  const long long* course = counter(Counter::course);
  for (long long begin = 0; begin < systems_; begin += chunk_of_systems) {
    const long long end = std::min(begin + chunk_of_systems, systems_);
    const bool all = std::all_of(course + begin, course + end, [](long long s) { return s == done_course; });
    if (!all) open_.push_back(static_cast<int>(begin / chunk_of_systems));
  }
}

long long Part::phases_done() const {
  const long long all = base_.transient + base_.record;
  long long sum = 0;
  for (long long i = 0; i < systems_; ++i)
    sum += counter(Counter::course)[i] == done_course ? all : counter(Counter::phase)[i];
  return sum;
}

void Part::step_chunk(const OdeBackend& backend, int chunk, Clock::time_point deadline, double& longest, bool& done) {
  const long long begin = chunk * chunk_of_systems, end = std::min(begin + chunk_of_systems, systems_);
  std::vector<int> list;
  Ensemble e = view();
  e.budget = budget_;
  for (;;) {
    list.clear();
    for (long long i = begin; i < end; ++i)
      if (counter(Counter::course)[i] != done_course) list.push_back(static_cast<int>(i));
    done = list.empty();
    const auto now = Clock::now();
    if (done || (longest > 0 && now >= deadline)) return;
    e.list = list.data();
    e.count = static_cast<long long>(list.size());
    backend.advance(e);
    longest = std::max(longest, std::chrono::duration<double>(Clock::now() - now).count());
  }
}

void Part::advance(const OdeBackend& backend, int threads, Clock::time_point deadline) {
  std::atomic<std::size_t> next{0};
  std::vector<char> done(open_.size(), 0);
  double longest = 0;
#pragma omp parallel num_threads(threads) reduction(max : longest)
  {
    longest = 0;  // of this thread: the first call is made whatever the time
    for (std::size_t c = next++; c < open_.size(); c = next++) {
      bool all = false;
      step_chunk(backend, open_[c], deadline, longest, all);
      done[c] = all ? 1 : 0;
      if (Clock::now() >= deadline) break;
    }
  }
  std::vector<int> left;
  for (std::size_t c = 0; c < open_.size(); ++c)
    if (done[c] == 0) left.push_back(open_[c]);
  open_ = std::move(left);
  if (longest < 0.01) budget_ = std::min(2 * budget_, 1LL << 24);
  if (longest > 0.05) budget_ = std::max(budget_ / 2, 8LL);
}

std::vector<long long> Part::mark_bad_starts(const Formulation& formulation) {
  // Where many sums are large the first steps tell sooner, which fail where derivatives are not finite.
  const bool few = operations_of(formulation.system, false) <= 20000;
  std::vector<Expression> rhs(size_of(formulation.system.states), Expression(0));
  if (few) rhs = written_out(formulation.system);
  rhs.resize(size_of(formulation.system.states), Expression(0));  // without integrals
  rhs.insert(rhs.end(), formulation.system.noise.begin(), formulation.system.noise.end());
  const auto rates = evaluate_all(formulation, rhs, parameters_, state_.data(), state(rows_ - 5), systems_);
  std::vector<long long> bad;
  for (long long i = 0; i < systems_; ++i) {
    const double length = length_[length_.size() == 1 ? 0 : size_of(i)];
    bool good = length > 0 && std::isfinite(length) && std::isfinite(state(rows_ - 5)[i]);
    for (int s = 0; s < formulation.system.states; ++s) good = good && std::isfinite(state(s)[i]);
    for (const std::vector<double>& rate : rates) good = good && std::isfinite(rate[size_of(i)]);
    if (good) continue;
    bad.push_back(i);
    counter(Counter::status)[i] |= Status::not_finite;
    counter(Counter::course)[i] = done_course;
  }
  refresh();
  return bad;
}

void Part::go_on_after(long long phases) {
  for (long long i = 0; i < systems_; ++i) {
    if (counter(Counter::course)[i] != done_course || counter(Counter::phase)[i] != phases) continue;
    counter(Counter::course)[i] = static_cast<long long>(Course::again);
    // As the end of any other phase does; the hints of Method::automatic.
    if (counter(Counter::hints)[i] % kept_hints >= enough_hints) counter(Counter::stiff)[i] = 1;
  }
  refresh();
}

Formulation without_records(const Formulation& formulation) {
  Formulation bare = formulation;
  bare.base.transient = 0;
  bare.base.record = 2;
  bare.base.each_phase_records = bare.base.all_phases_records = 0;
  bare.base.time_records = 0;
  bare.base.time_count = 0;
  return bare;
}

std::string bad_starts_text(Index count, const std::string& systems) {
  return std::to_string(count) + (count == 1 ? " system cannot begin: its" : " systems cannot begin: their") +
         " initial state, its derivative, its noise or the length of the phase is no finite number (or the length is "
         "not positive):" +
         systems;
}

std::string values_of(const Formulation& formulation, Index system) {
  const Sweep& sweep = formulation.sweep;
  std::string text = "system " + std::to_string(system);
  for (std::size_t p = 0; p < sweep.names().size(); ++p)
    text += (p == 0 ? ": " : ", ") + sweep.names()[p] + " = " + exact_text(sweep.value(static_cast<int>(p), system));
  return text;
}

bool Part::is_below(long long system) const {
  bool below = states_ > 0;
  for (int s = 0; s < states_; ++s)
    below = below &&
            std::abs(state(s)[system]) < base_.atol[tolerance_.empty() ? size_of(s) : size_of(tolerance_[size_of(s)])];
  return below;
}

bool Part::is_zero(long long system) const {
  bool zero = states_ > 0;
  for (int s = 0; s < states_; ++s) zero = zero && state(s)[system] == 0;
  return zero;
}

bool Part::below_tolerances(long long system) const {
  const char begins = begins_[size_of(system)];
  return begins == 1 || (begins == 2 && valid(system) && !is_zero(system) && is_below(system));
}

bool Part::valid(long long system) const {
  return counter(Counter::course)[system] == done_course && (counter(Counter::status)[system] & Status::failed) == 0;
}

}  // namespace halocline::ode_ensemble
