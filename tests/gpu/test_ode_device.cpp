// Models compiled by NVRTC on a GPU against the tree oracle and the host's lanes. All cases need a GPU.
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/cuda_executor.hpp"
#include "lib/problems/ode_ensemble/backend.hpp"
#include "lib/problems/ode_ensemble/device_ensemble.hpp"
#include "lib/problems/ode_ensemble/interpreter.hpp"
#include "tests/unit/problems/ode_ensemble_run.hpp"
#include "tests/unit/problems/ode_models.hpp"

namespace halocline {
namespace {

using ode_ensemble::Counter;
using ode_ensemble::Method;

struct Case {
  std::string name;
  OdeSystem system;
  Method method = Method::rkck45;
  std::vector<double> swept, initial;
};

std::vector<Case> decks() {
  OdeTexts lorenz = lorenz_texts(), bubble = bubble_texts(), valve = valve_texts();
  std::vector<Case> cases{{"lorenz", lorenz.make(), Method::rk4, {}, {10, 10, 10}},
                          {"bubble", bubble_system(bubble), Method::rkck45, {}, {1, 0}},
                          {"valve", valve_system(valve), Method::rkck45, {}, {0.2, 0, 4}}};
  for (int i = 0; i < 77; ++i) {
    cases[0].swept.push_back(21.0 * i / 76);
    cases[1].swept.push_back(2e4 * std::pow(50.0, i / 76.0));
    cases[2].swept.push_back(1 + 5.0 * i / 76);
  }
  return cases;
}

OdeArrays arrays_of(const Case& c, long long rows) {
  std::vector<double> initial;
  for (const double one : c.initial) initial.insert(initial.end(), c.swept.size(), one);
  return {static_cast<long long>(c.swept.size()), rows, c.swept, initial, c.system.states};
}

void run_on_device(const Case& c, OdeArrays& arrays) {
  const ExecutorPtr executor = make_cuda_executor(0);
  const Communicator comm(MPI_COMM_SELF);
  const DeviceModel model(comm, {executor.get()}, stage(c.system), c.method);
  DeviceEnsemble ensemble(executor, arrays.view(), arrays.rows, c.system.parameters);
  while (ensemble.advance(model) > 0) {
  }
  ensemble.download();
}

class OdeDevice : public testing::Test {
 protected:
  void SetUp() override {
    const CudaDevices devices = cuda_devices();
    if (devices.list.empty()) GTEST_SKIP() << devices.why_none;
  }
};

TEST_F(OdeDevice, ThreeStepsAsTheTree_cuda) {
  std::vector<Case> cases = decks();
  for (unsigned seed = 1; seed <= 3; ++seed) {
    OdeTexts texts;
    cases.push_back(
        {"random " + std::to_string(seed), random_system(texts, seed), Method::rkck45, {}, {0.1, -0.4, 0.7}});
    for (int i = 0; i < 2 * 77; ++i) cases.back().swept.push_back(std::sin(i * 1.7 + seed));
  }
  for (Case& c : cases) {
    SCOPED_TRACE(c.name);
    const bool random = c.name[0] == 'r';
    const std::vector<double> swept = c.swept;
    if (random) c.swept.resize(77);  // the number of systems; two names are swept
    OdeArrays wanted = arrays_of(c, state_rows(stage(c.system)));
    wanted.parameters = swept;
    wanted.ensemble.step = wanted.ensemble.max_step = 0.01;
    for (int i = 0; i < 3; ++i) wanted.ensemble.rtol[i] = wanted.ensemble.atol[i] = 1e3;
    wanted.length[0] = 0.03;
    OdeArrays found = wanted;
    make_tree_backend(c.system, c.method)->advance(wanted.view());
    run_on_device(c, found);
    for (long long i = 0; i < 77; ++i) {
      double largest = 1e-30;
      for (int row = 0; row < c.system.states; ++row) largest = std::max(largest, std::abs(wanted.value(row, i)));
      for (int row = 0; row < c.system.states; ++row)
        EXPECT_NEAR(found.value(row, i), wanted.value(row, i), 1e-13 * largest) << i << ", state " << row;
      EXPECT_EQ(found.counter(Counter::accepted, i), wanted.counter(Counter::accepted, i));
      EXPECT_EQ(found.counter(Counter::status, i), wanted.counter(Counter::status, i));
    }
  }
}

// Four phases from maximum to maximum, with impacts.
TEST_F(OdeDevice, EventsAsOnTheHost_cuda) {
  const Case c = decks()[2];
  OdeArrays wanted = arrays_of(c, state_rows(stage(c.system)));
  wanted.ensemble.phase_by_event = 1;
  wanted.ensemble.record = 4;
  wanted.ensemble.each_phase_records = 2;
  wanted.ensemble.each_phase_record[0].source = 3;
  wanted.ensemble.each_phase_record[1].source = 5;
  wanted.length[0] = 50;
  OdeArrays found = wanted;
  make_interpreter(stage(c.system), c.method, 3)->advance(wanted.view());
  run_on_device(c, found);
  for (std::size_t i = 0; i < wanted.each_phase.size(); ++i)
    EXPECT_NEAR(found.each_phase[i], wanted.each_phase[i], 1e-7 * std::max(1.0, std::abs(wanted.each_phase[i]))) << i;
}

// Many launches of few steps give the bits of one.
TEST_F(OdeDevice, LaunchesDoNotMatter_cuda) {
  const Case c = decks()[1];
  const ExecutorPtr executor = make_cuda_executor(0);
  const Communicator comm(MPI_COMM_SELF);
  const DeviceModel model(comm, {executor.get()}, stage(c.system), c.method);
  OdeArrays once = arrays_of(c, state_rows(stage(c.system)));
  once.ensemble.record = 2;
  OdeArrays often = once;
  DeviceEnsemble one(executor, once.view(), once.rows, 1);
  while (one.advance(model, 10) > 0) {
  }
  one.download();
  DeviceEnsemble many(executor, often.view(), often.rows, 1);
  int launches = 0;
  while (many.advance(model, 1e-6) > 0) ++launches;
  many.download();
  EXPECT_GT(launches, 5);
  EXPECT_EQ(once.state, often.state);
  EXPECT_EQ(once.counters, often.counters);
}

}  // namespace
}  // namespace halocline
