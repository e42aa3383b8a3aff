#include "lib/problems/diffusion/steppers/formula_field.hpp"

namespace halocline::diffusion {

FormulaField::FormulaField(const Context& context, const UniformGrid& geometry, const Program& program,
                           const Field<double>& field)
    : field_(field), uses_t_(program.uses(3)), uses_c_(program.uses(4)) {
  for (int p = 0; p < context.team.parts(); ++p) {
    const ExecutorPtr& executor = context.team.executor(p);
    const ConvolveBlock<double>& b = field.block(p);
    memory_.push_back({CellFormula(executor, geometry, program, layout_of(b), b.first, b.halo),
                       Array<double, 1>(executor, {(b.slow_extent() + 2 * b.halo) * b.slow_stride()}),
                       b.halo * b.slow_stride()});
  }
}

const double* FormulaField::values(int part) const {
  const PartMemory& m = memory_[static_cast<std::size_t>(part)];
  return m.values.view().data + m.origin;
}

void FormulaField::evaluate(int part, double t, Index halo) {
  PartMemory& m = memory_[static_cast<std::size_t>(part)];
  const ConvolveBlock<double>& b = field_.block(part);
  const int slow = b.slow_axis();
  const Index low = b.walls[slow][0].kind == WallKind::open ? halo : 0;
  const Index high = b.walls[slow][1].kind == WallKind::open ? halo : 0;
  m.formula.evaluate(Rows{-low, b.slow_extent() + high}, t, uses_c_ ? b.c : nullptr, m.values.view().data + m.origin,
                     b.pitch, b.plane);
}

}  // namespace halocline::diffusion
