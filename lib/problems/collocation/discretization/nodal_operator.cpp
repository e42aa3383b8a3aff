#include "lib/problems/collocation/discretization/nodal_operator.hpp"

#include "lib/problems/collocation/discretization/nodal_problem.hpp"
#include "lib/problems/collocation/discretization/residual.hpp"

namespace halocline::collocation {

// The neighbors' nearest lines, zeros beyond the mesh.
struct NodalOperator::Part {
  NodalProblem<double> problem;
  Array<double, 1> ghosts;
};

NodalOperator::~NodalOperator() = default;

NodalOperator::NodalOperator(VectorSpacePtr space, std::vector<const Equations<double>*> equations, const Axis& x,
                             const Axis& y)
    : space_(std::move(space)) {
  const Team& team = space_->team();
  std::vector<Index> lines;
  for (int p = 0; p < team.parts(); ++p) {
    const EquationView<double>& view = equations[p]->view();
    const Index size = view.block.line_size();
    parts_.push_back(std::make_unique<Part>(
        Part{nodal_problem(view, x, y),
             make_array(team.executor(p), std::vector<double>(static_cast<std::size_t>(2 * size), 0.0))}));
    received_.push_back(parts_.back()->ghosts.view());
    lines.push_back(view.block.lines());
  }
  owned_.resize(parts_.size());
  const Index size = equations[0]->view().block.line_size();
  if (team.total_parts() > 1)
    halo_ = std::make_unique<Halo<double>>(space_->comm(), team,
                                           nodal_edge_links(team, lines, size, equations[0]->view().block.periodic_x));
}

void NodalOperator::apply(const Vector<double>& x, Vector<double>& y) const { run(nullptr, x, y); }

void NodalOperator::residual(const Vector<double>& b, const Vector<double>& x, Vector<double>& r) const {
  run(&b, x, r);
}

void NodalOperator::run(const Vector<double>* b, const Vector<double>& x, Vector<double>& y) const {
  require(&x != &y, "NodalOperator: x and y must differ");
  const Team& team = space_->team();
  const auto lines = [&](int p, Index begin, Index end) {
    const Part& own = *parts_[p];
    const NodalBlock& block = own.problem.view.block;
    const double *ghosts = own.ghosts.view().data, *first = x.part(p).data;
    const NodalLines<double> u{first, block.wraps_x() ? first + block.size() - block.line_size() : ghosts,
                               block.wraps_x() ? first : ghosts + block.line_size(), block.lines(), block.line_size()};
    launch_residual(*team.executor(p), {{begin}, {end}},
                    ResidualBody<double>{own.problem, u, b ? b->part(p).data : nullptr, y.part(p).data});
  };
  if (!halo_) return team.each([&](int p) { lines(p, 0, parts_[p]->problem.view.block.lines()); });
  for (int p = 0; p < team.parts(); ++p) owned_[p] = x.part(p);
  halo_->start(owned_);
  team.each([&](int p) { lines(p, 1, parts_[p]->problem.view.block.lines() - 1); });
  halo_->finish(received_);
  team.each([&](int p) {
    const Index count = parts_[p]->problem.view.block.lines();
    lines(p, 0, 1);
    if (count > 1) lines(p, count - 1, count);
  });
}

}  // namespace halocline::collocation
