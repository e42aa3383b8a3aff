// What an ensemble writes: columns of tables.h5.
#include <cmath>
#include <limits>

#include "lib/problems/ode_ensemble/endings.hpp"
#include "lib/problems/ode_ensemble/problem.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// The value of a result at the end of the run, or over all phases.
double EnsembleProblem::result(const Part& part, const Result& result, long long system) const {
  for (std::size_t r = 0; r < formulation_.all_phases.size(); ++r) {
    if (&formulation_.all_phases[r] != &result) continue;
    const double value =
        part.all_phases()[r * static_cast<std::size_t>(part.systems()) + static_cast<std::size_t>(system)];
    const bool mean = result.record.reduction == static_cast<int>(Reduction::mean);
    return mean ? value / static_cast<double>(formulation_.base.record) : value;
  }
  const OdeSystem& model = formulation_.system;
  const int values = model.states + model.quadratures, outputs = static_cast<int>(model.outputs.size());
  const long long last = part.rows();
  long long row = result.record.source < values ? result.record.source : result.record.source + values;
  if (result.record.source >= values + model.accumulators)
    row = last - 5 - outputs + result.record.source - values - model.accumulators;
  const double value = part.state(row)[system];
  if (result.record.mean == 0) return value;
  const double phase = part.state(last - 5)[system] - part.state(last - 4)[system];
  return value / (result.record.whole != 0 ? phase + part.state(last - 3)[system] : phase);
}

template <class T, class Value>
void EnsembleProblem::column(FieldSink& sink, const FieldInfo& info, Value&& value) const {
  int number = 0;
  for (const Part& part : parts_) {
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(part.systems() * info.width));
    for (long long i = 0; i < part.systems(); ++i)
      for (Index k = 0; k < info.width; ++k) values.push_back(value(part, i, k));
    const View<const T, 1> view(values.data(), static_cast<Index>(values.size()));
    sink.column(info, number++, {{part.first()}, {part.first() + part.systems()}}, view, *host_);
  }
}

void EnsembleProblem::publish(FieldSink& sink) const {
  download();
  publish_sweep(sink);
  publish_map(sink);
  publish_results(sink);
  publish_times(sink);
  publish_failures(sink);
  publish_costs(sink);
  publish_trajectories(sink);
  publish_model(sink);
}

void EnsembleProblem::publish_sweep(FieldSink& sink) const {
  for (int p = 0; p < static_cast<int>(formulation_.sweep.names().size()); ++p) {
    FieldInfo info{"sweep/" + formulation_.sweep.names()[static_cast<std::size_t>(p)], "1"};
    info.attributes = {{"spacing", formulation_.sweep.spacing(p)}, {"order", std::to_string(p + 1)}};
    column<double>(sink, info, [&](const Part& part, long long i, Index) {
      return part.parameters()[static_cast<std::size_t>(p * part.systems() + i)];
    });
  }
}

// Two swept values, each with the other, make a map.
void EnsembleProblem::publish_map(FieldSink& sink) const {
  const Sweep& sweep = formulation_.sweep;
  if (!sweep.is_map()) return;
  std::array<MapAxis, 2> axes;
  const Index fast = sweep.points(1);
  for (int k = 0; k < 2; ++k) {
    MapAxis& axis = axes[static_cast<std::size_t>(k)];
    axis.name = sweep.names()[static_cast<std::size_t>(k)];
    for (Index i = 0; i < sweep.points(k); ++i) axis.values.push_back(sweep.value(k, k == 0 ? i * fast : i));
  }
  sink.map(axes);
}

void EnsembleProblem::publish_results(FieldSink& sink) const {
  const auto describe = [](const Result& one, const std::string& reduction) {
    FieldInfo info{"result/" + one.name, "1"};
    info.attributes = {{"expression", one.formula}, {"reduction", reduction}};
    return info;
  };
  for (const auto* list : {&formulation_.final_values, &formulation_.all_phases})
    for (const Result& one : *list)
      column<double>(sink, describe(one, one.reduction.empty() ? "final" : one.reduction),
                     [&](const Part& part, long long i, Index) { return part.valid(i) ? result(part, one, i) : nan; });
  for (std::size_t r = 0; r < formulation_.each_phase.size(); ++r) {
    FieldInfo info = describe(formulation_.each_phase[r], "each phase");
    info.width = formulation_.base.record;
    column<double>(sink, info, [&](const Part& part, long long i, Index phase) {
      const auto at = (static_cast<long long>(r) * formulation_.base.record + phase) * part.systems() + i;
      return part.valid(i) ? part.each_phase()[static_cast<std::size_t>(at)] : nan;
    });
  }
}

// Two-dimensional, (systems, times).
void EnsembleProblem::publish_times(FieldSink& sink) const {
  const Index count = static_cast<Index>(formulation_.times.size());
  if (count == 0) return;
  const Index mine = context_.comm.rank() == 0 ? count : 0;
  sink.column({"times/t", "1"}, 0, {{0}, {mine}}, View<const double, 1>(formulation_.times.data(), mine), *host_);
  for (std::size_t r = 0; r < formulation_.at_times.size(); ++r) {
    FieldInfo info{"times/" + formulation_.at_times[r].name, "1"};
    info.attributes = {{"expression", formulation_.at_times[r].formula}};
    info.width = count;
    column<double>(sink, info, [&](const Part& part, long long i, Index k) {
      const auto at = (static_cast<long long>(r) * count + k) * part.systems() + i;
      return part.at_times()[static_cast<std::size_t>(at)];
    });
  }
}

// One row per system that has ended before its time, where there are any.
void EnsembleProblem::publish_failures(FieldSink& sink) const {
  std::vector<Index> counts(static_cast<std::size_t>(context_.comm.size()), 0);
  std::vector<Index> systems, phases, status;
  std::vector<double> times;
  for (const Part& part : parts_)
    for (long long i = 0; i < part.systems(); ++i) {
      if ((part.counter(Counter::status)[i] & Status::failed) == 0) continue;
      systems.push_back(part.first() + i);
      phases.push_back(static_cast<Index>(part.counter(Counter::phase)[i]));
      status.push_back(static_cast<Index>(part.counter(Counter::status)[i]));
      times.push_back(part.state(part.rows() - 5)[i]);
    }
  counts[static_cast<std::size_t>(context_.comm.rank())] = static_cast<Index>(systems.size());
  context_.comm.sum(counts);
  Index first = 0, all = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    if (static_cast<int>(rank) < context_.comm.rank()) first += counts[rank];
    all += counts[rank];
  }
  if (all == 0) return;
  const auto own = static_cast<Index>(systems.size());
  const Range<1> block{{first}, {first + own}};
  sink.column({"failed/system", "1"}, 0, block, View<const Index, 1>(systems.data(), own), *host_);
  sink.column({"failed/t", "1"}, 0, block, View<const double, 1>(times.data(), own), *host_);
  sink.column({"failed/phase", "1"}, 0, block, View<const Index, 1>(phases.data(), own), *host_);
  sink.column({"failed/status", "1"}, 0, block, View<const Index, 1>(status.data(), own), *host_);
}

void EnsembleProblem::publish_costs(FieldSink& sink) const {
  FieldInfo status{"/status", "1"};
  status.attributes = {{"bits", bits_text()}};
  column<Index>(sink, status, [](const Part& part, long long i, Index) {
    return static_cast<Index>(part.counter(Counter::status)[i]);
  });
  const std::array<std::pair<const char*, int>, 3> kinds{
      {{"cost/accepted", Counter::accepted}, {"cost/rejected", Counter::rejected}, {"cost/retaken", Counter::retaken}}};
  for (const auto& [name, row] : kinds)
    column<Index>(sink, {name, "1"}, [row = row](const Part& part, long long i, Index) {
      return static_cast<Index>(part.counter(row)[i]);
    });
  const Index stages = stages_of(formulation_.method);
  constexpr Index implicit_stages = stages_of(Method::rodas5p);
  column<Index>(sink, {"cost/rhs", "1"}, [stages](const Part& part, long long i, Index) {
    const auto trials = static_cast<Index>(part.counter(Counter::accepted)[i] + part.counter(Counter::rejected)[i] +
                                           part.counter(Counter::retaken)[i]);
    return stages * trials + (implicit_stages - stages) * static_cast<Index>(part.counter(Counter::implicit)[i]);
  });
  if (formulation_.method == Method::automatic)
    column<Index>(sink, {"/stiff", "1"}, [](const Part& part, long long i, Index) {
      return static_cast<Index>(part.counter(Counter::stiff)[i]);
    });
}

// The points of all chosen systems one after the other, each by the part that has the system.
void EnsembleProblem::publish_trajectories(FieldSink& sink) const {
  const TrajectoryOptions& wanted = options_.block.record.trajectory;
  if (!options_.block.record.has_trajectory || !finished_) return;
  const std::size_t count = wanted.systems.size();
  const auto has = [this](std::size_t k) { return k < followers_.size() && followers_[k] != nullptr; };
  std::vector<Index> lengths(count, 0), offsets(count + 1, 0);
  for (std::size_t k = 0; k < count; ++k)
    if (has(k)) lengths[k] = static_cast<Index>(followers_[k]->trajectory().t.size());
  context_.comm.sum(lengths);
  for (std::size_t k = 0; k < count; ++k) offsets[k + 1] = offsets[k] + lengths[k];
  const auto give = [&](const std::string& name, auto&& values_of) {
    bool any = false;
    for (std::size_t k = 0; k < count; ++k) {
      if (!has(k)) continue;
      const std::vector<double>& values = values_of(followers_[k]->trajectory());
      sink.column({"trajectory/" + name, "1"}, 0, {{offsets[k]}, {offsets[k + 1]}},
                  View<const double, 1>(values.data(), static_cast<Index>(values.size())), *host_);
      any = true;
    }
    if (!any) sink.column({"trajectory/" + name, "1"}, 0, {{0}, {0}}, View<const double, 1>(nullptr, 0), *host_);
  };
  give("t", [](const Trajectory& way) -> const std::vector<double>& { return way.t; });
  for (std::size_t i = 0; i < formulation_.states.size(); ++i)
    give(formulation_.states[i], [i](const Trajectory& way) -> const std::vector<double>& { return way.states[i]; });
  const bool mine = context_.comm.rank() == 0;
  const Index rows = mine ? static_cast<Index>(offsets.size()) : 0;
  sink.column({"trajectory/offset", "1"}, 0, {{0}, {rows}}, View<const Index, 1>(offsets.data(), rows), *host_);
}

void EnsembleProblem::publish_model(FieldSink& sink) const {
  if (!model_.text.empty()) sink.text("model/host_source", model_.text);
  if (!model_.compiler.empty()) sink.text("model/compiler", model_.compiler);
  if (!model_.flags.empty()) sink.text("model/flags", model_.flags);
  sink.text("model/evaluation", model_.backend->name());
  if (is_stochastic(formulation_.method))
    sink.text("model/noise", "Philox2x64-10, Box-Muller; seed " + std::to_string(formulation_.base.noise_seed) + ", " +
                                 std::to_string(formulation_.base.fine_steps) + " draws per step and process");
  if (device_model_) sink.text("model/device_source", device_model_->text());
  if (device_model_) sink.text("model/device_compiler", device_model_->compiler());
  for (const auto& [name, stage] : formulation_.stages) sink.text("stages/" + name, stage);
}

}  // namespace halocline::ode_ensemble
