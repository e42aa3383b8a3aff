#include "lib/problems/collocation/nodal_solver.hpp"

#include "lib/problems/collocation/formulas/right_hand_side.hpp"

namespace halocline::collocation {

void NodalArchive::vector(const char* name, Vector<double>& x) const {
  const Team& team = x.space().team();
  for (int p = 0; p < team.parts(); ++p) {
    const NodalBlock& block = blocks_[p];
    state_.block(name, block.all_lines(), block.line_size(), {{block.first_line}, {block.end_line}}, x.part(p),
                 *team.executor(p));
  }
}

std::vector<NodalBlock> nodal_blocks(const Context& context, const Formulation& problem) {
  std::vector<NodalBlock> blocks;
  for (int p = 0; p < context.team.parts(); ++p) {
    const Range<1> lines = context.own(p);
    blocks.push_back(nodal_block(lines, problem.x, problem.y));
  }
  return blocks;
}

void load_right_hand_side(const Context& context, const Formulation& problem, const std::vector<NodalBlock>& blocks,
                          Vector<double>& b) {
  const Team& team = context.team;
  std::optional<GaussPoint> bad;
  for (int p = 0; p < team.parts(); ++p)
    right_hand_side(team.executor(p), problem, blocks[p], context.all_threads(), b.part(p).data, bad);
  require_finite(context.comm, problem, bad);
}

NodalSystem::NodalSystem(const Context& context, const Formulation& problem, const std::vector<NodalBlock>& blocks,
                         const VectorSpacePtr& space, Scaling scaling) {
  const int threads = context.all_threads();
  for (int p = 0; p < context.team.parts(); ++p) {
    const ExecutorPtr& executor = context.team.executor(p);
    if (scaling == Scaling::rows) {
      parts.push_back(scaled_equations(problem, blocks[p], executor, threads));
    } else {
      parts.push_back({Equations<double>(problem, problem.x, problem.y, blocks[p], executor, threads), {}});
    }
  }
  for (const ScaledEquations& part : parts) equations.push_back(&part.equations);
  product = std::make_unique<NodalOperator>(space, equations, problem.x, problem.y);
}

void NodalSystem::scale(Vector<double>& b) const {
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].scaling.apply(b.part(static_cast<int>(p)));
}

NodalSolver::NodalSolver(const Context& context, const Formulation& problem)
    : context_(context),
      problem_(problem),
      blocks_(nodal_blocks(context, problem)),
      space_(nodal_vector_space(context.comm, context.team, blocks_)),
      b_(space_),
      x_(space_) {
  load_right_hand_side(context, problem, blocks_, b_);
}

void NodalIteration::archive(StateArchive& state) {
  if (state.restoring()) begin();
  const NodalArchive lines(state, blocks_);
  krylov_->archive(state, lines);
  lines.vector(archived_x_, x_);
}

}  // namespace halocline::collocation
