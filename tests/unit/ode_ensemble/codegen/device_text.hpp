// The text for GPUs, run by the host: what is GPU's own in it has stand-ins here, and a thread is a call. So the
// arithmetic of device_math.hpp, in which quotients and powers of controllers are rough, is tested without a GPU.
#pragma once

#include <regex>
#include <string>

#include "lib/problems/ode_ensemble/codegen/codegen.hpp"
#include "lib/problems/ode_ensemble/jit/jit_host.hpp"

namespace halocline::ode_ensemble {

// Instructions that flush numbers too small for their type to zero, as the Parallel Thread Execution ISA tells them.
// rcp and rsqrt read and give 32 bits of 64.
inline constexpr const char* gpu_stand_ins = R"(
#include <cmath>
#include <cstdint>
#include <cstring>
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __global__
#define __constant__ static const
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
struct Place { long long x; };
static Place blockIdx, blockDim{1}, threadIdx{0};
template <class To, class From> To bits_of(From x) { To y; std::memcpy(&y, &x, sizeof y); return y; }
inline int __double2hiint(double x) { return int(bits_of<std::uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return int(bits_of<std::uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
  return bits_of<double>(std::uint64_t(std::uint32_t(high)) << 32 | std::uint32_t(low));
}
inline long long __double_as_longlong(double x) { return bits_of<long long>(x); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned __int128)(a) * b >> 64;
}
inline double upper_half(double x) { return bits_of<double>(bits_of<std::uint64_t>(x) & 0xffffffff00000000); }
inline float flushed(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.0f, x) : x; }
inline double flushed(double x) { return std::fabs(x) < 0x1p-1022 ? std::copysign(0.0, x) : x; }
inline float __fdividef(float a, float b) {
  if (std::fabs(b) > 0x1p126f) return std::isinf(a) ? NAN : 0.0f;
  return a / b;
}
inline double rcp(double x) { return upper_half(flushed(1 / upper_half(x))); }
inline double rsqrt(double x) { return upper_half(1 / std::sqrt(upper_half(x))); }
inline float lg2(float x) { return std::log2(flushed(x)); }
inline float ex2(float x) { return flushed(std::exp2(flushed(x))); }
)";

// device_source() as C++ of the host, with the entry `device_thread(i, ensemble)`.
inline std::string device_text_for_host(const LoweredModel& model, Method method) {
  std::string text = device_source(model, method);
  const std::regex select(R"re(asm\("\{ \.reg [^;]*;[^;]*;[^;]*; \}"[^;]*\);)re");
  const std::regex function(
      R"re(asm\("(rcp|rsqrt|lg2|ex2)\.approx\.ftz\.f\d\d %0, %1;" : "=\w"\((\w+)\) : "\w"\((.*)\)\);)re");
  text = std::regex_replace(text, select, "chosen = condition ? a : b;");
  text = std::regex_replace(text, function, "$2 = $1($3);");
  return gpu_stand_ins + text +
         "\nextern \"C\" void device_thread(long long i, const halocline::ode_ensemble::Ensemble* a) {\n"
         "  blockIdx.x = i;\n  halocline_ensemble(*a);\n}\n";
}

// The function `device_thread`, one thread of a launch.
class DeviceText {
 public:
  DeviceText(const HostCompiler& compiler, const LoweredModel& model, Method method)
      : code_(compile_host(compiler, device_text_for_host(model, method), host_level())),
        thread_(reinterpret_cast<Thread*>(code_.find("device_thread"))) {}
  // A launch: one thread for each system that is not done.
  void launch(Ensemble ensemble) const {
    ensemble.list = nullptr;
    for (long long i = 0; i < ensemble.systems; ++i)
      if (ensemble.counters[Counter::course * ensemble.systems + i] != static_cast<long long>(Course::done))
        thread_(i, &ensemble);
  }

 private:
  using Thread = void(long long, const Ensemble*);
  SharedObject code_;
  Thread* thread_;
};

}  // namespace halocline::ode_ensemble
