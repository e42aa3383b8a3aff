// The same bits on any number of ranks, devices, threads and steps per sweep: every layout against a run on one part.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "tests/unit/diffusion/diffusion_cases.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline::diffusion {
namespace {

// One part of the host; of a GPU for a GPU.
ExecutorPtr reference_for(TestDevice device) {
  return make_test_executor(device == TestDevice::cuda ? TestDevice::cuda : TestDevice::omp_1);
}

// Walls of every kind, some moving.
Case flat(const std::string& mask, const std::string& cells) {
  Case deck;
  deck.grid = "{layout: fv, size: [1, 1.3], cells: " + cells + "}";
  deck.initial = "x^2 + sin(5*y)";
  deck.walls =
      "{x_min: [{from: 0.2, to: 0.7, kind: dirichlet, value: 1 + 100*t*y}], x_max: [{from: 1/4, to: 3/4, kind: "
      "robin, value: y, transfer: 3}], y_min: [{kind: neumann, value: x - 0.2}], y_max: [{from: 0.5, to: 1, kind: "
      "dirichlet, value: sin(2000*t)}], rest: {kind: no_flux}}";
  deck.stencil = "{mask: " + mask + ", co: 0.5}";
  deck.time = "{end: 0.0021}";
  return deck;
}

Case solid(const std::string& mask) {
  Case deck;
  deck.grid = "{layout: fv, size: [1, 1.1, 1.2], cells: [13, 9, 41]}";
  deck.initial = "x^2 + sin(5*y) - z";
  deck.walls =
      "{x_min: [{from: {y: 0, z: 0}, to: {y: 1/2, z: 1}, kind: dirichlet, value: z}], z_max: [{kind: robin, "
      "transfer: 2, value: x*y}], z_min: [{kind: neumann, value: x - 100*t}], rest: {kind: no_flux}}";
  deck.stencil = "{mask: " + mask + ", co: 0.5}";
  deck.time = "{end: 0.001}";
  return deck;
}

Case points(const std::string& mask) {
  Case deck;
  deck.grid = "{layout: hiperc, points: [31, 50], spacing: 1}";
  deck.walls =
      "{x_min: [{from: 0, to: 25, kind: dirichlet, value: 1}], x_max: [{from: 25, to: 50, kind: dirichlet, value: "
      "1}], rest: {kind: no_flux}}";
  deck.stencil = "{mask: " + mask + ", co: 0.5}";
  deck.time = "{end: 3}";
  return deck;
}

Case periodic(const std::string& mask) {
  Case deck;
  deck.grid = "{layout: fv, size: [1, 1], cells: [23, 40]}";
  deck.walls = "{x_min: {kind: dirichlet, value: 1}, x_max: {kind: no_flux}, rest: {kind: periodic}}";
  deck.initial = "y^2";
  deck.stencil = "{mask: " + mask + ", co: 0.5}";
  return deck;
}

class Parts : public testing::TestWithParam<TestDevice> {
 protected:
  // 1, 2 and 4 devices per rank, several steps per sweep.
  void compare(Case deck, const std::vector<int>& sweeps) {
    const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
    const std::string time = deck.time.substr(0, deck.time.size() - 1);
    deck.time = time + ", kernel: fused}";
    const Result whole = run(self, {reference_for(GetParam())}, read_deck(deck.text()));
    for (const int devices : {1, 2, 4})
      for (const int steps : sweeps) {
        const char* kernel = (devices + steps) % 2 == 0 ? "fused" : "auto";
        deck.time = time + ", kernel: " + kernel + ", steps_per_sweep: " + std::to_string(steps) + "}";
        const Shape shape{world.size(), std::vector<double>(static_cast<std::size_t>(world.size() * devices), 1.0)};
        DiffusionOptions options;
        if (!read_deck(deck.text(), options, shape).empty()) continue;  // parts thinner than the halo
        const Result parts = run(world, make_test_executors(GetParam(), devices), options);
        expect_equal_bits(parts, whole);
        EXPECT_EQ(parts.traffic.messages > 0, world.size() > 1);
        ++compared_;
      }
  }
  int compared_ = 0;
};

TEST_P(Parts, HaveTheSameBitsIn2D) {
  for (const std::string mask : {"5pt", "9pt", "cross4"}) compare(flat(mask, "[37, 70]"), {1, 3, 8});
  compare(flat("9pt", "[16, 96]"), {2, 16});
  Case own = flat("{size: 3, laplacian: false, weights: [1, 2, 0, 1, -9, 3, 0, 1, 1]}", "[16, 40]");
  own.grid = "{layout: fv, size: [1, 2.5], cells: [16, 40]}";
  compare(own, {1, 2});
  EXPECT_GT(compared_, 15);
}

// One whole sweep of the longest and a part of one more.
TEST_P(Parts, HaveTheSameBitsForAllStepsPerSweep) {
  std::vector<int> sweeps(16);
  std::iota(sweeps.begin(), sweeps.end(), 1);
  Case deck = flat("5pt", "[16, 64]");
  deck.time = "{end: 19/10000}";
  deck.stencil = "{mask: 5pt, dt: 1/10000}";
  compare(deck, sweeps);
  EXPECT_GE(compared_, 16);
}

TEST_P(Parts, HaveTheSameBitsIn3D) {
  for (const std::string mask : {"7pt", "19pt", "27pt", "cross4"}) compare(solid(mask), {1, 2});
  EXPECT_GT(compared_, 10);
}

TEST_P(Parts, HaveTheSameBitsInLayoutHiperc) {
  for (const std::string mask : {"5pt", "9pt", "cross4"}) compare(points(mask), {1, 3});
}

TEST_P(Parts, HaveTheSameBitsOnPeriodicDomains) {
  for (const std::string mask : {"5pt", "cross4"}) compare(periodic(mask), {1, 2, 5});
}

TEST_P(Parts, HaveTheSameBitsInSinglePrecision) {
  Case deck = flat("9pt", "[37, 70]");
  deck.more = "  precision: fp32\n";
  compare(deck, {1, 4});
}

// Saved in the middle on one part, restored on three: the rest of the run has the same bits.
TEST_P(Parts, RestoredRunGoesOnWithTheSameBits) {
  const Communicator self(MPI_COMM_SELF);
  for (Case deck : {flat("cross4", "[21, 50]"), solid("7pt"), points("5pt")}) {
    const DiffusionOptions options = read_deck(deck.text());
    const double middle = 0.4003 * options.block.time.end;  // no multiple of the time step
    Running without(self, {reference_for(GetParam())}, options);
    without->initialize();
    while (without->advance(middle).t < middle) {
    }
    MemoryArchive archive;
    without->archive(archive);
    const Result whole = without.finish();

    archive.restore_from_now_on();
    Running restored(self, make_test_executors(GetParam(), 3), options);
    restored->archive(archive);
    expect_equal_bits(restored.finish(), whole);
  }
}

// Times of output are hit, by steps that do not count or by shorter ones, from which the run then goes on.
TEST_P(Parts, TimesOfOutputAreHit) {
  const Communicator self(MPI_COMM_SELF);
  Case deck;
  deck.initial = "cos(pi*x)*cos(pi*y)";
  deck.verify = "{exact: exp(-2*pi^2*t)*cos(pi*x)*cos(pi*y)}";
  DiffusionOptions options = read_deck(deck.text());
  const Result straight = run(self, {make_test_executor(GetParam())}, options);
  EXPECT_LT(straight["max_error.c"], 1e-3);
  for (const bool exact : {false, true}) {
    options.block.time.exact_times = exact;
    Running running(self, {make_test_executor(GetParam())}, options);
    running->initialize();
    for (const double stop : {0.001, 0.00317, 0.0072}) {
      Step step;
      while (step.t < stop) step = running->advance(stop);
      EXPECT_EQ(step.t, stop);
    }
    const Result result = running.finish();
    EXPECT_LT(result["max_error.c"], 1e-3);
    if (exact) {
      EXPECT_GT(result["steps"], straight["steps"]);
    } else {
      expect_equal_bits(result, straight);
    }
  }
}

// By check or by run alike, for plan and problem.
TEST(Data, FilesAreReadOnce) {
  // A file of each process's own: ranks run this test side by side.
  const std::string name = "halocline_read_once_" + std::to_string(getpid()) + ".csv";
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(file) << "3, 3.1\n3.2, 3.3\n";
  Case deck;
  deck.more = "  data: {k: {file: " + file.string() + "}}\n";
  deck.D = "k", deck.initial = "x";
  const DiffusionOptions options = read_deck(deck.text());
  std::filesystem::remove(file);
  EXPECT_GT(run(options)["steps"], 1);
  EXPECT_THROW(read_deck(deck.text()), DeckError);
}

INSTANTIATE_TEST_SUITE_P(Executors, Parts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::diffusion
