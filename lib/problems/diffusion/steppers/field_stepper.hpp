// FieldStepper: what steppers of one field of doubles share: setting, measuring and saving it.
#pragma once

#include "lib/problems/diffusion/boxes/edges.hpp"
#include "lib/problems/diffusion/field.hpp"
#include "lib/problems/diffusion/stepper.hpp"

namespace halocline::diffusion {

class FieldStepper : public Stepper {
 public:
  FieldStepper(const Context& context, const Formulation& formulation, Index halo, bool records);

  void set(const Program& initial) override;
  std::vector<double> state(int part) const override { return field_.old_state().read(part); }
  View<const double, 3> view(int part) const override { return field_.old_state().view(part); }
  Range<3> box(int part) const override { return field_.slabs()->block(part); }
  Measures measure() const override;
  Index first_bad() const override;
  ErrorSums errors(const KnownSolution& known) const override;
  void archive(StateArchive& state) override;
  void wait() const override;
  // What steps begin with lies in the new state of the field after them.
  void mark(bool judged) override;
  void undo(bool made) override;
  Traffic traffic() const override { return field_.traffic(); }
  Index group() const override { return 1; }

 protected:
  // Computes the cells of the new state that neighbors wait for, sends them, and computes the others meanwhile.
  // compute(part, cells), a box that is not empty.
  template <class Compute>
  void make_step(const Compute& compute) {
    const auto inside = [&](int p) {
      if (const EdgesAndInside cells = split(p); !empty(cells.inside)) compute(p, cells.inside);
    };
    context_.team.each([&](int p) {
      const EdgesAndInside cells = split(p);
      for (const SlabBox& edge : cells.outer()) compute(p, edge);
      if (!field_.open()) inside(p);
    });
    field_.start_exchange(true);
    if (field_.open()) context_.team.each(inside);
    field_.finish_exchange(true);
  }
  // The same, and makes the new state the old one.
  template <class Compute>
  void step(const Compute& compute) {
    make_step(compute);
    field_.swap_all();
  }
  EdgesAndInside split(int part) const { return split_edges(field_.block(part), halo_); }

  Context context_;
  Formulation f_;
  Index halo_;
  Field<double> field_;

 private:
  void refresh();
};

}  // namespace halocline::diffusion
