#include "io/output/seal.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "io/collective.hpp"
#include "io/file_checksum.hpp"
#include "io/files.hpp"
#include "lib/base/digest.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

constexpr const char* first_line = "halocline seal 1: first byte, bytes, checksum, name";

// Of fixed length, so that it is found from the end.
std::string last_line(std::size_t bytes, const std::string& lines) {
  return formatted("sealed {:012} {}\n", bytes, digest(lines));
}
const std::size_t last_length = last_line(0, "").size();

std::string lines_of(const std::vector<SealedRange>& ranges) {
  std::string lines = std::string("\n") + first_line + "\n";
  for (const SealedRange& range : ranges)
    lines += formatted("{} {} {:016x} {}\n", range.begin, range.bytes, range.sum, range.name);
  return lines;
}

std::string read_end(const std::string& path, std::size_t begin, std::size_t bytes) {
  std::string text(bytes, '\0');
  read_ranges(path, [&](const ReadAt& read) { read(begin, std::as_writable_bytes(std::span(text))); });
  return text;
}

// The lines of the seal; empty when there is none that is whole.
std::string read_seal(const std::string& path) {
  const std::size_t size = std::filesystem::file_size(path);
  if (size < last_length) return "";
  const std::string last = read_end(path, size - last_length, last_length);
  std::size_t bytes = 0;
  if (std::sscanf(last.c_str(), "sealed %12zu ", &bytes) != 1 || bytes > size - last_length) return "";
  const std::string lines = read_end(path, size - last_length - bytes, bytes);
  return last == last_line(bytes, lines) ? lines : "";
}

// They follow each other from the first byte of the file to the seal.
std::vector<SealedRange> ranges_of(const std::string& lines) {
  std::vector<SealedRange> ranges;
  std::string_view all = lines, line;
  next_line(all, line);
  next_line(all, line);
  while (next_line(all, line)) {
    SealedRange range;
    next_number(line, range.begin);
    next_number(line, range.bytes);
    next_number(line, range.sum, 16);
    range.name = line.substr(std::min<std::size_t>(1, line.size()));
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace

void seal_file(const std::string& path, std::vector<SealedRange> known) {
  std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const auto size = static_cast<Index>(std::filesystem::file_size(path));
  known.push_back({size, 0, 0, ""});
  std::vector<SealedRange> ranges;
  Index at = 0;
  for (const SealedRange& one : known) {
    require(one.begin >= at, "seal: ranges overlap");
    if (one.begin > at) ranges.push_back({at, one.begin - at, checksum_alone(path, at, one.begin - at), "structure"});
    if (one.bytes > 0) ranges.push_back(one);
    at = one.begin + one.bytes;
  }
  const std::string lines = lines_of(ranges), text = lines + last_line(lines.size(), lines);
  reserve_room(path, text.size());
  write_ranges(path, false,
               [&](const WriteAt& write) { write(static_cast<std::size_t>(size), std::as_bytes(std::span(text))); });
}

std::string fault_of_seal(const Communicator& comm, const std::string& path) {
  std::string lines;
  Index size = 0;
  on_rank0(comm, [&] {
    try {
      lines = read_seal(path);
      size = static_cast<Index>(std::filesystem::file_size(path) - lines.size() - last_length);
    } catch (const std::filesystem::filesystem_error& error) {
      throw MachineError("cannot read " + path + ": " + error.code().message());
    }
  });
  comm.broadcast(lines);
  comm.broadcast(std::span(&size, 1));
  if (lines.empty()) return path + ": does not end with a whole seal: it is damaged, cut off, or of an older program";
  Index at = 0;
  const std::vector<SealedRange> ranges = ranges_of(lines);
  for (const SealedRange& range : ranges) {
    if (range.begin != at || range.bytes <= 0 || range.bytes > size - at) break;
    at += range.bytes;
  }
  if (at != size) return path + ": is not as long as its seal says";
  for (const SealedRange& range : ranges)
    if (checksum_of_range(comm, path, range.begin, range.bytes) != range.sum)
      return formatted("{}: bytes {} to {} ({}) do not have their checksum", path, range.begin,
                       range.begin + range.bytes, range.name);
  return "";
}

}  // namespace halocline
