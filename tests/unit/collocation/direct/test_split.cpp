// Transforms of lines in two passes: the digits of those in one.
#include <gtest/gtest.h>

#include <cmath>

#include "lib/problems/collocation/direct/closed_basis.hpp"
#include "lib/problems/collocation/direct/split_kernels.hpp"

namespace halocline::collocation {
namespace {

Axis axis_of(Index n, bool neumann) {
  std::vector<double> nodes;
  for (Index i = 0; i <= n; ++i) nodes.push_back(static_cast<double>(i) / static_cast<double>(n));
  const EndCondition end = neumann ? EndCondition{0, 1} : EndCondition{1, 0};
  return Axis(std::move(nodes), end, end);
}

// Four components of a line of n elements.
struct Line {
  Index stride;
  std::vector<double> values;
  explicit Line(Index n) : stride(n + 3), values(static_cast<std::size_t>(4 * (n + 3)), 7.0) {}
  ColumnPair pair() { return {values.data(), 1, stride, 4 * stride, 2, 1, 0}; }
};

TEST(SplitTransforms, HaveTheDigitsOfThoseInOnePass) {
  const ExecutorPtr host = make_omp_executor(1);
  for (const bool neumann : {false, true})
    for (const Index n : {4, 6, 15, 30, 64, 90, 200}) {
      const Axis axis = axis_of(n, neumann);
      const ClosedBasis basis(axis, closed_tables(axis), 1, 0, host);
      const FourierView& fourier = basis.fourier();
      Line given(n);
      for (std::size_t i = 0; i < given.values.size(); ++i) given.values[i] = std::sin(static_cast<double>(i * i));
      std::vector<double> one(static_cast<std::size_t>(2 * fourier.size));
      const ClosedLine<double, Alone> whole{fourier, basis.view(), {one.data(), one.data() + fourier.size, 1}, {}};
      Line modes(n), unknowns(n);
      whole.analyze(given.pair(), modes.pair());
      whole.synthesize(modes.pair(), unknowns.pair());
      for (int outer = 0; outer <= fourier.stages; ++outer) {
        const SplitView split = split_at(fourier, outer);
        std::vector<double> work(one.size()),
            memory(static_cast<std::size_t>(2 * std::max(split.numbers_of_window(), split.numbers_of_group())));
        const SplitLine<Alone> line{split, basis.view(), work.data(), memory.data(), {}};
        Line found(n);
        for (LocalIndex w = 0; w < split.windows(); ++w) line.analyze_columns(given.pair(), w);
        for (LocalIndex g = 0; g < split.groups(); ++g) line.analyze_rows(found.pair(), g);
        ASSERT_EQ(found.values, modes.values) << n << " " << outer << " " << neumann;
        for (LocalIndex g = 0; g < split.groups(); ++g) line.synthesize_rows(found.pair(), g);
        for (LocalIndex w = 0; w < split.mirrored_windows(); ++w) line.synthesize_columns(found.pair(), w);
        ASSERT_EQ(found.values, unknowns.values) << n << " " << outer << " " << neumann;
      }
    }
}

}  // namespace
}  // namespace halocline::collocation
