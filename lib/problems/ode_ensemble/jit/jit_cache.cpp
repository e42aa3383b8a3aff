#include "lib/problems/ode_ensemble/jit/jit_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "lib/problems/ode_ensemble/jit/sha256.hpp"

namespace halocline::ode_ensemble {

namespace {

constexpr std::size_t digits = 64;  // of the checksum in front of the code
constexpr const char* unfinished = "new_XXXXXX";

// Whether only this user can have written what `facts` describe.
bool trusted(const struct stat& facts) { return facts.st_uid == geteuid() && (facts.st_mode & 022) == 0; }

std::string reason() { return std::strerror(errno); }

bool write_all(int file, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(file, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return true;
}

std::string read_all(int file, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = read(file, bytes.data() + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  bytes.resize(done);
  return bytes;
}

// Only names of keys, and what processes that were killed while they stored have left: what else lies there is not
// ours.
void remove_oldest(const std::string& folder, std::size_t most) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto time = [&error](const fs::directory_entry& entry) { return entry.last_write_time(error); };
  const auto yesterday = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::vector<fs::directory_entry> files, left;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() == digits) files.push_back(entry);
    if (name.size() == std::strlen(unfinished) && name.substr(0, 4) == "new_" && time(entry) < yesterday)
      left.push_back(entry);
  }
  for (const auto& entry : left) fs::remove(entry.path(), error);
  if (files.size() <= most) return;
  std::sort(files.begin(), files.end(), [&](const auto& a, const auto& b) { return time(a) < time(b); });
  for (std::size_t n = 0; n < files.size() - most; ++n) fs::remove(files[n].path(), error);
}

}  // namespace

std::string default_cache_folder() {
  const char* const named = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  std::string folder;
  if (named != nullptr && named[0] == '/') {  // others are to be ignored, says the standard of XDG
    folder = named;
  } else if (home != nullptr && home[0] == '/') {
    folder = std::string(home) + "/.cache";
  } else {
    return "";
  }
  mkdir(folder.c_str(), 0700);  // where it fails so does that of the folder in it, which is told
  return folder + "/halocline";
}

JitCache::JitCache(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  struct stat facts {};
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    fault_ = "cannot make " + folder_ + ": " + reason();
  } else if (lstat(folder_.c_str(), &facts) != 0) {
    fault_ = "cannot read " + folder_ + ": " + reason();
  } else if (!S_ISDIR(facts.st_mode) || !trusted(facts)) {
    fault_ = folder_ + " is no folder that only you can write to";
  }
  if (!fault_.empty()) folder_.clear();
}

std::optional<std::string> JitCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const int file = open((folder_ + "/" + key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat facts {};
  std::string all;
  if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && trusted(facts))
    all = read_all(file, static_cast<std::size_t>(facts.st_size));
  close(file);
  if (all.size() <= digits) return std::nullopt;
  std::string bytes = all.substr(digits);
  if (sha256(bytes) != all.substr(0, digits)) return std::nullopt;
  return bytes;
}

void JitCache::store(const std::string& key, const std::string& bytes) {
  if (folder_.empty()) return;
  std::string temporary = folder_ + "/" + unfinished;
  const int file = mkostemp(temporary.data(), O_CLOEXEC);  // mode 0600
  if (file < 0) {
    fault_ = "cannot write to " + folder_ + ": " + reason();
    return;
  }
  const bool written = write_all(file, sha256(bytes) + bytes);
  const bool closed = close(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), (folder_ + "/" + key).c_str()) == 0)
    return remove_oldest(folder_, most);
  fault_ = "cannot write to " + folder_ + ": " + reason();
  unlink(temporary.c_str());
}

std::string jit_key(const std::string& text, const std::string& flags, const std::string& compiler,
                    const std::string& architecture) {
  // Lengths keep the parts apart.
  std::string all;
  for (const std::string* part : {&text, &flags, &compiler, &architecture})
    all += std::to_string(part->size()) + ":" + *part;
  return sha256(all);
}

}  // namespace halocline::ode_ensemble
