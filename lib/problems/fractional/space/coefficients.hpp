// Coefficients: what the equation has at the nodes of every part, as numbers or as fields, and the rows of Lambda made
// of them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "lib/fields/formula_field.hpp"
#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/space/media_field.hpp"
#include "lib/problems/fractional/space/row_kernels.hpp"

namespace halocline::fractional {

/// Which kind of end a side makes of its axis.
End end_of(const Side& side);

class Coefficients {
 public:
  /// Evaluates all coefficients of place on own nodes and ghosts. `formulation` outlives this. Throws as MediumField.
  /// Collective.
  Coefficients(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs);

  const std::shared_ptr<Slabs<double>>& slabs() const { return slabs_; }
  /// Whether rows of Lambda are the same at all nodes, but for the ends of axes.
  bool same_rows() const;
  /// Whether sigma, reaction, the derivative of the source and the medium are the same everywhere, and so mu.
  bool same_mu() const;
  /// Whether so is the matrix of a step, which tables of the axes then hold.
  bool common() const { return same_rows() && same_mu(); }

  NodeValue diffusivity(int part) const { return value(diffusivity_, formulation_->diffusivity, part); }
  NodeValue sigma(int part) const { return value(sigma_, formulation_->sigma, part); }
  /// Where sigma is a formula.
  const SlabField<double>& sigma_field() const { return sigma_->values(); }
  NodeValue reaction(int part) const { return value(reaction_, formulation_->reaction, part); }
  const MediumField& media() const { return media_; }

  AxisShape shape(int part, int axis) const;
  VaryingAxis varying(int part, int axis) const;
  ConstantAxis constant(int part, int axis) const;  // where same_rows()
  /// call(rows), where rows(part, axis) is the ConstantAxis of an axis where same_rows(), else the VaryingAxis.
  template <class Call>
  void with_rows(const Call& call) const {
    if (same_rows()) return call([this](int part, int axis) { return constant(part, axis); });
    call([this](int part, int axis) { return varying(part, axis); });
  }
  /// (2/h) along[axis], times the transfer of a robin side: what turns a side's value and D into data of a row.
  double side_factor(int side) const;

 private:
  using Field = std::optional<FormulaField>;
  static NodeValue value(const Field& field, const Coefficient& of, int part) {
    return field ? NodeValue{field->data(part), 0} : NodeValue{nullptr, of.number};
  }
  const Formulation* formulation_;
  std::shared_ptr<Slabs<double>> slabs_;
  MediumField media_;
  Field diffusivity_, sigma_, reaction_;
  std::array<Field, 3> velocity_;
};

}  // namespace halocline::fractional
