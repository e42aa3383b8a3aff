// What this machine can do of a table of rates.
#include <omp.h>
#include <unistd.h>

#include "app/forecast/rates.hpp"
#include "gpu/copy_rate.hpp"
#include "gpu/devices.hpp"

namespace halocline {

namespace {

constexpr double seconds = 0.2;  // of a measurement

double positive(long value, double otherwise) { return value > 0 ? static_cast<double>(value) : otherwise; }

DeviceRates measure_host() {
  DeviceRates rates = known_rates().back();
  rates.name = "here";
  rates.per_node = omp_get_num_procs();
  rates.copy = copy_rate(make_executor("omp:1", 1), seconds);
  rates.most_copy = copy_rate(make_executor("omp:" + std::to_string(rates.per_node), 1), seconds);
  rates.memory = positive(sysconf(_SC_PHYS_PAGES), 1) * positive(sysconf(_SC_PAGESIZE), 1);
  rates.cache = positive(sysconf(_SC_LEVEL3_CACHE_SIZE), rates.cache);
  return rates;
}

}  // namespace

DeviceRates measure_rates(bool gpu) {
  if (!gpu) return measure_host();
  DeviceRates rates = known_rates().front();
  rates.name = "here";
  rates.copy = copy_rate(make_executor("cuda:0", 1), seconds);
  rates.memory = static_cast<double>(cuda_memories().front());
  rates.per_node = cuda_device_count();
  return rates;
}

}  // namespace halocline
