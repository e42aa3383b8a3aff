#include "lib/problems/diffusion/steppers/cell_formula.hpp"

#include <algorithm>

#include "gpu/launch.hpp"

namespace halocline::diffusion {

namespace {

template <class T>
Array<T, 1> placed(const ExecutorPtr& executor, std::span<const T> values) {
  return make_array(executor, std::vector<T>(values.begin(), values.end()));
}

}  // namespace

CellFormula::CellFormula(const ExecutorPtr& executor, const UniformGrid& geometry, const Program& program,
                         const CellLayout& cells, Index first, Index halo, FormulaPath path)
    : executor_(executor), program_(program), cells_(cells), halo_(halo), by_points_(by_points(*executor, path)) {
  const int slow = cells.dimensions - 1;
  for (int axis = 0; axis < 3; ++axis) {
    const Index all = geometry.extent[axis], margin = axis == slow ? halo : 0, start = axis == slow ? first : 0;
    std::vector<double> at;
    for (Index i = -margin; i < cells.extent[axis] + margin; ++i) {
      const Index wrapped = ((start + i) % all + all) % all;  // of the halo of a periodic axis
      at.push_back(axis < geometry.dimensions ? geometry.coordinate(axis, wrapped) : 0);
    }
    coordinates_[axis] = make_array(executor, at);
  }
  if (by_points_) {
    make_points();
    return;
  }
  instructions_ = placed(executor, program.instructions());
  constants_ = placed(executor, program.constants());
  results_ = placed(executor, program.results());
  width_ = static_cast<int>(std::clamp<Index>(cells.extent[0], 2, EvaluateProgram::block));
  scratch_ = Array<double, 1>(executor, {executor->threads() * EvaluateFormula<float>::scratch_of(
                                                                   program.register_count(), width_, cells.extent[0])});
}

const double* CellFormula::at(int axis) const {
  return coordinates_[axis].view().data + (axis == cells_.dimensions - 1 ? halo_ : 0);
}

// Lines of points are rows of cells; in 2D the slow axis is y, in 3D z.
void CellFormula::make_points() {
  using Source = PointInput::Source;
  const PointInput inputs[5] = {{at(0), 1, 0, 0},
                                {at(1), 0, 1, 0},
                                {at(2), 0, 0, 1},
                                {nullptr, 0, 0, 0, Source::number},
                                {nullptr, 1, cells_.pitch, cells_.plane, Source::field}};
  on_points_ = PointProgram(executor_, program_, inputs);
}

template <class T>
void CellFormula::evaluate(Rows rows, double t, const double* c, T* out, Index pitch, Index plane) {
  if (!by_points_) return evaluate_rows(rows, t, c, out, pitch, plane);
  const bool deep = cells_.dimensions == 3;
  const Index count = rows.hi - rows.lo, across = cells_.extent[0];
  const PointRange range =
      deep ? PointRange{count, cells_.extent[1], across, rows.lo} : PointRange{1, count, across, 0, rows.lo};
  on_points_.evaluate<T>(range, {out + rows.lo * (deep ? plane : pitch), 0, pitch, plane}, {t, c});
}

template <class T>
void CellFormula::evaluate_rows(Rows rows, double t, const double* c, T* out, Index pitch, Index plane) {
  ProgramView view = program_.view();
  view.instructions = instructions_.view().data;
  view.constants = constants_.view().data;
  view.results = results_.view().data;
  const Index workers = executor_->threads();
  const Index cells = (rows.hi - rows.lo) * cells_.inner() * cells_.extent[0];
  const double bytes = static_cast<double>(cells) * (sizeof(T) + (c ? sizeof(double) : 0));
  launch_on_host(*executor_, {"formula by rows", bytes}, Range<1>{{0}, {workers}},
                 EvaluateFormula<T>{view, cells_, at(0), at(1), at(2), t, c, out, pitch, plane, rows,
                                    scratch_.view().data, workers, width_});
}

template void CellFormula::evaluate(Rows, double, const double*, double*, Index, Index);
template void CellFormula::evaluate(Rows, double, const double*, float*, Index, Index);

}  // namespace halocline::diffusion
