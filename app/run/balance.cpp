#include "app/run/balance.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/copy_rate.hpp"
#include "io/collective.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

std::string line_of(const Communicator& comm, const Team& team, const std::vector<double>& rates,
                    const std::vector<double>& weights) {
  std::string text = "work by measured bandwidth, rank " + std::to_string(comm.rank()) + ":";
  for (int part = 0; part < team.parts(); ++part) {
    text += (part > 0 ? "; " : " ") + team.executor(part)->name() +
            formatted(" {:.3g} GB/s, weight {:.2f}", 1e-9 * rates[static_cast<std::size_t>(part)],
                      weights[static_cast<std::size_t>(team.first_part() + part)]);
  }
  return text;
}

}  // namespace

std::vector<double> weights_of_rates(const std::vector<double>& rates) {
  const double largest = *std::max_element(rates.begin(), rates.end());
  std::vector<double> weights;
  for (const double rate : rates) weights.push_back(std::max(1.0, std::round(100 * rate / largest)) / 100);
  return weights;
}

std::vector<double> of_all_parts(const Communicator& comm, const std::vector<double>& own) {
  std::vector<double> all(own.size() * static_cast<std::size_t>(comm.size()));
  for (std::size_t part = 0; part < own.size(); ++part) {
    const std::vector<double> of_ranks = comm.gather(own[part]);
    for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) all[rank * own.size() + part] = of_ranks[rank];
  }
  return all;
}

Balance measure_balance(const Communicator& comm, const Team& team, double seconds) {
  std::vector<double> own(static_cast<std::size_t>(team.parts()));
  comm.barrier();  // so that devices that share memory meet
  on_all_ranks(comm, [&] {
    team.each([&](int part) { own[static_cast<std::size_t>(part)] = copy_rate(team.executor(part), seconds); });
  });
  Balance balance{weights_of_rates(of_all_parts(comm, own)), {}};
  balance.lines = comm.gather(line_of(comm, team, own, balance.weights));
  return balance;
}

}  // namespace halocline
