#include "io/output/monitor_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "io/files.hpp"
#include "lib/base/error.hpp"

namespace halocline {

std::string monitor_line(const MonitorRecord& record) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json json{{"seconds", number(record.seconds)}, {"time", number(record.time)}, {"fraction", number(record.fraction)}};
  json["steps"] = record.steps;
  json["rate"] = number(record.rate);
  json["left"] = number(record.left);
  json["residual"] = number(record.residual);
  json["status"] = record.status;
  json["finished"] = record.finished;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

constexpr std::string_view line_begin = R"({"seconds":)";

// A file with something else in it is the user's, other JSON as well. Pipes and terminals take lines without a look.
bool holds_other_text(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  return !read_text(path, line_begin.size()).starts_with(line_begin);
}

}  // namespace

MonitorFile::MonitorFile(const std::string& path)
    : file_(holds_other_text(path) ? -2 : open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ == -2)
    throw MachineError("--monitor " + path + ": holds something else than such lines; name another file, or remove it");
  if (file_ < 0) throw MachineError("--monitor " + path + ": " + std::strerror(errno));
}

MonitorFile::~MonitorFile() { close(file_); }

bool MonitorFile::append(const MonitorRecord& record) {
  const std::string line = monitor_line(record);
  return write(file_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace halocline
