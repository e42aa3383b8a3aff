#include "app/run/profile.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

#include "gpu/copy_rate.hpp"
#include "lib/base/error.hpp"
#include "lib/base/profile/kernel_profile.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

// Ranks send what they have counted as lines of text: a word, numbers, and last a text that may hold blanks.
//   part RATE KIND
//   kernel CALLS SECONDS BYTES NAME <tab> SCOPE         of the part before
//   scope CALLS SECONDS ITSELF KERNELS PATH
class Lines {
 public:
  Lines() {
    text_.precision(17);
    text_.exceptions(std::ios::badbit);  // memory that is not there is told
  }
  template <class... Numbers>
  void add(const char* word, const std::string& text, Numbers... numbers) {
    text_ << word;
    ((text_ << ' ' << numbers), ...);
    text_ << ' ' << text << '\n';
  }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

// Bytes per second of every part of this rank; 0 where a device has no room for the measurement.
std::vector<double> copy_rates(const Communicator& comm, const Team& team) {
  constexpr double seconds = 0.05;
  std::vector<double> rates(static_cast<std::size_t>(team.parts()), 0.0);
  comm.barrier();  // so that devices that share memory meet
  team.each([&](int part) {
    try {
      rates[static_cast<std::size_t>(part)] = copy_rate(team.executor(part), seconds);
    } catch (const MachineError&) {
      // The profile is as good without.
    }
  });
  return rates;
}

std::string kind_of(const Executor& executor) { return executor.name().substr(0, executor.name().find(':')); }

std::string lines_of(const Team& team, const Timers& timers, const std::vector<double>& rates,
                     const std::vector<std::vector<KernelProfile::Entry>>& entries) {
  const std::vector<Timers::Entry>& scopes = timers.entries();
  std::vector<double> itself, kernels(scopes.size(), 0.0);
  for (const Timers::Entry& scope : scopes) itself.push_back(scope.seconds);
  for (const Timers::Entry& scope : scopes)
    if (scope.parent != Timers::none) itself[scope.parent] -= scope.seconds;
  Lines lines;
  for (int part = 0; part < team.parts(); ++part) {
    lines.add("part", kind_of(*team.executor(part)), rates[static_cast<std::size_t>(part)]);
    for (const KernelProfile::Entry& entry : entries[static_cast<std::size_t>(part)]) {
      const std::string path = entry.scope == Timers::none ? "" : scopes[entry.scope].path;
      lines.add("kernel", entry.name + '\t' + path, entry.calls, entry.seconds, entry.bytes);
      for (std::size_t scope = entry.scope; scope != Timers::none; scope = scopes[scope].parent)
        kernels[scope] += entry.seconds;
    }
  }
  for (std::size_t n = 0; n < scopes.size(); ++n)
    lines.add("scope", scopes[n].path, scopes[n].calls, scopes[n].seconds, itself[n], kernels[n]);
  return lines.text();
}

// Joins the lines of all ranks.
class Collector {
 public:
  void read(const std::string& text) {
    for_each_line(text, [this](std::string_view words) {
      const std::string_view word = next_word(words);
      if (word == "part") {
        add_part(words);
      } else if (word == "kernel") {
        add_kernel(words);
      } else {
        add_scope(words);
      }
    });
    ++ranks_;
  }

  ProfileReport report(double seconds) {
    ProfileReport report{seconds, {}, {}, {}};
    for (auto& [kind, device] : devices_) {
      device.copy_rate /= device.parts;
      report.devices.push_back(device);
    }
    for (auto& [name, sums] : kernels_) report.kernels.push_back(kernel(sums));
    for (auto& [path, scope] : scopes_) {
      scope.mean /= ranks_;
      scope.itself /= ranks_;
      scope.kernels /= parts_;
      report.scopes.push_back(scope);
    }
    std::stable_sort(report.kernels.begin(), report.kernels.end(),
                     [](const auto& a, const auto& b) { return a.mean > b.mean; });
    std::stable_sort(report.scopes.begin(), report.scopes.end(),
                     [](const auto& a, const auto& b) { return a.itself > b.itself; });
    return report;
  }

 private:
  struct OfPart {
    Index calls = 0;
    double seconds = 0, rate = 0;
  };
  struct Sums {
    ProfileReport::Kernel kernel;
    std::map<int, OfPart> parts;
    std::map<std::string, std::map<int, OfPart>> scopes;
  };

  template <class... Numbers>
  static std::string taken(std::string_view words, Numbers&... numbers) {
    (next_number(words, numbers), ...);
    return std::string(words.substr(std::min<std::size_t>(1, words.size())));
  }

  void add_part(std::string_view words) {
    const std::string kind = taken(words, rate_);
    ProfileReport::Device& device = devices_[kind];
    device.kind = kind;
    device.copy_rate += rate_;
    ++device.parts;
    ++parts_;
  }

  void add_kernel(std::string_view words) {
    Index calls = 0;
    double seconds = 0, bytes = 0;
    const std::string text = taken(words, calls, seconds, bytes);
    const std::size_t tab = text.find('\t');
    Sums& sums = kernels_[text.substr(0, tab)];
    sums.kernel.name = text.substr(0, tab);
    sums.kernel.bytes += bytes;
    for (OfPart* of : {&sums.parts[parts_], &sums.scopes[text.substr(tab + 1)][parts_]}) {
      of->calls += calls;
      of->seconds += seconds;
      of->rate = rate_;
    }
  }

  void add_scope(std::string_view words) {
    Index calls = 0;
    double seconds = 0, itself = 0, kernels = 0;
    const std::string path = taken(words, calls, seconds, itself, kernels);
    ProfileReport::Scope& scope = scopes_[path];
    scope.path = path;
    if (ranks_ == 0) scope.calls = calls;
    scope.mean += seconds;
    scope.max = std::max(scope.max, seconds);
    scope.itself += itself;
    scope.kernels += kernels;
  }

  ProfileReport::Kernel kernel(const Sums& sums) const {
    ProfileReport::Kernel kernel = sums.kernel;
    double copied = 0;  // had the devices copied all the time
    bool known = kernel.bytes > 0;
    for (const auto& [number, part] : sums.parts) {
      kernel.calls = std::max(kernel.calls, part.calls);
      kernel.mean += part.seconds / parts_;
      kernel.max = std::max(kernel.max, part.seconds);
      copied += part.seconds * part.rate;
      known = known && part.rate > 0;
    }
    if (known && copied > 0) kernel.of_copy_rate = kernel.bytes / copied;
    for (const auto& [path, parts] : sums.scopes) {
      ProfileReport::Place place{path, 0, 0};
      for (const auto& [number, part] : parts) {
        place.calls = std::max(place.calls, part.calls);
        place.mean += part.seconds / parts_;
      }
      kernel.places.push_back(place);
    }
    return kernel;
  }

  int ranks_ = 0, parts_ = 0;
  double rate_ = 0;  // of the part that is read
  std::map<std::string, ProfileReport::Device> devices_;
  std::map<std::string, Sums> kernels_;
  std::map<std::string, ProfileReport::Scope> scopes_;
};

}  // namespace

ProfileReport collect_profile(const Communicator& comm, const Team& team, const Timers& timers, double seconds) {
  std::vector<std::vector<KernelProfile::Entry>> entries;
  for (int part = 0; part < team.parts(); ++part) {
    require(team.executor(part)->profile() != nullptr, "collect_profile: an executor that is not profiled");
    entries.push_back(team.executor(part)->profile()->entries());
  }
  const std::vector<double> rates = copy_rates(comm, team);  // after the counting, which would hold it
  Collector collector;
  for (const std::string& text : comm.gather(lines_of(team, timers, rates, entries))) collector.read(text);
  return comm.rank() == 0 ? collector.report(seconds) : ProfileReport{};
}

}  // namespace halocline
