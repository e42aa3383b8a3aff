#include "lib/problems/ode_ensemble/pilot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/problems/ode_ensemble/part.hpp"

namespace halocline::ode_ensemble {

Index sample_stride(Index systems) {
  constexpr Index most_samples = 8192;
  return std::max<Index>(64, systems / most_samples);
}

std::optional<Partition> cut_evenly(Index systems, Method method, const std::vector<double>& weights) {
  const auto parts = static_cast<Index>(weights.size());
  if (parts > 1 && !has_fixed_steps(method) && systems >= parts * sample_stride(systems)) return std::nullopt;
  return cut_by_cost(systems, systems, {1}, weights);
}

std::vector<Index> sample_costs(const Communicator& comm, const Formulation& formulation, const OdeBackend& backend,
                                int threads, Index stride) {
  constexpr long long most_trials = 20000;  // of a system
  const Index samples = (formulation.sweep.systems() + stride - 1) / stride;
  // Every rank takes each size-th sample: neighbors cost about the same.
  const Index own = (samples - comm.rank() + comm.size() - 1) / comm.size();
  Formulation short_run = without_records(formulation);
  short_run.base.most_steps = std::min(short_run.base.most_steps, most_trials);
  Part part(short_run, backend, comm.rank() * stride, std::max<Index>(own, 0), comm.size() * stride);
  part.mark_bad_starts(short_run);
  while (!part.finished()) part.advance(backend, threads, Part::Clock::now() + std::chrono::seconds(1));
  std::vector<Index> costs(static_cast<std::size_t>(samples), 0);
  for (long long i = 0; i < part.systems(); ++i) {
    const long long trials =
        part.counter(Counter::accepted)[i] + part.counter(Counter::rejected)[i] + part.counter(Counter::retaken)[i];
    costs[static_cast<std::size_t>(comm.rank() + i * comm.size())] = trials + 1;
  }
  comm.sum(costs);
  return costs;
}

std::optional<double> forecast_trials(const Formulation& formulation, const OdeBackend& backend) {
  constexpr Index samples = 8, together = chunk_of_systems;  // that many cost the interpreter what one does
  constexpr long long most_trials = 4000;
  const Index systems = formulation.sweep.systems(), stride = std::max<Index>(1, systems / samples);
  Formulation short_run = without_records(formulation);
  short_run.base.most_steps = std::min(short_run.base.most_steps, most_trials);
  Part part(short_run, backend, 0, std::min(samples, systems), stride);
  part.mark_bad_starts(short_run);
  while (!part.finished()) part.advance(backend, 1, Part::Clock::now() + std::chrono::seconds(1));
  double trials = 0;
  for (long long i = 0; i < part.systems(); ++i) {
    if ((part.counter(Counter::status)[i] & Status::too_many_steps) != 0) return std::nullopt;
    for (const int row : {Counter::accepted, Counter::rejected, Counter::retaken})
      trials += static_cast<double>(part.counter(row)[i]);
  }
  const auto phases = static_cast<double>(formulation.base.transient + formulation.base.record);
  return trials / static_cast<double>(part.systems()) * static_cast<double>(std::max(systems, together)) * phases / 2;
}

Partition cut_by_cost(Index systems, Index stride, const std::vector<Index>& costs,
                      const std::vector<double>& weights) {
  double all_cost = 0, all_weight = 0;
  const auto width = [&](std::size_t sample) {
    return std::min(stride, systems - static_cast<Index>(sample) * stride);
  };
  for (std::size_t i = 0; i < costs.size(); ++i) all_cost += static_cast<double>(costs[i] * width(i));
  for (const double weight : weights) all_weight += weight;
  std::vector<Index> starts{0};
  std::size_t sample = 0;
  double before = 0, weight = 0;  // cost of the samples passed, weight of the parts passed
  for (std::size_t part = 0; part + 1 < weights.size(); ++part) {
    weight += weights[part];
    const double wanted = all_cost * weight / all_weight;
    while (sample < costs.size() && before + static_cast<double>(costs[sample] * width(sample)) < wanted) {
      before += static_cast<double>(costs[sample] * width(sample));
      ++sample;
    }
    Index at = systems;
    if (sample < costs.size())
      at = static_cast<Index>(sample) * stride +
           static_cast<Index>(std::llround((wanted - before) / static_cast<double>(costs[sample])));
    starts.push_back(std::clamp(at, starts.back(), systems));
  }
  starts.push_back(systems);
  return Partition::from_starts(std::move(starts));
}

}  // namespace halocline::ode_ensemble
