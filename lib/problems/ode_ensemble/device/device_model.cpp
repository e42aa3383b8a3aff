#include "lib/problems/ode_ensemble/device/device_model.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/codegen/codegen.hpp"
#include "lib/problems/ode_ensemble/stepper/working.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr const char* entry = "halocline_ensemble";

// Numbers of a model, as state_rows() of the stepper asks for them.
struct Counts {
  int states, quadratures, accumulators, events, rests, extrema, outputs;
};

// The architectures of all ranks; on rank 0.
std::set<int> all_architectures(const Communicator& comm, const std::vector<const Executor*>& executors) {
  std::string mine;
  for (const Executor* executor : executors) mine += std::to_string(architecture_of(*executor)) + " ";
  std::set<int> all;
  for (const std::string& list : comm.gather(mine)) {
    std::istringstream words(list);
    for (int one = 0; words >> one;) all.insert(one);
  }
  return all;
}

// What rank 0 makes: code by architecture, or why there is none.
struct Made {
  std::map<int, Cubin> code;
  std::string compiler, fault;
};

Made compile(const std::set<int>& architectures, const std::string& text) {
  Made made;
  try {
    const Nvrtc nvrtc;
    made.compiler = nvrtc.version();
    for (const int one : architectures) made.code[one] = nvrtc.compile(text, one);
  } catch (const MachineError& error) {
    made.fault = error.what();
  }
  return made;
}

// Sends what rank 0 has made to all ranks.
void share(const Communicator& comm, Made& made) {
  comm.broadcast(made.fault);
  if (!made.fault.empty()) throw MachineError(made.fault);
  comm.broadcast(made.compiler);
  std::array<Index, 1> count{static_cast<Index>(made.code.size())};
  comm.broadcast(count);
  auto next = made.code.begin();
  for (Index i = 0; i < count[0]; ++i) {
    std::array<Index, 1> architecture{comm.rank() == 0 ? next->first : 0};
    comm.broadcast(architecture);
    Cubin& cubin = made.code[static_cast<int>(architecture[0])];
    comm.broadcast(cubin.bytes);
    comm.broadcast(cubin.log);
    if (comm.rank() == 0) ++next;
  }
}

}  // namespace

DeviceModel::DeviceModel(const Communicator& comm, const std::vector<const Executor*>& executors,
                         const LoweredModel& model, Method method)
    : text_(device_source(model, method)), factors_(factors_of(model)) {
  const std::set<int> architectures = all_architectures(comm, executors);
  Made made;
  if (comm.rank() == 0) made = compile(architectures, text_);
  share(comm, made);
  compiler_ = made.compiler;
  std::string fault;
  try {
    for (const Executor* executor : executors)
      kernels_.emplace(executor, LoadedKernel(*executor, made.code.at(architecture_of(*executor)).bytes, entry));
  } catch (const MachineError& error) {
    fault = error.what();
  }
  if (!comm.agree(fault.empty())) throw MachineError(fault.empty() ? "another rank cannot load its kernel" : fault);
  if (!made.code.empty()) use_ = kernel_use(made.code.begin()->second.log, entry);
  // The log is empty where NVRTC has found the code in its cache.
  if (use_.registers == 0 && !kernels_.empty()) use_.registers = kernels_.begin()->second.registers();
}

void DeviceModel::launch(const Executor& executor, const Ensemble& ensemble) const {
  // Few systems are spread over the whole GPU, a warp at a time.
  constexpr long long many = 128 * 256;
  const int threads = ensemble.count >= many ? 128 : 32;
  const auto blocks = static_cast<int>((ensemble.count + threads - 1) / threads);
  Ensemble argument = ensemble;
  if (!factors_.empty())
    give_fractions(argument, factors_.data(), static_cast<int>(std::min<std::size_t>(factors_.size(), most_states)));
  kernels_.at(&executor).launch(blocks, threads, &argument);
}

long long state_rows(const LoweredModel& model) {
  return state_rows(Counts{model.states, model.quadratures, model.accumulators, static_cast<int>(model.events.size()),
                           static_cast<int>(model.rests.size()), static_cast<int>(model.extrema.size()),
                           static_cast<int>(model.outputs.results.size())});
}

}  // namespace halocline::ode_ensemble
