#include <limits>
#include <nlohmann/json.hpp>

#include "io/output/report.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

using Json = nlohmann::json;

// The other direction of number() in report.cpp.
double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

Finding finding_of(const Json& json) {
  Finding finding{json.at("name").get<std::string>(), json.at("unit").get<std::string>(), number_of(json.at("value"))};
  if (json.contains("low")) finding.low = number_of(json.at("low"));
  if (json.contains("high")) finding.high = number_of(json.at("high"));
  return finding;
}

}  // namespace

Report parse_report(const std::string& text) {
  Report report;
  try {
    const Json json = Json::parse(text);
    report.unknowns = json.at("unknowns").get<Index>();
    report.size = json.value("size", "");
    report.started = json.at("started").get<std::string>();
    report.seconds = json.at("seconds").get<double>();
    report.seconds_of_setup = json.at("seconds_of_setup").get<double>();
    report.seconds_of_solve = json.at("seconds_of_solve").get<double>();
    report.seconds_of_earlier_runs = json.at("seconds_of_earlier_runs").get<double>();
    report.time = number_of(json.at("time"));
    report.finished = json.at("finished").get<bool>();
    report.converged = json.at("converged").get<bool>();
    report.stopped_by = json.value("stopped_by", "");
    report.failure = json.value("failure", "");
    report.exit_code = json.at("exit_code").get<int>();
    for (const Json& finding : json.at("findings")) report.findings.push_back(finding_of(finding));
  } catch (const Json::exception& error) {
    throw DeckError(std::string("no report of a run: ") + error.what());
  }
  return report;
}

}  // namespace halocline
