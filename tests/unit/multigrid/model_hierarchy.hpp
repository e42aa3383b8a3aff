// Hierarchies of the model problem on any number of parts, and its matrices as dense ones.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/lapack.hpp"
#include "tests/unit/multigrid/model_level.hpp"

namespace halocline::multigrid {

// n x n by columns.
struct Dense {
  explicit Dense(Index n) : n(n), values(static_cast<std::size_t>(n * n), 0.0) {}
  double& operator()(Index i, Index j) { return values[j * n + i]; }
  double operator()(Index i, Index j) const { return values[j * n + i]; }
  Index n;
  std::vector<double> values;
};

inline Dense model_matrix(const Model& model, int level) {
  Dense a(model.size(level));
  for (Index i = 0; i < a.n; ++i) {
    a(i, i) = model.diagonal(level);
    if (i > 0) a(i, i - 1) = model.below();
    if (i + 1 < a.n) a(i, i + 1) = model.above();
  }
  return a;
}

// Levels 0 .. distributed - 1 are shared out as `rows` says, the others replicated.
template <class T>
std::unique_ptr<Hierarchy<T>> model_hierarchy(const Communicator& comm, const Team& team, const Model& model,
                                              const Partition& rows, int distributed) {
  const auto starts = [&](int level) {
    std::vector<Index> all{0};
    for (int p = 0; p < rows.parts(); ++p) all.push_back(rows.block(p).hi[0] >> level);
    return all;
  };
  std::vector<std::unique_ptr<Level<T>>> levels;
  for (int l = 0; l < model.levels; ++l) {
    const Partition here = Partition::from_starts(starts(l));
    std::vector<Range<1>> share;
    for (int p = 0; p < team.parts(); ++p) share.push_back(here.block(team.first_part() + p));
    levels.push_back(std::make_unique<ModelLevel<T>>(comm, team, model, l, share, l >= distributed));
  }
  CoarsestLayout layout;
  for (Index i = 0; i < model.size(model.levels - 1); ++i) layout.equations.push_back(i);
  layout.values = layout.equations;
  auto coarsest =
      make_dense_inverse<T>(levels.back()->f().space_pointer(), layout, model_matrix(model, model.levels - 1).values);
  return std::make_unique<Hierarchy<T>>(std::move(levels), std::move(coarsest),
                                        Replication{distributed, Partition::from_starts(starts(distributed)), 1});
}

// The space of vectors that a solver has: the finest rows as they are shared out, no ghosts.
inline VectorSpacePtr solver_space(const Communicator& comm, const Team& team, const Partition& rows) {
  std::vector<Range<1>> share;
  for (int p = 0; p < team.parts(); ++p) share.push_back(rows.block(team.first_part() + p));
  return model_space(comm, team, share, 0);
}

// Gives the parts of this rank their rows of a vector, and takes them.
inline void scatter(const Partition& rows, const std::vector<double>& all, Vector<double>& x) {
  const Team& team = x.space().team();
  for (int p = 0; p < team.parts(); ++p) {
    const Range<1> own = rows.block(team.first_part() + p);
    x.assign(p, std::span<const double>(all).subspan(static_cast<std::size_t>(own.lo[0]),
                                                     static_cast<std::size_t>(own.size())));
  }
}
inline std::vector<double> own_rows(const Vector<double>& x) {
  std::vector<double> all;
  for (int p = 0; p < x.space().team().parts(); ++p)
    for (const double value : x.to_host(p)) all.push_back(value);
  return all;
}

}  // namespace halocline::multigrid
