// GhostExchange: brings numbers per row of a level to the parts that have the row as a ghost, and back, for set-up.
#pragma once

#include <vector>

#include "lib/base/array.hpp"
#include "lib/linalg/sparse/dist_crs.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::amg {

// A number for every local column of a square matrix: ghosts below, own rows, ghosts above. An array per part.
template <class T>
class LocalValues {
 public:
  // Uninitialized.
  explicit LocalValues(const sparse::DistCrs& a) {
    for (int p = 0; p < a.team().parts(); ++p) {
      parts_.emplace_back(a.team().executor(p), std::array<Index, 1>{a.local_columns(p)});
      below_.push_back(a.ghosts(p).below);
    }
  }
  T* data(int part) { return parts_[static_cast<std::size_t>(part)].view().data; }
  const T* data(int part) const { return parts_[static_cast<std::size_t>(part)].view().data; }
  // From the first own row on.
  T* own(int part) { return data(part) + below_[static_cast<std::size_t>(part)]; }
  const T* own(int part) const { return data(part) + below_[static_cast<std::size_t>(part)]; }
  View<T, 1> view(int part) { return parts_[static_cast<std::size_t>(part)].view(); }
  std::vector<T> to_host(int part) const { return parts_[static_cast<std::size_t>(part)].to_host(); }

 private:
  std::vector<Array<T, 1>> parts_;
  std::vector<Index> below_;
};

// Of T = std::int32_t, std::int64_t, double.
template <class T>
class GhostExchange {
 public:
  // Among the local columns of `a`. Exchanges nothing where no part has ghosts.
  // Collective, as everything here.
  explicit GhostExchange(const sparse::DistCrs& a);

  // Ghosts get what the owners of their rows have.
  void forward(LocalValues<T>& values);

 private:
  const Team* team_;
  std::unique_ptr<Halo<T>> halo_;
};

// The way back, for counts and marks.
class GhostReturn {
 public:
  explicit GhostReturn(const sparse::DistCrs& a);

  // What ghosts have is added to the numbers of the owners, integers in any order.
  void add(LocalValues<LocalIndex>& values);

 private:
  const Team* team_;
  std::unique_ptr<Halo<LocalIndex>> halo_;
  std::vector<Array<LocalIndex, 1>> buffers_;  // of every part: what arrives
  std::vector<Array<Index, 1>> places_;        // and whose it is, by local columns
};

}  // namespace halocline::amg
