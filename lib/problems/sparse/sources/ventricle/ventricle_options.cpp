#include "lib/problems/sparse/sources/ventricle/ventricle_options.hpp"

namespace halocline::sparse {

void VentricleOptions::describe(Describer& d) {
  d.item({"h", "cm", "Spacing of the lattice of nodes.", true}, h, Bounds::between(0.004, 1));
  d.item({"conductivity", "", "bidomain, mono or iso, or [along fibers, across]; see docs/sparse.md."}, conductivity);
  d.item({"ground", "", "u = 0 near the apex; without it the matrix is singular."}, ground);
  d.item({"mass", "1", "This times the mass matrix is added."}, mass, Bounds::at_least(0));
  d.choice({"numbering", "", "Order of the nodes: along the lattice, along a Morton curve of blocks, at random."},
           numbering);
  d.item({"seed", "1", "Another one gives another mesh."}, seed, Bounds::between(0, 1e15));
}

void VentricleOptions::refine(int factor) { h /= factor; }

}  // namespace halocline::sparse
