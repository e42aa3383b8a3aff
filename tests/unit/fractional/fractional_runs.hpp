// Problems of family fractional run through the public interface, with what they publish.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "lib/problems/fractional/fractional.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/fractional/fractional_decks.hpp"

namespace halocline::fractional {

// Keeps the planes of this rank's parts as they were last published, and the series.
class KeepingSink final : public FieldSink {
 public:
  struct Planes {
    Range<3> block;
    std::vector<double> values;
  };
  bool wants(const std::string&) const override { return true; }
  void grid(const Grid&) override { parts.clear(); }
  void field(const FieldInfo&, int, const Range<3>& block, View<const double, 3> values,
             const Executor& executor) override {
    Planes planes{block, std::vector<double>(static_cast<std::size_t>(values.size()))};
    double* to = planes.values.data();
    for (Index z = 0; z < values.extent[0]; ++z)
      for (Index y = 0; y < values.extent[1]; ++y, to += values.extent[2])
        executor.copy_out(to, values.data + z * values.stride[0] + y * values.stride[1],
                          static_cast<std::size_t>(values.extent[2]) * sizeof(double));
    parts.push_back(std::move(planes));
  }
  void column(const FieldInfo&, int, const Range<1>&, View<const double, 1>, const Executor&) override {}
  void column(const FieldInfo&, int, const Range<1>&, View<const Index, 1>, const Executor&) override {}
  void series(const std::string& name, const std::string&, std::span<const double> values) override {
    kept[name].assign(values.begin(), values.end());
  }
  std::vector<Planes> parts;
  std::map<std::string, std::vector<double>> kept;
};

struct Result {
  Findings findings;
  KeepingSink output;
  double operator[](const std::string& name) const {
    for (const Finding& finding : findings.list)
      if (finding.name == name) return finding.value;
    throw InternalError("no finding " + name);
  }
};

// A problem with all it stands on.
class Running {
 public:
  Running(const Communicator& comm, std::vector<ExecutorPtr> executors, const FractionalOptions& options)
      : log_(false, LogLevel::off) {
    const int devices = static_cast<int>(executors.size());
    team_ = std::make_unique<Team>(std::move(executors), comm.rank() * devices, comm.size() * devices);
    Shape shape;
    shape.ranks = comm.size();
    shape.weights.assign(static_cast<std::size_t>(comm.size() * devices), 1.0);
    ThrownFaults faults;
    const Partition partition = plan(options, shape, faults).partition;
    problem_ = fractional_family().make({comm, *team_, timers_, log_, shape, 1, partition}, options);
  }
  Problem* operator->() { return problem_.get(); }
  // Up to time `stop`, with output `every` so much time.
  double advance(double stop, double every = 1e300) {
    Step step;
    double next = every;
    do {
      step = problem_->advance(std::min(stop, next));
      if (step.t >= next) next += every;
    } while (!step.finished && step.t < stop);
    return step.t;
  }
  Result result() {
    Result result;
    problem_->publish(result.output);
    problem_->verify(result.findings);
    return result;
  }

 private:
  std::unique_ptr<Team> team_;
  Timers timers_;
  Log log_;
  std::unique_ptr<Problem> problem_;
};

inline Result run(const Communicator& comm, std::vector<ExecutorPtr> executors, const FractionalOptions& options,
                  double every = 1e300) {
  Running running(comm, std::move(executors), options);
  running->initialize();
  running.advance(1e300, every);
  return running.result();
}

inline Result run(const DeckText& deck, double every = 1e300) {
  const Communicator self(MPI_COMM_SELF);
  return run(self, {make_omp_executor(1)}, read_deck(deck.text()), every);
}

}  // namespace halocline::fractional
