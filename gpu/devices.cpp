#include "gpu/devices.hpp"

#include <omp.h>

#include <charconv>

#include "lib/base/error.hpp"

namespace halocline {

namespace {

// The number behind the colon of "omp:8", or `otherwise`.
int count_of(const std::string& name, std::size_t colon, int otherwise) {
  if (colon == std::string::npos) return otherwise;
  int value = 0;
  const char* first = name.data() + colon + 1;
  const char* last = name.data() + name.size();
  const auto [end, status] = std::from_chars(first, last, value);
  if (status != std::errc() || end != last || value < 0 || value > 4096)
    throw DeckError("device '" + name + "': a number is expected behind the colon");
  return value;
}

}  // namespace

ExecutorPtr make_executor(const std::string& name, int default_threads) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (kind == "omp" || kind == "emulated" || kind == "emulated-lazy") {
    const int threads = count_of(name, colon, default_threads);
    if (threads < 1) throw DeckError("device '" + name + "': at least one thread is needed");
    return kind == "omp" ? make_omp_executor(threads) : make_emulated_executor(threads, kind == "emulated-lazy");
  }
  if (kind == "cuda")
    throw MachineError("device '" + name + "': this version of halocline computes on the host only; use omp or auto");
  throw DeckError("unknown device '" + name + "'; known are omp, omp:THREADS, emulated, emulated-lazy");
}

std::vector<std::string> describe_devices() {
  return {"omp: the host, " + std::to_string(omp_get_num_procs()) + " hardware threads",
          "emulated: the host posing as a device with memory of its own (for tests)"};
}

}  // namespace halocline
