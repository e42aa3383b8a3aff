// Stands for a profiler: NVTX calls the function behind InitializeInjectionNvtx2_fnptr at its first use.
#include <gtest/gtest.h>

#define NVTX_NO_IMPL  // the types alone
#include <nvtx3/nvToolsExt.h>

#include <string>

#include "gpu/phase_marks.hpp"

namespace {

std::string seen;  // "name(" where a range begins, ")" where it ends

int push(const char* name) {
  seen += std::string(name) + "(";
  return 0;
}
int pop() {
  seen += ")";
  return 0;
}

int listen(NvtxGetExportTableFunc_t tables) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(tables(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size) == 0) return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(&push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(&pop);
  return 1;
}

}  // namespace

extern "C" {
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = &listen;
}

namespace halocline {
namespace {

TEST(PhaseMarks, ScopesOfTimersAreRanges) {
  Timers timers(phase_marks());
  {
    const auto outer = timers.scope("advance");
    { const auto inner = timers.scope("exchange"); }
    const auto next = timers.scope("solve");
  }
  EXPECT_EQ(seen, "advance(exchange()solve())");
}

}  // namespace
}  // namespace halocline
