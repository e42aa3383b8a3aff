// ColumnSpace: vectors that hold the columns of a matrix, with room for its ghosts; GhostExchange fills them.
#pragma once

#include "lib/linalg/sparse/formats/storage_order.hpp"
#include "lib/linalg/vector_halo.hpp"

namespace halocline::sparse {

class ColumnSpace {
 public:
  // `order`: in which vectors hold the columns. Collective.
  ColumnSpace(const DistCrs& a, const StorageOrder& order);

  // Chunks of 1024 rows; ghosts lie in front of and behind the own columns.
  const VectorSpacePtr& space() const { return space_; }
  const Links& links() const { return links_; }
  // What belongs to local column 0 of a part.
  template <class T>
  const T* columns(const Vector<T>& x, int part) const {
    return x.whole(part).data + shift_[static_cast<std::size_t>(part)];
  }

 private:
  VectorSpacePtr space_;
  Links links_;
  std::vector<Index> shift_;
};

// A space of vectors without ghosts for these rows, in chunks of 1024.
VectorSpacePtr vector_space(const RowSpace& rows);

}  // namespace halocline::sparse
