// SharedLibrary: a library of the CUDA Toolkit, opened at run time when it is first needed. Such libraries are never
// linked, so halocline starts on machines without them.
#pragma once

#include <string>
#include <vector>

namespace halocline {

class SharedLibrary {
 public:
  // Opens `file` ("libcusparse.so.12"), or the first of `files` that there is, from the loader's path, $CUDA_HOME/lib64
  // or /usr/local/cuda/lib64; one with a folder from there alone. `purpose` says in a message what it is wanted for.
  // Throws MachineError, one line with the name, when there is none.
  SharedLibrary(const std::string& file, const std::string& purpose)
      : SharedLibrary(std::vector<std::string>{file}, purpose) {}
  SharedLibrary(const std::vector<std::string>& files, const std::string& purpose);

  // Sets `function` to the function `name`. Throws MachineError when the library lacks it.
  template <class Function>
  void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address(name));
  }

 private:
  void* address(const char* name) const;
  std::string file_;
  void* handle_ = nullptr;  // never closed: such libraries have threads and exit handlers of their own
};

}  // namespace halocline
