// The built-in models as backends: the processor decides which instruction set runs.
#include "lib/problems/ode_ensemble/host/builtin.hpp"

#include <array>
#include <string_view>

#include "lib/problems/ode_ensemble/host/backend.hpp"
#include "lib/problems/ode_ensemble/jit/jit_host.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr std::array<std::string_view, 4> names{"riccati", "lorenz", "keller_miksis", "relief_valve"};

class BuiltinBackend final : public OdeBackend {
 public:
  BuiltinBackend(Builtin model, Method method, int level) : model_(model), method_(method), level_(level) {}
  void advance(const Ensemble& ensemble) const override {
    (level_ == 4 ? advance_builtin_v4 : advance_builtin_v3)(model_, method_, ensemble);
  }
  long long state_rows() const override { return builtin_state_rows(model_); }
  std::string name() const override { return "built-in model for " + level_name(level_); }

 private:
  Builtin model_;
  Method method_;
  int level_;
};

}  // namespace

std::unique_ptr<OdeBackend> make_builtin_backend(const std::string& name, Method method, int level) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return std::make_unique<BuiltinBackend>(static_cast<Builtin>(i), method, level);
  }
  return nullptr;
}

}  // namespace halocline::ode_ensemble
