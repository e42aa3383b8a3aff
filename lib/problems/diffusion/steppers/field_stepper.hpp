// FieldStepper: what steppers of one field of doubles share: setting, measuring and saving it.
#pragma once

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
  // Computes the rows of the new state that neighbors wait for, sends them, and computes the others meanwhile.
  // compute(part, rows).
  template <class Compute>
  void make_step(const Compute& compute) {
    context_.team.each([&](int p) {
      const Rows inner = inner_rows(p);
      compute(p, Rows{0, inner.lo});
      compute(p, Rows{inner.hi, field_.block(p).slow_extent()});
      if (!field_.open()) compute(p, inner);
    });
    field_.start_exchange(true);
    if (field_.open()) context_.team.each([&](int p) { compute(p, inner_rows(p)); });
    field_.finish_exchange(true);
  }
  // The same, and makes the new state the old one.
  template <class Compute>
  void step(const Compute& compute) {
    make_step(compute);
    field_.swap_all();
  }
  // Rows (planes) that are computed while messages travel: none of parts that have neighbors along y.
  Rows inner_rows(int part) const;

  Context context_;
  Formulation f_;
  Index halo_;
  Field<double> field_;

 private:
  void refresh();
};

}  // namespace halocline::diffusion
