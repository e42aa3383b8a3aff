// InputFile and LineReader: plain reads of byte ranges of a data file that the user has named. What cannot be read is a
// DeckError with the file's name, since the deck names it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

class InputFile {
 public:
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  Index size() const { return size_; }  // bytes
  // Reads all of `to` from byte `at` on; the file must have it.
  void read(Index at, std::span<std::byte> to) const;
  // Reads up to `most` bytes from byte `at` on.
  std::string text(Index at, Index most) const;
  // Number, from 1, of the line that holds byte `at`: reads all before it, for messages.
  Index line_of(Index at) const;
  // Throws "path:line: message".
  [[noreturn]] void refuse_line(Index at, const std::string& message) const;
  // Throws "path: byte N: message".
  [[noreturn]] void refuse_byte(Index at, const std::string& message) const;

 private:
  std::string path_;
  int file_ = -1;
  Index size_ = 0;
};

// The lines that begin in bytes begin ... end - 1, however long; so every line belongs to one of several ranges that
// follow each other.
class LineReader {
 public:
  LineReader(const InputFile& file, Index begin, Index end);
  // The next line without its end; false when there is none. The text holds until the next call.
  bool next(std::string_view& line);
  Index at() const { return line_; }       // first byte of that line
  Index behind() const { return after_; }  // first byte of the next one

 private:
  bool refill();

  const InputFile& file_;
  Index end_;
  Index line_ = 0, after_ = 0;
  std::vector<char> buffer_ = std::vector<char>(1);  // memchr() wants memory to look at, even for no bytes
  std::size_t from_ = 0, filled_ = 0;                // what of the buffer is still to come
  Index read_ = 0;                                   // bytes of the file so far, with those before `begin`
};

}  // namespace halocline
