// Forecast: how long a unit of a problem takes on some devices, from its cost and their rates.
#pragma once

#include "app/forecast/rates.hpp"
#include "lib/problems/costs/cost.hpp"
#include "mpi/transfer.hpp"

namespace halocline {

struct Layout {
  int parts = 1;        // a device each
  int threads = 1;      // of a host's part
  bool staged = false;  // messages of GPUs of a node go through the host
};

// Seconds of a unit.
struct Forecast {
  double kernels = 0;
  double halos = 0;  // that are waited for
  double turns = 0;
  double sums = 0;
  double sent = 0;  // bytes of a part
  double seconds() const { return kernels + halos + turns + sums; }
};

Forecast forecast(const Cost& cost, const DeviceRates& rates, const Layout& layout);

}  // namespace halocline
