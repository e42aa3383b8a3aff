#include "gpu/nvrtc.hpp"

#include <memory>
#include <regex>
#include <vector>

#include "gpu/shared_library.hpp"
#include "lib/base/error.hpp"

namespace halocline {

namespace {

// The few declarations of nvrtc.h that are used; a build without CUDA has no such header. The C interface is stable.
using Program = void*;
using Result = int;  // 0: success

std::vector<std::string> names(const std::string& file) {
  if (!file.empty()) return {file};
  return {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
}

}  // namespace

struct Nvrtc::Calls {
  SharedLibrary library;
  Result (*version)(int*, int*) = nullptr;
  Result (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  Result (*destroy)(Program*) = nullptr;
  Result (*compile)(Program, int, const char* const*) = nullptr;
  Result (*log_size)(Program, std::size_t*) = nullptr;
  Result (*log)(Program, char*) = nullptr;
  Result (*cubin_size)(Program, std::size_t*) = nullptr;
  Result (*cubin)(Program, char*) = nullptr;
  const char* (*error_text)(Result) = nullptr;

  explicit Calls(const std::string& file)
      : library(names(file), "the compilation of CUDA code, which run.devices: omp does without") {
    library.find(version, "nvrtcVersion");
    library.find(create, "nvrtcCreateProgram");
    library.find(destroy, "nvrtcDestroyProgram");
    library.find(compile, "nvrtcCompileProgram");
    library.find(log_size, "nvrtcGetProgramLogSize");
    library.find(log, "nvrtcGetProgramLog");
    library.find(cubin_size, "nvrtcGetCUBINSize");
    library.find(cubin, "nvrtcGetCUBIN");
    library.find(error_text, "nvrtcGetErrorString");
  }
  void check(Result result, const char* call) const {
    if (result != 0) throw MachineError(std::string(call) + " failed: " + error_text(result));
  }
  std::string log_of(Program program) const {
    std::size_t size = 0;
    check(log_size(program, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    check(log(program, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }
};

Nvrtc::Nvrtc(const std::string& file) : calls_(std::make_unique<Calls>(file)) {}
Nvrtc::~Nvrtc() = default;

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  calls_->check(calls_->version(&major, &minor), "nvrtcVersion");
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

Cubin Nvrtc::compile(const std::string& text, int architecture, std::span<const std::string> options) const {
  std::vector<std::string> all{"--gpu-architecture=sm_" + std::to_string(architecture),
                               "--std=c++20",
                               "-default-device",
                               "--fmad=true",
                               "-Xptxas",
                               "-v"};
  all.insert(all.end(), options.begin(), options.end());
  std::vector<const char*> pointers;
  for (const std::string& option : all) pointers.push_back(option.c_str());

  Program raw = nullptr;
  calls_->check(calls_->create(&raw, text.c_str(), "model.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
  const auto destroy = [this](Program program) { calls_->destroy(&program); };
  const std::unique_ptr<void, decltype(destroy)> program(raw, destroy);
  const Result result = calls_->compile(program.get(), static_cast<int>(pointers.size()), pointers.data());
  Cubin cubin{"", calls_->log_of(program.get())};
  if (result != 0)
    throw MachineError(version() + " failed for sm_" + std::to_string(architecture) + ": " +
                       calls_->error_text(result) + "\n" + cubin.log);
  std::size_t size = 0;
  calls_->check(calls_->cubin_size(program.get(), &size), "nvrtcGetCUBINSize");
  cubin.bytes.resize(size);
  calls_->check(calls_->cubin(program.get(), cubin.bytes.data()), "nvrtcGetCUBIN");
  return cubin;
}

KernelUse kernel_use(const std::string& log, const std::string& name) {
  KernelUse use;
  const std::size_t begin = log.find("Compiling entry function '" + name + "'");
  if (begin == std::string::npos) return use;
  const std::size_t end = log.find("Compiling entry function", begin + 1);
  const std::string part = log.substr(begin, end == std::string::npos ? end : end - begin);
  const auto number = [&part](const char* pattern) {
    std::smatch match;
    return std::regex_search(part, match, std::regex(pattern)) ? std::stoi(match[1]) : 0;
  };
  use.registers = number("Used ([0-9]+) registers");
  use.stack_bytes = number("([0-9]+) bytes stack frame");
  use.spill_bytes = number("([0-9]+) bytes spill stores") + number("([0-9]+) bytes spill loads");
  return use;
}

}  // namespace halocline
