// Devices of this machine: executors by name, and the devices a rank drives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/executor.hpp"

namespace halocline {

// "omp", "omp:8" (threads), "emulated", "emulated:2" (threads), "emulated-lazy:2"; "cuda:1" (device), "cuda" for
// "cuda:0". Throws DeckError for an unknown name, MachineError for a device that this build or machine lacks.
// `profiled` as for make_omp_executor().
ExecutorPtr make_executor(const std::string& name, int default_threads, const Timers* profiled = nullptr);

// Throws DeckError when make_executor() would; does not look at the machine. "auto" is no name here.
void check_device_name(const std::string& name);

// GPUs that this process may use; 0 without CUDA, driver or device.
int cuda_device_count();
// Bytes of each.
std::vector<std::size_t> cuda_memories();
// One line that says why there are none, "" otherwise.
std::string why_no_cuda();
bool built_with_cuda();

// Among the processes of one node: this one's number and their count.
struct NodePlace {
  int rank = 0, ranks = 1;
};

// The devices of a rank, one per part: `wanted` (of the deck: names, or "auto") with each repeated `per_rank` times,
// and "cuda" and "auto" given a number. The parts of a node that ask for some GPU share out its `gpus` in order, each
// one GPU of its own where there are enough, else in equal runs; so one card serves 1 rank with 4 parts, 2 x 2 and
// 4 x 1. Without a GPU "auto" becomes "omp", and "cuda" stays for make_executor() to refuse.
std::vector<std::string> devices_of_rank(const std::vector<std::string>& wanted, int per_rank, const NodePlace& place,
                                         int gpus);

// Whether a GPU is among these devices of a deck by its name; "auto" does without.
bool names_gpu(const std::vector<std::string>& wanted);

// Host threads for each device of a rank that has `threads`: as many as its name says; one for a GPU, whose driving
// thread keeps a core busy while it waits; the rest shared out among host devices without a number, at least one each.
std::vector<int> share_threads(const std::vector<std::string>& names, int threads);

// Of the GPU behind an executor: its place on the PCI bus, which tells whether two executors share it, and its free
// memory now. "" and 0 for host devices.
struct GpuState {
  std::string bus;
  std::size_t free_bytes = 0;
};
GpuState gpu_state(const Executor& executor);

// Device memory that another library is to map or register, as MPI does for direct messages: on a GPU apart from the
// pool of the executor, whose memory such libraries cannot share between processes, or crash on. Waits for the device.
void* allocate_plain(const Executor& executor, std::size_t bytes);
void deallocate_plain(const Executor& executor, void* pointer, std::size_t bytes) noexcept;

// The hardware threads of the memory node that a GPU is attached to. Empty for host devices, or when Linux does not
// say.
std::vector<int> cores_near(const Executor& executor);

// The numbers in a list as Linux writes it, "0-3,8"; empty for text of another kind.
std::vector<int> numbers_of_list(std::string_view text);

// One line per device of this machine, for `halocline info`.
std::vector<std::string> describe_devices();

}  // namespace halocline
