// BoxModel: the options of a box turned into what its rows are computed from, with every rule across keys checked.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "lib/expression/formula_reader.hpp"
#include "lib/expression/program.hpp"
#include "lib/problems/sparse/sources/box/box_layout.hpp"
#include "lib/problems/sparse/sources/box/box_options.hpp"
#include "lib/problems/sparse/sources/box/random_field_kernels.hpp"

namespace halocline::sparse {

// A number or a formula of (x, y, z, t), and where the deck gives it.
struct Coefficient {
  Expression expression = 0;
  std::string path = {};
  Place place = {};
  bool constant() const { return expression.is_constant(); }
  Program program() const { return Program({&expression, 1}, static_cast<int>(variables.size())); }
};

struct BoxModel {
  // -div(k grad u) + v . grad u + c u = q
  struct Side {
    SideKind kind = SideKind::dirichlet;
    Coefficient value;
  };

  BoxLayout layout;
  Stencil stencil = Stencil::fv;
  Coefficient k, reaction, source;
  double anisotropy[3] = {1, 1, 1};
  bool convection = false;
  std::array<Coefficient, 3> velocity;
  RandomField random;
  std::array<Side, 6> sides;

  bool depends_on_time() const;         // anything
  bool matrix_depends_on_time() const;  // k, v or c
  Index entries() const;
};

// "x = 0.5, y = 1" of a row.
std::string place_text(const BoxLayout& layout, Index row);

// `exact`: the known solution, if any, for source manufactured. Nothing, with faults reported, when something is wrong.
std::optional<BoxModel> make_box_model(const BoxOptions& options, const std::optional<Expression>& exact,
                                       FormulaReader& reader);

}  // namespace halocline::sparse
