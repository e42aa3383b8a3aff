#include "lib/problems/ode_ensemble/host/compiled.hpp"

#include <array>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/codegen/codegen.hpp"
#include "lib/problems/ode_ensemble/host/interpreter.hpp"

namespace halocline::ode_ensemble {

namespace {

class CompiledModel final : public OdeBackend {
 public:
  CompiledModel(SharedObject code, int level)
      : code_(std::move(code)),
        advance_(reinterpret_cast<Advance*>(code_.find("halocline_ensemble"))),
        rows_(reinterpret_cast<Rows*>(code_.find("halocline_ensemble_rows"))()),
        level_(level) {}
  void advance(const Ensemble& ensemble) const override { advance_(&ensemble); }
  long long state_rows() const override { return rows_; }
  std::string name() const override { return "compiled for " + level_name(level_); }

 private:
  using Advance = void(const Ensemble*);
  using Rows = long long();
  SharedObject code_;
  Advance* advance_;
  long long rows_;
  int level_;
};

// The lowest instruction set of all ranks.
int common_level(const Communicator& comm) {
  std::array<double, 1> lowest{static_cast<double>(host_level())};
  comm.min(lowest);
  return static_cast<int>(lowest[0]);
}

}  // namespace

HostModel make_host_model(const Communicator& comm, Log& log, const JitOptions& options, const LoweredModel& model,
                          Method method, HostCode wanted, const InterpreterDoes& does) {
  HostModel made;
  made.text = host_source(model, method);
  if (wanted == HostCode::any && does) {
    try {
      made.backend = make_interpreter(model, method, common_level(comm));
    } catch (const DeckError&) {  // too large for it
    }
    if (made.backend && does(*made.backend)) return made;
  }
  if (wanted != HostCode::interpreted) {
    const bool needed = wanted == HostCode::compiled;
    if (std::optional<HostModule> code = build_for_host(
            comm, log, options, [&made](int) { return made.text; }, needed)) {
      made.backend = std::make_unique<CompiledModel>(code->code, code->level);
      made.compiler = code->compiler;
      made.flags = code->flags;
      made.seconds = code->seconds;
      made.cached = code->cached;
      return made;
    }
  }
  made.backend = make_interpreter(model, method, common_level(comm));
  return made;
}

}  // namespace halocline::ode_ensemble
