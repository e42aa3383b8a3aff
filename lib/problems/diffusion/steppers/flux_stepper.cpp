// Variable diffusivity and sources: c_t = div(D grad c) + S, one step at a time in flux form. Formulas are evaluated on
// the device, before the step, with the old state.
#include <memory>

#include "gpu/launch.hpp"
#include "lib/fields/formula_field.hpp"
#include "lib/problems/diffusion/steppers/field_stepper.hpp"
#include "lib/problems/diffusion/steppers/flux_kernels.hpp"

namespace halocline::diffusion {

namespace {

template <FaceMean M, int Dimensions>
void launch_rows(const Executor& executor, const ConvolveBlock<double>& b, const FluxTerms& f, Rows rows) {
  if (rows.lo >= rows.hi) return;
  Range<2> box{{0, 0}, {b.extent[2], b.extent[1]}};
  box.lo[Dimensions == 3 ? 0 : 1] = rows.lo;
  box.hi[Dimensions == 3 ? 0 : 1] = rows.hi;
  const Label label{"flux", bytes_of(b, rows, 2 + (f.D != nullptr) + (f.source != nullptr))};
  if (executor.backend() == Backend::cuda) {
    launch(executor, label, Range<3>{{box.lo[0], box.lo[1], 0}, {box.hi[0], box.hi[1], b.extent[0]}},
           FluxCell<M, Dimensions>{b, f});
  } else {
    launch_on_host(executor, label, box, FluxRow<M, Dimensions>{b, f});
  }
}

template <FaceMean M>
void launch_mean(const Executor& executor, const ConvolveBlock<double>& b, const FluxTerms& f, Rows rows) {
  b.dimensions == 3 ? launch_rows<M, 3>(executor, b, f, rows) : launch_rows<M, 2>(executor, b, f, rows);
}

class FluxStepper final : public FieldStepper {
 public:
  FluxStepper(const Context& context, const Formulation& formulation)
      : FieldStepper(context, formulation, 1, !formulation.walls.closed()) {
    if (f_.terms.diffusivity) D_.emplace(field_.slabs(), *f_.terms.diffusivity);
    if (f_.terms.source) source_.emplace(field_.slabs(), *f_.terms.source);
  }

  void advance(const Clock& clock, Index steps) override {
    for (Index n = 0; n < steps; ++n) {
      const double t = clock.at(n);
      field_.set_walls({clock.origin, clock.dt, clock.step + n}, 1);
      const bool fresh_D = D_ && (D_->moving() || !evaluated_),
                 fresh_source = source_ && (source_->moving() || !evaluated_);
      if (fresh_D || fresh_source)
        context_.team.each([&](int p) {
          const double* c = field_.block(p).c;
          if (fresh_D) D_->evaluate(p, t, c, field_.slabs()->rows_with(p, 1));
          if (fresh_source) source_->evaluate(p, t, c, field_.block(p).rows());
        });
      evaluated_ = true;
      step([&](int p, Rows rows) { compute(p, clock.dt, rows); });
    }
  }

  std::string summary() const override {
    std::string text = D_ ? std::string("flux form, ") + (f_.terms.harmonic ? "harmonic" : "arithmetic") + " means of D"
                          : std::string("flux form");
    if (source_) text += ", with a source";
    return text + ", 1 step per sweep";
  }

 private:
  void compute(int part, double dt, Rows rows) const {
    const ConvolveBlock<double>& b = field_.block(part);
    FluxTerms terms;
    for (int axis = 0; axis < b.dimensions; ++axis) {
      const double h = f_.geometry.spacing[axis];
      terms.k[axis] = dt * f_.terms.along[axis] * (D_ ? 1 : f_.diffusivity) / (h * h);
    }
    if (D_) terms.D = D_->data(part);
    if (source_) terms.source = source_->data(part);
    terms.dt = dt;
    const Executor& executor = *context_.team.executor(part);
    if (!D_) return launch_mean<FaceMean::constant>(executor, b, terms, rows);
    f_.terms.harmonic ? launch_mean<FaceMean::harmonic>(executor, b, terms, rows)
                      : launch_mean<FaceMean::arithmetic>(executor, b, terms, rows);
  }

  std::optional<FormulaField> D_, source_;
  bool evaluated_ = false;  // formulas of place alone
};

}  // namespace

std::unique_ptr<Stepper> make_flux_stepper(const Context& context, const Formulation& formulation) {
  return std::make_unique<FluxStepper>(context, formulation);
}

}  // namespace halocline::diffusion
