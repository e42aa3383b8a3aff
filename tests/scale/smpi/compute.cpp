// Time of computation: every launch lets pass what its label's bytes take at the rate of a table, and a latency. The
// executor asks make_host_profile() for the profile of its kernels; here it gets one that waits in place of measuring.
//
// HALOCLINE_SCALE_RATES names the table: a line per kernel with bytes per second, seconds of a launch and the factor of
// its bytes, and then its name to the end of the line; the line of the name * is for all others. The factor lets a
// small part stand for a large one. (wait for a sum) is paid before every reduction, (exchange) with every exchange of
// halos. Without the variable computation takes no time.
//
// HALOCLINE_SCALE_QUEUE: launches are queued on a device, while the host goes on; before it pays a name in brackets it
// waits until the device has what is to be sent: what was queued when that was collected, all of it before sums. Else
// the host waits for every launch.
#include <simgrid/actor.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/base/profile/kernel_profile.hpp"
#include "tests/scale/smpi/compute.hpp"
#include "tests/scale/smpi/ledger.hpp"

namespace {

struct Rate {
  double bytes_per_second = 0, launch = 0, factor = 1;
};

class Rates {
 public:
  Rates() {
    const char* path = std::getenv("HALOCLINE_SCALE_RATES");
    if (path == nullptr) return;
    std::ifstream file(path);
    Rate rate;
    std::string name;
    while (file >> rate.bytes_per_second >> rate.launch >> rate.factor && std::getline(file >> std::ws, name))
      rates_[name] = rate;
  }

  // Without an entry of its own, a name in brackets, which is no kernel, takes no time.
  double seconds(const char* name, double bytes) const {
    auto found = rates_.find(name);
    if (found == rates_.end() && name[0] != '(') found = rates_.find("*");
    if (found == rates_.end()) return 0;
    const Rate& rate = found->second;
    return rate.launch + rate.factor * bytes / rate.bytes_per_second;
  }

 private:
  std::unordered_map<std::string, Rate> rates_;
};

class ComputeTime : public halocline::KernelProfile {
 public:
  using KernelProfile::KernelProfile;
  void begin(const halocline::Executor&, halocline::Queue, Span&) override {}
  void end(const halocline::Executor&, halocline::Queue, const Span& span) noexcept override {
    scale::compute(span.label.name, span.label.bytes);
  }
};

}  // namespace

namespace {

using scale::Ledger;

bool queued() {
  static const bool set = std::getenv("HALOCLINE_SCALE_QUEUE") != nullptr;
  return set;
}

void sleep_until(double time) {
  if (time > scale::now()) sg_actor_sleep_for(time - scale::now());
}

// `name`: of a launch, or of what the host does.
void pass(Ledger& ledger, std::string_view name, double seconds) {
  if (name[0] == '(') {
    sleep_until(name == "(exchange)" ? ledger.packed : ledger.device_free);
    sg_actor_sleep_for(seconds);
    return;
  }
  if (seconds > 0) ledger.device_free = std::max(ledger.device_free, scale::now()) + seconds;
  if (name == "halo gather" || name == "copy to host") ledger.packed = ledger.device_free;
}

}  // namespace

namespace scale {

void wait_for_device() {
  if (queued() && sg_actor_self() != nullptr) sleep_until(ledger().device_free);
}

void compute(const char* name, double bytes) {
  static const Rates rates;
  if (sg_actor_self() == nullptr) return;
  const double seconds = rates.seconds(name, bytes);
  Count& count = ledger().now_in().kernels[name];
  ++count.calls;
  count.bytes += bytes;
  count.seconds += seconds;
  if (queued()) return pass(ledger(), name, seconds);
  if (seconds > 0) sg_actor_sleep_for(seconds);
}

}  // namespace scale

std::shared_ptr<halocline::KernelProfile> wrapped_profile(const halocline::Timers* scopes) asm(
    "__wrap__ZN9halocline17make_host_profileEPKNS_6TimersE");
std::shared_ptr<halocline::KernelProfile> wrapped_profile(const halocline::Timers* scopes) {
  static const halocline::Timers none;
  return std::make_shared<ComputeTime>(scopes == nullptr ? none : *scopes);
}
