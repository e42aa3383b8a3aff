#include "lib/problems/sparse/sources/box/box_options.hpp"

namespace halocline::sparse {

namespace {

constexpr double most_cells = 1e6;  // along an axis
// `manufactured` stands for a formula; the plan refuses it inside of one.
constexpr std::array<const char*, 5> source_names{"x", "y", "z", "t", "manufactured"};

}  // namespace

void BoxGridOptions::describe(Describer& d) {
  d.item({"size", "length", "Lengths along x, y and, in 3D, z."}, size, Bounds::positive());
  d.item({"cells", "1", "Numbers of cells along the axes: unknowns in the cells, walls half a cell away."}, cells,
         Bounds::between(1, most_cells));
  d.item({"points", "1", "Instead of cells, numbers of inner points: n of spacing size/(n + 1), walls one away."},
         points, Bounds::between(1, most_cells));
  d.item({"origin", "length", "Coordinates of the low corner; 0 if left out."}, origin);
}

void BoxSideOptions::describe(Describer& d) {
  d.choice({"kind", "", "dirichlet: u is given; neumann: k du/dn, n outward.", true}, kind);
  d.formula({"value", "1", "What `kind` names, on the side; required unless the source is manufactured."}, value,
            variables);
}

void BoxSidesOptions::describe(Describer& d) {
  static constexpr std::array<const char*, 6> help{"Side of lowest x.",  "Side of highest x.", "Side of lowest y.",
                                                   "Side of highest y.", "Side of lowest z.",  "Side of highest z."};
  for (std::size_t side = 0; side < help.size(); ++side)
    sides[side].given = d.group({side_names[side], "", help[side]}, sides[side]);
  sides[6].given = d.group({"rest", "", "All sides not named."}, sides[6]);
}

const BoxSideOptions* BoxSidesOptions::of(std::size_t side) const {
  if (sides[side].given) return &sides[side];
  return sides[6].given ? &sides[6] : nullptr;
}

void RandomOptions::describe(Describer& d) {
  d.choice({"kind", "", "k times 1 or 10^decades by cubes (jump), or 10^(decades g/3) by cells, g normal (lognormal).",
            true},
           kind);
  d.item({"decades", "1", "How far k varies.", true}, decades, Bounds::between(0, 300));
  d.item({"block", "1", "jump: cells along the edge of a cube."}, block, Bounds::between(1, 1e6));
  d.item({"seed", "1", "Another one gives another medium."}, seed, Bounds::between(0, 1e15));
}

void BoxOptions::describe(Describer& d) {
  d.group({"grid", "", "Uniform grid.", true}, grid);
  d.formula({"k", "1", "Conductivity, positive; required by stencil fv."}, k, variables);
  d.item({"anisotropy", "1", "Factors of k along the axes, as {z: 1e-3}; 1 if left out."}, anisotropy, axis_names,
         Bounds::positive());
  d.formulas({"velocity", "", "[vx, vy, vz], free of divergence: adds v . grad u, upwind."}, velocity);
  d.formula({"reaction", "1", "c of c u; 0 if left out."}, reaction, variables);
  d.formula({"source", "1", "q, or the word manufactured: q and side values from verify.exact; 0 if left out."}, source,
            source_names);
  d.choice({"stencil", "",
            "fv: finite volumes; hpcg: 26 and -1 on 27 points (in 2D 8 and -1 on 9), right side its row "
            "sums."},
           stencil);
  random.given = d.group({"random", "", "A random medium: factors of k."}, random);
  d.group({"sides", "", "Boundary conditions; required by stencil fv."}, sides);
}

void BoxOptions::refine(int factor) {
  for (double& n : grid.cells) n *= factor;
  for (double& n : grid.points) n = factor * (n + 1) - 1;
  random.block *= factor;  // cubes keep their size
}

}  // namespace halocline::sparse
