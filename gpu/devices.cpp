#include "gpu/devices.hpp"

#include <omp.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "gpu/cuda_executor.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

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

struct DeviceName {
  std::string kind;
  int number;  // threads of a host device, which GPU
};

DeviceName parse(const std::string& name, int default_threads) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  if (kind == "omp" || kind == "emulated" || kind == "emulated-lazy") {
    const int threads = count_of(name, colon, default_threads);
    if (threads < 1) throw DeckError("device '" + name + "': at least one thread is needed");
    return {kind, threads};
  }
  if (kind == "cuda") return {kind, count_of(name, colon, 0)};
  throw DeckError("unknown device '" + name +
                  "'; known are omp, omp:THREADS, cuda, cuda:NUMBER, emulated, emulated-lazy");
}

// Takes a number off the front of `text`; -1 where there is none.
int take_number(std::string_view& text) {
  int value = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc()) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool wants_some_gpu(const std::string& name) { return name == "cuda" || name == "auto"; }

std::string describe(int number, const CudaDevice& device) {
  return formatted("cuda:{}: {}, {:.1f} GiB, compute capability {}.{}", number, device.name,
                   static_cast<double>(device.memory) / (1 << 30), device.major, device.minor);
}

}  // namespace

ExecutorPtr make_executor(const std::string& name, int default_threads, const Timers* profiled) {
  const auto [kind, number] = parse(name, default_threads);
  if (kind == "cuda") return make_cuda_executor(number, profiled);
  if (kind == "omp") return make_omp_executor(number, profiled);
  return make_emulated_executor(number, kind == "emulated-lazy", profiled);
}

void check_device_name(const std::string& name) { parse(name, 1); }

int cuda_device_count() { return static_cast<int>(cuda_devices().list.size()); }

std::vector<std::size_t> cuda_memories() {
  std::vector<std::size_t> bytes;
  for (const CudaDevice& device : cuda_devices().list) bytes.push_back(device.memory);
  return bytes;
}

std::string why_no_cuda() { return cuda_devices().why_none; }

std::vector<std::string> devices_of_rank(const std::vector<std::string>& wanted, int per_rank, const NodePlace& place,
                                         int gpus) {
  const auto own = static_cast<int>(std::count_if(wanted.begin(), wanted.end(), wants_some_gpu)) * per_rank;
  const long all = static_cast<long>(own) * place.ranks;
  long part = static_cast<long>(own) * place.rank;
  std::vector<std::string> names;
  for (const std::string& name : wanted) {
    for (int copy = 0; copy < per_rank; ++copy) {
      if (!wants_some_gpu(name)) {
        names.push_back(name);
      } else if (gpus <= 0) {
        names.push_back(name == "auto" ? "omp" : name);
      } else {
        names.push_back("cuda:" + std::to_string(all > gpus ? part * gpus / all : part));
        ++part;
      }
    }
  }
  return names;
}

bool names_gpu(const std::vector<std::string>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(), [](const std::string& name) { return name.starts_with("cuda"); });
}

std::vector<int> share_threads(const std::vector<std::string>& names, int threads) {
  const auto shares = [](const std::string& name) { return name.find(':') == std::string::npos && name != "cuda"; };
  std::vector<int> own(names.size(), 1);
  int left = threads, sharing = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (shares(names[i])) {
      ++sharing;
    } else {
      if (!names[i].starts_with("cuda")) own[i] = parse(names[i], 1).number;
      left -= own[i];
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!shares(names[i])) continue;
    own[i] = std::max(1, left / sharing);
    left -= own[i];
    --sharing;
  }
  return own;
}

GpuState gpu_state(const Executor& executor) {
  const auto* gpu = dynamic_cast<const CudaExecutor*>(&executor);
  return gpu == nullptr ? GpuState{} : GpuState{gpu->bus(), gpu->free_bytes()};
}

void* allocate_plain(const Executor& executor, std::size_t bytes) {
  const auto* gpu = dynamic_cast<const CudaExecutor*>(&executor);
  return gpu == nullptr ? executor.allocate(bytes) : gpu->allocate_own(bytes);
}

void deallocate_plain(const Executor& executor, void* pointer, std::size_t bytes) noexcept {
  const auto* gpu = dynamic_cast<const CudaExecutor*>(&executor);
  if (gpu != nullptr) return gpu->deallocate_own(pointer);
  executor.deallocate(pointer, bytes);
}

std::vector<int> cores_near(const Executor& executor) {
  const auto* gpu = dynamic_cast<const CudaExecutor*>(&executor);
  if (gpu == nullptr) return {};
  std::ifstream file("/sys/bus/pci/devices/" + gpu->bus() + "/local_cpulist");
  std::string text;
  std::getline(file, text);
  return numbers_of_list(text);
}

std::vector<int> numbers_of_list(std::string_view text) {
  constexpr int most = 1 << 16;
  std::vector<int> numbers;
  while (!text.empty()) {
    const int first = take_number(text);
    int last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = take_number(text);
    }
    if (first < 0 || last < first || last > most || !(text.empty() || text.starts_with(','))) return {};
    for (int n = first; n <= last; ++n) numbers.push_back(n);
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

std::vector<std::string> describe_devices() {
  std::vector<std::string> lines{"omp: the host, " + std::to_string(omp_get_num_procs()) + " hardware threads",
                                 "emulated: the host posing as a device with memory of its own (for tests)"};
  const CudaDevices gpus = cuda_devices();
  for (std::size_t i = 0; i < gpus.list.size(); ++i) lines.push_back(describe(static_cast<int>(i), gpus.list[i]));
  if (gpus.list.empty()) lines.push_back("cuda: none, " + gpus.why_none);
  return lines;
}

void wait_for_flag(const Executor& executor, const std::uint64_t* flag, std::uint64_t value) {
  if (executor.backend() == Backend::cuda) return static_cast<const CudaExecutor&>(executor).wait_for(flag, value);
  executor.wait(executor.record(Queue::compute));
  require(__atomic_load_n(flag, __ATOMIC_ACQUIRE) >= value, "the work of a device ended without its flag");
}

}  // namespace halocline
