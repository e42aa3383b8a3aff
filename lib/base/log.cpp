#include "lib/base/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/text/printable.hpp"

namespace halocline {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      break;
  }
  return spdlog::level::off;
}

}  // namespace

struct Log::Sinks {
  spdlog::logger terminal{"terminal", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
  std::unique_ptr<spdlog::logger> file;
  struct Message {
    spdlog::log_clock::time_point time;
    spdlog::level::level_enum level;
    std::string text;
  };
  static constexpr std::size_t most_early = 1000;  // of commands that open no file
  std::vector<Message> early;

  // `prefix` stands before the text on the terminal; the file names the level itself.
  void write(spdlog::level::level_enum level, const char* prefix, const std::string& message) {
    terminal.log(level, "{}{}", prefix, printable(message));
    copy(level, message);
  }

  void copy(spdlog::level::level_enum level, const std::string& text) {
    const std::string message = printable(text);
    if (file) {
      file->log(level, "{}", message);
    } else if (early.size() < most_early) {
      early.push_back({spdlog::log_clock::now(), level, message});
    }
  }
};

Log::Log(bool speaks, LogLevel level) : sinks_(std::make_unique<Sinks>()) {
  sinks_->terminal.set_pattern("%v");
  sinks_->terminal.set_level(speaks ? to_spdlog(level) : spdlog::level::off);
}

Log::~Log() = default;

void Log::open_file(const std::string& path) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, true);
    sinks_->file = std::make_unique<spdlog::logger>("file", sink);
  } catch (const spdlog::spdlog_ex& error) {
    throw MachineError("cannot open the log file " + path + ": " + error.what());
  }
  sinks_->file->set_pattern("%Y-%m-%d %H:%M:%S.%e %-7l %v");
  sinks_->file->set_level(spdlog::level::debug);
  sinks_->file->flush_on(spdlog::level::warn);
  for (const Sinks::Message& message : sinks_->early)
    sinks_->file->log(message.time, spdlog::source_loc{}, message.level, message.text);
  sinks_->early.clear();
}

void Log::debug(const std::string& message) { sinks_->write(spdlog::level::debug, "", message); }
void Log::info(const std::string& message) { sinks_->write(spdlog::level::info, "", message); }
void Log::warning(const std::string& message) { sinks_->write(spdlog::level::warn, "warning: ", message); }
void Log::error(const std::string& message) { sinks_->write(spdlog::level::err, "error: ", message); }

void Log::record(const std::string& text) { sinks_->copy(spdlog::level::info, text); }

void Log::flush() {
  sinks_->terminal.flush();
  if (sinks_->file) sinks_->file->flush();
}

}  // namespace halocline
