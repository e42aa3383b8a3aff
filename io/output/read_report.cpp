#include "io/output/read_report.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "io/files.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

using Json = nlohmann::ordered_json;

double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = json.is_string() ? json.get<std::string>() : "nan";
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return text == "-inf" ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
}

// What stands under a key, if it is there.
template <class T>
void take(const Json& json, const char* key, T& value) {
  if (json.contains(key)) value = json.at(key).get<T>();
}
void take_number(const Json& json, const char* key, double& value) {
  if (json.contains(key)) value = number_of(json.at(key));
}
const Json& list_of(const Json& json, const char* key) {
  static const Json none = Json::array();
  return json.contains(key) ? json.at(key) : none;
}

Finding finding_of(const Json& json) {
  Finding finding;
  take(json, "name", finding.name);
  take(json, "unit", finding.unit);
  take_number(json, "value", finding.value);
  take_number(json, "low", finding.low);
  take_number(json, "high", finding.high);
  return finding;
}

ProfileReport profile_of(const Json& json) {
  ProfileReport profile;
  take(json, "seconds", profile.seconds);
  for (const Json& one : list_of(json, "devices")) {
    ProfileReport::Device device;
    take(one, "kind", device.kind);
    take(one, "parts", device.parts);
    take(one, "copy_rate", device.copy_rate);
    profile.devices.push_back(device);
  }
  for (const Json& one : list_of(json, "kernels")) {
    ProfileReport::Kernel kernel;
    take(one, "name", kernel.name);
    take(one, "calls", kernel.calls);
    take(one, "mean", kernel.mean);
    take(one, "max", kernel.max);
    take(one, "bytes", kernel.bytes);
    take(one, "of_copy_rate", kernel.of_copy_rate);
    profile.kernels.push_back(kernel);
  }
  return profile;
}

Report report_of(const Json& json) {
  constexpr std::array<std::string_view, 6> own{"started", "time", "stopped_by", "failure", "size", "go_on_with"};
  Report report;
  report.finished = json.at("finished").get<bool>();
  for (const auto& [key, value] : json.items())
    if (value.is_string() && std::find(own.begin(), own.end(), key) == own.end())
      report.provenance.emplace_back(key, value.get<std::string>());
  take(json, "ranks", report.ranks);
  take(json, "parts", report.parts);
  take(json, "devices", report.devices);
  take(json, "unknowns", report.unknowns);
  take(json, "size", report.size);
  take(json, "started", report.started);
  take(json, "seconds", report.seconds);
  take(json, "seconds_of_setup", report.seconds_of_setup);
  take(json, "seconds_of_solve", report.seconds_of_solve);
  take(json, "seconds_of_earlier_runs", report.seconds_of_earlier_runs);
  take_number(json, "time", report.time);
  take(json, "converged", report.converged);
  take(json, "stopped_by", report.stopped_by);
  take(json, "go_on_with", report.going_on);
  take(json, "failure", report.failure);
  take(json, "exit_code", report.exit_code);
  for (const Json& one : list_of(json, "findings")) report.findings.push_back(finding_of(one));
  for (const Json& one : list_of(json, "timers")) {
    Report::Timer timer;
    take(one, "path", timer.path);
    take(one, "calls", timer.calls);
    take(one, "min", timer.min);
    take(one, "mean", timer.mean);
    take(one, "max", timer.max);
    if (one.contains("own")) {
      take(one.at("own"), "mean", timer.own_mean);
      take(one.at("own"), "max", timer.own_max);
      take(one.at("own"), "rank", timer.own_most);
    }
    report.timers.push_back(timer);
  }
  for (const Json& one : list_of(json, "sent")) {
    Traffic traffic;
    take(one, "messages", traffic.messages);
    take(one, "bytes", traffic.bytes);
    report.sent.push_back(traffic);
  }
  if (json.contains("profile")) report.profile = profile_of(json.at("profile"));
  return report;
}

}  // namespace

Report parse_report(const std::string& text) {
  try {
    return report_of(Json::parse(text));
  } catch (const Json::exception& error) {
    throw DeckError(std::string("no report of a run: ") + error.what());
  }
}

Report read_report(const std::string& path) {
  constexpr std::size_t largest = std::size_t{256} << 20;
  const std::string text = read_text(path, largest);
  try {
    return parse_report(text);
  } catch (const DeckError& error) {
    throw DeckError(path + ": " + error.what());
  }
}

}  // namespace halocline
