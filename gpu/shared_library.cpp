#include "gpu/shared_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "lib/base/error.hpp"

namespace halocline {

SharedLibrary::SharedLibrary(const std::string& file, const std::string& purpose) : file_(file) {
  std::vector<std::string> places{file};
  const char* home = std::getenv("CUDA_HOME");
  if (home != nullptr && *home != '\0') places.push_back(std::string(home) + "/lib64/" + file);
  places.push_back("/usr/local/cuda/lib64/" + file);
  std::string tried;
  for (const std::string& place : places) {
    handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
    tried += (tried.empty() ? "" : ", ") + place;
  }
  throw MachineError(file + ", a library of the CUDA Toolkit, is needed for " + purpose + " and was not found; tried " +
                     tried + ". Set CUDA_HOME or LD_LIBRARY_PATH");
}

void* SharedLibrary::address(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr) throw MachineError(file_ + " has no function " + name + ": it is of another version");
  return found;
}

}  // namespace halocline
