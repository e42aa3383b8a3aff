// Rates of other machines, as files in the form of decks.
#include <cctype>
#include <cstdlib>

#include "app/forecast/rates.hpp"
#include "io/deck/deck.hpp"
#include "io/deck/deck_reader.hpp"
#include "io/files.hpp"
#include "lib/base/format.hpp"

namespace halocline {

namespace {

constexpr std::size_t largest_file = 1 << 20;

// So that no time of a forecast is infinite.
const Bounds rate = Bounds::between(1, 1e30), duration = Bounds::between(0, 1e9), factor = Bounds::between(1e-6, 1e6);

std::vector<const char*> names_of_known() {
  std::vector<const char*> names;
  for (const DeviceRates& rates : known_rates()) names.push_back(rates.name.c_str());
  return names;
}

const DeviceRates* known(const std::string& name) {
  for (const DeviceRates& rates : known_rates())
    if (rates.name == name) return &rates;
  return nullptr;
}

struct LinkOptions final : Options {
  LinkRate& link;
  explicit LinkOptions(LinkRate& one) : link(one) {}
  void describe(Describer& d) override {
    d.item({"latency", "s", "Of a message between two devices."}, link.latency, duration);
    if (d.item({"bandwidth", "B/s", "Of a message."}, link.bandwidth, rate)) link.bulk = link.bandwidth;
    d.item({"bulk", "B/s", "Of messages beyond 1 MiB; the bandwidth where that alone is given."}, link.bulk, rate);
  }
};

struct RatesOptions final : Options {
  DeviceRates& rates;
  explicit RatesOptions(DeviceRates& one) : rates(one) {}
  void describe(Describer& d) override {
    d.item({"device", "", "The name for --devices.", true}, rates.name);
    d.item({"memory", "B", "Of a device; of hosts: of a node."}, rates.memory, rate);
    d.item({"copy", "B/s", "Read and written by copies, of a GPU or a thread of a host."}, rates.copy, rate);
    d.item({"most_copy", "B/s", "Of a host with all its threads."}, rates.most_copy, rate);
    d.item({"cache", "B", "Of the last cache."}, rates.cache, Bounds::between(0, 1e30));
    d.item({"in_cache", "1", "Rate of what stays in the cache, in units of copies."}, rates.in_cache, factor);
    d.item({"launch", "s", "Of a kernel; of hosts: until several threads have begun."}, rates.launch, duration);
    d.item({"operations", "1/s", "Of a GPU or a thread, in formulas of ensembles."}, rates.operations, rate);
    d.item({"wait", "s", "Until a sum of a device is known to the host and it works again."}, rates.wait, duration);
    Index per_node = rates.per_node;
    d.item({"per_node", "1", "Devices of a node; of hosts: threads."}, per_node, Bounds::between(1, 4096));
    rates.per_node = static_cast<int>(per_node);
    d.item({"hop", "s", "A step of a reduction inside a node."}, rates.hop, duration);
    d.item({"far_hop", "s", "A step of a reduction between nodes."}, rates.far_hop, duration);
    LinkOptions inside(rates.inside), staged(rates.staged), between(rates.between);
    d.group({"inside", "", "From device to device of a node."}, inside);
    d.group({"staged", "", "The same through the host's memory."}, staged);
    d.group({"between", "", "From node to node."}, between);
  }
};

DeviceRates read_rates(const std::string& file) {
  std::string text;
  try {
    text = read_text(file, largest_file);
  } catch (const MachineError& error) {
    throw DeckError(error.what());
  }
  const Deck deck(text, file);
  DeckReader reader(deck);
  const std::vector<const char*> names = names_of_known();
  int like = -1;
  reader.choice({"like", "", "The device whose kernels these are like.", true}, like, names);
  DeviceRates rates = known_rates()[static_cast<std::size_t>(std::max(0, like))];
  RatesOptions(rates).describe(reader);
  reader.finish();
  reader.check();
  return rates;
}

std::string link_text(const char* name, const LinkRate& link) {
  return formatted("{}: {{latency: {:.3g}, bandwidth: {:.3g}, bulk: {:.3g}}}\n", name, link.latency, link.bandwidth,
                   link.bulk);
}

}  // namespace

DeviceChoice choose_device(const std::string& name, const std::string& file) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  DeviceChoice choice;
  if (!file.empty()) {
    choice.rates = read_rates(file);
    if (kind != choice.rates.name)
      throw DeckError("halocline: --devices " + name + ": " + file + " has rates of '" + choice.rates.name + "'");
  } else if (const DeviceRates* rates = known(kind)) {
    choice.rates = *rates;
  } else {
    std::string all;
    for (const char* one : names_of_known()) all += (all.empty() ? "" : ", ") + std::string(one);
    throw DeckError("halocline: --devices " + name + ": known are " + all +
                    "; others have their rates in a file, --rates FILE");
  }
  if (colon == std::string::npos) return choice;
  const std::string digits = name.substr(colon + 1);
  const bool number =
      !digits.empty() && digits.size() < 5 && digits.find_first_not_of("0123456789") == std::string::npos;
  choice.threads = number ? std::atoi(digits.c_str()) : 0;
  if (choice.rates.gpu || choice.threads < 1 || choice.threads > choice.rates.per_node)
    throw DeckError("halocline: --devices " + name + ": " +
                    (choice.rates.gpu ? "a number of threads is for hosts"
                                      : "expected a number of threads from 1 to " +
                                            std::to_string(choice.rates.per_node) + " behind the colon"));
  return choice;
}

std::string rates_text(const DeviceRates& r, const std::string& like) {
  std::string text = "# Rates for halocline check --devices " + r.name + " --rates FILE: SI units.\n";
  text += "device: " + r.name + "\nlike: " + like + "\n";
  text += formatted("memory: {:.4g}\ncopy: {:.4g}\n", r.memory, r.copy);
  if (!r.gpu) text += formatted("most_copy: {:.4g}\n", r.most_copy);
  text += formatted("cache: {:.4g}\nin_cache: {:.3g}\nlaunch: {:.3g}\noperations: {:.3g}\nwait: {:.3g}\nper_node: {}\n",
                    r.cache, r.in_cache, r.launch, r.operations, r.wait, r.per_node);
  text += formatted("hop: {:.3g}\nfar_hop: {:.3g}\n", r.hop, r.far_hop);
  return text + link_text("inside", r.inside) + link_text("staged", r.staged) + link_text("between", r.between);
}

}  // namespace halocline
