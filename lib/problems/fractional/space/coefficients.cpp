#include "lib/problems/fractional/space/coefficients.hpp"

namespace halocline::fractional {

End end_of(const Side& side) {
  if (side.kind == SideKind::periodic) return End::periodic;
  return side.kind == SideKind::dirichlet ? End::dirichlet : End::natural;
}

Coefficients::Coefficients(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs)
    : formulation_(&formulation), slabs_(slabs), media_(formulation, slabs) {
  const auto place = [&](const Coefficient& of, Field& field) {
    if (of.constant()) return;
    field.emplace(slabs, *of.formula);
    slabs->team().each([&](int p) { field->evaluate_on(p, 0, nullptr, slabs->box_with(p, 1)); });
  };
  place(formulation.diffusivity, diffusivity_);
  place(formulation.sigma, sigma_);
  place(formulation.reaction, reaction_);
  for (std::size_t axis = 0; axis < 3; ++axis) place(formulation.velocity[axis], velocity_[axis]);
}

bool Coefficients::same_rows() const { return !formulation_->rows_vary(); }

// A formulation knows media of sampled nodes, this the media of all.
bool Coefficients::same_mu() const { return !formulation_->mu_varies() && media_.count() == 1; }

AxisShape Coefficients::shape(int part, int axis) const {
  const SlabLayout& slab = slabs_->layout(part);
  const Index strides[3] = {1, slab.pitch, slab.plane};
  const auto side = static_cast<std::size_t>(2 * axis);
  const BoxPartition& boxes = slabs_->boxes();
  const bool ghosts =
      (axis == 1 && boxes.cut_along_y()) || (axis == 2 && (boxes.cut_along_z() || !boxes.cut_along_y()));
  return {formulation_->grid.extent[axis], strides[axis], end_of(formulation_->sides[side]),
          end_of(formulation_->sides[side + 1]), ghosts};
}

VaryingAxis Coefficients::varying(int part, int axis) const {
  const auto side = static_cast<std::size_t>(2 * axis);
  const auto transfer = [&](const Side& of) { return of.kind == SideKind::robin ? of.transfer : 0; };
  VaryingAxis made;
  made.shape = shape(part, axis);
  made.D = diffusivity(part);
  made.v =
      value(velocity_[static_cast<std::size_t>(axis)], formulation_->velocity[static_cast<std::size_t>(axis)], part);
  made.scale = formulation_->along[axis];
  made.cells = 1 / formulation_->grid.spacing[axis];
  made.mean_scale = made.scale / formulation_->grid.spacing[axis];
  made.harmonic = formulation_->harmonic;
  made.upwind = formulation_->upwind;
  made.transfer_low = transfer(formulation_->sides[side]);
  made.transfer_high = transfer(formulation_->sides[side + 1]);
  return made;
}

ConstantAxis Coefficients::constant(int part, int axis) const {
  const VaryingAxis of = varying(part, axis);
  const auto row = [&](Index i) { return of.row<double>(0, i); };
  return {of.shape, row(0), row(of.shape.rows > 2 ? 1 : 0), row(of.shape.rows - 1)};
}

double Coefficients::side_factor(int side) const {
  const int axis = side / 2;
  const Side& of = formulation_->sides[static_cast<std::size_t>(side)];
  return 2 / formulation_->grid.spacing[axis] * formulation_->along[axis] *
         (of.kind == SideKind::robin ? of.transfer : 1);
}

}  // namespace halocline::fractional
