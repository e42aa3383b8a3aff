#include "lib/problems/sparse/sources/elastic/elastic_options.hpp"

namespace halocline::sparse {

void ElasticOptions::describe(Describer& d) {
  d.item({"elements", "1", "Numbers of cubes of edge 1 along x, y and z.", true}, elements, Bounds::between(1, 1e6));
  d.item({"young", "1", "Young's modulus.", true}, young, Bounds::positive());
  d.item({"poisson", "1", "Poisson's ratio.", true}, poisson, Bounds{-1, 0.5, true, true});
}

void ElasticOptions::refine(int factor) {
  for (double& n : elements) n *= factor;
}

}  // namespace halocline::sparse
