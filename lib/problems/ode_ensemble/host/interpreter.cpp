#include "lib/problems/ode_ensemble/host/interpreter.hpp"

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/host/interpreter_code.hpp"
#include "lib/problems/ode_ensemble/host/interpreter_entries.hpp"
#include "lib/problems/ode_ensemble/host/interpreter_model.hpp"
#include "lib/problems/ode_ensemble/jit/jit_host.hpp"

namespace halocline::ode_ensemble {

namespace {

bool fits(const InterpretedCode& code, const InterpreterLimits& most) {
  const InterpretedView& m = code.view();
  return m.states + m.quadratures <= most.states && m.parameters <= most.parameters && m.constants <= most.kept &&
         m.times <= most.timed && m.events + m.rests <= most.events && m.accumulators <= most.accumulators &&
         code.registers() <= most.registers;
}

class Interpreter final : public OdeBackend {
 public:
  Interpreter(const LoweredModel& model, Method method, int level) : code_(model), method_(method), level_(level) {
    require(method == Method::milstein || !code_.view().noise_slopes, "interpreter: slopes of noise are for milstein");
    if (!model.loops && fits(code_, limits_of(InterpreterSize::small))) return;
    size_ = model.loops ? InterpreterSize::vectors : InterpreterSize::large;
    if (!fits(code_, limits_of(size_)))
      throw DeckError("the model is too large for the interpreter; a C++ compiler in PATH helps");
  }
  void advance(const Ensemble& ensemble) const override {
    (level_ == 4 ? interpret_v4 : interpret_v3)(code_.view(), size_, method_, ensemble);
  }
  long long state_rows() const override {
    return ode_ensemble::state_rows(InterpretedModel<InterpreterSize::large>(code_.view(), nullptr));
  }
  std::string name() const override { return "interpreter for " + level_name(level_); }

 private:
  InterpretedCode code_;
  Method method_;
  InterpreterSize size_ = InterpreterSize::small;
  int level_;
};

}  // namespace

std::unique_ptr<OdeBackend> make_interpreter(const LoweredModel& model, Method method, int level) {
  return std::make_unique<Interpreter>(model, method, level);
}

}  // namespace halocline::ode_ensemble
