// Generated C++ to machine code of the host, with the compiler that is found at run time.
//
// The compiler is started by posix_spawn with a fixed list of arguments: no shell, no environment of the user, the text
// on its standard input, no open files of ours, a private folder that is removed afterwards. It is the first of a
// process group that is ended with it, or after a time limit. Which compiler, the command line says, never a deck,
// which others may have written. Never -ffast-math: the tests for finite numbers must survive.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace halocline::ode_ensemble {

// What a processor can do: 4 and 3 are x86-64-v4 and -v3, 1 anything else.
int host_level();
// "x86-64-v4" and so on; "generic" for 1.
std::string level_name(int level);

struct HostCompiler {
  std::string path;
  std::string version;  // the first line of `path --version`
};

// The compiler `wanted` (a path, or a name to look for in PATH); when it is "", the first of g++, c++, clang++ in PATH.
// None when there is none that runs.
std::optional<HostCompiler> find_host_compiler(const std::string& wanted = "");

// The arguments after the compiler's name but for the output file. The text is read from standard input.
std::vector<std::string> host_flags(int level);
// The same in one line, for provenance and the cache's key.
std::string host_flags_text(int level);

// The bytes of a shared object made from `text`. Throws MachineError with the compiler's messages when it fails, and
// when it takes more than `limit` seconds.
std::string compile_host(const HostCompiler& compiler, const std::string& text, int level, double limit = 120);

// Code of a shared object, in memory: loaded through a memory file where the system has them, else through a file in a
// private folder. Unloaded when the last copy goes.
class SharedObject {
 public:
  SharedObject() = default;                         // nothing
  explicit SharedObject(const std::string& bytes);  // throws MachineError
  // The address of an extern "C" function or object. Throws MachineError when there is none.
  void* find(const std::string& name) const;

 private:
  std::shared_ptr<void> handle_;
};

}  // namespace halocline::ode_ensemble
