#include "lib/problems/collocation/newton/newton_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/linalg/largest_size.hpp"
#include "lib/problems/collocation/formulas/placed_sides.hpp"

namespace halocline::collocation {

NewtonSystem::NewtonSystem(const Context& context, const Formulation& problem, const std::vector<NodalBlock>& blocks,
                           const VectorSpacePtr& space)
    : context_(context),
      problem_(problem),
      linear_(context, problem, blocks, space, Scaling::none),
      lines_(context.comm, context.team, blocks, false),
      u_(lines_.vectors()),
      halo_(lines_.halo<double>(1, 1)) {
  for (int p = 0; p < context.team.parts(); ++p)
    parts_.emplace_back(context.team.executor(p), problem, linear_.parts[p].equations, context.all_threads());
}

void NewtonSystem::residual(const Vector<double>& v, Vector<double>& minus) {
  const auto scope = context_.team.scope("nonlinear residual");
  const int parts = context_.team.parts();
  for (int p = 0; p < parts; ++p) {
    copy_part(v, p, u_.part(p).data);
    add_sides(context_.team.executor(p), problem_.boundary, lines_.block(p), 1, u_.part(p).data);
  }
  halo_.exchange(u_);
  for (int p = 0; p < parts; ++p) {
    parts_[p].set_state(lines_.lines(u_, p));
    parts_[p].residual(minus.part(p).data);
  }
  combine(-1, minus, 0, 0, minus, minus);
}

void NewtonSystem::linearize() {
  const auto scope = context_.team.scope("linearize");
  for (StatePart& part : parts_) part.linearize();
}

double NewtonSystem::relative_residual(const Vector<double>& minus) {
  Vector<double> right_side(minus.space_pointer());
  for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].right_side(right_side.part(static_cast<int>(p)).data);
  const auto [largest, given] = std::pair(largest_size(minus), largest_size(right_side));
  return given > 0 ? largest / given : largest;
}

}  // namespace halocline::collocation
