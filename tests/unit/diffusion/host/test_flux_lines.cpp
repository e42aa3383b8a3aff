// Steps in flux form line by line: with formulas evaluated in the pass the bits of the same step with their values in
// arrays, and these the bits of cells by themselves; for any walls, shape and means, and however lines are shared out.
#include <gtest/gtest.h>

#include "lib/fields/row_program_kernels.hpp"
#include "lib/fields/slab_formula.hpp"
#include "lib/problems/diffusion/steppers/flux_line_kernels.hpp"
#include "tests/unit/diffusion/host/random_flux.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline::diffusion {
namespace {

constexpr const char* variables[] = {"x", "y", "z", "t", "c"};

Program program_of(const std::string& text) {
  const Scope scope(variables);
  const Expression expression = scope.parse(test::formula(text));
  return Program({&expression, 1}, 5);
}

struct Step {
  std::vector<double> state, records;
  bool operator==(const Step&) const = default;
};

template <FaceMean M, int Dimensions>
class Case {
 public:
  Case(const RandomShape& s, unsigned seed) : flux_(s, seed), b_(flux_.part.block) {
    if (M == FaceMean::constant) flux_.terms.D = nullptr;
  }
  void check() {
    const Step by_cells = this->by_cells();
    for (const Index workers : {1, 3}) EXPECT_EQ(by_lines({b_, flux_.terms}, workers), by_cells) << workers;
    if (::testing::Test::HasFailure()) return;
    check_formulas();
  }

 private:
  using Lines = FluxLines<M, Dimensions>;

  void check_formulas() {
    const ExecutorPtr executor = make_omp_executor(1);
    UniformGrid grid;
    grid.dimensions = Dimensions;
    for (int axis = 0; axis < Dimensions; ++axis) grid.extent[axis] = b_.extent[axis], grid.spacing[axis] = 0.1;
    const Program D_program = program_of("1 + c^2 + 0.1*x*y + t"), source_program = program_of("sin(c) - z*t");
    SlabFormula D(executor, grid, D_program, b_), source(executor, grid, source_program, b_);
    constexpr double t = 0.3;
    Bits largest = 0, noted = 0;
    const int one[3] = {1, 1, 1};
    const SlabBox all = box_of_level(b_, one, b_.box(b_.rows()), 0, 2);
    std::vector<double> sources(flux_.D.size());
    const auto skip = b_.origin();
    D.evaluate_on<double>(all, t, b_.c, {flux_.D.data() + skip, b_.pitch, b_.plane}, {.to = &largest});
    source.evaluate<double>(b_.rows(), t, b_.c, {sources.data() + skip, b_.pitch, b_.plane});
    executor->synchronize();
    flux_.terms.source = sources.data() + skip;
    const Step expected = by_lines({b_, flux_.terms}, 1);

    FluxTerms without = flux_.terms;
    without.D = without.source = nullptr;
    Lines lines{b_, without};
    if (M != FaceMean::constant) lines.D = D.lines(t, b_.c), lines.largest.to = &noted;
    lines.source = source.lines(t, b_.c);
    lines.registers = std::max(D_program.register_count(), source_program.register_count());
    for (const Index workers : {1, 4}) EXPECT_EQ(by_lines(lines, workers), expected) << workers << " workers, formulas";
    if (M == FaceMean::constant || b_.rim == 0) {
      EXPECT_EQ(noted, M == FaceMean::constant ? 0 : largest);
    } else {
      EXPECT_TRUE(noted > 0 && noted <= largest);  // no step reads all corners of halos
    }
  }

  Step by_cells() {
    return step([&] {
      for (Index z = 0; z < b_.extent[2]; ++z)
        for (Index y = 0; y < b_.extent[1]; ++y)
          for (Index x = 0; x < b_.extent[0]; ++x)
            b_.next[b_.offset(z, y, x)] = flux::update_at_wall<M, Dimensions>(b_, flux_.terms, z, y, x);
    });
  }
  Step by_lines(Lines lines, Index workers) {
    lines.workers = workers;
    lines.scratch_each = Lines::scratch_of(b_, lines.registers);
    std::vector<double> scratch(static_cast<std::size_t>(workers * lines.scratch_each), -1e300);
    lines.scratch = scratch.data();
    return step([&] {
      for (const SlabBox& piece : flux_.part.pieces()) {
        lines.cells = piece;
        for (Index w = 0; w < workers; ++w) lines(w);
      }
    });
  }
  template <class Make>
  Step step(const Make& make) {
    flux_.part.clear_records();
    std::fill(b_.next, b_.next + b_.slow_extent() * b_.slow_stride(), -1.0);
    make();
    return {flux_.part.result(), flux_.part.records()};
  }

  RandomFlux flux_;
  ConvolveBlock<double>& b_;
};

template <FaceMean M>
void check(const RandomShape& s, unsigned seed) {
  s.dimensions == 3 ? Case<M, 3>(s, seed).check() : Case<M, 2>(s, seed).check();
}

TEST(FluxLines, EqualCellsAndFormulasBefore) {
  std::mt19937 random(1);
  const auto draw = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
  for (unsigned n = 0; n < 60; ++n) {
    RandomShape s;
    s.dimensions = n % 2 == 0 ? 2 : 3;
    s.kind = s.dimensions == 2 ? MaskKind::star5 : MaskKind::star7;
    // Lines of one piece, of several, and tiles of several lines.
    s.extent[0] = n % 5 < 2 ? draw(500, 1100) : draw(1, 70);
    s.extent[1] = draw(1, n % 5 < 2 ? 20 : 40);
    s.extent[2] = s.dimensions == 2 ? 1 : draw(1, 12);
    draw_sides(s, draw);
    SCOPED_TRACE(testing::Message() << "case " << n << ": " << s.extent[0] << " x " << s.extent[1] << " x "
                                    << s.extent[2]);
    switch (n % 3) {
      case 0:
        check<FaceMean::constant>(s, n);
        break;
      case 1:
        check<FaceMean::harmonic>(s, n);
        break;
      default:
        check<FaceMean::arithmetic>(s, n);
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace halocline::diffusion
