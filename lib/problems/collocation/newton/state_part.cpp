#include "lib/problems/collocation/newton/state_part.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/newton/state_kernels.hpp"
#include "lib/problems/collocation/nonlinear.hpp"

namespace halocline::collocation {

namespace {

// Gauss points 2 node - 1 + q of the nodes from `first` on, `count` of them; where there is none, the nearest one.
std::vector<double> points_by_node(const Axis& axis, Index first, Index count) {
  std::vector<double> points;
  for (Index q = 0; q < 2; ++q)
    for (Index i = first; i < first + count; ++i) {
      const Index g = axis.gauss_of(i, q);
      points.push_back(axis.gauss()[g >= 0 ? g : q == 0 ? 0 : axis.unknowns() - 1]);
    }
  return points;
}

bool reads(const Nonlinear& nonlinear, int variable) {
  return nonlinear.residual.uses(variable) || nonlinear.jacobian.uses(variable) || nonlinear.right_side.uses(variable);
}

}  // namespace

StatePart::StatePart(const ExecutorPtr& executor, const Formulation& problem, Equations<double>& equations, int threads,
                     FormulaPath path)
    : executor_(with_threads(executor, threads)),
      equations_(equations),
      block_(equations.block()),
      by_points_(by_points(*executor, path)),
      x_(make_array(executor_, points_by_node(problem.x, block_.first_line, block_.lines()))),
      y_(make_array(executor_, points_by_node(problem.y, 0, block_.nodes()))) {
  for (std::size_t k = 0; k < derivatives_.size(); ++k)
    if (reads(*problem.nonlinear, state_of[k])) derivatives_[k] = Array<double, 1>(executor_, {block_.size()});
  residual_ = evaluator(problem.nonlinear->residual);
  jacobian_ = evaluator(problem.nonlinear->jacobian);
  right_side_ = evaluator(problem.nonlinear->right_side);
}

int StatePart::vectors(const Nonlinear& nonlinear) {
  int count = 0;
  for (const int variable : state_of) count += reads(nonlinear, variable) ? 1 : 0;
  return count;
}

StatePart::Evaluator StatePart::evaluator(const Program& program) const {
  Evaluator made;
  for (int c = 0; c < 4; ++c) {
    std::vector<PointInput> inputs(static_cast<std::size_t>(state_count));
    inputs[0] = {x_.view().data + c % 2 * block_.lines(), 0, 1, 0};
    inputs[1] = {y_.view().data + c / 2 * block_.nodes(), 1, 0, 0};
    for (std::size_t k = 0; k < derivatives_.size(); ++k)
      if (derivatives_[k].size() > 0)
        inputs[static_cast<std::size_t>(state_of[k])] = {derivatives_[k].view().data + block_.place(c, 0), 1,
                                                         block_.line_size(), 0};
    if (by_points_) {
      made.points[c] = PointProgram(executor_, program, inputs);
    } else {
      made.rows[c] = RowProgram(executor_, program, inputs);
    }
  }
  return made;
}

void StatePart::evaluate(Evaluator& evaluator, const Target& to) const {
  for (int c = 0; c < 4; ++c) {
    const int qx = c % 2, qy = c / 2;
    const Index first = block_.on_x_min(block_.first_line) && qx == 0 ? 1 : 0;
    const Index node = qy == 0 && !block_.periodic_y ? 1 : 0;
    const Index end = block_.on_x_max(block_.end_line - 1) && qx == 1 ? block_.lines() - 1 : block_.lines();
    if (first >= end) continue;
    const Index line = to.results * block_.line_size();
    const PointRange range{1, end - first, block_.ny, 0, first, 1, node};
    const PointTarget<double> target{to.data + first * line + block_.place(c, node), block_.line_size(), line, 0};
    if (by_points_) {
      evaluator.points[c].evaluate(range, target);
    } else {
      evaluator.rows[c].evaluate(range, target);
    }
  }
}

void StatePart::set_state(const NodalLines<double>& u) {
  DerivativesAtEquations body{equations_.view(), u, {}};
  int wanted = 0;
  for (std::size_t k = 0; k < derivatives_.size(); ++k)
    if (derivatives_[k].size() > 0) {
      body.to[k] = derivatives_[k].view().data;
      ++wanted;
    }
  launch(*executor_, {"derivatives at points", static_cast<double>((1 + wanted) * block_.size()) * sizeof(double)},
         Range<2>{{0, 0}, {block_.lines(), block_.nodes()}}, body);
}

}  // namespace halocline::collocation
