#include "lib/problems/diffusion/steppers/known_values.hpp"

#include "gpu/launch.hpp"

namespace halocline::diffusion {

namespace {

// Of a known solution of cells.
template <class T, class Cell>
ErrorSums errors_of_cells(const SlabField<T>& field, const Cell& cell, FormulaPath path) {
  const auto known = [&](int p) -> KnownRows {
    const SlabLayout& slab = field.layout(p);
    const Executor& executor = *field.slabs().team().executor(p);
    return [&slab, &executor, cell](SlabRows rows, double* to) {
      launch(executor, "known solution", Range<2>{{0, 0}, {(rows.hi - rows.lo) * slab.inner(), slab.extent[0]}},
             FillKnown<Cell>{cell, slab, rows.lo, to});
    };
  };
  return errors_against<T>(field, known, path);
}

}  // namespace

template <class T>
ErrorSums errors_of(const SlabField<T>& field, const KnownSolution& known, FormulaPath path) {
  if (const auto* formula = std::get_if<FormulaAtTime>(&known))
    return formula_errors(field, *formula->program, formula->t, path);
  if (const auto* cell = std::get_if<CarburizingCell>(&known)) return errors_of_cells(field, *cell, path);
  return errors_of_cells(field, std::get<BenchmarkCell>(known), path);
}

template ErrorSums errors_of(const SlabField<double>&, const KnownSolution&, FormulaPath);
template ErrorSums errors_of(const SlabField<float>&, const KnownSolution&, FormulaPath);

}  // namespace halocline::diffusion
