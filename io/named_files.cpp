#include "io/named_files.hpp"

#include <sys/stat.h>

#include <utility>

#include "io/collective.hpp"
#include "io/file_checksum.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr const char* no_file = "no plain file";

// Equal for equal contents as far as can be told without reading them.
std::string brief_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return no_file;
  return formatted("{} {}.{:09}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

// Differs after every change.
std::string whole_stamp(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return no_file;
  return formatted("{} {} {}.{:09} {}", brief_stamp(path), status.st_ino, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
                   status.st_dev);
}

std::string contents(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return no_file;
  return formatted("{} bytes with digest {:016x}", status.st_size, checksum_alone(path, 0, status.st_size));
}

// Whether all ranks have the text of rank 0.
bool is_same(const Communicator& comm, const std::string& own) {
  std::string first = own;
  comm.broadcast(first);
  return comm.agree(own == first);
}

void require_same_contents(const Communicator& comm, const std::string& path) {
  std::string stamp = brief_stamp(path), first = stamp;
  comm.broadcast(first);
  std::string text, told;
  on_all_ranks(comm, [&] {
    if (comm.rank() == 0 || stamp != first) text = contents(path);
  });
  const std::vector<std::string> found = comm.gather(text);
  if (comm.rank() == 0)
    for (std::size_t rank = 1; rank < found.size() && told.empty(); ++rank)
      if (!found[rank].empty() && found[rank] != found[0])
        told = formatted("{}: rank {} finds {}, rank 0 {}; nothing was computed. All ranks of a run read the same data",
                         path, rank, found[rank], found[0]);
  comm.broadcast(told);
  if (!told.empty()) throw MachineError(told);
}

}  // namespace

NamedFiles::NamedFiles(const Communicator& comm, std::vector<std::string> paths) : paths_(std::move(paths)) {
  std::string all;
  for (const std::string& path : paths_) {
    stamps_.push_back(whole_stamp(path));
    all += brief_stamp(path) + "\n";
  }
  if (paths_.empty() || comm.size() == 1 || is_same(comm, all)) return;
  for (const std::string& path : paths_) require_same_contents(comm, path);
}

void NamedFiles::require_unchanged(const Communicator& comm) const {
  if (paths_.empty()) return;
  on_all_ranks(comm, [&] {
    for (std::size_t n = 0; n < paths_.size(); ++n)
      if (whole_stamp(paths_[n]) != stamps_[n])
        throw MachineError(paths_[n] + " has changed while it was read; nothing was computed");
  });
}

}  // namespace halocline
