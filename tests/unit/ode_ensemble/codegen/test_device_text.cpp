// The text for GPUs, run by the host, against the interpreter and closed forms: its own quotients, powers and
// controllers, launch by launch.
#include "tests/unit/ode_ensemble/codegen/device_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/ode_ensemble/host/interpreter.hpp"
#include "tests/unit/ode_ensemble/ode_ensemble_run.hpp"
#include "tests/unit/ode_ensemble/ode_models.hpp"

namespace halocline::ode_ensemble {
namespace {

constexpr long long systems = 21;

class DeviceTextTest : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = find_host_compiler();
    if (!compiler_) GTEST_SKIP() << "no compiler";
  }
  // Whether all systems end within so many launches.
  void run(const LoweredModel& model, Method method, OdeArrays& arrays, int launches) const {
    const DeviceText text(*compiler_, model, method);
    arrays.ensemble.budget = 1000;
    for (int n = 0; n < launches; ++n) text.launch(arrays.view());
    for (long long i = 0; i < systems; ++i) {
      EXPECT_EQ(arrays.counter(Counter::course, i), static_cast<long long>(Course::done)) << i;
      EXPECT_EQ(arrays.counter(Counter::status, i), 0) << i;
    }
  }
  std::optional<HostCompiler> compiler_;
};

std::vector<double> swept(double from, double to) {
  std::vector<double> values;
  for (long long i = 0; i < systems; ++i)
    values.push_back(from * std::pow(to / from, static_cast<double>(i) / (systems - 1)));
  return values;
}

// Over 17 orders of magnitude of time.
TEST_F(DeviceTextTest, RobertsonAsTheInterpreter) {
  OdeTexts texts = robertson_texts();
  LoweringOptions options;
  options.linearized = true;
  const LoweredModel model = lower(texts.make(), options);
  std::vector<double> initial(3 * systems, 0.0);
  std::fill_n(initial.begin(), systems, 1.0);
  const auto reference = make_interpreter(model, Method::rodas5p, 3);
  OdeArrays wanted(systems, reference->state_rows(), swept(0.01, 1), initial, 3);
  for (int i = 0; i < 3; ++i) wanted.ensemble.atol[i] = 1e-20;
  wanted.ensemble.min_share = 0;
  wanted.ensemble.step = 1e-6;
  wanted.length[0] = 1e11;
  OdeArrays found = wanted;
  reference->advance(wanted.view());
  run(model, Method::rodas5p, found, 10);
  for (long long i = 0; i < systems; ++i)
    for (int row = 0; row < 3; ++row)
      EXPECT_NEAR(found.value(row, i), wanted.value(row, i), 1e-8 * wanted.value(row, i)) << i << " " << row;
}

// Where errors and tolerances are no numbers in single precision, of both controllers.
TEST_F(DeviceTextTest, StatesBeyondSinglePrecision) {
  OdeTexts texts;
  texts.states = {"x", "v"};
  texts.swept = {"p"};
  texts.rhs = {"v", "-x"};
  const LoweredModel model = lower(texts.make());
  for (const Controller controller : {Controller::mixed, Controller::rms}) {
    const std::vector<double> size = swept(1e20, 1e120);
    std::vector<double> initial = size;
    initial.resize(2 * systems, 0.0);
    OdeArrays arrays(systems, make_interpreter(model, Method::rkck45, 3)->state_rows(), size, initial, 2);
    arrays.ensemble.controller = controller;
    arrays.ensemble.step = 1e-3;
    arrays.length[0] = 5;
    run(model, Method::rkck45, arrays, 2);
    for (std::size_t i = 0; i < systems; ++i)
      EXPECT_NEAR(arrays.value(0, static_cast<long long>(i)) / size[i], std::cos(5.0), 1e-8) << size[i];
  }
}

// Paths that the host draws, step after step and launch after launch: the generator's bits are equal, normal numbers
// and steps to rounding.
TEST_F(DeviceTextTest, PathsWithNoiseAsOnTheHost) {
  OdeTexts texts = noisy_texts();
  const OdeSystem system = noisy_system(texts);
  for (const Method method : {Method::euler_maruyama, Method::milstein}) {
    LoweringOptions options;
    options.noise_slopes = method == Method::milstein;
    const LoweredModel model = lower(system, options);
    const auto reference = make_interpreter(model, method, 3);
    std::vector<double> initial(3 * systems, 0.25);
    OdeArrays wanted(systems, reference->state_rows(), swept(0.1, 1), initial, 3);
    wanted.ensemble.step = 1.0 / 512;
    wanted.ensemble.fine_steps = 3;
    wanted.ensemble.first = 1LL << 40;
    wanted.length[0] = 5;
    OdeArrays found = wanted;
    reference->advance(wanted.view());
    run(model, method, found, 3);
    for (long long i = 0; i < systems; ++i)
      for (int row = 0; row < 3; ++row)
        EXPECT_NEAR(found.value(row, i), wanted.value(row, i), 1e-11 * (1 + std::abs(wanted.value(row, i))))
            << i << " " << row;
  }
}

}  // namespace
}  // namespace halocline::ode_ensemble
