#include <algorithm>

#include "app/run/profile.hpp"
#include "app/run/summary.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr std::size_t shown = 10;  // kernels, and scopes

std::string seconds_text(double seconds) {
  if (seconds >= 0.9995) return formatted("{:.3g} s ", seconds);
  if (seconds >= 0.9995e-3) return formatted("{:.3g} ms", 1e3 * seconds);
  return formatted("{:.3g} us", 1e6 * seconds);
}

std::string percent(double fraction) { return formatted("{:.1f} %", 100 * fraction); }

// Names beside columns of 10.
std::string row(const std::string& name, std::size_t width, const std::vector<std::string>& cells) {
  std::string text = formatted("  {:<{}}", name, width);
  for (const std::string& cell : cells) text += formatted(" {:>10}", cell);
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string devices_text(const ProfileReport& profile) {
  std::string text;
  for (const ProfileReport::Device& device : profile.devices) {
    const std::string rate =
        device.copy_rate > 0 ? formatted("copies {:.4g} GB/s", 1e-9 * device.copy_rate) : "copy rate not measured";
    text += formatted("{}{} x {}, {}", text.empty() ? "" : "; ", device.parts, device.kind, rate);
  }
  return text;
}

std::size_t longest(std::size_t least, const auto& list, auto name) {
  for (std::size_t n = 0; n < std::min(shown, list.size()); ++n) least = std::max(least, name(list[n]).size());
  return least;
}

std::string kernel_rows(const ProfileReport& profile, std::size_t width) {
  int parts = 0;
  for (const ProfileReport::Device& device : profile.devices) parts += device.parts;
  std::vector<std::string> heads{"calls", "time", "share", "per call", "moved", "of copy"};
  if (parts > 1) heads.emplace_back("worst part");
  std::string text = row("kernel", width, heads);
  double all = 0;
  Index calls = 0;
  for (std::size_t n = 0; n < profile.kernels.size(); ++n) {
    const ProfileReport::Kernel& kernel = profile.kernels[n];
    all += kernel.mean;
    calls += kernel.calls;
    if (n >= shown) continue;
    const double per_call = kernel.mean / static_cast<double>(kernel.calls);
    std::vector<std::string> cells{std::to_string(kernel.calls), seconds_text(kernel.mean),
                                   percent(profile.share(kernel.mean)), seconds_text(per_call)};
    cells.push_back(kernel.bytes > 0 ? bytes_text(kernel.bytes) : "-");
    cells.push_back(kernel.of_copy_rate > 0 ? percent(kernel.of_copy_rate) : "-");
    if (parts > 1) cells.push_back(seconds_text(kernel.max));
    text += row(kernel.name, width, cells);
  }
  return text + row("all " + std::to_string(profile.kernels.size()) + " kernels", width,
                    {std::to_string(calls), seconds_text(all), percent(profile.share(all))});
}

std::string scope_rows(const ProfileReport& profile, std::size_t width) {
  std::string text = row("scope", width, {"calls", "time", "itself", "share", "kernels"});
  for (std::size_t n = 0; n < std::min(shown, profile.scopes.size()); ++n) {
    const ProfileReport::Scope& scope = profile.scopes[n];
    text += row(scope.path, width,
                {std::to_string(scope.calls), seconds_text(scope.mean), seconds_text(scope.itself),
                 percent(profile.share(scope.itself)), seconds_text(scope.kernels)});
  }
  return text;
}

}  // namespace

std::string profile_table(const ProfileReport& profile) {
  std::size_t width = longest(16, profile.kernels, [](const auto& kernel) { return kernel.name; });
  width = longest(width, profile.scopes, [](const auto& scope) { return scope.path; });
  return formatted("\n  profile of {:.3g} s on {}\n\n{}\n{}", profile.seconds, devices_text(profile),
                   kernel_rows(profile, width), scope_rows(profile, width));
}

}  // namespace halocline
