// Couplings: what every entry of an F-row is for its interpolation, found once for all passes that ask.
#pragma once

#include "lib/amg/setup/classical/coupling_layout.hpp"
#include "lib/amg/setup/classical/pmis.hpp"

namespace halocline::amg {

class Couplings {
 public:
  // `component`: see Strength.
  Couplings(const sparse::DistCrs& a, const Strength& strength, const Splitting& splitting,
            const LocalValues<LocalIndex>* component);

  // Of a part, counted within the rank.
  FineRows rows(int part) const;

  // How many entries of every own row are coarse, and how many fine or the center: counts, and a place behind them. To
  // be used once.
  Array<Index, 1> take_coarse_counts(int part) { return std::move(parts_[static_cast<std::size_t>(part)].coarse); }
  Array<Index, 1> take_fine_counts(int part) { return std::move(parts_[static_cast<std::size_t>(part)].fine); }

 private:
  struct Part {
    Array<Coupling, 1> coupling;
    Array<Index, 1> coarse, fine;
  };
  const sparse::DistCrs& a_;
  const Splitting& splitting_;
  std::vector<Part> parts_;
};

}  // namespace halocline::amg
