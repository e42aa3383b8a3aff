#include "app/forecast/rates.hpp"

#include <algorithm>

namespace halocline {

namespace {

// Kernels of an H200, then of an H100 where it differs: as docs/performance tells, in units of copies.
std::vector<KernelRate> kernels_of_h200() {
  constexpr double us = 1e-6;
  return {
      // collocation.md, gpu.md
      {"schur", 0.79, 5.3 * us},
      {"rows of general lines", 1, 4.57 * us},
      {"node cycle", 0.63, 2.6 * us},
      {"vectors", 1, 3 * us},
      {"transforms", 0.575, 10 * us},
      {"start of a solution", 1, 750 * us},
      {"strips of modes", 0.125, 11 * us},
      {"dense products", 10.2, 325 * us},  // in units of copies: 42 TFlop/s
      // diffusion.md
      {"blocked 5pt", 0.615, 52 * us},
      {"blocked 5pt fp32", 0.56, 52 * us},
      {"blocked 9pt", 0.552, 17 * us},
      {"blocked 9pt fp32", 0.515, 17 * us},
      {"blocked cross4", 0.47, 17 * us},
      {"blocked 7pt", 0.674, 20 * us},
      {"fused 5pt", 0.88, 17 * us},
      {"fused 7pt", 0.93, 20 * us},
      {"fused 19pt", 0.63, 20 * us},
      {"fused 27pt", 0.6, 20 * us},
      {"fused cross4 in space", 0.576, 20 * us},
      {"fused own mask", 0.58, 20 * us},
      {"resident", 3.1, 0.55 * us},
      {"resident fp32", 1.55, 0.55 * us},
      {"walls", 0.0055, 0},
      {"walls in space", 0.032, 0},
      {"flux, harmonic in space", 0.62, 20 * us},
      {"flux, arithmetic in space", 0.75, 20 * us},
      {"flux, harmonic", 0.62, 20 * us},
      {"flux, arithmetic", 0.75, 20 * us},
      {"spinodal in space", 0.6, 20 * us},
      {"spinodal", 0.78, 20 * us},
      // fractional.md
      {"right side", 0.95, 16 * us},
      {"sweep x", 0.85, 9 * us},
      {"sweep y", 0.66, 8 * us},
      {"sweep z", 0.79, 7 * us},
      {"near pass", 0.85, 3 * us},
      {"flush", 0.90, 4 * us},
      {"right side in floats", 0.61, 16 * us},
      {"sweep x in floats", 0.7, 8 * us},
      {"sweep y in floats", 0.59, 8 * us},
      {"sweep z in floats", 0.55, 7 * us},
      {"near pass in floats", 0.85, 3 * us},
      {"flush in floats", 0.85, 4 * us},
      {"right side of place", 0.39, 16 * us},
      {"sweep x of place", 0.41, 9 * us},
      {"sweep y of place", 0.52, 8 * us},
      {"sweep z of place", 0.5, 7 * us},
      {"sides", 1, 2.5 * us},
      // sparse.md
      {"sparse product", 0.78, 4 * us},
      {"sparse vectors", 0.9, 4 * us},
      {"sparse cycle", 0.8, 2.6 * us},
      {"start of an ensemble", 1, 70 * us},
  };
}

// Of sweeps of boxes, in two chunks.
std::vector<KernelRate> kernels_of_boxes() {
  constexpr double us = 1e-6;
  return {
      {"sweep x with strips", 0.65, 9 * us},
      {"sweep y with strips", 0.88, 8 * us},
      {"sweep y, strips", 0.9, 4 * us},
      {"sweep z, strips", 0.9, 4 * us},
      {"sweep x with strips in floats", 0.58, 8 * us},
      {"sweep y with strips in floats", 0.78, 8 * us},
      {"sweep y, strips in floats", 0.9, 4 * us},
      {"sweep z, strips in floats", 0.9, 4 * us},
  };
}

std::vector<KernelRate> with(std::vector<KernelRate> kernels, const std::vector<KernelRate>& others) {
  for (const KernelRate& other : others) {
    const auto same = std::find_if(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == other.name; });
    if (same == kernels.end())
      kernels.push_back(other);
    else
      *same = other;
  }
  return kernels;
}

std::vector<KernelRate> kernels_of_h100() {
  constexpr double us = 1e-6;
  return with(with(kernels_of_h200(), kernels_of_boxes()), {{"schur", 0.89, 5.3 * us},
                                                            {"node cycle", 0.67, 2.6 * us},
                                                            {"transforms", 0.74, 10 * us},
                                                            {"dense products", 14.1, 325 * us},
                                                            {"blocked 5pt", 0.85, 52 * us},
                                                            {"walls", 0.0076, 0},
                                                            {"walls in space", 0.044, 0},
                                                            {"resident", 3.8, 0.6 * us},
                                                            {"right side", 1.2, 16 * us},
                                                            {"sweep x", 0.85, 9 * us},
                                                            {"sweep y", 0.82, 8 * us},
                                                            {"sweep z", 0.89, 7 * us},
                                                            {"sweep x with strips", 0.8, 9 * us},
                                                            {"sweep y with strips", 0.8, 8 * us},
                                                            {"near pass", 0.95, 3 * us},
                                                            {"flush", 0.95, 4 * us},
                                                            {"right side in floats", 0.82, 16 * us},
                                                            {"sweep x in floats", 0.84, 8 * us},
                                                            {"sweep y in floats", 0.75, 8 * us},
                                                            {"sweep z in floats", 0.60, 7 * us},
                                                            {"near pass in floats", 0.92, 3 * us},
                                                            {"flush in floats", 0.9, 4 * us}});
}

// Two cores of a Sapphire Rapids Xeon. Several threads take `launch` to begin a loop, less where one follows another.
std::vector<KernelRate> kernels_of_host() {
  return {
      {"schur", 0.81, 0},
      {"general lines", 0.84, 0},
      {"general lines in floats", 0.57, 0},
      {"node cycle", 0.46, 0},
      {"vectors", 0.95, 0},
      {"transforms", 1, 0},
      {"strips of modes", 0.19, 0},
      {"dense products", 1.88, 0},  // 28 GFlop/s
      {"blocked 5pt", 0.159, 5e-6},
      {"blocked 9pt", 0.127, 5e-6},
      {"blocked cross4", 0.126, 5e-6},
      {"blocked 7pt", 0.2, 5e-6},
      {"blocked 27pt", 0.105, 5e-6},
      {"blocked 5pt fp32", 0.142, 5e-6},
      {"blocked 9pt fp32", 0.11, 5e-6},
      {"blocked cross4 fp32", 0.135, 5e-6},
      {"blocked 7pt fp32", 0.135, 5e-6},
      {"blocked 27pt fp32", 0.103, 5e-6},
      {"fused 5pt", 1.15, 5e-6},
      {"fused 9pt", 1.08, 5e-6},
      {"fused cross4", 1, 5e-6},
      {"fused 7pt", 0.61, 5e-6},
      {"fused 27pt", 0.38, 5e-6},
      {"flux, harmonic", 0.47, 0},
      {"flux, arithmetic", 0.57, 0},
      {"flux, harmonic in space", 0.31, 0},
      {"flux, arithmetic in space", 0.34, 0},
      {"spinodal", 0.12, 0},
      {"spinodal in space", 0.12, 0},
      {"right side", 0.64, 0},
      {"sweep x", 0.69, 0},
      {"sweep y", 0.84, 0},
      {"sweep z", 0.63, 0},
      {"sweep x with strips", 0.69, 0},
      {"sweep y with strips", 0.84, 0},
      {"near pass", 1, 0},
      {"flush", 0.55, 0},
      {"sparse product", 0.6, 0},
      {"sparse vectors", 0.8, 0},
      {"sparse cycle", 0.55, 0},
      {"sides", 1, 0},
      {"start of an ensemble", 1, 0},
  };
}

// GPUs of four to a node by NVLink. Between nodes: stated, not measured, 50 GB/s and 2 us to the next node, and as much
// again for a message as between GPUs of a node that are driven by two ranks.
DeviceRates gpu_rates() {
  constexpr double us = 1e-6;
  DeviceRates gpu;
  gpu.cache = 50e6;
  gpu.in_cache = 2;
  gpu.launch = 4 * us;
  gpu.wait = 57 * us;
  gpu.lone_wait = 12 * us;
  gpu.per_node = 4;
  gpu.inside = {16 * us, 50e9, 233e9};
  gpu.staged = {21 * us, 3.2e9, 2.95e9};
  gpu.between = {18 * us, 50e9, 50e9};
  gpu.hop = 2 * us;
  gpu.far_hop = 3 * us;
  gpu.message = 1.5 * us;
  return gpu;
}

std::vector<DeviceRates> make_known_rates() {
  constexpr double us = 1e-6;
  DeviceRates h200 = gpu_rates();
  h200.name = "h200";
  h200.memory = 141e9;
  h200.copy = 4.15e12;
  h200.operations = 3.94e13;
  h200.kernels = with(kernels_of_h200(), kernels_of_boxes());
  DeviceRates h100 = gpu_rates();
  h100.name = "h100";
  h100.memory = 80e9;
  h100.copy = 3.0e12;
  h100.operations = 3.5e13;
  h100.staged = {26 * us, 2.4e9, 2.7e9};
  h100.kernels = kernels_of_h100();
  DeviceRates host;
  host.name = "host";
  host.gpu = false;
  host.memory = 256e9;
  host.copy = 14.9e9;
  host.most_copy = 240e9;
  host.cache = 260e6;
  host.in_cache = 1.75;
  host.launch = 55 * us;
  host.share = 0.5;
  host.operations = 9.3e10;
  host.per_node = 16;
  host.inside = {1 * us, 6e9, 6e9};
  host.staged = host.inside;
  host.between = {2 * us, 25e9, 25e9};
  host.hop = 1.2 * us;
  host.far_hop = 2 * us;
  host.message = 1 * us;
  host.kernels = kernels_of_host();
  return {h200, h100, host};
}

}  // namespace

const KernelRate* DeviceRates::of(std::string_view kernel) const {
  for (const KernelRate& rate : kernels)
    if (rate.name == kernel) return &rate;
  return nullptr;
}

const std::vector<DeviceRates>& known_rates() {
  static const std::vector<DeviceRates> rates = make_known_rates();
  return rates;
}

}  // namespace halocline
