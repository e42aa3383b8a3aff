#include "lib/problems/diffusion/steppers/formula_field.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/problems/diffusion/steppers/formula_kernels.hpp"

namespace halocline::diffusion {

namespace {

constexpr Index most_gpu_workers = Index{1} << 18;  // enough to fill any; bounds the scratch memory

template <class T>
Array<T, 1> placed(const ExecutorPtr& executor, std::span<const T> values) {
  return make_array(executor, std::vector<T>(values.begin(), values.end()));
}

}  // namespace

FormulaField::FormulaField(const Context& context, const Geometry& geometry, const Program& program,
                           const Field<double>& field)
    : context_(context),
      geometry_(geometry),
      program_(program),
      field_(field),
      uses_t_(program.uses(3)),
      uses_c_(program.uses(4)) {
  for (int p = 0; p < context.team.parts(); ++p) memory_.push_back(make(p));
}

FormulaField::PartMemory FormulaField::make(int part) const {
  const ExecutorPtr& executor = context_.team.executor(part);
  const ConvolveBlock<double>& b = field_.block(part);
  const int slow = b.slow_axis();
  PartMemory m;
  m.instructions = placed(executor, program_.instructions());
  m.constants = placed(executor, program_.constants());
  m.results = placed(executor, program_.results());
  m.margin = b.halo;
  for (int axis = 0; axis < 3; ++axis) {
    const Index cells = geometry_.cells[axis], margin = axis == slow ? m.margin : 0;
    const Index first = axis == slow ? b.first : 0;
    std::vector<double> at;
    for (Index i = -margin; i < b.extent[axis] + margin; ++i) {
      const Index wrapped = ((first + i) % cells + cells) % cells;  // of the halo of a periodic axis
      at.push_back(axis < geometry_.dimensions ? geometry_.center(axis, wrapped) : 0);
    }
    m.coordinates[axis] = make_array(executor, at);
  }
  m.origin = b.halo * b.slow_stride();
  m.values = Array<double, 1>(executor, {(b.slow_extent() + 2 * b.halo) * b.slow_stride()});
  const Index cells = b.extent[0] * b.extent[1] * b.extent[2];
  const bool gpu = executor->backend() == Backend::cuda;
  m.workers = gpu ? std::min(cells, most_gpu_workers) : executor->threads();
  m.width = gpu ? 1 : static_cast<int>(std::clamp<Index>(b.extent[0], 2, EvaluateProgram::block));
  m.scratch = Array<double, 1>(executor, {m.workers * program_.register_count() * m.width});
  return m;
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
  const auto at = [&](int axis) { return m.coordinates[axis].view().data + (axis == slow ? m.margin : 0); };
  ProgramView view = program_.view();
  view.instructions = m.instructions.view().data;
  view.constants = m.constants.view().data;
  view.results = m.results.view().data;
  const EvaluateFormula body{view,
                             b,
                             at(0),
                             at(1),
                             at(2),
                             t,
                             uses_c_ ? b.c : nullptr,
                             m.values.view().data + m.origin,
                             {-low, b.slow_extent() + high},
                             m.scratch.view().data,
                             m.workers,
                             m.width};
  launch(*context_.team.executor(part), "formula", Range<1>{{0}, {m.workers}}, body);
}

}  // namespace halocline::diffusion
