// The same bits on any number of ranks, devices and threads, and after a restart at any time onto other parts.
#include <map>

#include "lib/linalg/strips/strips.hpp"
#include "tests/unit/fractional/fractional_runs.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline::fractional {
namespace {

void expect_equal_bits(const Result& parts, const Result& whole) {
  for (const Finding& finding : whole.findings.list) EXPECT_EQ(parts[finding.name], finding.value) << finding.name;
  ASSERT_EQ(whole.output.parts.size(), 1U);
  const KeepingSink::Planes& all = whole.output.parts.front();
  for (const KeepingSink::Planes& part : parts.output.parts) {
    const double* value = part.values.data();
    for (Index k = part.block.lo[2]; k < part.block.hi[2]; ++k)
      for (Index j = part.block.lo[1]; j < part.block.hi[1]; ++j)
        for (Index i = 0; i < all.block.hi[0]; ++i)
          ASSERT_EQ(*value++, all.values[static_cast<std::size_t>((k * all.block.hi[1] + j) * all.block.hi[0] + i)])
              << "node " << i << ", " << j << ", " << k;
  }
}

// Sides of every kind but periodic, some moving, on lines of 6 strips along z.
DeckText mixed() {
  DeckText deck;
  deck.grid = "{size: [1, 0.5, 2], cells: [7, 5, 24]}";
  deck.equation = {{"order", "0.6"}, {"D", "0.3*(1 + x/2)*(1 + z/3)"}, {"initial", "(1 + x)*cos(y) + z"}};
  deck.sides =
      "{x_min: {kind: dirichlet, value: cos(y) + z + t}, z_max: {kind: robin, transfer: 2, value: x*t}, y_max: {kind: "
      "no_flux}, rest: {kind: neumann, value: 0.1*y}}";
  deck.time = "{end: 1, steps: 20}";
  return deck;
}

// The scheme and the history of the psi-Caputo CUDA paper.
DeckText published(const std::string& history) {
  DeckText deck = mixed();
  deck.equation["D"] = "0.3";
  deck.equation["psi"] = "t^0.8";
  deck.sides = "{rest: {kind: dirichlet, value: cos(y) + z + t}}";
  deck.time = "{end: 1, steps: 14, scheme: l1_t}";
  deck.more = "  history: " + history + "\n";
  return deck;
}

// Histories in other numbers than doubles, with sweeps of own and of common coefficients and with unsplit steps.
std::vector<DeckText> decks_in_floats() {
  std::vector<DeckText> all(5, mixed());
  all[0].more = "  history: {engine: exponentials, block: 8}\n  solver: {split: adi}\n  precision: mixed\n";
  all[0].time = "{end: 1, steps: 21, mesh: graded}";
  all[1].equation["source"] = "x*t - c^3";
  all[1].equation["D"] = "0.3";
  all[1].more = "  history: {engine: direct, block: 8}\n  solver: {split: adi}\n  precision: fp32\n";
  all[2].equation["order"] = "";
  all[2].equation["terms"] = "[{order: 0.8, coefficient: step(0.4 - x)}, {order: 0.3, coefficient: step(x - 0.4)}]";
  all[2].equation["velocity"] = "{x: 0.1, z: 0.3}";
  all[2].time = "{end: 1, steps: 18}";
  all[2].more =
      "  history: {engine: exponentials, block: 8}\n  solver: {split_error: 1e-3, tol: 1e-4}\n  precision: mixed\n";
  all[3] = all[0];
  all[3].more = "  history: {engine: exponentials, block: 8}\n  solver: {split: adi}\n  precision: fp16_history\n";
  all[4] = all[2];
  all[4].more.replace(all[4].more.find("mixed"), 5, "fp16_history");
  return all;
}

std::vector<DeckText> decks() {
  std::vector<DeckText> all(5, mixed());
  all.push_back(published("{engine: series, terms: 5, arithmetic: fp16, vector: 4}"));
  all.push_back(published("{engine: direct, arithmetic: fp32, vector: 2}"));
  all.back().more += "  solver: {split: lod, intermediate: consistent}\n";
  all[1].equation["source"] = "x*t - c^3";
  all[1].equation["sigma"] = "1 + y";
  all[1].equation["D"] = "0.3";
  all[1].time = "{end: 1, steps: 21, mesh: graded}";
  all[1].more = "  history: {engine: exponentials, block: 8}\n  solver: {split: adi}\n";
  all[2].equation["order"] = "";
  all[2].equation["terms"] = "[{order: 1, coefficient: 0.4}, {order: 0.5}]";
  all[2].equation["velocity"] = "{x: 0.1, z: 0.3}";
  all[2].equation["D"] = "0.3";
  all[2].sides = "{z_min: {kind: periodic}, z_max: {kind: periodic}, rest: {kind: dirichlet, value: x*t}}";
  all[2].time = "{end: 1, steps: 19, scheme: l1}";
  all[2].more = "  history: {engine: exponentials, block: 5}\n  solver: {split: unsplit, tol: 1e-4}\n";
  all[3].equation["order"] = "0.4 + 0.4*t";
  all[3].equation["psi"] = "t^2";
  all[3].equation["reaction"] = "x";
  all[3].time = "{end: 1, steps: 18, mesh: uniform_psi}";
  all[3].equation["D"] = "0.3";
  all[3].more = "  history: {engine: exponentials, block: 4}\n  solver: {split_error: 1e-3, tol: 1e-4}\n";
  all[4].equation["order"] = "";
  all[4].equation["terms"] =
      "[{order: 0.8, coefficient: step(0.4 - x)}, {order: 0.3, coefficient: step(x - z/2)}, {order: 0.6, coefficient: "
      "1 "
      "- step(x - 0.8)/2}]";
  all[4].equation["source"] = "x*t - c^3";
  all[4].equation["D"] = "0.3";
  all[4].time = "{end: 1, steps: 18}";
  all[4].more = "  history: {engine: exponentials, block: 8}\n";
  for (const DeckText& deck : decks_in_floats()) all.push_back(deck);
  return all;
}

class Parts : public testing::TestWithParam<TestDevice> {
 protected:
  // Whether others show what this kind of host does: one thread, and memory that lags behind.
  static bool shown_by_others() { return GetParam() == TestDevice::omp_3 || GetParam() == TestDevice::emulated; }
  // The same where memory that lags behind shows all that the host itself does.
  static bool shown_by_lagging() { return shown_by_others() || GetParam() == TestDevice::omp_1; }
  // On one part; made once for all kinds of hosts.
  static const Result& whole(const DeckText& deck) {
    static std::map<std::string, Result> made;
    const TestDevice reference = GetParam() == TestDevice::cuda ? TestDevice::cuda : TestDevice::omp_1;
    const std::string key = deck.text() + (reference == TestDevice::cuda ? "cuda" : "omp");
    const auto found = made.find(key);
    if (found != made.end()) return found->second;
    const Communicator self(MPI_COMM_SELF);
    return made.emplace(key, run(self, {make_test_executor(reference)}, read_deck(deck.text()))).first->second;
  }
};

TEST_P(Parts, HaveTheSameBits) {
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() > 1 && shown_by_others()) GTEST_SKIP() << "one rank has run them";
  // Steps of many exchanges take long where ranks share processors.
  const bool many = world.size() > 3;
  if (many && GetParam() != TestDevice::omp_1) GTEST_SKIP() << "fewer ranks have run them";
  for (const DeckText& deck : decks()) {
    if (many && deck.more.find("split: adi") == std::string::npos) continue;
    SCOPED_TRACE(deck.text());
    const FractionalOptions options = read_deck(deck.text());
    for (const int devices : {1, 3}) {
      if (world.size() * devices > 6) continue;  // strips
      // Alone threads and queues of a device, several with memory that lags behind and with one thread each.
      const bool several = GetParam() == TestDevice::omp_1 || GetParam() == TestDevice::emulated_lazy;
      if (world.size() == 1 && GetParam() != TestDevice::cuda && (devices > 1) != several) continue;
      expect_equal_bits(run(world, make_test_executors(GetParam(), devices), options), whole(deck));
    }
  }
}

// Decks whose steps are solved by sweeps alone: coefficients in common and of their own, which ask for a probe; media;
// all precisions; sides of every kind, which lines along y that parts share end at or go around.
std::vector<DeckText> decks_in_boxes() {
  std::vector<DeckText> all(8, mixed());
  for (DeckText& deck : all) {
    deck.grid = "{size: [1, 1, 2], cells: [7, 11, 12]}";
    deck.time = "{end: 1, steps: 9}";
    deck.equation["D"] = "0.3";
  }
  const std::string blocks = "  history: {engine: exponentials, block: 4}\n  solver: {split: adi}\n";
  for (DeckText& deck : all) deck.more = blocks;
  all[0].equation["D"] = "0.3*(1 + x/2)*(1 + y/3)*(1 + z/3)";
  all[1].equation["source"] = "x*t - c^3";
  all[1].equation["sigma"] = "1 + y";
  all[2].sides = "{x_min: {kind: no_flux}, x_max: {kind: dirichlet, value: y*t}, rest: {kind: periodic}}";
  all[2].equation["initial"] = "if(x + y + z < 1, 1, 0)";
  all[3].more += "  precision: mixed\n";
  all[3].sides = "{rest: {kind: dirichlet, value: cos(y) + z*x + t}}";
  all[4].more = "  history: {engine: direct, block: 4}\n  solver: {split: adi}\n  precision: fp32\n";
  all[4].equation["reaction"] = "y";
  all[5].more += "  precision: fp16_history\n";
  all[6].equation["order"] = "";
  all[6].equation["terms"] = "[{order: 0.8, coefficient: step(0.4 - y)}, {order: 0.3, coefficient: step(y - 0.4)}]";
  all[6].equation["source"] = "x*t - y*c";
  all[7].sides = "{x_min: {kind: periodic}, x_max: {kind: periodic}, rest: {kind: robin, transfer: 2, value: z*y*t}}";
  all[7].equation["velocity"] = "{x: 0.1, y: 0.2, z: 0.3}";
  return all;
}

FractionalOptions in_boxes(const DeckText& deck, int columns, int layers) {
  FractionalOptions options = read_deck(deck.text());
  options.block.grid.parts = {static_cast<double>(columns), static_cast<double>(layers)};
  return options;
}

TEST_P(Parts, HaveTheSameBitsInBoxes) {
  const Communicator world(MPI_COMM_WORLD);
  if (shown_by_others() || (world.size() > 1 && shown_by_lagging())) GTEST_SKIP() << "others run them";
  const std::vector<DeckText> decks = decks_in_boxes();
  for (std::size_t n = 0; n < decks.size(); ++n) {
    if (world.size() > 1 && n % 3 != 0) continue;  // ranks that share processors are slow
    const DeckText& deck = decks[n];
    SCOPED_TRACE(deck.text());
    std::size_t number = 0;
    for (const auto& [columns, layers] : {std::pair{2, 1}, {2, 2}, {3, 2}, {4, 1}, {3, 1}, {2, 3}}) {
      if (columns * layers % world.size() != 0) continue;
      const int devices = columns * layers / world.size();
      if (world.size() > 1 && devices > 2) continue;
      // Alone each kind of host has tables of its own, in turn for the decks.
      if (world.size() == 1 && GetParam() != TestDevice::cuda) {
        if ((layers == 2) != (GetParam() == TestDevice::omp_1)) continue;
        const std::size_t tables = layers == 2 ? 2 : 4;
        if (number++ % tables != n % tables) continue;
      }
      SCOPED_TRACE(std::to_string(columns) + " x " + std::to_string(layers));
      expect_equal_bits(run(world, make_test_executors(GetParam(), devices), in_boxes(deck, columns, layers)),
                        whole(deck));
    }
  }
}

// Saved by boxes, by slabs and by one part, gone on with by others.
TEST_P(Parts, GoOnInOtherBoxes) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  if (world.size() > 1 || shown_by_lagging()) GTEST_SKIP() << "others run them";
  using Counts = std::pair<int, int>;
  const std::pair<Counts, Counts> ways[] = {{{2, 2}, {1, 3}}, {{1, 2}, {3, 1}}, {{3, 2}, {2, 2}}, {{1, 1}, {2, 1}}};
  const std::vector<DeckText> decks = decks_in_boxes();
  for (const std::size_t n : {0, 2, 3, 5, 6}) {
    SCOPED_TRACE(decks[n].text());
    const auto& [before, behind] = ways[n % 4];
    const auto running = [&](const Counts& counts) {
      return Running(self, make_test_executors(GetParam(), counts.first * counts.second),
                     in_boxes(decks[n], counts.first, counts.second));
    };
    MemoryArchive archive;
    Running first = running(before);
    first->initialize();
    first.advance(0.6);
    first->archive(archive);
    archive.restore_from_now_on();
    Running second = running(behind);
    second->archive(archive);
    second.advance(1e300);
    expect_equal_bits(second.result(), whole(decks[n]));
  }
}

// So many lines that they are exchanged in chunks, along z and along y, with coefficients in common and of their own.
TEST_P(Parts, HaveTheSameBitsInChunksOfLines) {
  const Communicator world(MPI_COMM_WORLD);
  // Exchanges have been tried by memory that lags behind, which takes long here.
  if (world.size() > 2 || (GetParam() != TestDevice::omp_1 && GetParam() != TestDevice::cuda)) GTEST_SKIP();
  for (const bool along_y : {false, true}) {
    DeckText deck = mixed();
    deck.grid = std::string("{size: [1, 0.5, 2], cells: [1023, ") + (along_y ? "4, 95" : "95, 4") + "]}";
    ASSERT_GT(strips::chunks_of(96, 1040), 1);
    deck.equation["D"] = "0.3";
    if (!along_y) deck.equation["source"] = "x*t - c^3";  // rows of their own, and no probe
    deck.time = "{end: 1, steps: 2}";
    deck.more = "  solver: {split: adi}\n";
    expect_equal_bits(
        run(world, make_test_executors(GetParam(), 2 / world.size()), in_boxes(deck, along_y ? 2 : 1, along_y ? 1 : 2)),
        whole(deck));
  }
}

// The same along both at once, where chunks of lines along y are planes of whole strips along z, and the other way.
TEST_P(Parts, HaveTheSameBitsInChunksOfBoxes) {
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() > 1 || (GetParam() != TestDevice::omp_1 && GetParam() != TestDevice::cuda)) GTEST_SKIP();
  ASSERT_GT(strips::chunks_of(6, 16400), 1);
  DeckText deck = mixed();
  deck.grid = "{size: [2, 1, 1], cells: [16383, 12, 11]}";
  deck.equation["D"] = "0.3";
  deck.sides = "{rest: {kind: dirichlet, value: cos(y) + z + t}}";
  deck.time = "{end: 1, steps: 2}";
  deck.more = "  solver: {split: adi}\n";
  expect_equal_bits(run(world, make_test_executors(GetParam(), 4), in_boxes(deck, 2, 2)), whole(deck));
}

// Steps with multigrid, by tables of the axes and by fields, on grids of which parts share out two levels.
std::vector<DeckText> decks_by_multigrid() {
  std::vector<DeckText> all(3, mixed());
  for (DeckText& deck : all) {
    deck.grid = "{size: [1, 1, 1], cells: [31, 19, 24]}";
    deck.time = "{end: 1, steps: 3}";
    deck.more = "  solver: {split: unsplit, tol: 1e-6}\n";
  }
  all[0].equation["D"] = "1";
  all[1].equation["sigma"] = "1 + y";
  all[2].sides = "{rest: {kind: periodic}}";
  all[2].equation["initial"] = "if(x + y + z < 1, 1, 0)";
  return all;
}

TEST_P(Parts, HaveTheSameBitsByMultigrid) {
  const Communicator world(MPI_COMM_WORLD);
  if (world.size() > 1 && shown_by_lagging()) GTEST_SKIP() << "one rank has run them";
  for (const DeckText& deck : decks_by_multigrid()) {
    SCOPED_TRACE(deck.text());
    const Result& alone = whole(deck);
    EXPECT_LE(alone["iterations"], 8 * alone["unsplit_steps"]);
    for (const int devices : {1, 2, 3, 6}) {
      if (world.size() * devices > 6) continue;                                               // strips
      if (world.size() == 1 && (devices > 2) != (GetParam() == TestDevice::omp_1)) continue;  // others show that
      expect_equal_bits(run(world, make_test_executors(GetParam(), devices), read_deck(deck.text())), alone);
    }
  }
}

// At levels and between them, in blocks of all lengths, on other parts than before.
TEST_P(Parts, GoOnAfterARestart) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  if (world.size() > 1) GTEST_SKIP() << "every rank would do the same by itself";
  if (shown_by_others()) GTEST_SKIP();
  std::vector<DeckText> all = decks();
  all.push_back(decks_by_multigrid()[1]);
  int before = 1;
  for (const DeckText& deck : all) {
    SCOPED_TRACE(deck.text());
    const FractionalOptions options = read_deck(deck.text());
    const Result& whole = Parts::whole(deck);
    for (const double stop : {0.03, 0.4, 0.62}) {
      // Devices that lag behind, which take long, stop once in each deck.
      if (GetParam() == TestDevice::emulated_lazy && stop != 0.4) continue;
      MemoryArchive archive;
      Running first(self, make_test_executors(GetParam(), before), options);
      first->initialize();
      EXPECT_EQ(first.advance(stop), stop);
      first->archive(archive);
      const Result stopped = first.result();
      archive.restore_from_now_on();
      before = before % 3 + 1;
      Running second(self, make_test_executors(GetParam(), before), options);
      second->archive(archive);
      EXPECT_EQ(second.result()["max"], stopped["max"]) << stop;  // shows the same
      second.advance(1e300);
      if (before == 1) expect_equal_bits(second.result(), whole);
      EXPECT_EQ(second.result()["mass"], whole["mass"]) << stop;
      EXPECT_EQ(second.result()["max"], whole["max"]) << stop;
      EXPECT_EQ(second.result()["min"], whole["min"]) << stop;
    }
  }
}

// Runs up to a time before their horizon, continued: the bits of one run.
TEST_P(Parts, GoOnToTheHorizon) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  if (world.size() > 1) GTEST_SKIP() << "every rank would do the same by itself";
  if (shown_by_others()) GTEST_SKIP();
  for (const char* mesh : {"uniform_t", "uniform_psi"})
    for (const int steps : {12, 16}) {  // inside a block and at its end
      const bool by_psi = std::string(mesh) == "uniform_psi";
      DeckText deck = mixed();
      deck.equation["D"] = "0.3";
      deck.equation["psi"] = "t^2";
      deck.more = "  history: {engine: exponentials, block: 8}\n";
      const auto options = [&](const std::string& times) {
        deck.time = "{" + times + ", mesh: " + mesh + "}";
        return read_deck(deck.text());
      };
      const std::string count = std::to_string(steps), all = std::to_string(steps * (by_psi ? 4 : 2));
      const Result whole = run(self, make_test_executors(GetParam(), 1), options("end: 1, steps: " + all));
      MemoryArchive archive;
      Running first(self, make_test_executors(GetParam(), 1), options("end: 0.5, horizon: 1, steps: " + count));
      first->initialize();
      EXPECT_DOUBLE_EQ(first.advance(1e300), 0.5);
      first->archive(archive);
      EXPECT_EQ(first.result()["steps"], steps);
      archive.restore_from_now_on();
      Running second(self, make_test_executors(GetParam(), 2), options("end: 1, horizon: 1, steps: " + all));
      second->archive(archive);
      second.advance(1e300);
      expect_equal_bits(second.result(), whole);
    }
}

TEST(Horizon, RefusesToEndBeforeACheckpoint) {
  const Communicator self(MPI_COMM_SELF);
  DeckText deck;
  deck.time = "{end: 0.5, steps: 4, horizon: 1}";
  MemoryArchive archive;
  Running first(self, {make_omp_executor(1)}, read_deck(deck.text()));
  first->initialize();
  first.advance(1e300);
  first->archive(archive);
  archive.restore_from_now_on();
  deck.time = "{end: 0.25, steps: 2, horizon: 1}";
  Running second(self, {make_omp_executor(1)}, read_deck(deck.text()));
  EXPECT_THROW(second->archive(archive), DeckError);
}

INSTANTIATE_TEST_SUITE_P(Executors, Parts, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::fractional
