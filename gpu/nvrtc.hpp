// Nvrtc: CUDA text to machine code of a GPU (a cubin), at run time and without a GPU.
//
// libnvrtc comes with the CUDA Toolkit as a shared library only. It is opened when an Nvrtc is made, never linked, so
// halocline starts where it is missing. Works in builds with and without CUDA; loaded_kernel.hpp runs what comes out.
#pragma once

#include <memory>
#include <span>
#include <string>

namespace halocline {

struct Cubin {
  std::string bytes;
  std::string log;  // what the compiler said, with registers and spills of every kernel
};

// Of the log, for one kernel.
struct KernelUse {
  int registers = 0;
  int spill_bytes = 0;  // stores and loads together
  int stack_bytes = 0;
};

class Nvrtc {
 public:
  // Opens libnvrtc as shared_library.hpp does, or `file` alone when it is given.
  // Throws MachineError that says what was tried when there is none.
  explicit Nvrtc(const std::string& file = "");
  ~Nvrtc();
  Nvrtc(const Nvrtc&) = delete;
  Nvrtc& operator=(const Nvrtc&) = delete;

  // "NVRTC 13.0", for provenance.
  std::string version() const;
  // Compiles `text` (C++20; functions without a mark belong to the device) for compute capability `architecture`, as 90
  // for sm_90. `options` come on top of the standard ones: fused multiply-add, no fast-math, registers reported.
  // Throws MachineError with the compiler's messages. Any number of threads may call.
  Cubin compile(const std::string& text, int architecture, std::span<const std::string> options = {}) const;

 private:
  struct Calls;
  std::unique_ptr<Calls> calls_;
};

// What the compiler's log says about kernel `name` (extern "C"); zeros when it says nothing.
KernelUse kernel_use(const std::string& log, const std::string& name);

}  // namespace halocline
