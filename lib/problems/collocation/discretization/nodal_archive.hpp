// NodalArchive: saves and restores vectors in the layout of nodal_layout.hpp line by line, in the order of the mesh.
#pragma once

#include "lib/krylov/krylov.hpp"
#include "lib/problems/collocation/discretization/nodal_layout.hpp"

namespace halocline::collocation {

class NodalArchive final : public VectorArchive<double> {
 public:
  NodalArchive(StateArchive& state, const std::vector<NodalBlock>& blocks) : state_(state), blocks_(blocks) {}

  void vector(const char* name, Vector<double>& x) const override {
    const ExecutorPtr host = make_omp_executor(1);
    const Team& team = x.space().team();
    for (int p = 0; p < team.parts(); ++p) {
      const NodalBlock& block = blocks_[p];
      const auto there = x.part(p);
      std::vector<double> values(static_cast<std::size_t>(there.size()));
      team.executor(p)->copy_out(values.data(), there.data, values.size() * sizeof(double));
      state_.block(name, block.nx + 1, block.line_size(), {{block.first_line}, {block.end_line}},
                   View<double, 1>(values.data(), there.size()), *host);
      if (state_.restoring()) team.executor(p)->copy_in(there.data, values.data(), values.size() * sizeof(double));
    }
  }

 private:
  StateArchive& state_;
  const std::vector<NodalBlock>& blocks_;
};

}  // namespace halocline::collocation
