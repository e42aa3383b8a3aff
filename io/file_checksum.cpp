#include "io/file_checksum.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <span>
#include <system_error>
#include <vector>

#include "io/checksum.hpp"
#include "io/collective.hpp"
#include "io/files.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr Index batch = Index{1} << 19;  // values read at once: 4 MiB

std::uint64_t checksum_of_values(const std::string& path, Index begin, Index bytes, Index first, Index last) {
  std::uint64_t sum = 0;
  std::vector<std::uint64_t> values;
  read_ranges(path, [&](const ReadAt& read) {
    for (Index at = first; at < last; at += batch) {
      values.assign(static_cast<std::size_t>(std::min(batch, last - at)), 0);
      const Index size = std::min<Index>(8 * static_cast<Index>(values.size()), bytes - 8 * at);
      read(static_cast<std::size_t>(begin + 8 * at),
           std::as_writable_bytes(std::span(values)).first(static_cast<std::size_t>(size)));
      sum += checksum(std::span<const std::uint64_t>(values), at);
    }
  });
  return sum;
}

}  // namespace

std::uint64_t checksum_of_range(const Communicator& comm, const std::string& path, Index begin, Index bytes) {
  const Index values = (bytes + 7) / 8, share = (values + comm.size() - 1) / comm.size();
  Index sum = 0;
  on_all_ranks(comm, [&] {
    const Index first = std::min(share * comm.rank(), values), last = std::min(first + share, values);
    if (first < last) sum = std::bit_cast<Index>(checksum_of_values(path, begin, bytes, first, last));
  });
  comm.sum(std::span(&sum, 1));
  return std::bit_cast<std::uint64_t>(sum);
}

std::uint64_t checksum_alone(const std::string& path, Index begin, Index bytes) {
  return checksum_of_values(path, begin, bytes, 0, (bytes + 7) / 8);
}

std::string contents_text(const Communicator& comm, const std::string& path) {
  Index bytes = -1;
  if (comm.rank() == 0) {
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none))
      bytes = static_cast<Index>(std::filesystem::file_size(path, none));
  }
  comm.broadcast(std::span(&bytes, 1));
  if (bytes < 0) return "";
  return formatted("a file of {} bytes with digest {:016x}", bytes, checksum_of_range(comm, path, 0, bytes));
}

}  // namespace halocline
