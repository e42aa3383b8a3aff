// EnsembleProblem: the ensemble under the driver. Internal; see ode_ensemble.hpp.
//
// Systems are cut into one contiguous block per part, by cost when there are several parts. A slice lets the threads of
// every part advance chunks of systems for about 0.2 s; nothing is communicated but the count of what is left.
#pragma once

#include <memory>
#include <span>

#include "lib/problems/ode_ensemble/device/device_ensemble.hpp"
#include "lib/problems/ode_ensemble/host/compiled.hpp"
#include "lib/problems/ode_ensemble/part.hpp"
#include "lib/problems/ode_ensemble/reference.hpp"
#include "lib/problems/ode_ensemble/trajectory.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::ode_ensemble {

class EnsembleProblem final : public Problem {
 public:
  EnsembleProblem(const Context& context, const EnsembleOptions& options);

  void initialize() override;
  Step advance(double t_stop) override;
  void publish(FieldSink& sink) const override;
  void archive(StateArchive& archive) override;
  void verify(Findings& findings) const override;

 private:
  void archive_times(StateArchive& archive, int record);
  Index archive_phases(StateArchive& archive) const;
  void archive_counter(StateArchive& archive, int row);
  void make_backend();
  bool interpreter_does(const LoweredModel& lowered, const OdeBackend& interpreter) const;
  void make_device_model();
  bool is_builtin() const;
  LoweringOptions lowering() const;
  void upload();          // parts on GPUs begin with what the host has
  void download() const;  // and the host sees what they have done
  void cut_systems();
  void add_over_ranks(std::span<Index> values) const;
  Step advance_systems();
  Step follow();  // the chosen systems
  void refuse_bad_starts(const std::vector<std::vector<long long>>& bad);
  bool some_failed() const;
  Index stiff_systems() const;  // that have changed over to an implicit method
  double result(const Part& part, const Result& result, long long system) const;

  void publish_sweep(FieldSink& sink) const;
  void publish_map(FieldSink& sink) const;
  void publish_results(FieldSink& sink) const;
  void publish_times(FieldSink& sink) const;
  void publish_failures(FieldSink& sink) const;
  void publish_costs(FieldSink& sink) const;
  void publish_trajectories(FieldSink& sink) const;
  void publish_model(FieldSink& sink) const;
  // One column of `width` values per system: value(part, system, place in the row).
  template <class T, class Value>
  void column(FieldSink& sink, const FieldInfo& info, Value&& value) const;
  double worst_difference(const Comparison& comparison) const;

  Context context_;
  EnsembleOptions options_;
  Formulation formulation_;
  HostModel model_;
  std::vector<Part> parts_;                               // of this rank
  std::unique_ptr<DeviceModel> device_model_;             // where some rank has a GPU
  std::vector<std::unique_ptr<DeviceEnsemble>> devices_;  // by part, null on the host; empty until the first slice
  ExecutorPtr host_;
  bool stopped_ = false;  // because a system did not end well
  bool systems_done_ = false;
  std::vector<std::unique_ptr<Follower>> followers_;  // of the chosen systems, null where another rank has them
  bool finished_ = false;
};

}  // namespace halocline::ode_ensemble
