#include "gpu/launch.hpp"
#include "lib/problems/collocation/separable/fitted.hpp"
#include "lib/problems/collocation/separable/separable.hpp"

namespace halocline::collocation {

namespace {

struct ScaleBody {
  const double* f;
  const double* inverse_scale;
  double* to;
  HALOCLINE_HD void operator()(Index i) const { to[i] = f[i] * inverse_scale[i]; }
};

std::vector<NodalBlock> blocks_of(const std::vector<const Equations<double>*>& equations) {
  std::vector<NodalBlock> blocks;
  for (const Equations<double>* part : equations) blocks.push_back(part->block());
  return blocks;
}

}  // namespace

FittedInverse::FittedInverse(VectorSpacePtr space, const Axis& x, const Axis& y,
                             const std::vector<const Equations<double>*>& equations, int threads)
    : space_(std::move(space)), scaled_(space_) {
  const Team& team = space_->team();
  const FittedTerms fitted = fit_terms(space_->comm(), team, equations, threads);
  for (int p = 0; p < team.parts(); ++p)
    inverse_scale_.push_back(make_array(team.executor(p), fitted.inverse_scale[p]));
  const std::size_t points = fitted.px.size();
  const AxisOperator terms{fitted.px, std::vector<double>(points, 0.0), std::vector<double>(points, fitted.eta0)};
  separable_ = make_separable_inverse(space_->comm(), team, blocks_of(equations), x, y, terms, fitted.py, threads);
}

void FittedInverse::apply(const Vector<double>& f, Vector<double>& x) const {
  const Team& team = space_->team();
  team.each([&](int p) {
    const auto from = f.part(p);
    launch(*team.executor(p), "scale equations", Range<1>{{0}, {from.size()}},
           ScaleBody{from.data, inverse_scale_[p].view().data, scaled_.part(p).data});
  });
  separable_->apply(scaled_, x);
}

}  // namespace halocline::collocation
