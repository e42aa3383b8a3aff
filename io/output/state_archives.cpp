#include "io/output/state_archives.hpp"

#include <algorithm>
#include <bit>

#include "io/checksum.hpp"
#include "io/files.hpp"
#include "io/h5/staging.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

std::string path_of(const std::string& block) { return std::string(block_group) + "/" + block; }

// Whole rows.
Range<2> box_of(Range<1> rows, Index width) { return {{rows.lo[0], 0}, {rows.hi[0], width}}; }

}  // namespace

void SavingArchive::scalar(const char* name, double& value) {
  require(!real_scalars_.contains(name) && !integer_scalars_.contains(name), "StateArchive: a name was used twice");
  real_scalars_[name] = value;
}

void SavingArchive::scalar(const char* name, Index& value) {
  require(!real_scalars_.contains(name) && !integer_scalars_.contains(name), "StateArchive: a name was used twice");
  integer_scalars_[name] = value;
}

template <class T>
void SavingArchive::add(std::vector<Part<T>>& parts, const char* name, Index total, Index width, const Range<2>& global,
                        View<T, 1> values, const Executor& executor) {
  require(values.size() == global.size(), "StateArchive: the view does not have the size of its block");
  if (name_ != name) {
    write_pending();
    name_ = name;
    total_ = total;
    width_ = width;
  }
  require(total == total_ && width == width_, "StateArchive: parts of a block disagree on its size");
  parts.push_back(
      {{global.lo[0], global.lo[1]}, {global.extent(0), global.extent(1)}, stage(View<const T, 1>(values), executor)});
}

void SavingArchive::block(const char* name, Index total, Index width, Range<1> global, View<double, 1> values,
                          const Executor& executor) {
  add(reals_, name, total, width, box_of(global, width), values, executor);
}

void SavingArchive::piece(const char* name, Index total, Index width, const Range<2>& global, View<double, 1> values,
                          const Executor& executor) {
  add(reals_, name, total, width, global, values, executor);
}

void SavingArchive::block(const char* name, Index total, Index width, Range<1> global, View<Index, 1> values,
                          const Executor& executor) {
  add(integers_, name, total, width, box_of(global, width), values, executor);
}

template <class T>
void SavingArchive::write(std::vector<Part<T>>& parts, h5::Type type) {
  Index sums[2] = {0, 0};  // values, checksum
  std::uint64_t sum = 0;
  for (const auto& part : parts) {
    sums[0] += static_cast<Index>(part.values.size());
    const bool whole = part.count[1] == width_;
    const Index rows = whole ? 1 : part.count[0], run = whole ? part.count[0] * width_ : part.count[1];
    for (Index row = 0; row < rows; ++row)
      sum +=
          checksum(std::span(part.values).subspan(static_cast<std::size_t>(row * run), static_cast<std::size_t>(run)),
                   (part.offset[0] + row) * width_ + part.offset[1]);
  }
  sums[1] = std::bit_cast<Index>(sum);
  comm_.sum(sums);
  require(sums[0] == total_ * width_, "StateArchive: the parts do not cover the block");
  const h5::Extent shape{total_, width_};
  const auto boxes = boxes_of(parts);
  values_ != nullptr&& total_* width_ > 0 ? write_beside(shape, type, boxes) : write_here(shape, type, boxes, sums[1]);
  parts.clear();
}

void SavingArchive::write_here(const h5::Extent& shape, h5::Type type, std::span<const h5::Source> boxes, Index sum) {
  const Index bytes = h5::volume(shape) * static_cast<Index>(h5::size_of(type));
  file_.structure(static_cast<std::size_t>(bytes), [&](h5::File& file) {
    file.make_dataset(path_of(name_), type, shape);
    if (bytes == 0) return;
    const auto place = static_cast<Index>(file.offset(path_of(name_)));
    ranges_.push_back({place, bytes, std::bit_cast<std::uint64_t>(sum), path_of(name_)});
  });
  if (bytes > 0) file_.write(path_of(name_), type, shape, boxes);
}

void SavingArchive::write_beside(const h5::Extent& shape, h5::Type type, std::span<const h5::Source> boxes) {
  constexpr std::size_t room_per_stretch = 128;
  const std::vector<h5::Stretch> stretches = values_->add(shape, boxes);
  file_.structure(stretches.size() * room_per_stretch,
                  [&](h5::File& file) { file.make_dataset(path_of(name_), type, shape, stretches); });
}

void SavingArchive::write_pending() {
  if (name_.empty()) return;
  Index kinds[2] = {static_cast<Index>(reals_.size()), static_cast<Index>(integers_.size())};
  comm_.max(std::span<Index>(kinds));
  require(kinds[0] == 0 || kinds[1] == 0, "StateArchive: a block has one type");
  kinds[0] > 0 ? write(reals_, h5::Type::float64) : write(integers_, h5::Type::int64);
  name_.clear();
}

void SavingArchive::finish() {
  write_pending();
  // HDF5 itself keeps a checksum of attributes in files of this format.
  constexpr std::size_t room_per_scalar = 256;
  file_.structure((real_scalars_.size() + integer_scalars_.size()) * room_per_scalar, [&](h5::File& file) {
    file.make_group(scalar_group);
    for (const auto& [name, value] : real_scalars_) file.set_attribute(scalar_group, name, value);
    for (const auto& [name, value] : integer_scalars_) file.set_attribute(scalar_group, name, value);
  });
}

void RestoringArchive::need_scalar(const char* name) const {
  if (file_.has_attribute(scalar_group, name)) return;
  throw DeckError(path_ + ": the checkpoint has no `" + name + "`: it was saved by another kind of run");
}

void RestoringArchive::scalar(const char* name, double& value) {
  need_scalar(name);
  value = file_.number_attribute(scalar_group, name);
}

void RestoringArchive::scalar(const char* name, Index& value) {
  need_scalar(name);
  value = file_.integer_attribute(scalar_group, name);
}

template <class T>
void RestoringArchive::read(const char* name, h5::Type type, Index total, Index width, const Range<2>& global,
                            View<T, 1> values, const Executor& executor) const {
  require(values.size() == global.size(), "StateArchive: the view does not have the size of its block");
  const std::string path = path_of(name);
  if (!file_.contains(path)) {
    throw DeckError(path_ + ": the checkpoint has no `" + name + "`: it was saved by another kind of run");
  }
  const h5::Extent found = file_.extent(path);
  if (found != h5::Extent{total, width} || file_.type(path) != type) {
    const auto text = [](Index rows, Index columns) { return std::to_string(rows) + " x " + std::to_string(columns); };
    throw DeckError(
        path_ + ": `" + name + "` has " + text(found.empty() ? 1 : found[0], found.size() > 1 ? found[1] : 1) +
        " values, but this deck needs " + text(total, width) + (file_.type(path) != type ? " of another type" : ""));
  }
  std::vector<T> host(static_cast<std::size_t>(values.size()));
  const h5::Target box{
      {global.lo[0], global.lo[1]}, {global.extent(0), global.extent(1)}, reinterpret_cast<std::byte*>(host.data())};
  const std::vector<h5::Stretch> stretches = file_.stretches(path);
  const bool whole = global.extent(1) == width;
  const Index rows = whole ? 1 : global.extent(0), run = whole ? global.size() : global.extent(1);
  if (stretches.empty()) file_.read(path, type, found, std::span(&box, 1));
  for (Index row = 0; row < rows && !stretches.empty(); ++row)
    read_beside(stretches, static_cast<std::size_t>((global.lo[0] + row) * width + global.lo[1]) * sizeof(T),
                std::as_writable_bytes(
                    std::span(host).subspan(static_cast<std::size_t>(row * run), static_cast<std::size_t>(run))));
  if (!host.empty()) executor.copy_in(values.data, host.data(), host.size() * sizeof(T));
}

// Bytes from `first` on of a dataset that lies in other files of the folder.
void RestoringArchive::read_beside(const std::vector<h5::Stretch>& stretches, std::size_t first,
                                   std::span<std::byte> bytes) const {
  const std::size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : path_.substr(0, slash + 1);
  for (const h5::Stretch& one : stretches) {
    const auto size = static_cast<std::size_t>(one.bytes);
    if (bytes.empty()) return;
    if (first >= size) {
      first -= size;
      continue;
    }
    const std::size_t count = std::min(size - first, bytes.size());
    read_ranges(folder + one.file,
                [&](const ReadAt& read) { read(static_cast<std::size_t>(one.begin) + first, bytes.first(count)); });
    bytes = bytes.subspan(count);
    first = 0;
  }
  require(bytes.empty(), "StateArchive: files of values are shorter than their dataset");
}

void RestoringArchive::block(const char* name, Index total, Index width, Range<1> global, View<double, 1> values,
                             const Executor& executor) {
  read(name, h5::Type::float64, total, width, box_of(global, width), values, executor);
}

void RestoringArchive::piece(const char* name, Index total, Index width, const Range<2>& global, View<double, 1> values,
                             const Executor& executor) {
  read(name, h5::Type::float64, total, width, global, values, executor);
}

void RestoringArchive::block(const char* name, Index total, Index width, Range<1> global, View<Index, 1> values,
                             const Executor& executor) {
  read(name, h5::Type::int64, total, width, box_of(global, width), values, executor);
}

}  // namespace halocline
