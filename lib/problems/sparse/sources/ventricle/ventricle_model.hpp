// VentricleModel: the options of a ventricle, checked.
#pragma once

#include <optional>

#include "lib/problems/sparse/sources/ventricle/ventricle_options.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle_rows_kernels.hpp"

namespace halocline::sparse {

struct VentricleModel {
  VentricleLattice lattice;
  Sigma sigma;
  double mass = 0;
  bool ground = true;
  Numbering numbering = Numbering::lattice;
};

// Nothing, with faults reported, when something is wrong.
std::optional<VentricleModel> make_ventricle_model(const VentricleOptions& options, Faults& faults);

}  // namespace halocline::sparse
