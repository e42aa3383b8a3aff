// BlackLineArchive: saves and restores vectors on black lines in the layout of line_layout.hpp, in the order of the
// mesh.
#pragma once

#include <vector>

#include "lib/krylov/krylov.hpp"
#include "lib/problems/collocation/discretization/line_layout.hpp"

namespace halocline::collocation {

// Schur: SchurOperator or BlockSchur, whose block(part) tells where the lines of a part lie.
template <class Schur>
class BlackLineArchive final : public VectorArchive<double> {
 public:
  BlackLineArchive(StateArchive& state, const Team& team, const Schur& schur)
      : state_(state), team_(team), schur_(schur) {}

  void vector(const char* name, Vector<double>& x) const override {
    const ExecutorPtr host = make_omp_executor(1);
    for (int p = 0; p < team_.parts(); ++p) {
      const LineBlock& block = schur_.block(p);
      const Index first = block.first_line / 2, count = block.lines() / 2, width = 2 * block.rows;
      const auto grouped = x.part(p);
      std::vector<double> values(static_cast<std::size_t>(grouped.size())), ordered(count * width);
      team_.executor(p)->copy_out(values.data(), grouped.data, values.size() * sizeof(double));
      const auto place = [&](Index i) { return block.offset(i / width) + i % width * lanes; };
      for (Index i = 0; i < count * width; ++i) ordered[i] = values[place(i)];
      state_.block(name, (block.last_line + 1) / 2, width, {{first}, {first + count}},
                   View<double, 1>(ordered.data(), count * width), *host);
      if (!state_.restoring()) continue;
      for (Index i = 0; i < count * width; ++i) values[place(i)] = ordered[i];
      team_.executor(p)->copy_in(grouped.data, values.data(), values.size() * sizeof(double));
    }
  }

 private:
  StateArchive& state_;
  const Team& team_;
  const Schur& schur_;
};

}  // namespace halocline::collocation
