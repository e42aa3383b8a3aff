// Rates: what devices and the ways between them can do, the one table that forecasts rest on. Each figure is measured,
// or says that it is not: docs/performance/forecast.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline {

// Of kernels with this name (lib/problems/costs): bytes per second in units of the device's rate of copies, and what a
// launch takes besides.
struct KernelRate {
  std::string name;
  double share = 1;
  double start = 0;  // s
};

// A way between two devices: a message takes `latency` and its bytes.
struct LinkRate {
  double latency = 0;    // s
  double bandwidth = 1;  // B/s
  double bulk = 1;       // B/s of messages beyond 1 MiB
};
constexpr double bulk_message = 1 << 20;

struct DeviceRates {
  std::string name;
  bool gpu = true;
  double memory = 0;                 // B of a device; of a host: of a node
  double copy = 0;                   // B/s read and written, of a GPU or a thread of a host
  double most_copy = 0;              // B/s of a host with all threads
  double cache = 0;                  // B
  double in_cache = 1;               // rate of what stays there, in units of `copy`
  double launch = 0;                 // s that a kernel takes besides; of a host: that several threads take to begin
  double share = 0.7;                // of the rate of copies, for kernels without an entry
  double operations = 0;             // 1/s of a GPU or a thread, by the count of lib/problems/costs/ode_ensemble.cpp
  double wait = 0;                   // s until a host knows a sum of its GPU, and work is under way again
  double lone_wait = 0;              // s of that where there is one part: sums may stay on the device
  int per_node = 1;                  // devices, or threads of a host
  LinkRate inside, staged, between;  // a node; through the host's memory; nodes
  double hop = 0, far_hop = 0;       // s of a step of a reduction inside a node, between nodes
  double message = 0;                // s that each further message of an exchange with all others takes
  std::vector<KernelRate> kernels = {};

  const KernelRate* of(std::string_view kernel) const;
};

// "h200", "h100", "host".
const std::vector<DeviceRates>& known_rates();

// Of the devices `name` ("h200", "host", "host:8" with so many threads each): of `file` (--rates) where that is not
// empty, else known ones. By one rank. DeckError.
struct DeviceChoice {
  DeviceRates rates;
  int threads = 1;
};
DeviceChoice choose_device(const std::string& name, const std::string& file);

// A file for --rates.
std::string rates_text(const DeviceRates& rates, const std::string& like);

// This machine's, measured in about a second: its first device of this kind, otherwise as `like`.
DeviceRates measure_rates(bool gpu);

}  // namespace halocline
