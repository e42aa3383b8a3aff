// ReverseEntries: strong couplings a_ki of rows k that a part has as ghosts only, to its own F-rows i.
#pragma once

#include <vector>

#include "lib/amg/setup/classical/couplings.hpp"
#include "lib/amg/setup/classical/reverse_layout.hpp"

namespace halocline::amg {

class ReverseEntries {
 public:
  // Between F-points. Collective.
  ReverseEntries(const sparse::DistCrs& a, const Couplings& couplings);

  ReverseLists view(int part) const;

 private:
  struct Part {
    Array<Index, 1> ptr, row;
    Array<double, 1> value;
  };
  std::vector<Part> parts_;  // of nothing where nothing is sent
};

}  // namespace halocline::amg
