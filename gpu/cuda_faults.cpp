#include "gpu/cuda_faults.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace halocline {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::string why_no_device(int driver, int runtime, const std::string& other) {
  if (driver == 0) return "no NVIDIA driver on this machine";
  if (driver < runtime && other.empty())
    return "the NVIDIA driver is too old: it serves CUDA " + version_text(driver) + ", this program needs " +
           version_text(runtime);
  return other.empty() ? "no CUDA device is visible" : other;
}

std::string why_not_device(int device, const CudaDevices& devices) {
  const int count = static_cast<int>(devices.list.size());
  if (device >= 0 && device < count) return "";
  const std::string wanted = "device 'cuda:" + std::to_string(device) + "': ";
  if (count == 0) return wanted + devices.why_none + "; use omp or auto";
  return wanted + "this process sees " + std::to_string(count) + " CUDA device" +
         (count == 1 ? ", cuda:0" : "s, cuda:0 to cuda:" + std::to_string(count - 1));
}

void Launches::note(const char* name) {
  const std::lock_guard lock(mutex_);
  const Index n = launched_.load(std::memory_order_relaxed);
  auto& place = names_[static_cast<std::size_t>(n) % names_.size()];
  place[std::string_view(name).copy(place.data(), place.size() - 1)] = 0;
  launched_.store(n + 1, std::memory_order_release);
}

void Launches::finished(Index ticket) {
  if (ticket > finished_.load(std::memory_order_relaxed)) finished_.store(ticket, std::memory_order_relaxed);
}

std::string Launches::suspects() const {
  const std::lock_guard lock(mutex_);
  const Index last = launched();
  const Index first = std::max(finished_.load(), last - static_cast<Index>(names_.size()));
  std::vector<std::string> names;
  for (Index n = first; n < last; ++n) {
    std::string name = names_[static_cast<std::size_t>(n) % names_.size()].data();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "; kernels since the last wait: " : ", ") + name;
  return text;
}

}  // namespace halocline
