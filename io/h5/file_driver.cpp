#include "io/h5/file_driver.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>

#include "io/h5/h5_handle.hpp"
#include "io/system_fault.hpp"

namespace halocline::h5 {
namespace {

constexpr const char* reading = "read";
constexpr const char* opening = "open";

// An open file; HDF5 sees its first member.
struct Open {
  H5FD_t base{};
  int number = -1;
  haddr_t end = 0, allotted = 0;  // of the file, and of what HDF5 has given away
  struct stat status {};
  bool changes = false;
  FileFailure* failure = nullptr;
};

Open* opened(H5FD_t* file) { return reinterpret_cast<Open*>(file); }
const Open* opened(const H5FD_t* file) { return reinterpret_cast<const Open*>(file); }

void keep(FileFailure& failure, const char* what) {
  if (failure.reason == 0) failure = {errno, what};
}

// Pipes and devices may be without end.
bool is_plain(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  return S_ISREG(status.st_mode);
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (info == nullptr) return nullptr;
  FileFailure* failure = *static_cast<FileFailure* const*>(info);
  const int mode = ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) | ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) |
                   ((flags & H5F_ACC_RDWR) != 0 ? O_NOFOLLOW : 0) | ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0) |
                   ((flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0);
  const int number = ::open(name, mode | O_CLOEXEC | O_NONBLOCK, 0666);  // a pipe would wait
  auto* file = number < 0 ? nullptr : new (std::nothrow) Open;
  if (file == nullptr || ::fstat(number, &file->status) != 0 || !is_plain(file->status)) {
    keep(*failure, opening);
    delete file;
    if (number >= 0) ::close(number);
    return nullptr;
  }
  file->number = number;
  file->end = static_cast<haddr_t>(file->status.st_size);
  file->changes = (flags & H5F_ACC_RDWR) != 0;
  file->failure = failure;
  return &file->base;
}

// For files that are reached by links from this one.
void* info_of(H5FD_t* file) {
  void* info = H5allocate_memory(sizeof(FileFailure*), false);
  if (info != nullptr) std::memcpy(info, &opened(file)->failure, sizeof(FileFailure*));
  return info;
}

herr_t close_file(H5FD_t* file) {
  Open* const it = opened(file);
  if (::close(it->number) != 0 && it->changes) keep(*it->failure, "write");
  delete it;
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const struct stat &one = opened(a)->status, &other = opened(b)->status;
  if (one.st_dev != other.st_dev) return one.st_dev < other.st_dev ? -1 : 1;
  return one.st_ino < other.st_ino ? -1 : one.st_ino > other.st_ino ? 1 : 0;
}

// What HDF5's own driver for such files says, so that the same calls make the same files.
herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr)
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allotted(const H5FD_t* file, H5FD_mem_t) { return opened(file)->allotted; }
haddr_t end(const H5FD_t* file, H5FD_mem_t) { return opened(file)->end; }
herr_t allot(H5FD_t* file, H5FD_mem_t, haddr_t bytes) {
  opened(file)->allotted = bytes;
  return 0;
}

// Beyond the end of the file are zeros.
herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, void* bytes) {
  auto* to = static_cast<std::byte*>(bytes);
  while (size > 0) {
    const ssize_t got = ::pread(opened(file)->number, to, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      keep(*opened(file)->failure, reading);
      H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_READERROR, "%s",
               std::strerror(opened(file)->failure->reason));
      return -1;
    }
    if (got == 0) {
      std::memset(to, 0, size);
      return 0;
    }
    to += got, at += static_cast<haddr_t>(got), size -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t at, std::size_t size, const void* bytes) {
  Open& it = *opened(file);
  const auto* from = static_cast<const std::byte*>(bytes);
  while (size > 0 && it.failure->reason == 0) {
    const ssize_t put = ::pwrite(it.number, from, size, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      keep(*it.failure, "write");
      break;
    }
    from += put, at += static_cast<haddr_t>(put), size -= static_cast<std::size_t>(put);
  }
  it.end = at + size > it.end ? at + size : it.end;
  return 0;
}

// The file ends where what was given away ends.
herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  Open& it = *opened(file);
  if (it.end == it.allotted) return 0;
  if (it.failure->reason == 0 && ::ftruncate(it.number, static_cast<off_t>(it.allotted)) != 0)
    keep(*it.failure, "write");
  it.end = it.allotted;
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    static H5FD_class_t calls{};
#if H5_VERSION_GE(1, 14, 0)
    calls.version = H5FD_CLASS_VERSION;
    calls.value = static_cast<H5FD_class_value_t>(511);  // 256 to 511: not registered with The HDF Group
#endif
    calls.name = "halocline";
    calls.maxaddr = static_cast<haddr_t>(INT64_MAX);
    calls.fc_degree = H5F_CLOSE_WEAK;
    calls.fapl_size = sizeof(FileFailure*);
    calls.fapl_get = info_of;
    calls.open = open_file;
    calls.close = close_file;
    calls.cmp = compare;
    calls.query = query;
    calls.get_eoa = allotted;
    calls.set_eoa = allot;
    calls.get_eof = end;
    calls.read = read;
    calls.write = write;
    calls.truncate = truncate;
    const H5FD_mem_t whole[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::memcpy(calls.fl_map, whole, sizeof(whole));
    return H5FDregister(&calls);
  }();
  return id;
}

}  // namespace

void FileFailure::raise(const std::string& path) const {
  if (reason == 0) return;
  const std::string text = std::string("cannot ") + what + " " + path + ": " + std::strerror(reason);
  if (what == reading || (what == opening && is_system_fault(reason))) throw ReadFailure(text);
  throw MachineError(text);
}

void go_through_driver(hid_t access_list, FileFailure& failure, const std::string& path) {
  const FileFailure* const info = &failure;
  check(driver(), "H5FDregister", path);
  check(H5Pset_driver(access_list, driver(), &info), "H5Pset_driver", path);
}

}  // namespace halocline::h5
