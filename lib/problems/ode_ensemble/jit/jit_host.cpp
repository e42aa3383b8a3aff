#include "lib/problems/ode_ensemble/jit/jit_host.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include "lib/base/error.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline::ode_ensemble {

namespace {

// A folder that only this user can enter, removed with everything in it.
class PrivateFolder {
 public:
  PrivateFolder() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr && *base == '/' ? base : "/tmp") + "/halocline_XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)  // mode 0700
      throw MachineError("cannot make a temporary folder like " + path_ + ": " + std::strerror(errno));
  }
  ~PrivateFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_whole(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  if (!file) throw MachineError("cannot write " + path + ": " + std::strerror(errno));
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::error_code unknown;
  // A read that fails is no end.
  if (text.view().size() != std::filesystem::file_size(path, unknown)) throw MachineError("cannot read " + path);
  return text.str();
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// The compiler at work and its folder, for an end of the program that does not wait for it (quick_exit).
struct AtWork {
  std::atomic<pid_t> group{0};
  std::string folder;
};

AtWork& at_work() {
  static AtWork& one = *new AtWork;  // there for as long as the program
  return one;
}

void end_at_work() {
  const pid_t group = at_work().group;
  if (group <= 0) return;
  kill(-group, SIGKILL);
  std::error_code ignored;
  std::filesystem::remove_all(at_work().folder, ignored);
}

// The exit status of the first process of a group, or -1 when it had to be ended after `limit` seconds. Ends what else
// is in the group, in any case: compilers start others.
int wait_for(pid_t process, double limit) {
  struct Ender {
    pid_t group;
    ~Ender() { kill(-group, SIGKILL); }
  } const ender{process};
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(limit);
  int status = 0;
  while (true) {
    const pid_t done = waitpid(process, &status, WNOHANG);
    if (done == process) return status;
    if (done < 0 && errno != EINTR) return -1;
    if (std::chrono::steady_clock::now() > end) {
      kill(-process, SIGKILL);
      waitpid(process, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// A group of its own, and signals as at the start of a session.
class SpawnManners {
 public:
  SpawnManners() {
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnManners() { posix_spawnattr_destroy(&attributes_); }
  SpawnManners(const SpawnManners&) = delete;
  SpawnManners& operator=(const SpawnManners&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

// Runs arguments[0] with files for standard input and for both outputs; true when it ends with 0.
bool run(std::vector<std::string> arguments, const PrivateFolder& folder, const std::string& input,
         const std::string& output, double limit) {
  std::vector<std::string> environment{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TMPDIR=" + folder.path()};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
#if __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);  // files and connections of this process
#endif
  const SpawnManners manners;
  pid_t process = 0;
  const int status = posix_spawn(&process, arguments[0].c_str(), &actions, manners.get(), pointers(arguments).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) return false;
  // What has left the group ends with its share of processor time.
  const rlimit most{static_cast<rlim_t>(limit) + 1, static_cast<rlim_t>(limit) + 1};
  prlimit(process, RLIMIT_CPU, &most, nullptr);
  static const bool registered = std::at_quick_exit(end_at_work) == 0;
  at_work().folder = folder.path();
  at_work().group = registered ? process : 0;
  const int ended = wait_for(process, limit);
  at_work().group = 0;
  return ended >= 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

// The full path of `name`, or "".
std::string look_for(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin" : path;
  for (std::string_view folder; next_part(folders, folder, ':');) {
    const std::string file = std::string(folder) + "/" + name;
    if (!folder.empty() && folder[0] == '/' && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

// The first line of `path --version`, or "" when it does not run.
std::string version_of(const std::string& path) {
  const PrivateFolder folder;
  if (!run({path, "--version"}, folder, "/dev/null", folder.file("version"), 10)) return "";
  const std::string text = read_whole(folder.file("version"));
  return text.substr(0, text.find('\n'));
}

}  // namespace

int host_level() {
#if defined(__x86_64__)
  const bool v3 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi2") != 0;
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                  __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
                  __builtin_cpu_supports("avx512cd") != 0;
  return v4 ? 4 : v3 ? 3 : 1;
#else
  return 1;
#endif
}

std::string level_name(int level) { return level == 1 ? "generic" : "x86-64-v" + std::to_string(level); }

std::optional<HostCompiler> find_host_compiler(const std::string& wanted) {
  std::vector<std::string> names{wanted};
  if (wanted.empty()) names = {"g++", "c++", "clang++"};
  for (const std::string& name : names) {
    const std::string path = look_for(name);
    if (path.empty()) continue;
    const std::string version = version_of(path);
    if (!version.empty()) return HostCompiler{path, version};
  }
  return std::nullopt;
}

std::vector<std::string> host_flags(int level) {
  std::vector<std::string> flags{"-std=c++20", "-O3", "-fno-math-errno", "-fno-trapping-math", "-shared", "-fPIC"};
  if (level > 1) flags.push_back("-march=" + level_name(level));
  if (level == 4) flags.emplace_back("-mprefer-vector-width=512");
  flags.insert(flags.end(), {"-x", "c++", "-"});
  return flags;
}

std::string host_flags_text(int level) {
  std::string text;
  for (const std::string& flag : host_flags(level)) text += (text.empty() ? "" : " ") + flag;
  return text;
}

std::string compile_host(const HostCompiler& compiler, const std::string& text, int level, double limit) {
  const PrivateFolder folder;
  write_whole(folder.file("model.cpp"), text);
  std::vector<std::string> arguments{compiler.path};
  for (const std::string& flag : host_flags(level)) arguments.push_back(flag);
  arguments.insert(arguments.end(), {"-o", folder.file("model.so")});
  if (!run(arguments, folder, folder.file("model.cpp"), folder.file("messages"), limit)) {
    throw MachineError(compiler.path + " (" + compiler.version + ") failed:\n" +
                       read_whole(folder.file("messages")).substr(0, 4000));
  }
  std::string bytes = read_whole(folder.file("model.so"));
  if (bytes.empty()) throw MachineError(compiler.path + " made no code");
  return bytes;
}

// The memory file stays open for good: the loader knows code by its path, the path of a memory file is its number, and
// unloading may be refused or put off.
SharedObject::SharedObject(const std::string& bytes) {
  void* handle = nullptr;
  const int memory = memfd_create("halocline_model", MFD_CLOEXEC);
  if (memory >= 0 && write(memory, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()))
    handle = dlopen(("/proc/self/fd/" + std::to_string(memory)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {  // memory files may be forbidden or not executable
    if (memory >= 0) close(memory);
    const PrivateFolder folder;
    write_whole(folder.file("model.so"), bytes);
    handle = dlopen(folder.file("model.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw MachineError(std::string("compiled code cannot be loaded: ") + dlerror());
  }
  handle_ = std::shared_ptr<void>(handle, [](void* loaded) { dlclose(loaded); });
}

void* SharedObject::find(const std::string& name) const {
  void* address = dlsym(handle_.get(), name.c_str());
  if (address == nullptr) throw MachineError("compiled code has no '" + name + "'");
  return address;
}

}  // namespace halocline::ode_ensemble
