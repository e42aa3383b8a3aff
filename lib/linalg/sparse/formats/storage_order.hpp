// StorageOrder: the order in which rows of a part are stored, and in which vectors hold the unknowns of a level.
//
// Rows are sorted by falling number of entries within windows of sigma rows. Windows are the same on any partition,
// whose parts begin at multiples of 1024 rows. The unknowns of a level take the order of its matrix, so that no product
// has to put its results elsewhere.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/sparse/dist_crs.hpp"

namespace halocline::sparse {

class StorageOrder {
 public:
  // The natural order of so many parts.
  explicit StorageOrder(int parts) : parts_(static_cast<std::size_t>(parts)) {}
  // By the lengths of the rows of `a`; sigma is 1 (the natural order) or a multiple of 32 that divides 1024.
  StorageOrder(const DistCrs& a, Index sigma);
  // That order of own rows, and behind them, for every part, more rows in the order of `more`: numbers from 0 on.
  StorageOrder(const Team& team, const StorageOrder& own, const std::vector<Index>& own_rows,
               const std::vector<std::vector<LocalIndex>>& more);

  bool natural() const { return sigma_ == 1; }
  Index sigma() const { return sigma_; }
  // Of a part, counted within the rank, in its executor's memory: where its n-th row is stored, and which row is stored
  // n-th. Null where the order is the natural one.
  const LocalIndex* place(int part) const { return natural() ? nullptr : of(part).place.view().data; }
  const LocalIndex* row_at(int part) const { return natural() ? nullptr : of(part).row_at.view().data; }
  std::vector<LocalIndex> places_on_host(int part) const;  // empty where natural

 private:
  struct Part {
    Array<LocalIndex, 1> place, row_at;
  };
  const Part& of(int part) const { return parts_[static_cast<std::size_t>(part)]; }

  Index sigma_ = 1;
  std::vector<Part> parts_;
};

using StorageOrderPtr = std::shared_ptr<const StorageOrder>;

}  // namespace halocline::sparse
