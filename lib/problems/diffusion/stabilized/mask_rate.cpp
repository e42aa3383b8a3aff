// Rates of constant diffusivity: D times the deck's mask.
#include <vector>

#include "lib/problems/diffusion/stabilized/launch_rates.hpp"
#include "lib/problems/diffusion/steppers/device_mask.hpp"

namespace halocline::diffusion {

namespace {

class MaskOperator final : public RateOperator {
 public:
  MaskOperator(const Context& context, const Formulation& f, Field<double>& field)
      : context_(context), f_(f), field_(field) {
    for (int p = 0; p < context.team.parts(); ++p)
      masks_.push_back(device_mask(context.team.executor(p), f.stencil, f.diffusivity));
  }

  void prepare(double t) override { field_.set_walls({t, 0, 0}, 1); }
  double radius(const FieldRange& /*range*/) override { return f_.rate; }
  bool moving() const override { return false; }
  bool steady() const override { return !f_.walls.moving(); }
  void apply(int part, const SlabBox& cells, const StageUse& use, double share) override {
    const ConvolveBlock<double>& b = field_.block(part);
    const ConvolveMask<double>& mask = masks_[static_cast<std::size_t>(part)].mask;
    dispatch(mask.kind, [&](auto kind) {
      const MaskRate<decltype(kind)::value> rate{b, mask, share};
      launch_rates(*context_.team.executor(part), b, cells, rate, use, 1);
    });
  }
  void refuse(double /*dt*/, double /*t*/) override {}  // `check` has done so
  std::string summary() const override { return "one pass of the mask per stage"; }

 private:
  const Context& context_;
  const Formulation& f_;
  Field<double>& field_;
  std::vector<DeviceMask> masks_;
};

}  // namespace

std::unique_ptr<RateOperator> make_mask_rate(const Context& context, const Formulation& formulation,
                                             Field<double>& field) {
  return std::make_unique<MaskOperator>(context, formulation, field);
}

}  // namespace halocline::diffusion
