// Runs a collocation problem through its public interface and keeps what it published.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/problems/collocation/collocation.hpp"
#include "lib/problems/collocation/options.hpp"

namespace halocline {

struct FieldBlock {
  Range<3> block;
  std::vector<double> values;
};

// Keeps the fields and series of this rank.
class KeepingSink final : public FieldSink {
 public:
  bool wants(const std::string&) const override { return true; }
  void grid(const Grid&) override {}
  void field(const FieldInfo& info, int, const Range<3>& block, View<const double, 3> values,
             const Executor& executor) override {
    FieldBlock kept{block, std::vector<double>(static_cast<std::size_t>(values.size()))};
    executor.copy_out(kept.values.data(), values.data, kept.values.size() * sizeof(double));
    fields[info.name].push_back(std::move(kept));
  }
  void column(const FieldInfo&, int, const Range<1>&, View<const double, 1>, const Executor&) override {}
  void column(const FieldInfo&, int, const Range<1>&, View<const Index, 1>, const Executor&) override {}
  void series(const std::string& name, const std::string&, std::span<const double> values) override {
    all_series[name].assign(values.begin(), values.end());
  }
  std::span<const std::array<double, 3>> places() const override { return wanted; }
  void at_places(const std::string& field, std::span<const double> values) override {
    placed[field].assign(values.begin(), values.end());
  }
  std::vector<std::array<double, 3>> wanted;
  std::map<std::string, std::vector<double>> placed;
  std::map<std::string, std::vector<FieldBlock>> fields;
  std::map<std::string, std::vector<double>> all_series;
};

struct RunResult {
  Findings findings;
  KeepingSink output;
  Traffic traffic;
  double operator[](const std::string& name) const {
    for (const Finding& finding : findings.list)
      if (finding.name == name) return finding.value;
    throw InternalError("no finding " + name);
  }
};

// Lines as the plan shares them out.
inline Partition partition_of(const collocation::CollocationOptions& options, const Shape& shape) {
  ThrownFaults faults;
  return collocation_family().plan(options, shape, faults).partition;
}

inline RunResult run_problem(const Communicator& comm, std::vector<ExecutorPtr> executors,
                             const collocation::CollocationOptions& options,
                             const std::vector<std::array<double, 3>>& places = {}) {
  const int devices = static_cast<int>(executors.size());
  const Team team(std::move(executors), comm.rank() * devices, comm.size() * devices);
  Timers timers;
  Log log(false, LogLevel::off);
  Shape shape;
  shape.weights.assign(static_cast<std::size_t>(comm.size() * devices), 1.0);
  const Context context{comm, team, timers, log, shape, 1, partition_of(options, shape)};
  const auto problem = collocation_family().make(context, options);
  problem->initialize();
  while (!problem->advance(1e300).finished) {
  }
  RunResult result;
  result.output.wanted = places;
  problem->publish(result.output);
  problem->verify(result.findings);
  result.traffic = problem->traffic();
  return result;
}

}  // namespace halocline
