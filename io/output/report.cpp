#include "io/output/report.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/files.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities and no NaN: texts then.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json finding_json(const Finding& finding) {
  Json json{{"name", finding.name}, {"unit", finding.unit}, {"value", number(finding.value)}};
  if (finding.checked()) {
    json["low"] = number(finding.low);
    json["high"] = number(finding.high);
    json["ok"] = finding.holds();
  }
  return json;
}

Json timer_json(const Report::Timer& timer) {
  Json json{{"path", timer.path}, {"calls", timer.calls}, {"min", timer.min}, {"mean", timer.mean}, {"max", timer.max}};
  if (timer.own_max > 0) json["own"] = {{"mean", timer.own_mean}, {"max", timer.own_max}, {"rank", timer.own_most}};
  return json;
}

Json sent_json(const std::vector<Traffic>& sent) {
  Json ranks = Json::array();
  for (const Traffic& rank : sent) ranks.push_back({{"messages", rank.messages}, {"bytes", rank.bytes}});
  return ranks;
}

Json kernel_json(const ProfileReport& profile, const ProfileReport::Kernel& kernel) {
  Json json{{"name", kernel.name}, {"calls", kernel.calls}, {"mean", kernel.mean}, {"max", kernel.max}};
  json["share"] = profile.share(kernel.mean);
  if (kernel.bytes > 0) json["bytes"] = kernel.bytes;
  if (kernel.of_copy_rate > 0) json["of_copy_rate"] = kernel.of_copy_rate;
  json["scopes"] = Json::array();
  for (const ProfileReport::Place& place : kernel.places)
    json["scopes"].push_back({{"path", place.scope}, {"calls", place.calls}, {"mean", place.mean}});
  return json;
}

Json scope_json(const ProfileReport& profile, const ProfileReport::Scope& scope) {
  return {{"path", scope.path},      {"calls", scope.calls},   {"mean", scope.mean},
          {"max", scope.max},        {"itself", scope.itself}, {"share", profile.share(scope.itself)},
          {"kernels", scope.kernels}};
}

Json profile_json(const ProfileReport& profile) {
  Json json{{"seconds", profile.seconds}, {"devices", Json::array()}, {"kernels", Json::array()}};
  for (const ProfileReport::Device& device : profile.devices)
    json["devices"].push_back({{"kind", device.kind}, {"parts", device.parts}, {"copy_rate", device.copy_rate}});
  for (const ProfileReport::Kernel& kernel : profile.kernels) json["kernels"].push_back(kernel_json(profile, kernel));
  json["scopes"] = Json::array();
  for (const ProfileReport::Scope& scope : profile.scopes) json["scopes"].push_back(scope_json(profile, scope));
  return json;
}

}  // namespace

std::string report_text(const Report& report) {
  // Not nothing: nlohmann's 3.11.2 crashes where it gets no memory to make an object of that.
  Json json = Json::object();
  for (const auto& [name, text] : report.provenance) json[name] = text;
  json["ranks"] = report.ranks;
  json["parts"] = report.parts;
  json["devices"] = report.devices;
  json["unknowns"] = report.unknowns;
  if (!report.size.empty()) json["size"] = report.size;
  json["started"] = report.started;
  json["seconds"] = report.seconds;
  json["seconds_of_setup"] = report.seconds_of_setup;
  json["seconds_of_solve"] = report.seconds_of_solve;
  json["seconds_of_earlier_runs"] = report.seconds_of_earlier_runs;
  json["time"] = number(report.time);
  json["finished"] = report.finished;
  json["converged"] = report.converged;
  if (!report.stopped_by.empty()) json["stopped_by"] = report.stopped_by;
  if (!report.going_on.empty()) json["go_on_with"] = report.going_on;
  if (!report.failure.empty()) json["failure"] = report.failure;
  json["exit_code"] = report.exit_code;
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings) json["findings"].push_back(finding_json(finding));
  json["series"] = Json::object();
  for (const auto& [name, values] : report.series) {
    Json& list = json["series"][name] = Json::array();
    for (const double value : values) list.push_back(number(value));
  }
  json["timers"] = Json::array();
  for (const Report::Timer& timer : report.timers) json["timers"].push_back(timer_json(timer));
  if (const auto& slow = report.slow_rank)
    json["slow_rank"] = {{"rank", slow->rank}, {"host", slow->host}, {"phase", slow->path}, {"times", slow->times}};
  json["sent"] = sent_json(report.sent);
  if (report.profile) json["profile"] = profile_json(*report.profile);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_report(const std::string& path, const Report& report) { replace_file(path, report_text(report)); }

}  // namespace halocline
