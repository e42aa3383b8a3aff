#include "app/forecast/forecast_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "app/run/memory.hpp"
#include "app/run/summary.hpp"
#include "io/collective.hpp"
#include "lib/base/format.hpp"

namespace halocline {

namespace {

std::string row(const std::string& name, const std::string& text) { return formatted("  {:<24} {}\n", name, text); }

std::string time_text(double seconds) {
  if (seconds >= 7200) return formatted("{:.3g} h", seconds / 3600);
  if (seconds >= 1) return formatted("{:.3g} s", seconds);
  return seconds >= 1e-3 ? formatted("{:.3g} ms", 1e3 * seconds) : formatted("{:.3g} us", 1e6 * seconds);
}

struct CountedFaults final : Faults {
  using Faults::at;
  int count = 0;
  void at(std::string_view /*path*/, const std::string& /*message*/) override { ++count; }
  void at(const Place& /*place*/, const std::string& /*message*/) override { ++count; }
};

Shape shape_of(const LoadedDeck& deck, int ranks) {
  const std::size_t parts = deck.shape.weights.size() / static_cast<std::size_t>(std::max(1, deck.shape.ranks));
  return {ranks, std::vector<double>(static_cast<std::size_t>(ranks) * std::max<std::size_t>(parts, 1), 1.0)};
}

std::optional<Plan> plan_for(const LoadedDeck& deck, const Shape& shape) {
  CountedFaults faults;
  Plan plan = deck.family->plan(*deck.options, shape, faults);
  return faults.count == 0 ? std::optional(std::move(plan)) : std::nullopt;
}

bool all_have_work(const Plan& plan) {
  for (int p = 0; p < plan.partition.parts(); ++p)
    if (plan.partition.block(p).size() == 0) return false;
  return true;
}

Layout layout_of(const LoadedDeck& deck, std::size_t parts, const DeviceChoice& device) {
  return {static_cast<int>(parts), device.threads, device.rates.gpu && deck.shared.run.transfer == Transfer::staged};
}

struct Forecasted {
  Cost cost;
  Forecast time;
};

// Shares and forecasts of a deck for any number of ranks.
class Forecaster {
 public:
  Forecaster(const LoadedDeck& deck, const DeviceChoice& device)
      : deck_(deck), device_(device), model_(cost_model(deck.family->name)) {
    if (const PartsCostsMaker make = parts_costs(deck.family->name)) quick_ = make(*deck.options);
  }

  // Of a plan without faults.
  std::optional<Forecasted> of(const Plan& plan, std::size_t parts) const {
    const CostSetting setting{device_.rates.gpu, static_cast<int>(parts)};
    std::optional<Cost> cost;
    if (quick_)
      cost = quick_->cost(plan.partition, setting);
    else if (model_ != nullptr)
      cost = model_(*deck_.options, plan, setting);
    if (!cost) return std::nullopt;
    const Forecast time = forecast(*cost, device_.rates, layout_of(deck_, parts, device_));
    return Forecasted{std::move(*cost), time};
  }
  std::optional<Forecasted> on(const Shape& shape) const {
    const auto plan = plan_on(shape);
    return plan ? of(*plan, shape.weights.size()) : std::nullopt;
  }
  bool can_use(const Shape& shape) const {
    const auto plan = plan_on(shape);
    return plan && all_have_work(*plan);
  }

 private:
  // With no more than the partition, where that is quick.
  std::optional<Plan> plan_on(const Shape& shape) const {
    if (!quick_) return plan_for(deck_, shape);
    auto shares = quick_->shares(static_cast<int>(shape.weights.size()));
    if (!shares) return std::nullopt;
    Plan plan;
    plan.partition = std::move(*shares);
    return plan;
  }

  const LoadedDeck& deck_;
  const DeviceChoice& device_;
  CostModel model_;
  std::unique_ptr<PartsCosts> quick_;
};

std::string memory_text(const LoadedDeck& deck, std::size_t parts, const DeviceChoice& device) {
  const double needed = static_cast<double>(deck.plan.bytes_per_part);
  const DeviceRates& rates = device.rates;
  const double sharers =
      rates.gpu ? 1 : std::min<double>(static_cast<double>(parts), std::max(1, rates.per_node / device.threads));
  const double present = rates.memory / sharers;
  if (present <= 0 || needed <= present) return bytes_text(needed) + " of " + bytes_text(present) + " per part";
  return bytes_text(needed) + " per part, MORE THAN ITS " + bytes_text(present) + ": about " +
         std::to_string(static_cast<long long>(std::ceil(needed / present * static_cast<double>(parts)))) +
         " parts are needed";
}

std::string split_text(const Forecast& time) {
  std::string text = "kernels " + time_text(time.kernels);
  if (time.halos > 0) text += ", halos " + time_text(time.halos);
  if (time.turns > 0) text += ", exchanges of all with all " + time_text(time.turns);
  if (time.sums > 0) text += ", sums " + time_text(time.sums);
  return text;
}

std::string cost_rows(const Cost& cost, double seconds, std::size_t parts, const DeviceChoice& device) {
  const bool gpu = device.rates.gpu;
  const double devices = static_cast<double>(parts) * (gpu ? 1 : device.threads);
  const std::string hours = gpu ? "GPU hours" : "core hours";
  if (cost.units <= 0)
    return row("  cost", formatted("{:.3g} {} for 1000 {}s", 1000 * seconds * devices / 3600, hours, cost.unit));
  const double whole = cost.units * seconds;
  std::string text;
  if (cost.units != 1) text += row("  all", formatted("{} for {:.6g} {}s", time_text(whole), cost.units, cost.unit));
  return text + row("  cost", formatted("{:.3g} {}", whole * devices / 3600, hours));
}

// Less than `too_many`; 0: not even one rank, or not known.
UsableParts largest_usable(const LoadedDeck& deck, const Forecaster& forecaster, int too_many) {
  int good = 1, bad = too_many;
  if (!forecaster.can_use(shape_of(deck, good))) return {};
  const PartsModel model = parts_model(deck.family->name);
  const auto per_rank = static_cast<Index>(shape_of(deck, 1).weights.size());
  if (const Index most = model == nullptr ? 0 : model(*deck.options, (bad - 1) * per_rank); most > 0) {
    good = static_cast<int>(most / per_rank);
    while (good > 1 && model(*deck.options, good * per_rank) < good * per_rank) --good;
    return {forecaster.can_use(shape_of(deck, good)) ? good : 0, 0, true};
  }
  while (bad - good > 1) {
    const int middle = good + (bad - good) / 2;
    (forecaster.can_use(shape_of(deck, middle)) ? good : bad) = middle;
  }
  return {good};
}

}  // namespace

UsableParts usable_parts(const LoadedDeck& deck, int too_many, const DeviceChoice& device) {
  if (!plan_for(deck, shape_of(deck, 1))) return {};  // the deck has other faults
  const Forecaster forecaster(deck, device);
  UsableParts parts = largest_usable(deck, forecaster, too_many);
  const int good = parts.largest;
  double least = 0;
  for (int ranks = 1; ranks <= good; ranks = ranks < good ? std::min(2 * ranks, good) : good + 1) {
    const auto found = forecaster.on(shape_of(deck, ranks));
    if (!found || (parts.best > 0 && found->time.seconds() >= least)) continue;
    parts.best = ranks;
    least = found->time.seconds();
  }
  return parts;
}

void refuse_idle_parts(const Communicator& comm, const LoadedDeck& deck, bool failed, bool asked,
                       const DeviceChoice& device, Faults& faults) {
  const int ranks = deck.shape.ranks;
  if (ranks == 1 || !(failed || (asked && !all_have_work(deck.plan)))) return;
  std::array<Index, 3> numbers{};
  on_rank0(comm, [&] {
    const UsableParts parts = usable_parts(deck, ranks, device);
    numbers = {parts.largest, parts.best, parts.gaps ? 1 : 0};
  });
  comm.broadcast(std::span<Index>(numbers));
  const auto [largest, best, gaps] = numbers;
  if (largest == 0) return;  // it is not their number
  faults.at("run", std::to_string(ranks) + " ranks are " + (gaps ? "no number that" : "more than") +
                       " this problem can use: " + count_text(static_cast<std::size_t>(largest), "rank") +
                       (gaps ? " below it" : " at most") +
                       (best > 0 ? "; " + std::to_string(best) + " would be the fastest" : ""));
}

std::string forecast_table(const LoadedDeck& deck, const DeviceChoice& device) {
  const std::size_t parts = deck.shape.weights.size();
  std::string name = device.rates.name;
  if (device.threads > 1) name += " of " + count_text(static_cast<std::size_t>(device.threads), "thread");
  std::string text = row("forecast", formatted("for {} x {}", parts, name));
  text += row("  memory", memory_text(deck, parts, device));
  if (device.rates.gpu) text += row("  on the host", bytes_text(bytes_beside_parts(deck, true)) + " per rank");
  const Forecaster forecaster(deck, device);
  const auto found = forecaster.of(deck.plan, parts);
  if (!found) return text + row("  time", "no forecast: this method has not been measured in parts");
  const auto& [cost, time] = *found;
  text += row("  time", time_text(time.seconds()) + " per " + cost.unit + ": " + split_text(time));
  text += row("  sent", bytes_text(time.sent) + " per part and " + cost.unit);
  if (parts > 1) {
    if (const auto alone = forecaster.on({1, {1.0}})) {
      const double share = alone->time.seconds() / time.seconds() / static_cast<double>(parts);
      text += row("  efficiency", formatted("{:.3g} % of as many times one part, which takes {}", 100 * share,
                                            time_text(alone->time.seconds())));
    }
  }
  text += cost_rows(cost, time.seconds(), parts, device);
  if (!cost.assumed.empty()) text += row("  assumed", cost.assumed);
  if (!cost.hint.empty()) text += row("  hint", cost.hint);
  return text;
}

}  // namespace halocline
