// Body that adds what came back from ghosts; see ghost_exchange.hpp.
#pragma once

#include "lib/base/atomics.hpp"

namespace halocline::amg {

// A row may be a ghost of several parts.
struct AddToPlacesBody {
  const Index* places;
  const LocalIndex* added;
  LocalIndex* values;
  HALOCLINE_HD void operator()(Index n) const {
    if (added[n] != 0) atomic_add(values + places[n], added[n]);
  }
};

}  // namespace halocline::amg
