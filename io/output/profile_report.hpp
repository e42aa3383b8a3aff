// ProfileReport: where the time of a run went, by kernels and by scopes, over all parts and ranks.
#pragma once

#include <string>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

struct ProfileReport {
  struct Device {
    std::string kind;      // "omp", "emulated", "cuda"
    int parts = 0;         // of all ranks
    double copy_rate = 0;  // bytes read and written per second by one part while all copy; 0: could not be measured
  };
  // Of one kernel in one scope.
  struct Place {
    std::string scope;  // path; "" in none
    Index calls = 0;    // of the part with most
    double mean = 0;    // s, over parts
  };
  struct Kernel {
    std::string name;
    Index calls = 0;           // of the part with most
    double mean = 0, max = 0;  // s, over parts
    double bytes = 0;          // of all parts, by what callers state; 0: nothing stated
    double of_copy_rate = 0;   // bytes per second as a fraction of the devices' copy rates; 0: unknown
    std::vector<Place> places;
  };
  struct Scope {
    std::string path;          // "solve/iterate/halo wait"
    Index calls = 0;           // of the first rank
    double mean = 0, max = 0;  // s, over ranks, by the clock of the host
    double itself = 0;         // mean without the scopes inside
    double kernels = 0;        // s of the kernels launched here and in scopes inside, mean over parts
  };

  double seconds = 0;  // of the run: shares are of this
  std::vector<Device> devices;
  std::vector<Kernel> kernels;  // the most expensive first
  std::vector<Scope> scopes;    // those that take most themselves first

  double share(double part) const { return seconds > 0 ? part / seconds : 0; }
};

}  // namespace halocline
