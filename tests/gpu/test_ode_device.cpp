// Models compiled by NVRTC on a GPU against the tree oracle and the host's lanes. All cases need a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gpu/cuda_executor.hpp"
#include "lib/problems/ode_ensemble/codegen/stepper_text.hpp"
#include "lib/problems/ode_ensemble/device/device_ensemble.hpp"
#include "lib/problems/ode_ensemble/host/backend.hpp"
#include "lib/problems/ode_ensemble/host/interpreter.hpp"
#include "tests/unit/ode_ensemble/ode_ensemble_run.hpp"
#include "tests/unit/ode_ensemble/ode_models.hpp"

namespace halocline::ode_ensemble {
namespace {

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
  LoweringOptions options;
  options.linearized = has_jacobian(c.method);
  options.noise_slopes = c.method == Method::milstein;
  const DeviceModel model(comm, {executor.get()}, lower(c.system, options), c.method);
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
    OdeArrays wanted = arrays_of(c, state_rows(lower(c.system)));
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
  OdeArrays wanted = arrays_of(c, state_rows(lower(c.system)));
  wanted.ensemble.phase_by_event = 1;
  wanted.ensemble.record = 4;
  wanted.ensemble.each_phase_records = 2;
  wanted.ensemble.each_phase_record[0].source = 3;
  wanted.ensemble.each_phase_record[1].source = 5;
  wanted.length[0] = 50;
  OdeArrays found = wanted;
  make_interpreter(lower(c.system), c.method, 3)->advance(wanted.view());
  run_on_device(c, found);
  for (std::size_t i = 0; i < wanted.each_phase.size(); ++i)
    EXPECT_NEAR(found.each_phase[i], wanted.each_phase[i], 1e-7 * std::max(1.0, std::abs(wanted.each_phase[i]))) << i;
}

// Robertson's reaction to t = 1e11 and HIRES, each system with steps of its own; van der Pol's oscillator, in which
// some systems change over to the implicit method.
TEST_F(OdeDevice, StiffSystemsAsOnTheHost_cuda) {
  OdeTexts robertson = robertson_texts(), hires = hires_texts(), oscillator;
  oscillator.states = {"x", "v"};
  oscillator.swept = {"p"};
  oscillator.rhs = {"v", "p^2*((1 - x^2)*v - x)"};
  std::vector<Case> cases{{"robertson", robertson.make(), Method::rodas5p, {}, {1, 0, 0}},
                          {"robertson", robertson.make(), Method::ros23, {}, {1, 0, 0}},
                          {"hires", hires.make(), Method::rodas5p, {}, {1, 0, 0, 0, 0, 0, 0, 0.0057}},
                          {"oscillator", oscillator.make(), Method::automatic, {}, {2, 0}}};
  const double low[] = {0.01, 0.01, 100, 1}, end[] = {1e11, 1e4, 321.8122, 2};
  for (std::size_t k = 0; k < cases.size(); ++k) {
    Case& c = cases[k];
    SCOPED_TRACE(c.name);
    for (int i = 0; i < 77; ++i) c.swept.push_back(low[k] * std::pow(100.0, i / 76.0));
    LoweringOptions options;
    options.linearized = true;
    const LoweredModel model = lower(c.system, options);
    OdeArrays wanted = arrays_of(c, state_rows(model));
    for (int i = 0; i < c.system.states; ++i) {
      wanted.ensemble.rtol[i] = c.method == Method::ros23 ? 1e-6 : 1e-10;
      wanted.ensemble.atol[i] = 1e-20;
    }
    wanted.ensemble.min_share = 0;
    wanted.ensemble.step = 1e-6;
    wanted.ensemble.max_step = 1e300;
    wanted.length[0] = end[k];
    OdeArrays found = wanted;
    make_interpreter(model, c.method, 3)->advance(wanted.view());
    run_on_device(c, found);
    for (long long i = 0; i < 77; ++i) {
      for (int row = 0; row < c.system.states; ++row)
        EXPECT_NEAR(found.value(row, i), wanted.value(row, i), 1e-8 * std::abs(wanted.value(row, i)))
            << i << " " << row;
      EXPECT_EQ(found.counter(Counter::stiff, i), wanted.counter(Counter::stiff, i));
    }
  }
}

// Paths that the host draws too, with events at ends of steps.
TEST_F(OdeDevice, PathsWithNoiseAsOnTheHost_cuda) {
  OdeTexts texts = noisy_texts();
  Case c{"noisy", noisy_system(texts), Method::milstein, {}, {1, 0, 0.5}};
  for (int i = 0; i < 77; ++i) c.swept.push_back(0.1 + 0.01 * i);
  for (const Method method : {Method::euler_maruyama, Method::milstein}) {
    c.method = method;
    LoweringOptions options;
    options.noise_slopes = method == Method::milstein;
    const LoweredModel model = lower(c.system, options);
    OdeArrays wanted = arrays_of(c, state_rows(model));
    wanted.ensemble.step = 1.0 / 512;
    wanted.ensemble.fine_steps = 2;
    wanted.length[0] = 5;
    OdeArrays found = wanted;
    make_interpreter(model, method, 3)->advance(wanted.view());
    run_on_device(c, found);
    for (long long i = 0; i < 77; ++i)
      for (int row = 0; row < 3; ++row)
        EXPECT_NEAR(found.value(row, i), wanted.value(row, i), 1e-11 * (1 + std::abs(wanted.value(row, i))))
            << i << " " << row;
  }
}

// A shuffled sweep, which is sorted by cost on the way, gives the bits of the one in order.
TEST_F(OdeDevice, OrderDoesNotMatter_cuda) {
  const Case c = decks()[1];
  const ExecutorPtr executor = make_cuda_executor(0);
  const Communicator comm(MPI_COMM_SELF);
  const DeviceModel model(comm, {executor.get()}, lower(c.system), c.method);
  OdeArrays ordered = arrays_of(c, state_rows(lower(c.system)));
  ordered.ensemble.record = 2;
  OdeArrays shuffled = ordered;
  const auto place = [](std::size_t i) { return i * 30 % 77; };
  for (std::size_t i = 0; i < 77; ++i) shuffled.parameters[place(i)] = ordered.parameters[i];
  for (OdeArrays* arrays : {&ordered, &shuffled}) {
    DeviceEnsemble ensemble(executor, arrays->view(), arrays->rows, 1, arrays == &shuffled);
    while (ensemble.advance(model, 1e-6) > 0) {
    }
    ensemble.download();
  }
  for (std::size_t i = 0; i < 77; ++i)
    for (int row = 0; row < 3; ++row)
      EXPECT_EQ(ordered.value(row, static_cast<long long>(i)), shuffled.value(row, static_cast<long long>(place(i))));
}

// Functions of device_math.hpp, one thread per argument.
struct Functions {
  long long count;
  const double* x;
  double* result;  // rows: functions
};
constexpr const char* functions_kernel = R"(
struct Functions { long long count; const double* x; double* result; };
extern "C" __global__ void functions(const Functions a) {
  using namespace halocline::ode_ensemble;
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= a.count) return;
  const double x = a.x[i], y = a.x[(i * 7 + 3) % a.count];
  double* r = a.result + i;
  r[0] = fn_divide(y, x), r += a.count;
  r[0] = fn_sqrt(x), r += a.count;
  r[0] = fn_root_power<-21, 5>(x, -3 * 1.4, 7.1054273576010018e-16), r += a.count;
  r[0] = fn_root_power<7, 5>(x, 1.4, 0.0), r += a.count;
  r[0] = fn_root_power<-1, 3>(x, -1.0 / 3, 0.0), r += a.count;
  r[0] = fn_root_power<5, 2>(x, 2.5, 0.0), r += a.count;
  r[0] = fn_root_power<-3, 1>(x, -3.0, 0.0), r += a.count;
  r[0] = fn_sin2pi(x), r += a.count;
  r[0] = fn_cos2pi(x);
}
)";

std::vector<double> functions_on_device(const std::vector<double>& x) {
  const ExecutorPtr executor = make_cuda_executor(0);
  const Nvrtc nvrtc;
  const Cubin cubin = nvrtc.compile(std::string(stepper_text()) + functions_kernel, architecture_of(*executor));
  const LoadedKernel kernel(*executor, cubin.bytes, "functions");
  const auto n = static_cast<Index>(x.size());
  Array<double, 1> in(executor, {n}), out(executor, {9 * n});
  executor->copy_in(in.view().data, x.data(), x.size() * sizeof(double));
  const Functions arguments{n, in.view().data, out.view().data};
  kernel.launch(static_cast<int>(n / 128 + 1), 128, &arguments);
  std::vector<double> result(9 * x.size());
  executor->copy_out(result.data(), out.view().data, result.size() * sizeof(double));
  return result;
}

TEST_F(OdeDevice, FunctionsKeepTheirDigits_cuda) {
  std::vector<double> x;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(0, 1);
  for (int i = 0; i < 20000; ++i) x.push_back(std::pow(10.0, (i % 2 == 0 ? 2 : 60) * (share(random) - 0.5)));
  const std::vector<double> found = functions_on_device(x);
  const std::size_t n = x.size();
  const long double tau = 2 * std::acos(-1.0L);
  const double limits[] = {1, 1, 6, 8, 4, 5, 4};
  for (std::size_t i = 0; i < n; ++i) {
    const long double z = x[i];
    const long double wanted[] = {static_cast<long double>(x[(i * 7 + 3) % n]) / z,
                                  std::sqrt(z),
                                  std::pow(z, static_cast<long double>(-3 * 1.4)),
                                  std::pow(z, 1.4L),
                                  1 / std::cbrt(z),
                                  z * z * std::sqrt(z),
                                  1 / (z * z * z)};
    for (std::size_t f = 0; f < 7; ++f) {
      const double value = found[f * n + i], unit = std::nextafter(std::abs(value), HUGE_VAL) - std::abs(value);
      EXPECT_LE(std::abs(static_cast<double>((value - wanted[f]) / unit)), limits[f]) << f << " " << x[i];
    }
    if (x[i] > 1e9) continue;
    const long double turn = tau * (z - std::nearbyint(z));
    EXPECT_NEAR(found[7 * n + i], static_cast<double>(std::sin(turn)), 4e-16) << x[i];
    EXPECT_NEAR(found[8 * n + i], static_cast<double>(std::cos(turn)), 4e-16) << x[i];
  }
}

TEST_F(OdeDevice, FunctionsKnowZeroAndInfinity_cuda) {
  const double inf = HUGE_VAL;
  const std::vector<double> x{0, inf, -1, std::nan(""), 2};
  const std::vector<double> found = functions_on_device(x);
  const auto value = [&](std::size_t f, std::size_t i) { return found[f * x.size() + i]; };
  // y/x with y = x[(7 i + 3) % 5]: NaN/0, 0/inf, -1/-1, 2/NaN, inf/2.
  EXPECT_TRUE(std::isnan(value(0, 0)) && std::isnan(value(0, 3)));
  EXPECT_EQ(value(0, 1), 0);
  EXPECT_EQ(value(0, 2), 1);
  EXPECT_EQ(value(0, 4), inf);
  const double powers[] = {0.5, -3 * 1.4, 1.4, -1.0 / 3, 2.5, -3};
  for (std::size_t f = 1; f < 7; ++f)
    for (std::size_t i = 0; i < 4; ++i) {
      const double wanted = std::pow(x[i], powers[f - 1]);
      if (std::isnan(wanted)) {
        EXPECT_TRUE(std::isnan(value(f, i))) << f << " " << x[i];
      } else {
        EXPECT_EQ(value(f, i), wanted) << f << " " << x[i];
      }
    }
}

// Many launches of few steps give the bits of one.
TEST_F(OdeDevice, LaunchesDoNotMatter_cuda) {
  const Case c = decks()[1];
  const ExecutorPtr executor = make_cuda_executor(0);
  const Communicator comm(MPI_COMM_SELF);
  const DeviceModel model(comm, {executor.get()}, lower(c.system), c.method);
  OdeArrays once = arrays_of(c, state_rows(lower(c.system)));
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
}  // namespace halocline::ode_ensemble
