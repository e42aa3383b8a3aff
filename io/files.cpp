#include "io/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path, int reason) {
  throw MachineError("cannot " + what + " " + path + ": " + std::strerror(reason));
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, const char* what)
      : number_(::open(path.c_str(), flags | O_CLOEXEC | ((flags & (O_WRONLY | O_RDWR)) != 0 ? O_NOFOLLOW : 0), 0666)) {
    if (number_ < 0) fail(what, path, errno);
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  int close() { return ::close(std::exchange(number_, -1)); }

 private:
  int number_;
};

// 0, or the reason why a file of `path`'s file system cannot grow from `now` to `wanted` bytes.
int growth_fault(int file, off_t now, off_t wanted) {
  // Asked first, since exceeding the limit raises SIGXFSZ.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<rlim_t>(wanted) > limit.rlim_cur) {
    return EFBIG;
  }
  if (::fallocate(file, 0, now, wanted - now) == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  // A file system that cannot reserve: the free space is the best there is to ask.
  struct statvfs room {};
  if (::fstatvfs(file, &room) == 0 &&
      static_cast<unsigned long long>(room.f_bavail) * room.f_frsize < static_cast<unsigned long long>(wanted - now)) {
    return ENOSPC;
  }
  return ::ftruncate(file, wanted) == 0 ? 0 : errno;
}

void write_at(const Descriptor& file, std::size_t offset, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::size_t>(written);
  }
}

void close(Descriptor& file, const std::string& path) {
  if (file.close() != 0) fail("write", path, errno);
}

}  // namespace

namespace {

// Makes a file that must not exist.
void write_pieces(const std::string& path, const std::function<void(const Put&)>& make) {
  constexpr std::size_t enough = std::size_t{1} << 20;  // bytes to be written at once
  Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL, "create");
  std::size_t end = 0;
  std::string kept;
  const auto write = [&](std::string_view piece) {
    if (piece.empty()) return;
    const int fault = growth_fault(file.number(), static_cast<off_t>(end), static_cast<off_t>(end + piece.size()));
    if (fault != 0) fail("write", path, fault);
    write_at(file, end, std::as_bytes(std::span(piece)), path);
    end += piece.size();
  };
  try {
    make([&](std::string_view piece) {
      if (kept.empty() && piece.size() >= enough) return write(piece);
      kept += piece;
      if (kept.size() < enough) return;
      write(kept);
      kept.clear();
    });
    write(kept);
    close(file, path);
  } catch (...) {
    remove_file(path);
    throw;
  }
}

}  // namespace

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  write_pieces(path, [&](const Put& put) { put({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); });
}

void write_ranges(const std::string& path, bool eager, const std::function<void(const WriteAt&)>& work) {
  Descriptor file(path, O_WRONLY, "open");
  work([&](std::size_t offset, std::span<const std::byte> bytes) {
    write_at(file, offset, bytes, path);
    // A hint: file systems that do not know it go their own pace.
    if (eager)
      ::sync_file_range(file.number(), static_cast<off_t>(offset), static_cast<off_t>(bytes.size()),
                        SYNC_FILE_RANGE_WRITE);
  });
  close(file, path);
}

void read_ranges(const std::string& path, const std::function<void(const ReadAt&)>& work) {
  Descriptor file(path, O_RDONLY, "open");
  work([&](std::size_t offset, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t got = ::pread(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail("read", path, errno);
      if (got == 0) throw MachineError(path + ": ends before byte " + std::to_string(offset + 1));
      bytes = bytes.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::size_t>(got);
    }
  });
}

void replace_file(const std::string& path, const std::string& text) {
  replace_file_by(path, [&](const Put& put) { put(text); });
}

void replace_file_by(const std::string& path, const std::function<void(const Put&)>& make) {
  const std::string temporary = path + ".tmp";
  write_pieces(temporary, make);
  try {
    // Its values first: after a power failure the name may be that of the new file, and then stands for all of it.
    put_on_disk(temporary);
    rename_file(temporary, path, false);
  } catch (...) {
    remove_file(temporary);
    throw;
  }
}

bool create_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp";
  write_file(temporary, std::as_bytes(std::span(text)));
  try {
    put_on_disk(temporary);
  } catch (...) {
    remove_file(temporary);
    throw;
  }
  // A second name for the whole file, unless there is such a name: no reader, and no crash, meets a part of it.
  int reason = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  if (reason == EPERM || reason == EOPNOTSUPP || reason == ENOSYS) {  // a file system without second names
    reason = ::access(path.c_str(), F_OK) == 0 ? EEXIST : std::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  }
  remove_file(temporary);
  if (reason != 0 && reason != EEXIST) fail("make", path, reason);
  return reason == 0;
}

std::string read_text(const std::string& path, std::size_t most) {
  Descriptor file(path, O_RDONLY | O_NONBLOCK, "read");  // a pipe would wait for who writes to it
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail("read", path, errno);
  if (S_ISDIR(status.st_mode)) fail("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) throw MachineError("cannot read " + path + ": it is no plain file");
  std::string text;
  std::array<char, 65536> piece{};
  while (text.size() <= most) {
    const ssize_t count = ::read(file.number(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path, errno);
    if (count == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
}

void reserve_room(const std::string& path, std::size_t bytes) {
  if (bytes == 0) return;  // which fallocate() refuses
  Descriptor file(path, O_RDWR, "open");
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail("examine", path, errno);
  const off_t now = status.st_size;
  const int fault = growth_fault(file.number(), now, now + static_cast<off_t>(bytes));
  if (fault == 0) return;
  // Blocks claimed before the failure are given back.
  if (::ftruncate(file.number(), now) != 0) fail("write", path, errno);
  fail("write " + std::to_string(bytes) + " bytes more to", path, fault);
}

void put_on_disk(const std::string& path) {
  Descriptor file(path, O_RDONLY, "open");
  if (::fsync(file.number()) != 0) fail("put on the disk", path, errno);
}

void rename_file(const std::string& from, const std::string& to, bool durable) {
  if (durable) put_on_disk(from);
  if (std::rename(from.c_str(), to.c_str()) != 0) fail("rename " + from + " to", to, errno);
  if (!durable) return;
  const std::string folder = std::filesystem::path(to).parent_path().string();
  Descriptor directory(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY, "open");
  if (::fsync(directory.number()) != 0) fail("put on the disk", folder, errno);
}

void remove_file(const std::string& path) noexcept { ::unlink(path.c_str()); }

std::vector<std::string> list_files(const std::string& directory, const std::string& prefix,
                                    const std::string& suffix) {
  std::vector<std::string> names;
  // Not by std::filesystem, of which GCC's version ends the program where memory does.
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(directory.c_str()), ::closedir);
  if (!folder && errno != ENOENT && errno != ENOTDIR && errno != EACCES) fail("list", directory, errno);
  const auto next = [&] { return errno = 0, folder ? ::readdir(folder.get()) : nullptr; };
  while (const dirent* const entry = next()) {
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (name.size() >= prefix.size() + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix)) {
      names.push_back(std::move(name));
    }
  }
  if (errno != 0) fail("list", directory, errno);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace halocline
