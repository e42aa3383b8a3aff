// Growing and decaying solutions across lines against dense LU, for every kind of ends, and cut into parts.
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/collocation/closed/wave_exchange.hpp"
#include "lib/problems/collocation/closed/wave_modes.hpp"
#include "lib/problems/collocation/closed/wave_tables.hpp"
#include "lib/problems/collocation/closed/wave_tree.hpp"
#include "lib/problems/collocation/direct/closed_modes.hpp"
#include "lib/problems/collocation/methods.hpp"
#include "tests/unit/collocation/direct/inverse_cases.hpp"
#include "tests/unit/collocation/direct/solver_cases.hpp"
#include "tests/unit/counted_memory.hpp"

namespace halocline::collocation {
namespace {

struct Constants {
  double a, c, eta;
};
const EndCondition dirichlet{1, 0}, neumann{0, 1};

DirectCase wave_case(Index nx, Index ny, bool neumann_x, bool neumann_y, const Constants& k, double length = 3) {
  const EndCondition x = neumann_x ? neumann : dirichlet, y = neumann_y ? neumann : dirichlet;
  return {equal_nodes(nx, -1, length - 1),
          equal_nodes(ny, 0.5, 2),
          x,
          x,
          y,
          y,
          constant(k.a),
          constant(0),
          constant(k.c),
          constant(0),
          constant(0),
          constant(k.eta)};
}

MakeInverse wave_inverse(const DirectCase& given, const Constants& k, Index chunks = 0) {
  return [given, k, chunks](const Layout& layout) {
    const Axis x = given.axis_x(), y = given.axis_y();
    std::vector<std::unique_ptr<AlongY>> along;
    for (int p = 0; p < layout.team.parts(); ++p)
      along.push_back(make_closed_along(y, layout.blocks[p], layout.team.executor(p)));
    auto across =
        make_wave_across(layout.comm, layout.team, layout.blocks, x, k.a, k.eta, closed_mode_values(y, k.c), chunks);
    return std::make_unique<SeparableInverse>(layout.blocks, std::move(along), std::move(across));
  };
}

class WaveModes : public testing::TestWithParam<TestDevice> {};

TEST_P(WaveModes, AreTheSolutionByDenseLu) {
  const Communicator self(MPI_COMM_SELF);
  for (const bool neumann_x : {false, true})
    for (const bool neumann_y : {false, true})
      for (const auto& [nx, ny] : {std::pair<Index, Index>{4, 5}, {5, 4}, {7, 9}, {12, 10}, {2, 3}, {37, 3}}) {
        const Constants k{1.5, 0.7, -1};
        const DirectCase given = wave_case(nx, ny, neumann_x, neumann_y, k);
        const DirectReference reference(given);
        const auto f = reference.random_equations(static_cast<unsigned>(nx));
        const Layout layout(self, GetParam(), 1, nx, ny, 1);
        const auto found = solve_on(layout, reference, f, wave_inverse(given, k));
        EXPECT_LT(worst_difference(layout, reference, reference.solve(f), found), 1e-12)
            << nx << " " << ny << " " << neumann_x << neumann_y;
      }
}

// Modes that hardly grow over the axis, or not at all, beside others in the same eight; signs and sizes of a and c.
TEST_P(WaveModes, AreTheSolutionWhereModesHardlyGrow) {
  const Communicator self(MPI_COMM_SELF);
  const struct {
    Constants k;
    double length;
    bool neumann_x;
  } cases[] = {{{1, 1, 0}, 3, false},         {{-2, -1, 0}, 3, false}, {{1, 1, 0}, 1e-3, false},
               {{1e-20, 1e-20, 0}, 1, false}, {{1, 1, -1}, 0.1, true}, {{1, 1e4, -1e-9}, 1, false},
               {{1, 1, -1e9}, 1, true}};
  for (const auto& one : cases)
    for (const Index nx : {7, 20}) {
      const DirectCase given = wave_case(nx, 6, one.neumann_x, true, one.k, one.length);
      const DirectReference reference(given);
      const auto f = reference.random_equations(3);
      const Layout layout(self, GetParam(), 1, nx, 6, 1);
      const auto found = solve_on(layout, reference, f, wave_inverse(given, one.k));
      EXPECT_LT(worst_difference(layout, reference, reference.solve(f), found), 1e-11)
          << nx << " " << one.k.a << " " << one.k.eta << " " << one.length;
    }
}

// Bits of one part, on so many parts of each rank, in chunks of modes or one.
void expect_bits_of_one(const TestDevice device, Index nx, Index ny, std::initializer_list<int> parts,
                        std::initializer_list<Index> chunks) {
  const Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Constants k{1, 2, 0};
  const DirectCase given = wave_case(nx, ny, false, true, k);
  const DirectReference reference(given);
  const auto f = reference.random_equations(7);
  const TestDevice one = device == TestDevice::cuda ? TestDevice::cuda : TestDevice::omp_1;
  const Index strip = wave_strip_length(nx);
  const auto whole = solve_on(Layout(self, one, 1, nx, ny, strip), reference, f, wave_inverse(given, k))[0];
  for (const int each : parts)
    for (const Index count : chunks) {
      if ((nx + 1) / strip < each * world.size() || (each > 3 && each < 16 && device != one)) continue;
      const Layout layout(world, device, each, nx, ny, strip);
      const auto found = solve_on(layout, reference, f, wave_inverse(given, k, count));
      for (int p = 0; p < each; ++p) {
        const NodalBlock& block = layout.blocks[p];
        const double* expected = whole.data() + block.first_line * block.line_size();
        for (std::size_t i = 0; i < found[p].size(); ++i)
          ASSERT_EQ(found[p][i], expected[i]) << each << " parts, " << count << " chunks: " << p << " " << i;
      }
    }
}

TEST_P(WaveModes, HaveTheSameBitsOnAnyParts) {
  expect_bits_of_one(GetParam(), 64, 6, {1, 2, 3, 5, 8}, {0});
  expect_bits_of_one(GetParam(), 47, 3, {1, 2, 3, 5, 8}, {0});
}

// 8 groups of modes in 3 chunks, the last one smaller, with fewer groups than parts; in more chunks than buffers; on 16
// parts of a rank in two stages.
TEST_P(WaveModes, HaveTheSameBitsInChunks) {
  expect_bits_of_one(GetParam(), 32, 30, {2, 3}, {3, 8});
  expect_bits_of_one(GetParam(), 32, 30, {16}, {1, 3, 8});
}

// As the transforms do along x, on a mesh that has several stages of the tree.
TEST_P(WaveModes, AgreeWithTransformsOnManyStrips) {
  const Communicator self(MPI_COMM_SELF);
  const Index nx = 1200, ny = 4;
  for (const bool neumann_x : {false, true}) {
    const Constants k{1, 1, -0.5};
    const DirectCase given = wave_case(nx, ny, neumann_x, true, k);
    const Axis x = given.axis_x(), y = given.axis_y();
    const Layout layout(self, GetParam(), 3, nx, ny, wave_strip_length(nx));
    Vector<double> b(layout.space), waves(layout.space), transforms(layout.space);
    for (int p = 0; p < 3; ++p) {
      std::vector<double> modes(static_cast<std::size_t>(b.part(p).size()));
      const NodalBlock& block = layout.blocks[p];
      for (Index i = block.first_line; i < block.end_line; ++i)
        for (int c = 0; c < 4; ++c)
          for (Index j = 0; j <= ny; ++j)
            if (!(i == 0 && c % 2 == 0) && !(i == nx && c % 2 == 1) && !(j == 0 && c < 2) && !(j == ny && c > 1))
              modes[(i - block.first_line) * block.line_size() + block.place(c, j)] =
                  std::sin(static_cast<double>(i * i % 1009 + 7 * c + j));
      layout.team.executor(p)->copy_in(b.part(p).data, modes.data(), modes.size() * sizeof(double));
    }
    wave_inverse(given, k)(layout)->apply(b, waves);
    std::vector<std::unique_ptr<AlongY>> along;
    for (int p = 0; p < 3; ++p) along.push_back(make_closed_along(y, layout.blocks[p], layout.team.executor(p)));
    SeparableInverse(layout.blocks, std::move(along),
                     make_closed_across(self, layout.team, layout.blocks, x, k.a, k.eta, closed_mode_values(y, k.c)))
        .apply(b, transforms);
    double worst = 0, largest = 0;
    for (int p = 0; p < 3; ++p) {
      const auto one = host_part(waves, p), other = host_part(transforms, p);
      for (std::size_t i = 0; i < one.size(); ++i) {
        largest = std::max(largest, std::abs(other[i]));
        worst = std::isnan(one[i]) ? one[i] : std::max(worst, std::abs(one[i] - other[i]));
      }
    }
    EXPECT_LT(worst / largest, 1e-11) << neumann_x;
  }
}

TEST(WaveTree, LeavesTheNodesOfStrips) {
  for (Index count = 1; count < 40; ++count)
    for (Index lo = 0; lo < count; ++lo)
      for (Index hi = lo + 1; hi <= count; ++hi)
        ASSERT_EQ(wave_nodes(count, {{lo}, {hi}}), strips::top_nodes(count, {{lo}, {hi}})) << count << " " << lo << hi;
}

TEST(WaveLimits, OscillatingModesGoByTransforms) {
  const auto plain = manufactured(general_exact, 64, 64, 1, 1, 0, -1);
  const auto chunk = [](const CollocationOptions& options) {
    return closed_form_method.cut(formulate(options), {}, 2).chunk;
  };
  EXPECT_EQ(chunk(plain), 8);
  auto options = plain;
  options.block.equation.eta = formula("5");
  options.block.solver.allow_indefinite = true;
  EXPECT_EQ(chunk(options), 1);
}

// More chunks where more travels, none where kernels are too short to hide it; all modes are in one chunk.
TEST(WaveChunks, FollowWhatTravels) {
  EXPECT_EQ(wave_chunks(512, 8192), 1);
  EXPECT_EQ(wave_chunks(256, 262144), 3);
  EXPECT_EQ(wave_chunks(256, 4'000'000), 4);
  EXPECT_EQ(wave_chunks(32, 4'000'000), 1);
  const Partition chunks = modes_in_chunks(8 * lanes, 3);
  EXPECT_EQ(chunks, Partition::from_starts({0, 3 * lanes, 6 * lanes, 8 * lanes}));
}

// What the plan says of a part, and what the parts take.
TEST(WaveMemory, IsThatOfThePlan) {
  const Communicator self(MPI_COMM_SELF);
  const Constants k{1, 1, -1};
  const struct {
    Index nx, ny;
    int parts;
  } cases[] = {{2048, 56, 1},  {2047, 56, 1},   {1023, 120, 4}, {1024, 248, 16},
               {4095, 248, 6}, {4096, 1000, 6}, {2999, 56, 5},  {1535, 120, 3}};
  for (const auto& [nx, ny, parts] : cases) {
    const DirectCase given = wave_case(nx, ny, false, true, k);
    std::vector<std::shared_ptr<CountedMemory>> devices;
    for (int p = 0; p < parts; ++p) devices.push_back(std::make_shared<CountedMemory>());
    const Team team({devices.begin(), devices.end()}, 0, parts);
    const Index strip = wave_strip_length(nx);
    const Partition shares(nx + 1, strip, std::vector<double>(static_cast<std::size_t>(parts), 1.0), strip);
    std::vector<NodalBlock> blocks;
    for (int p = 0; p < parts; ++p) blocks.push_back({shares.block(p).lo[0], shares.block(p).hi[0], nx, ny});
    const auto across =
        make_wave_across(self, team, blocks, given.axis_x(), k.a, k.eta, closed_mode_values(given.axis_y(), k.c));
    Index widest = 0;
    std::size_t most = 0;
    for (int p = 0; p < parts; ++p) {
      widest = std::max(widest, blocks[p].lines());
      most = std::max(most, devices[p]->bytes());
    }
    const double planned = sizeof(double) * static_cast<double>(wave_numbers(widest, nx + 1, ny));
    const double ratio = planned / static_cast<double>(most);
    EXPECT_GT(ratio, 0.98) << parts << " parts: " << planned << " " << most;
    EXPECT_LT(ratio, 1.1) << parts << " parts: " << planned << " " << most;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, WaveModes, every_executor(), executor_name);

}  // namespace
}  // namespace halocline::collocation
