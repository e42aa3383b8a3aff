#include "app/forecast/forecast.hpp"

#include <algorithm>
#include <cmath>

namespace halocline {

namespace {

double copy_rate_of(const DeviceRates& rates, const Layout& layout) {
  if (rates.gpu) return rates.copy;
  const double threads_of_node = std::min(static_cast<double>(layout.parts) * layout.threads, 1.0 * rates.per_node);
  const double most = rates.most_copy / std::max(1.0, threads_of_node / layout.threads);
  return std::min(rates.copy * layout.threads, most);
}

// Of the bytes of a kernel those that come from the cache: all where what it comes back to fits, none where that is
// twice as large. Parts of a node's host share its cache.
double cached(const KernelCost& kernel, const DeviceRates& rates, const Layout& layout) {
  if (kernel.set <= 0 || rates.cache <= 0) return 0;
  const double sharers =
      rates.gpu ? 1 : std::min<double>(layout.parts, std::max(1, rates.per_node / std::max(1, layout.threads)));
  return std::clamp(2 - kernel.set * sharers / rates.cache, 0.0, 1.0);
}

double seconds_of(const KernelCost& kernel, const DeviceRates& rates, const Layout& layout) {
  const KernelRate* known = rates.of(kernel.name);
  const double share = known != nullptr ? known->share : rates.share;
  double start = known != nullptr ? known->start : rates.launch;
  if (!rates.gpu) start = layout.threads == 1 ? 0 : start > 0 ? start : rates.launch;
  const double hit = cached(kernel, rates, layout);
  const double rate = share * copy_rate_of(rates, layout);
  const double operations = rates.operations > 0 ? kernel.operations / rates.operations / layout.threads : 0;
  return kernel.calls * start + kernel.bytes * (1 - hit + hit / rates.in_cache) / rate + operations;
}

int nodes_of(const DeviceRates& rates, const Layout& layout) {
  const int per_node = std::max(1, rates.gpu ? rates.per_node : rates.per_node / layout.threads);
  return (layout.parts + per_node - 1) / per_node;
}

const LinkRate& link_of(const DeviceRates& rates, const Layout& layout) {
  if (layout.staged) return rates.staged;
  return nodes_of(rates, layout) > 1 ? rates.between : rates.inside;
}

double seconds_of_bytes(double bytes, const LinkRate& link) {
  return bytes / (bytes >= bulk_message ? link.bulk : link.bandwidth);
}

void add_halos(const Cost& cost, const DeviceRates& rates, const Layout& layout, Forecast& result) {
  const LinkRate& link = link_of(rates, layout);
  for (const HaloCost& halo : cost.halos) {
    const int neighbors = std::min(halo.neighbors, layout.parts - 1);
    // Ways to both sides are used at the same time, but for what goes through the host.
    const int in_turn = layout.staged ? neighbors : 1;
    const double carried = halo.calls * in_turn * seconds_of_bytes(halo.bytes, link);
    const double beside = halo.beside.bytes > 0 ? halo.calls * seconds_of(halo.beside, rates, layout) : 0;
    const bool hidden = layout.staged ? halo.hidden_when_staged : halo.hidden;
    const double left = hidden ? std::max(0.0, carried - result.kernels) : carried;
    const double starts = halo.calls * (link.latency + halo.more_messages * rates.message);
    result.halos += std::max(0.0, starts + left - beside);
    result.sent += halo.calls * neighbors * halo.bytes;
  }
}

// What is not hidden of the turns of shared lines. The host sends chunk after chunk while the device reduces, then
// turns chunk after chunk; what came back of one is resolved while others travel.
double seconds_of_turns(const LineCost& line, const DeviceRates& rates, const Layout& layout) {
  const LinkRate& link = link_of(rates, layout);
  const double start = line.stages * link.latency + line.more_messages * rates.message;
  const double carried = line.stages * seconds_of_bytes(line.bytes / line.chunks, link);
  const double reduce = seconds_of(line.reduce, rates, layout), resolve = seconds_of(line.resolve, rates, layout);
  double sent = 0, there = 0, turned = 0, back = 0, done = reduce;
  std::vector<double> arrived;
  for (int n = 1; n <= line.chunks; ++n) {
    sent = std::max(sent, n * reduce / line.chunks) + start;
    there = std::max(there, sent) + carried;
    arrived.push_back(there);
  }
  for (const double there_at : arrived) {
    turned = std::max({turned, sent, there_at}) + start;
    back = std::max(back, turned) + carried;
    done = std::max(done, back) + resolve / line.chunks;
  }
  return done - reduce - resolve;
}

void add_lines(const Cost& cost, const DeviceRates& rates, const Layout& layout, Forecast& result) {
  for (const LineCost& line : cost.lines) {
    result.kernels += seconds_of(line.reduce, rates, layout) + seconds_of(line.resolve, rates, layout);
    result.turns += seconds_of_turns(line, rates, layout);
    result.sent += 2 * line.stages * line.bytes;
  }
}

// A sum climbs to one part and comes back down, or is exchanged by halves: a step for every doubling of parts.
double seconds_of_sum(const DeviceRates& rates, const Layout& layout) {
  if (layout.parts == 1) return rates.lone_wait;
  const int nodes = nodes_of(rates, layout);
  const double inside = std::ceil(std::log2(std::max(1.0, static_cast<double>(layout.parts) / nodes)));
  return rates.wait + inside * rates.hop + std::ceil(std::log2(nodes)) * rates.far_hop;
}

// Exchanges of all with all: pieces are cut, sent, and put together. Many parts turn what is small in two stages, in a
// grid of parts, which sends all of it twice, and gather in stages whose pieces double.
void add_turns(const Cost& cost, const DeviceRates& rates, const Layout& layout, Forecast& result) {
  constexpr double around = 12;  // latencies
  constexpr int many_for_turns = 16, many_for_gathers = 8;
  const LinkRate& link = link_of(rates, layout);
  const auto seconds_of = [&](double messages, double bytes) {
    return around * link.latency + messages * rates.message + bytes / link.bulk;
  };
  const double parts = layout.parts;
  const double once = seconds_of(parts - 1, cost.turn_bytes);
  const double twice = seconds_of(2 * (std::sqrt(parts) - 1), 2 * cost.turn_bytes);
  const bool two_stages = layout.parts >= many_for_turns && twice < once;
  const double messages = layout.parts > many_for_gathers ? std::ceil(std::log2(parts)) : parts - 1;
  result.turns += cost.turns * (two_stages ? twice : once) + cost.gathers * seconds_of(messages, cost.gather_bytes);
  result.sent += cost.turns * (two_stages ? 2 : 1) * cost.turn_bytes + cost.gathers * cost.gather_bytes;
}

}  // namespace

Forecast forecast(const Cost& cost, const DeviceRates& rates, const Layout& layout) {
  Forecast result;
  for (const KernelCost& kernel : cost.kernels) result.kernels += seconds_of(kernel, rates, layout);
  result.sums = cost.sums * seconds_of_sum(rates, layout);
  if (layout.parts == 1) return result;
  add_lines(cost, rates, layout, result);
  add_halos(cost, rates, layout, result);
  add_turns(cost, rates, layout, result);
  result.sent += cost.sums * cost.sum_bytes;
  return result;
}

}  // namespace halocline
