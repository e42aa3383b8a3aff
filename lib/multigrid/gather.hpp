// Gather: gives the rows of a vector that parts have computed to all parts that hold the whole vector, in one exchange
// between few, in stages of one message each between many.
#pragma once

#include <vector>

#include "lib/linalg/vector_halo.hpp"
#include "mpi/halo/moved_rows.hpp"

namespace halocline::multigrid {

template <class T>
class Gather {
 public:
  Gather() = default;  // gives nothing
  // Of vectors of `space` that hold rows of `row_size` numbers; `rows`: whose they are; `holders`: see gather_stages().
  // Collective.
  Gather(const VectorSpace& space, const Partition& rows, Index row_size, const std::vector<int>& holders = {}) {
    for (const Links& links :
         gather_stages(space.team(), rows, row_size, space.layout().room_before(0), std::span<const int>(holders)))
      stages_.emplace_back(space, links);
  }

  void exchange(const Vector<T>& x) {
    for (VectorHalo<T>& stage : stages_) stage.exchange(x);
  }
  Traffic sent() const {
    Traffic all;
    for (const VectorHalo<T>& stage : stages_) all += stage.sent();
    return all;
  }

 private:
  std::vector<VectorHalo<T>> stages_;
};

}  // namespace halocline::multigrid
