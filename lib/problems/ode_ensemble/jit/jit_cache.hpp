// JitCache: compiled code kept in a folder of this node, so that a deck that was compiled once starts at once.
//
// In the user's cache directory unless the command line says otherwise. Files are trusted only when folder and file
// belong to this user and nobody else may write to them; every entry carries a checksum. A file appears under its name
// by rename, complete.
#pragma once

#include <optional>
#include <string>

namespace halocline::ode_ensemble {

// The folder of a user who names none: halocline in XDG_CACHE_HOME, else in .cache of HOME, whose folders are made; ""
// where the environment has neither.
std::string default_cache_folder();

class JitCache {
 public:
  // "" turns the cache off. Makes the folder (mode 0700) when it is missing; its parent must exist.
  explicit JitCache(std::string folder);

  // The code stored under `key`, if there is any that can be trusted.
  std::optional<std::string> find(const std::string& key) const;
  // Stores code, and removes the oldest of more than `most` files; a failure is silent apart from `fault()`.
  static constexpr std::size_t most = 200;
  void store(const std::string& key, const std::string& bytes);

  // Why the cache is not used although a folder is named, in one line; "" when all is well.
  const std::string& fault() const { return fault_; }

 private:
  std::string folder_, fault_;
};

// The key of code: SHA-256 of everything that decides what the compiler makes.
std::string jit_key(const std::string& text, const std::string& flags, const std::string& compiler,
                    const std::string& architecture);

}  // namespace halocline::ode_ensemble
