#include "io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/system_fault.hpp"
#include "lib/base/error.hpp"

namespace halocline {

namespace {

constexpr std::size_t block = std::size_t{4} << 20;
constexpr std::size_t longest_line = std::size_t{64} << 20;

}  // namespace

// A pipe would wait for who writes to it.
InputFile::InputFile(std::string path)
    : path_(std::move(path)), file_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  const bool found = file_ >= 0 && ::fstat(file_, &status) == 0;
  const int number = found ? 0 : errno;
  const std::string reason = std::strerror(number);
  const bool plain = found && S_ISREG(status.st_mode);
  if (!plain && file_ >= 0) ::close(file_);
  if (!found && is_system_fault(number)) throw MachineError(path_ + ": cannot be read: " + reason);
  if (!found) throw DeckError(path_ + ": cannot be read: " + reason);
  if (S_ISDIR(status.st_mode)) throw DeckError(path_ + ": is a directory, no plain file");
  if (!plain) throw DeckError(path_ + ": is no plain file");
  size_ = status.st_size;
}

InputFile::~InputFile() { ::close(file_); }

void InputFile::read(Index at, std::span<std::byte> to) const {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t count = ::pread(file_, to.data() + done, to.size() - done, at + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw MachineError(path_ + ": cannot be read: " + std::strerror(errno));
    if (count == 0) refuse_byte(at + static_cast<Index>(done), "the file ends here");
    done += static_cast<std::size_t>(count);
  }
}

std::string InputFile::text(Index at, Index most) const {
  std::string made(static_cast<std::size_t>(std::clamp<Index>(size_ - at, 0, most)), '\0');
  read(at, std::as_writable_bytes(std::span(made)));
  return made;
}

Index InputFile::line_of(Index at) const {
  Index line = 1;
  for (Index from = 0; from < at; from += static_cast<Index>(block)) {
    const std::string piece = text(from, std::min<Index>(static_cast<Index>(block), at - from));
    line += std::count(piece.begin(), piece.end(), '\n');
  }
  return line;
}

void InputFile::refuse_line(Index at, const std::string& message) const {
  throw DeckError(path_ + ":" + std::to_string(line_of(at)) + ": " + message);
}

void InputFile::refuse_byte(Index at, const std::string& message) const {
  throw DeckError(path_ + ": byte " + std::to_string(at) + ": " + message);
}

// A line begins at `begin` when the byte before ends one, so reading begins there and its line is passed over.
LineReader::LineReader(const InputFile& file, Index begin, Index end)
    : file_(file), end_(std::min(end, file.size())), after_(begin), read_(begin) {
  if (begin == 0 || begin >= end_) return;
  read_ = after_ = begin - 1;
  std::string_view rest;
  next(rest);
}

// Moves what is left to the front and reads on; false at the end of the file.
bool LineReader::refill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(from_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(filled_), buffer_.begin());
  filled_ -= from_;
  from_ = 0;
  const Index left = file_.size() - read_;
  if (left <= 0) return false;
  if (filled_ > longest_line) file_.refuse_byte(after_, "a line longer than 64 MiB; this is no text");
  const std::size_t wanted = static_cast<std::size_t>(std::min<Index>(left, static_cast<Index>(block)));
  if (buffer_.size() < filled_ + wanted) buffer_.resize(filled_ + wanted);
  file_.read(read_, std::as_writable_bytes(std::span(buffer_).subspan(filled_, wanted)));
  filled_ += wanted;
  read_ += static_cast<Index>(wanted);
  return true;
}

bool LineReader::next(std::string_view& line) {
  line_ = after_;
  if (line_ >= end_) return false;
  std::size_t searched = 0;
  while (true) {
    const char* const first = buffer_.data() + from_;
    const void* found = std::memchr(first + searched, '\n', filled_ - from_ - searched);
    if (found != nullptr) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - first);
      line = {first, length};
      from_ += length + 1;
      after_ = line_ + static_cast<Index>(length) + 1;
      return true;
    }
    searched = filled_ - from_;
    if (refill()) continue;
    line = {buffer_.data(), filled_};  // the last one, without an end
    after_ = line_ + static_cast<Index>(filled_);
    from_ = filled_;
    return true;
  }
}

}  // namespace halocline
