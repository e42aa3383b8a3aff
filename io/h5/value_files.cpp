#include "io/h5/value_files.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "io/checksum.hpp"
#include "io/collective.hpp"
#include "io/file_checksum.hpp"
#include "io/files.hpp"
#include "io/h5/h5_slabs.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"
#include "mpi/groups.hpp"

namespace halocline {
namespace {

constexpr const char* ending = ".values";

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

struct Line {
  Index begin = 0, bytes = 0;
  std::uint64_t sum = 0;
};

// Stretches by the files in which they lie.
std::map<std::string, std::vector<Line>> lines_of(const std::string& index) {
  std::map<std::string, std::vector<Line>> files;
  for_each_line(index, [&files](std::string_view words) {
    Line one;
    next_number(words, one.begin);
    next_number(words, one.bytes);
    next_number(words, one.sum, 16);
    files[std::string(next_word(words))].push_back(one);
  });
  return files;
}

// Of dense values.
std::vector<HostBox> host_boxes(std::span<const h5::Source> boxes) {
  std::vector<HostBox> made;
  for (const h5::Source& box : boxes)
    made.push_back(
        {box.offset, box.count, View<const double, 3>(reinterpret_cast<const double*>(box.values), 1, 1, box.size())});
  return made;
}

// By one rank.
std::string fault_of_file(const std::string& path, const std::vector<Line>& lines) {
  Index wanted = 0;
  for (const Line& line : lines) wanted = std::max(wanted, line.begin + line.bytes);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return path + " is gone";
  if (static_cast<Index>(bytes) != wanted) return formatted("{} has {} bytes instead of {}", path, bytes, wanted);
  for (const Line& line : lines)
    if (checksum_alone(path, line.begin, line.bytes) != line.sum)
      return formatted("{}: bytes {} to {} do not have their checksum", path, line.begin, line.begin + line.bytes);
  return "";
}

}  // namespace

std::string ValueFiles::ending_of(int group) { return formatted(".{:04}{}", group + 1, ending); }

ValueFiles::ValueFiles(Writers writers, std::string stem)
    : writers_(std::move(writers)), comm_(writers_.comm()), stem_(std::move(stem)) {
  for (const double first : comm_.gather(static_cast<double>(writers_.first())))
    if (begins_.empty() || begins_.back() != static_cast<int>(first)) begins_.push_back(static_cast<int>(first));
  own_ = static_cast<int>(std::find(begins_.begin(), begins_.end(), writers_.first()) - begins_.begin());
  begins_.push_back(comm_.size());
  ends_.assign(begins_.size() - 1, 0);
  on_all_ranks(comm_, [this] {
    if (!writers_.writes()) return;
    remove_file(temporary());
    write_file(temporary(), {});
  });
}

ValueFiles::~ValueFiles() {
  if (kept_ || !writers_.writes()) return;
  remove_file(temporary());
  remove_file(path_of(own_));
}

std::vector<h5::Stretch> ValueFiles::add(const h5::Extent& shape, std::span<const h5::Source> boxes) {
  const auto begin_of = [&](int rank) { return h5::slab_begin(shape, rank, comm_.size()); };
  const auto bytes_of = [&](std::size_t group) {
    return 8 * (begin_of(begins_[group + 1]) - begin_of(begins_[group]));
  };
  const auto own = static_cast<std::size_t>(own_);
  on_all_ranks(comm_, [&] {
    if (writers_.writes()) reserve_room(temporary(), static_cast<std::size_t>(bytes_of(own)));
  });
  std::vector<Index> sums(ends_.size(), 0);
  std::uint64_t sum = 0;
  h5::SlabExchange(comm_, shape, host_boxes(boxes)).run([&](Index at, std::span<const std::uint64_t> values) {
    const Index place = at - begin_of(writers_.first());
    sum += checksum(values, place);
    on_all_ranks(comm_, [&] {
      writers_.write(temporary(), [&](const WriteAt& write) {
        if (!values.empty()) write(static_cast<std::size_t>(ends_[own] + 8 * place), std::as_bytes(values));
      });
    });
  });
  sums[own] = std::bit_cast<Index>(sum);
  comm_.sum(std::span<Index>(sums));
  std::vector<h5::Stretch> stretches;
  for (std::size_t group = 0; group < ends_.size(); ++group) {
    const Index bytes = bytes_of(group);
    if (bytes == 0) continue;
    const std::string name = base_name(path_of(static_cast<int>(group)));
    stretches.push_back({name, ends_[group], bytes});
    if (comm_.rank() == 0)
      index_ += formatted("{} {} {:016x} {}\n", ends_[group], bytes, std::bit_cast<std::uint64_t>(sums[group]), name);
    ends_[group] += bytes;
  }
  return stretches;
}

void ValueFiles::commit() {
  on_all_ranks(comm_, [this] {
    if (!writers_.writes()) return;
    if (ends_[static_cast<std::size_t>(own_)] > 0)
      rename_file(temporary(), path_of(own_), true);
    else
      remove_file(temporary());
  });
}

std::string fault_of_value_files(const Communicator& comm, const std::string& directory, const std::string& index) {
  const auto files = lines_of(index);
  std::string fault;
  on_all_ranks(comm, [&] {
    int number = 0;
    for (const auto& [name, lines] : files) {
      if (number++ % comm.size() != comm.rank() || !fault.empty()) continue;
      if (name.find('/') != std::string::npos) throw MachineError(directory + ": no name of a file: " + name);
      fault = fault_of_file(directory + "/" + name, lines);
    }
  });
  const std::optional<int> rank = first_rank(comm, !fault.empty());
  if (!rank) return "";
  comm.broadcast(fault, *rank);
  return fault;
}

std::vector<std::string> value_files_of(const std::string& directory, const std::string& stem) {
  return list_files(directory, stem + ".", ending);
}

}  // namespace halocline
