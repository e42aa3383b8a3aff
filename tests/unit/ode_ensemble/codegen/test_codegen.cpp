// Generated code, interpreter and tree oracle agree; NVRTC compiles what is generated; nothing of a deck's text gets
// into it; compiling is fast.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <optional>

#include "gpu/nvrtc.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/codegen/codegen.hpp"
#include "lib/problems/ode_ensemble/host/compiled.hpp"
#include "lib/problems/ode_ensemble/host/interpreter.hpp"
#include "tests/unit/ode_ensemble/ode_ensemble_run.hpp"
#include "tests/unit/ode_ensemble/ode_models.hpp"

namespace halocline::ode_ensemble {
namespace {

struct Case {
  std::string name;
  OdeSystem system;
  std::vector<double> parameters, initial;  // by rows
  long long systems;
};

// 21 systems: neither whole lanes nor a whole pack.
Case random_case(unsigned seed) {
  OdeTexts texts;
  Case c{"random " + std::to_string(seed), random_system(texts, seed), {}, {}, 21};
  RandomFormulas random(seed + 500);
  for (int i = 0; i < 2 * 21; ++i) c.parameters.push_back(random.number(-1, 1));
  for (int i = 0; i < 3 * 21; ++i) c.initial.push_back(random.number(-1, 1));
  return c;
}
void spread(Case& c, double low, double high, const std::vector<double>& initial) {
  for (long long i = 0; i < c.systems; ++i)
    c.parameters.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(c.systems - 1));
  for (const double one : initial) c.initial.insert(c.initial.end(), static_cast<std::size_t>(c.systems), one);
}
std::vector<Case> decks() {
  OdeTexts lorenz = lorenz_texts(), bubble = bubble_texts(), valve = valve_texts();
  std::vector<Case> cases{{"lorenz", lorenz.make(), {}, {}, 21},
                          {"bubble", bubble_system(bubble), {}, {}, 21},
                          {"valve", valve_system(valve), {}, {}, 21}};
  spread(cases[0], 0, 21, {10, 10, 10});
  spread(cases[1], 2e4, 1e6, {1, 0});
  spread(cases[2], 0.2, 10, {0.2, 0, 4});
  return cases;
}

// Three steps of a fixed size, whatever the method.
OdeArrays three_steps(const OdeBackend& backend, const Case& c, double step = 0.01) {
  OdeArrays arrays(c.systems, backend.state_rows(), c.parameters, c.initial, c.system.states);
  arrays.ensemble.step = arrays.ensemble.max_step = step;
  for (double& tolerance : arrays.ensemble.rtol) tolerance = 1e3;
  for (double& tolerance : arrays.ensemble.atol) tolerance = 1e3;
  arrays.length[0] = 3 * step;
  backend.advance(arrays.view());
  return arrays;
}

void expect_same(const OdeArrays& found, const OdeArrays& wanted, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_EQ(found.rows, wanted.rows);
  for (long long i = 0; i < wanted.systems; ++i) {
    EXPECT_EQ(found.counter(Counter::accepted, i), wanted.counter(Counter::accepted, i));
    EXPECT_EQ(found.counter(Counter::status, i), wanted.counter(Counter::status, i));
    double largest = 1e-30;  // a state that happens to be small keeps the error of the others
    for (int row = 0; row < wanted.states; ++row) largest = std::max(largest, std::abs(wanted.value(row, i)));
    for (int row = 0; row < wanted.states; ++row)
      EXPECT_NEAR(found.value(row, i), wanted.value(row, i), 1e-13 * largest) << "state " << row << " of system " << i;
  }
}

// The model as machine code of the host, which has a compiler.
std::unique_ptr<OdeBackend> compiled(const LoweredModel& model, Method method) {
  const Communicator comm(MPI_COMM_SELF);
  Log log(false, LogLevel::off);
  HostModel made = make_host_model(comm, log, {}, model, method);
  EXPECT_EQ(made.backend->name().substr(0, 8), "compiled");
  return std::move(made.backend);
}

LoweredModel lowered(const OdeSystem& system, Method method) {
  LoweringOptions options;
  options.linearized = has_jacobian(method);
  options.noise_slopes = method == Method::milstein;
  return lower(system, options);
}

class Codegen : public testing::Test {
 protected:
  void compare(const Case& c, Method method) {
    const LoweredModel model = lowered(c.system, method);
    const OdeArrays wanted = three_steps(*make_tree_backend(c.system, method), c);
    expect_same(three_steps(*make_interpreter(model, method, 3), c), wanted, c.name + ", interpreter v3");
    if (host_level() == 4) expect_same(three_steps(*make_interpreter(model, method, 4), c), wanted, c.name + ", v4");
    if (!find_host_compiler()) GTEST_SKIP() << "no compiler";
    expect_same(three_steps(*compiled(model, method), c), wanted, c.name + ", compiled");
  }
};

TEST_F(Codegen, DecksGiveWhatTheTreeGives) {
  for (const Case& c : decks()) compare(c, c.name == "lorenz" ? Method::rk4 : Method::rkck45);
}

TEST_F(Codegen, RandomModelsGiveWhatTheTreeGives) {
  compare(random_case(1), Method::rkck45);
  compare(random_case(2), Method::dopri5);
  compare(random_case(3), Method::automatic);
}

Case noisy_case() {
  OdeTexts texts = noisy_texts();
  Case c{"noisy", noisy_system(texts), {}, {}, 21};
  spread(c, 0.1, 1, {1, 0, 0.5});
  return c;
}

TEST_F(Codegen, ModelsWithNoiseGiveWhatTheTreeGives) { compare(noisy_case(), Method::milstein); }

// Many models at once in the interpreter, which needs no compiler.
TEST_F(Codegen, InterpreterGivesWhatTheTreeGives) {
  for (unsigned seed = 100; seed < 140; ++seed) {
    const Case c = random_case(seed);
    expect_same(three_steps(*make_interpreter(lower(c.system), Method::rkck45, 3), c),
                three_steps(*make_tree_backend(c.system, Method::rkck45), c), c.name);
    const Method stiff = seed % 2 == 0 ? Method::rodas5p : Method::ros23;
    expect_same(three_steps(*make_interpreter(lowered(c.system, stiff), stiff, 3), c),
                three_steps(*make_tree_backend(c.system, stiff), c), c.name + " by a Rosenbrock method");
  }
}

// A difference times a number is one instruction, and so is a sum with a product: this one can only be the first.
TEST_F(Codegen, DifferencesTimesNumbersInSums) {
  OdeTexts texts;
  texts.states = {"x", "y"};
  texts.rhs = {"-1e2*(x - cos(t)) - sin(t)", "x - 3*(x - y)"};
  Case c{"differences", texts.make(), {}, {}, 21};
  spread(c, 0, 1, {0.5, 2});
  compare(c, Method::dopri5);
  compare(c, Method::rodas5p);
}

// 20 states and 20 swept names do not fit the interpreter's small class.
TEST_F(Codegen, LargeModels) {
  OdeTexts texts;
  Case c{"large", {}, {}, {}, 5};
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i), next = std::to_string((i + 1) % 20);
    texts.states.push_back("x" + n);
    texts.swept.push_back("p" + n);
    texts.rhs.push_back("p" + n + "*(x" + next + " - x" + n + ") + sin(x" + next + "*p" + next + ")");
  }
  c.system = texts.make();
  RandomFormulas random(1);
  for (int i = 0; i < 100; ++i) c.parameters.push_back(random.number(-1, 1)), c.initial.push_back(random.number(-1, 1));
  compare(c, Method::rkck45);
}

// A whole deck's worth of events, with the same sequence of them.
TEST_F(Codegen, EventsOfTheValve) {
  const Case c = decks()[2];
  const auto run = [&c](const OdeBackend& backend) {
    OdeArrays arrays(c.systems, backend.state_rows(), c.parameters, c.initial, 3);
    arrays.ensemble.phase_by_event = 1;
    arrays.ensemble.record = 4;
    arrays.ensemble.each_phase_records = 2;
    arrays.ensemble.each_phase_record[0].source = 3;  // ymax
    arrays.ensemble.each_phase_record[1].source = 5;  // hits
    arrays.length[0] = 50;
    arrays.ensemble.steady = 1e-9;
    backend.advance(arrays.view());
    return arrays;
  };
  const LoweredModel model = lower(c.system);
  const OdeArrays wanted = run(*make_builtin_backend("relief_valve", Method::rkck45, 3));
  const auto check = [&](const OdeArrays& found, const std::string& what) {
    SCOPED_TRACE(what);
    for (std::size_t i = 0; i < wanted.each_phase.size(); ++i)
      EXPECT_NEAR(found.each_phase[i], wanted.each_phase[i], 1e-7 * std::max(1.0, std::abs(wanted.each_phase[i]))) << i;
  };
  check(run(*make_interpreter(model, Method::rkck45, 3)), "interpreter");
  check(run(*make_tree_backend(c.system, Method::rkck45)), "tree");
  if (find_host_compiler()) check(run(*compiled(model, Method::rkck45)), "compiled");
}

TEST_F(Codegen, NvrtcCompilesEveryModel) {
  std::optional<Nvrtc> nvrtc;
  try {
    nvrtc.emplace();
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  std::vector<Case> cases = decks();
  cases.push_back(random_case(1));
  cases.push_back(random_case(2));
  for (const Case& c : cases) {
    const Method method = &c == &cases.back() ? Method::automatic : Method::rkck45;
    const std::string text = device_source(lowered(c.system, method), method);
    for (const int architecture : {80, 90}) {
      const Cubin cubin = nvrtc->compile(text, architecture);
      const KernelUse use = kernel_use(cubin.log, "halocline_ensemble");
      EXPECT_GT(use.registers, 0);
      RecordProperty(c.name + "_sm" + std::to_string(architecture) + "_registers", use.registers);
      RecordProperty(c.name + "_sm" + std::to_string(architecture) + "_spill_bytes", use.spill_bytes);
      EXPECT_TRUE(c.name != "lorenz" || use.spill_bytes == 0) << cubin.log;
    }
  }
}

// Values of tables, recorded formulas, and values inside steps: what only some models have.
TEST_F(Codegen, NvrtcCompilesTablesAndOutputs) {
  std::optional<Nvrtc> nvrtc;
  try {
    nvrtc.emplace();
  } catch (const MachineError& error) {
    GTEST_SKIP() << error.what();
  }
  const char* const names[] = {"t", "x", "k", "wind"};
  const Scope scope(names);
  const auto formula = [&scope](const char* text) { return scope.parse({text, {"", 1, 1}}); };
  OdeSystem system;
  system.states = system.parameters = 1;
  system.forcings = {{0, 4, 1, 0}};
  system.rhs = {formula("erf(wind) - mod(k*x, 3)")};
  system.outputs = {formula("x + floor(wind*t)")};
  system.inside = true;
  system.events.push_back({formula("x - wind"), 0, false, {}});
  for (const Method method : {Method::rk4, Method::automatic}) {
    const Cubin cubin = nvrtc->compile(device_source(lowered(system, method), method), 90);
    EXPECT_GT(kernel_use(cubin.log, "halocline_ensemble").registers, 0);
  }
  for (const Method method : {Method::euler_maruyama, Method::milstein}) {
    const Cubin cubin = nvrtc->compile(device_source(lowered(noisy_case().system, method), method), 90);
    EXPECT_GT(kernel_use(cubin.log, "halocline_ensemble").registers, 0);
  }
}

// Names are the only words of a deck that could reach the text: whatever they are, the text is the same.
TEST_F(Codegen, NamesNeverReachTheText) {
  const auto text_with = [](const std::vector<std::string>& names) {
    OdeTexts texts;
    texts.states = {names[0], names[1]};
    texts.swept = {names[2]};
    texts.accumulators = {names[3]};
    texts.constants = {{names[4], 2.5}};
    texts.definitions = {names[5] + " = " + names[4] + "*" + names[2] + " + sin(" + names[0] + ")"};
    texts.rhs = {names[1] + "*" + names[5], "-" + names[0] + "/" + names[5]};
    OdeSystem system = texts.make();
    system.accumulator[0].step = texts.parse("max(" + names[3] + ", " + names[0] + ")");
    return print_model(lower(system));
  };
  const std::string plain = text_with({"a", "b", "c", "d", "e", "f"});
  EXPECT_EQ(text_with({"system", "abort", "asm", "operator", "attribute__", "include"}), plain);
  EXPECT_EQ(text_with({"R", "x", "y", "s", "v0", "Model"}), plain);
  for (const char* hostile : {"a\"; system(\"ls", "a\n#include <x>", "a)*/", "a\\", "\xc3\xa9"})
    EXPECT_THROW(parse_number({hostile, {}}), DeckError);
}

// Only what the table of spellings and the contract have: no quotes but those of NaN, no directives, no comments.
TEST_F(Codegen, TextHasNothingButTheTablesWords) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    OdeTexts texts;
    const std::string text = print_model(lower(random_system(texts, seed)));
    EXPECT_EQ(text.find_first_of("#\\'@$`~%^"), std::string::npos);
    EXPECT_EQ(text.find("//"), std::string::npos);
    EXPECT_EQ(text.find('"'), std::string::npos);
    for (const unsigned char c : text) ASSERT_LT(c, 128);
  }
}

TEST_F(Codegen, NumbersKeepTheirBits) {
  for (const double value : {0.1, -2.666, 1e-310, 1.7976931348623157e308, 0.0, 3.0})
    EXPECT_EQ(std::strtod(print_number(value).c_str(), nullptr), value);
  EXPECT_EQ(print_number(std::nan("")), "(0.0 / 0.0)");
  EXPECT_EQ(print_number(-INFINITY), "(-1.0 / 0.0)");
}

// Processor time of the compiler, which the load of the machine changes little.
// 2 to 2.5 s of a processor were seen on a virtual machine; a text that compilers find hard takes many times as long.
TEST_F(Codegen, CompilesWithinSeconds) {
  const std::optional<HostCompiler> compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << "no compiler";
  const auto seconds = [] {
    rusage use{};
    getrusage(RUSAGE_CHILDREN, &use);
    return static_cast<double>(use.ru_utime.tv_sec) + 1e-6 * static_cast<double>(use.ru_utime.tv_usec);
  };
  const double before = seconds();
  const Case bubble = decks()[1];
  compiled(lower(bubble.system), Method::rkck45);
  EXPECT_LT(seconds() - before, 5.0);
}

TEST_F(Codegen, FallsBackToTheInterpreter) {
  const Communicator comm(MPI_COMM_WORLD);
  Log log(false, LogLevel::off);
  const Case c = decks()[0];
  const LoweredModel model = lower(c.system);
  const HostModel made = make_host_model(comm, log, {"/nowhere/compiler", ""}, model, Method::rk4);
  EXPECT_EQ(made.backend->name().substr(0, 11), "interpreter");
  EXPECT_EQ(made.compiler, "");
  expect_same(three_steps(*made.backend, c), three_steps(*make_tree_backend(c.system, Method::rk4), c), "fallback");
  const HostModel compiled = make_host_model(comm, log, {}, model, Method::rk4);
  EXPECT_EQ(compiled.backend->name().substr(0, 8), find_host_compiler() ? "compiled" : "interpre");
}

}  // namespace
}  // namespace halocline::ode_ensemble
