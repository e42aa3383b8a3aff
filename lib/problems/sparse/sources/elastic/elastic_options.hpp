// Keys of the matrix source `elastic_box`.
#pragma once

#include <vector>

#include "lib/base/describe.hpp"

namespace halocline::sparse {

struct ElasticOptions final : Options {
  std::vector<double> elements;
  double young = 0, poisson = 0;
  void describe(Describer& d) override;
  void refine(int factor) override;
};

}  // namespace halocline::sparse
