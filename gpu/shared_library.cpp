#include "gpu/shared_library.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include "lib/base/error.hpp"

namespace halocline {

namespace {

std::vector<std::string> places_of(const std::vector<std::string>& files) {
  std::vector<std::string> folders{""};
  const char* home = std::getenv("CUDA_HOME");
  if (home != nullptr && *home != '\0') folders.push_back(std::string(home) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  std::vector<std::string> places;
  for (const std::string& folder : folders)
    for (const std::string& file : files)
      if (folder.empty() || file.find('/') == std::string::npos) places.push_back(folder + file);
  return places;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& files, const std::string& purpose) : file_(files.front()) {
  std::string tried;
  for (const std::string& place : places_of(files)) {
    handle_ = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      file_ = place.substr(place.rfind('/') + 1);
      return;
    }
    tried += (tried.empty() ? "" : ", ") + place;
  }
  throw MachineError(file_ + ", a library of the CUDA Toolkit, is needed for " + purpose +
                     " and was not found; tried " + tried + ". Set CUDA_HOME or LD_LIBRARY_PATH");
}

void* SharedLibrary::address(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr) throw MachineError(file_ + " has no function " + name + ": it is of another version");
  return found;
}

}  // namespace halocline
