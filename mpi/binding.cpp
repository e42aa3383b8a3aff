#include "mpi/binding.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <tuple>

namespace halocline {
namespace {

int number_in(const std::string& file) {
  std::ifstream stream(file);
  int number = 0;
  stream >> number;
  return number;
}

// Sorts by where a hardware thread is in the machine.
std::tuple<int, int, int> place_of(int cpu) {
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
  return {number_in(folder + "physical_package_id"), number_in(folder + "core_id"), cpu};
}

std::vector<int> common(std::vector<int> near, std::vector<int> usable) {
  std::sort(near.begin(), near.end());
  std::sort(usable.begin(), usable.end());
  std::vector<int> both;
  std::set_intersection(near.begin(), near.end(), usable.begin(), usable.end(), std::back_inserter(both));
  return both;
}

}  // namespace

std::vector<int> usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  std::vector<std::tuple<int, int, int>> places;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) places.push_back(place_of(cpu));
  }
  std::sort(places.begin(), places.end());
  std::vector<int> cores;
  for (const auto& place : places) cores.push_back(std::get<2>(place));
  return cores;
}

std::uint64_t node_key() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::ifstream stream("/proc/sys/kernel/random/boot_id");  // no text where there is none
  std::string start;
  stream >> start;
  return std::hash<std::string>{}(host.data() + (',' + start));
}

bool openmp_is_bound() {
  const char* bind = std::getenv("OMP_PROC_BIND");
  if (bind != nullptr) return std::strcmp(bind, "false") != 0 && std::strcmp(bind, "FALSE") != 0;
  return std::getenv("OMP_PLACES") != nullptr || std::getenv("GOMP_CPU_AFFINITY") != nullptr;
}

std::vector<std::vector<int>> share_cores(const std::vector<int>& usable, const std::vector<CoreWish>& parts) {
  std::vector<std::vector<int>> shares(parts.size());
  const std::size_t count = usable.size();
  if (count < std::max<std::size_t>(parts.size(), 2)) return shares;
  std::size_t threads = 0, before = 0;
  for (const CoreWish& part : parts) threads += part.gpu ? 0 : static_cast<std::size_t>(part.threads);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].gpu) {
      shares[i] = common(parts[i].near, usable);
      continue;
    }
    const std::size_t first = count * before / threads;
    before += static_cast<std::size_t>(parts[i].threads);
    const std::size_t last = std::max(count * before / threads, first + 1);
    shares[i].assign(usable.begin() + static_cast<std::ptrdiff_t>(first),
                     usable.begin() + static_cast<std::ptrdiff_t>(last));
  }
  return shares;
}

bool bind_thread(const std::vector<int>& cores) {
  if (cores.empty()) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cores) {
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  }
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace halocline
