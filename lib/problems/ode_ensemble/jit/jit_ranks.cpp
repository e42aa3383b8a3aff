#include "lib/problems/ode_ensemble/jit/jit_ranks.hpp"

#include <array>
#include <chrono>
#include <cstdlib>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/jit/jit_cache.hpp"

namespace halocline::ode_ensemble {

namespace {

// Compiled on this rank, or found in the cache; an empty string when that fails, with the reason.
std::string compile_here(const JitOptions& options, const std::string& text, int level, HostModule& facts,
                         std::string& why_not) {
  try {  // temporary files too may be impossible
    const std::optional<HostCompiler> compiler = find_host_compiler(options.compiler);
    if (!compiler) {
      why_not = options.compiler.empty() ? "no C++ compiler in PATH" : "'" + options.compiler + "' does not run";
      return "";
    }
    facts.compiler = compiler->path + ": " + compiler->version;
    JitCache cache(options.cache);
    const std::string key = jit_key(text, facts.flags, facts.compiler, level_name(level));
    if (std::optional<std::string> bytes = cache.find(key)) {
      facts.cached = true;
      return *bytes;
    }
    std::string bytes = compile_host(*compiler, text, level);
    cache.store(key, bytes);
    why_not = cache.fault();
    return bytes;
  } catch (const MachineError& error) {
    why_not = error.what();
    return "";
  }
}

std::optional<SharedObject> load(const std::string& bytes, std::string& why_not) {
  if (bytes.empty()) return std::nullopt;
  try {
    return SharedObject(bytes);
  } catch (const MachineError& error) {
    why_not = error.what();
    return std::nullopt;
  }
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

JitOptions jit_options_of_environment() {
  const std::string cache = variable("HALOCLINE_CACHE");
  return {variable("HALOCLINE_COMPILER"),
          cache.empty()     ? default_cache_folder()
          : cache == "none" ? ""
                            : cache,
          !cache.empty()};
}

std::optional<HostModule> build_for_host(const Communicator& comm, Log& log, const JitOptions& options,
                                         const TextOfLevel& text_of, bool needed) {
  const auto begin = std::chrono::steady_clock::now();
  std::array<double, 1> lowest{static_cast<double>(host_level())};
  comm.min(lowest);
  const int level = static_cast<int>(lowest[0]);
  HostModule facts{SharedObject(), level, text_of(level), "", host_flags_text(level), 0, false};
  std::string bytes, why_not;
  if (comm.rank() == 0) bytes = compile_here(options, facts.text, level, facts, why_not);
  comm.broadcast(bytes);
  comm.broadcast(facts.compiler);
  const std::optional<SharedObject> code = load(bytes, why_not);
  if (!comm.agree(code.has_value())) {
    if (why_not.empty()) why_not = "another rank cannot load the code";
    comm.broadcast(why_not);
    if (needed) throw MachineError("the formulas cannot be compiled: " + why_not);
    log.info("the formulas are interpreted, not compiled: " + why_not);
    return std::nullopt;
  }
  if (!why_not.empty() && options.chosen) log.warning("compiled code is not kept: " + why_not);
  if (!why_not.empty() && !options.chosen) log.info("compiled code is not kept: " + why_not);
  std::array<double, 1> cached{facts.cached ? 1.0 : 0.0};
  comm.broadcast(cached);
  facts.cached = cached[0] > 0;
  facts.code = *code;
  facts.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return facts;
}

}  // namespace halocline::ode_ensemble
