// The driver's decisions that need no whole run: output times, progress texts, exit codes, study orders, devices.
#include "app/run/driver.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "app/run/launcher.hpp"
#include "app/run/summary.hpp"
#include "app/study.hpp"
#include "io/h5/h5.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Steps of 0.1, as the stepper of the test families has them.
class Clockwork : public Problem {
 public:
  void initialize() override { started = true; }
  Step advance(double t_stop) override {
    stops.push_back(t_stop);
    step.t = std::min(t_stop, step.t + 0.25);
    step.finished = step.t >= 1;
    return step;
  }
  void publish(FieldSink&) const override {}
  void archive(StateArchive&) override {}
  void verify(Findings& findings) const override { findings.check("a", "1", 2, 0, 1); }
  double next_step_time(Index every) const override { return step.t + 0.1 * static_cast<double>(every); }
  Step step;
  bool started = false;
  std::vector<double> stops;
};

// Publishes a field of 2 MB.
class Publishing : public Clockwork {
 public:
  void publish(FieldSink& sink) const override {
    std::vector<double> nodes(513);
    std::iota(nodes.begin(), nodes.end(), 0.0);
    sink.grid({{nodes, nodes, {0}}, ""});
    const std::vector<double> values(std::size_t{512} * 512, step.t);
    sink.field({"c", "", Centring::cell, AxisOrder::x_fastest}, 0, {{0, 0, 0}, {512, 512, 1}},
               View<const double, 3>(values.data(), 1, 512, 512), *make_omp_executor(1));
  }
  void archive(StateArchive&) override { under_way_at_save += writer->under_way() ? 1 : 0, ++saves; }
  const ResultWriter* writer = nullptr;
  int saves = 0, under_way_at_save = 0;
};

// A run that breaks down in its second slice.
class Breaking final : public Publishing {
 public:
  Step advance(double t_stop) override {
    if (step.t > 0) throw NumericalError("breakdown");
    return Clockwork::advance(t_stop);
  }
};

// Cannot be verified, and says what there is by then.
class Unverified final : public Publishing {
 public:
  void verify(Findings&) const override {
    there_before = std::filesystem::exists("driver_writes/fields_0001.vtkhdf");
    throw NumericalError("no measure");
  }
  mutable bool there_before = false;
};

// What records are made of fails after a while.
class Unrecorded final : public Publishing {
 public:
  void publish(FieldSink& sink) const override {
    if (dynamic_cast<Recorder*>(&sink) != nullptr && step.t > last) throw MachineError("no record");
    Publishing::publish(sink);
  }
  double last = 0.25;
};

// The file of its third output is gone before it is complete: between the output and the checkpoint.
class Losing final : public Publishing {
 public:
  Index steps_done() const override { return static_cast<Index>(4 * step.t); }
  double next_step_time(Index) const override {
    if (step.t == 0.5) std::filesystem::remove("driver_writes/fields_0003.vtkhdf.tmp");
    return step.t + 0.25;
  }
};

// Has not converged, and knows when it is asked.
class Unconverged final : public Publishing {
 public:
  void verify(Findings& findings) const override { findings.failure = "not converged"; }
};

class DriverWrites : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  RunResult run(Publishing& problem) {
    options_.output.directory = folder_;
    options_.output.every = every_;
    options_.checkpoint.interval = 0;
    ResultWriter writer(comm_, folder_, {}, {}, {Geometry::automatic, options_.output.on_the_way()});
    Checkpoints checkpoints(comm_, folder_, 2, {"test", "", "0", "", ""});
    Progress progress(log_, false, false);
    problem.writer = &writer;
    return Driver(context_, options_, &writer, &checkpoints, progress).run(problem, "");
  }
  bool there(const char* file) const { return std::filesystem::exists(std::filesystem::path(folder_) / file); }

  const Communicator comm_{MPI_COMM_WORLD};
  const Team team_{{make_omp_executor(1)}, 0, 1};
  Timers timers_;
  Log log_{false, LogLevel::off};
  const Context context_{comm_, team_, timers_, log_, {}};
  SharedOptions options_;
  double every_ = 0.25;
  const std::string folder_ = "driver_writes";
};

TEST_F(DriverWrites, CheckpointsAndTheEndWaitForOutputs) {
  options_.checkpoint.every = 0.25;
  Publishing problem;
  run(problem);
  EXPECT_EQ(problem.saves, 4);  // the last one for a run that goes on
  EXPECT_EQ(problem.under_way_at_save, 0);
  for (const char* file : {"fields_0001.vtkhdf", "fields_0005.vtkhdf", "fields.xdmf"}) EXPECT_TRUE(there(file)) << file;
  EXPECT_FALSE(there("fields_0006.vtkhdf"));
}

TEST_F(DriverWrites, OutputsBeforeAFailureAreComplete) {
  options_.output.buffers = 4;
  Breaking problem;
  EXPECT_THROW(run(problem), NumericalError);
  EXPECT_TRUE(there("fields_0002.vtkhdf"));
  EXPECT_FALSE(there("fields_0002.vtkhdf.tmp"));
}

TEST_F(DriverWrites, FieldsOfTheEndComeBeforeTheVerification) {
  every_ = 0;
  Unverified problem;
  EXPECT_THROW(run(problem), NumericalError);
  EXPECT_TRUE(problem.there_before);
  EXPECT_TRUE(there("fields.xdmf"));
  EXPECT_FALSE(there("fields_0002.vtkhdf"));
}

TEST_F(DriverWrites, FieldsOfTheEndComeBeforeRecords) {
  every_ = 0;
  options_.output.probes.fields = {"c"};
  options_.output.probes.present = true;
  Unrecorded problem;
  EXPECT_THROW(run(problem), MachineError);
  EXPECT_TRUE(there("fields_0001.vtkhdf"));
}

TEST_F(DriverWrites, FieldsAndStateAreKeptWhereARecordFails) {
  every_ = 0;
  options_.output.probes.fields = {"c"};
  options_.output.probes.every = 0.25;
  Unrecorded problem;
  EXPECT_THROW(run(problem), MachineError);
  EXPECT_EQ(problem.step.t, 0.5);
  EXPECT_EQ(problem.saves, 1);
  EXPECT_TRUE(there("fields_0001.vtkhdf"));
}

// What a run goes on from has all outputs before it, or the run begins before the one that is lost.
TEST_F(DriverWrites, NoStateIsKeptBehindAnOutputThatIsLost) {
  options_.checkpoint.every = 0.25;
  options_.output.buffers = 2;
  every_ = 0;
  options_.output.every_steps = 1;
  Losing problem;
  EXPECT_THROW(run(problem), MachineError);
  EXPECT_TRUE(there("checkpoint_0001.h5"));
  EXPECT_FALSE(there("checkpoint_0002.h5"));
}

TEST_F(DriverWrites, MarksFieldsThatHaveNotConverged) {
  every_ = 0;
  Unconverged problem;
  EXPECT_EQ(run(problem).findings.failure, "not converged");
  const h5::File file(std::string(folder_) + "/fields_0001.vtkhdf", h5::File::Mode::read);
  EXPECT_EQ(file.text_attribute("/", "converged"), "false");
  EXPECT_FALSE(there("fields_0002.vtkhdf"));
}

TEST(Schedule, FindsTheNextMultiple) {
  EXPECT_DOUBLE_EQ(next_multiple(0.1, 0), 0.1);
  double t = 0;
  for (int n = 1; n <= 1000; ++n) {
    t = next_multiple(0.1, t);  // never the same again, never one left out
    EXPECT_NEAR(t, 0.1 * n, 1e-9);
  }
  EXPECT_DOUBLE_EQ(next_multiple(1, 0.999999999999999), 2);
}

TEST(Schedule, FollowsTheDeck) {
  Clockwork problem;
  OutputOptions options;
  EXPECT_EQ(Schedule(options).next_after(0, problem), infinity);
  EXPECT_FALSE(Schedule(options).wants_start());
  options.at = {0.5, 2};
  EXPECT_EQ(Schedule(options).next_after(0, problem), 0.5);
  EXPECT_EQ(Schedule(options).next_after(0.5, problem), 2);
  EXPECT_EQ(Schedule(options).next_after(2, problem), infinity);
  EXPECT_FALSE(Schedule(options).wants_start());
  options.at = {};
  options.every_steps = 3;
  EXPECT_DOUBLE_EQ(Schedule(options).next_after(0, problem), 0.3);
  EXPECT_TRUE(Schedule(options).wants_start());
}

TEST(Driver, StopsAtOutputAndCheckpointTimes) {
  const Communicator comm(MPI_COMM_WORLD);
  const Team team({make_omp_executor(1)}, 0, 1);
  Timers timers;
  Log log(false, LogLevel::off);
  const Context context{comm, team, timers, log, {}};
  SharedOptions options;
  options.output.every = 0.4;
  options.checkpoint.every = 0.6;
  Progress progress(log, false, false);
  Clockwork problem;
  const RunResult result = Driver(context, options, nullptr, nullptr, progress).run(problem, "");
  EXPECT_TRUE(problem.started);
  EXPECT_TRUE(result.finished);
  const std::vector<double> expected{0.4, 0.4, 0.6, 0.8, 1.2};
  ASSERT_EQ(problem.stops.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_DOUBLE_EQ(problem.stops[i], expected[i]);
  EXPECT_EQ(exit_code_of(result), ExitCode::verification);
}

TEST(Driver, TellsExitCodes) {
  RunResult result;
  EXPECT_EQ(exit_code_of(result), ExitCode::ok);
  result.findings.add("a", "1", NAN);  // not checked
  EXPECT_EQ(exit_code_of(result), ExitCode::ok);
  result.findings.check("b", "1", NAN, 0, 1);
  EXPECT_EQ(exit_code_of(result), ExitCode::verification);
  result.findings.failure = "diverged";
  EXPECT_EQ(exit_code_of(result), ExitCode::numerical);
}

TEST(Progress, WritesTextsForPeople) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(1e300), "many years");
  EXPECT_EQ(duration_text(3 * 3600 + 20 * 60), "3 h 20 min");
  EXPECT_EQ(progress_text({1, 0.345, false, "step 7"}, 12), "34 %, step 7, 12 s left");
  EXPECT_EQ(progress_text({1, 0.345, false, "step 7"}, 12, "5 steps/s"), "34 %, step 7, 5 steps/s, 12 s left");
  EXPECT_EQ(progress_text({1, 2, false, ""}, -1), "100 %");
  EXPECT_EQ(residual_in("solve 2 of 3, iteration 12, residual 3.5e-05"), 3.5e-5);
  EXPECT_TRUE(std::isnan(residual_in("step 7")));
  EXPECT_EQ(bytes_text(12345678), "12.3 MB");
  EXPECT_EQ(bytes_text(0), "0 B");
}

TEST(Study, ObservesOrders) {
  std::vector<StudyRow> rows;
  for (int k = 0; k < 3; ++k) {
    rows.push_back(
        {Index{1} << k, Index{10} << k, NAN, 0.5, {{"max_error.u", 1e-2 * std::pow(2.0, -4 * k)}, {"rms_error.u", 1}}});
  }
  EXPECT_TRUE(std::isnan(observed_order(rows, 0, 0)));
  EXPECT_DOUBLE_EQ(observed_order(rows, 2, 0), 4);
  EXPECT_DOUBLE_EQ(observed_order(rows, 1, 1), 0);
  EXPECT_EQ(study_csv({rows.begin(), rows.begin() + 1}),
            "refined,unknowns,iterations,seconds,max_error.u,order of max_error.u,rms_error.u,order of rms_error.u\n"
            "1,10,,0.5,0.01,,1,\n");
  EXPECT_NE(study_table(rows).find("4.00"), std::string::npos);
  EXPECT_EQ(study_csv({}), "refined,unknowns,iterations,seconds\n");
}

std::vector<std::string> names(const RunOptions& run, int threads) {
  std::vector<std::string> found;
  for (const ExecutorPtr& executor : make_executors(run, threads, NodePlace{})) found.push_back(executor->name());
  return found;
}

TEST(Devices, ShareOutTheThreadsOfARank) {
  RunOptions run;
  EXPECT_EQ(names(run, 5), (std::vector<std::string>{"omp:5"}));
  run.per_rank = 3;
  EXPECT_EQ(names(run, 8), (std::vector<std::string>{"omp:2", "omp:3", "omp:3"}));
  EXPECT_EQ(names(run, 1), (std::vector<std::string>{"omp:1", "omp:1", "omp:1"}));
  run.per_rank = 1;
  run.devices = {"omp", "omp:2", "omp"};
  EXPECT_EQ(names(run, 8), (std::vector<std::string>{"omp:3", "omp:2", "omp:3"}));
}

struct Collected : Faults {
  std::vector<std::string> paths;
  void at(std::string_view path, const std::string&) override { paths.emplace_back(path); }
  void at(const Place&, const std::string&) override { paths.emplace_back("?"); }
};

TEST(SharedOptions, FindContradictions) {
  SharedOptions options;
  Collected faults;
  options.check(2, faults);
  EXPECT_TRUE(faults.paths.empty());
  options.run.devices = {"omp", "none", "auto"};
  options.run.weights = {1, 2, 3, 4};  // 3 parts per rank, 6 in all
  options.output.every = 1;
  options.output.every_steps = 2;
  options.output.at = {2, 1};
  options.check(2, faults);
  EXPECT_EQ(faults.paths,
            (std::vector<std::string>{"run.devices[1]", "run.devices[2]", "run.weights", "output.at", "output.at"}));
  options.run.weights = {1, 2, 3, 4, 5, 6};
  options.run.devices = {"omp", "omp", "emulated:2"};
  options.output = {};
  faults.paths.clear();
  options.check(2, faults);
  EXPECT_TRUE(faults.paths.empty());
}

TEST(SharedOptions, FindTimesOfOutputAfterTheEnd) {
  Family family{};
  family.name = "test";
  Plan plan;
  SharedOptions options;
  options.output.at = {0, 0.1 * 3, 0.30001, 7};
  Collected faults;
  options.check_for(family, plan, faults);  // the end is not known
  EXPECT_TRUE(faults.paths.empty());
  plan.end = 0.3;
  options.check_for(family, plan, faults);
  EXPECT_EQ(faults.paths, (std::vector<std::string>{"output.at[2]", "output.at[3]"}));
}

TEST(SharedOptions, FindPeriodsOfEndlessOutput) {
  constexpr std::array<const char*, 1> fields{"b"};
  Family family{};
  family.name = "test";
  family.fields = fields;
  Plan plan;
  SharedOptions options;
  options.output.every = 0.5;
  options.output.images.every = 1e-3;
  options.output.probes.every = 1e-8;
  options.checkpoint.every = 2e-7;
  Collected faults;
  options.check_for(family, plan, faults);  // the end is not known
  EXPECT_TRUE(faults.paths.empty());
  plan.end = 1;
  options.check_for(family, plan, faults);
  EXPECT_EQ(faults.paths, (std::vector<std::string>{"output.probes.every"}));
  faults.paths.clear();
  plan.end = 1e300;
  options.check_for(family, plan, faults);
  EXPECT_EQ(faults.paths, (std::vector<std::string>{"output.every", "output.images.every", "output.probes.every",
                                                    "checkpoint.every"}));
}

}  // namespace
}  // namespace halocline
