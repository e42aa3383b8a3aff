#include "io/h5/deferred_file.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <functional>
#include <utility>

#include "io/collective.hpp"
#include "io/files.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold little-endian numbers");

constexpr Index dense_piece = Index{1} << 21;     // values per system call: 16 MiB
constexpr Index gathered_piece = Index{1} << 19;  // values gathered from rows for one

bool is_dense(const View<const double, 3>& v) {
  return (v.extent[1] == 1 || v.stride[1] == v.extent[2]) &&
         (v.extent[0] == 1 || v.stride[0] == v.extent[1] * v.extent[2]);
}

// Values of a slab in front of its first one in the array.
Index place_of(const h5::Extent& shape, const h5::Extent& offset) {
  Index place = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + offset[d];
  return place;
}

void write_dense(const WriteAt& write, std::size_t offset, const View<const double, 3>& v,
                 const std::atomic<bool>& stop) {
  for (Index at = 0; at < v.size() && !stop; at += dense_piece) {
    const auto size = static_cast<std::size_t>(std::min(dense_piece, v.size() - at));
    write(offset + 8 * static_cast<std::size_t>(at), std::as_bytes(std::span(v.data + at, size)));
  }
}

void write_rows(const WriteAt& write, std::size_t offset, const View<const double, 3>& v,
                const std::atomic<bool>& stop) {
  const Index rows = v.extent[0] * v.extent[1], width = v.extent[2];
  const Index step = std::max<Index>(gathered_piece / std::max<Index>(width, 1), 1);
  std::vector<double> gathered;
  for (Index first = 0; first < rows && !stop; first += step) {
    const Index last = std::min(first + step, rows);
    gathered.resize(static_cast<std::size_t>((last - first) * width));
    for (Index row = first; row < last; ++row) {
      const double* from = v.data + row / v.extent[1] * v.stride[0] + row % v.extent[1] * v.stride[1];
      std::copy_n(from, width, gathered.begin() + (row - first) * width);
    }
    write(offset + 8 * static_cast<std::size_t>(first * width), std::as_bytes(std::span(gathered)));
  }
}

}  // namespace

DeferredFile::DeferredFile(const Writers& writers, std::string path)
    : comm_(writers.comm()), file_(writers, std::move(path)) {}

DeferredFile::~DeferredFile() {
  stop_ = true;
  if (done_.valid() && done_.wait_for(std::chrono::seconds(0)) != std::future_status::deferred) done_.wait();
}

void DeferredFile::add_pieces(std::size_t begin, const h5::Extent& shape, std::span<const HostBox> boxes) {
  for (const HostBox& box : boxes)
    if (box.values.size() > 0)
      pieces_.push_back({begin + 8 * static_cast<std::size_t>(place_of(shape, box.offset)), box.values});
}

bool DeferredFile::dataset(const std::string& name, const std::string& unit, const h5::Extent& dataset_extent,
                           const h5::Extent& shape, std::span<const HostBox> boxes) {
  const std::size_t begin = file_.allot(name, unit, h5::Type::float64, dataset_extent, shape);
  if (h5::are_slabs(comm_, shape, boxes)) {
    add_pieces(begin, shape, boxes);
    return false;
  }
  const Index first = h5::slab_begin(shape, comm_.rank(), comm_.size());
  const Index size = h5::slab_begin(shape, comm_.rank() + 1, comm_.size()) - first;
  double* const slab =
      exchanged_.emplace_back(std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(size))).get();
  h5::SlabExchange(comm_, shape, boxes).run([&](Index at, std::span<const std::uint64_t> values) {
    std::memcpy(slab + (at - first), values.data(), values.size_bytes());
  });
  if (size > 0)
    pieces_.push_back({begin + 8 * static_cast<std::size_t>(first), View<const double, 3>(slab, 1, 1, size)});
  return true;
}

void DeferredFile::write_dataset(const std::string& name, const std::string& unit, const h5::Extent& dataset_extent,
                                 const h5::Extent& shape, std::span<const HostBox> boxes) {
  const std::size_t begin = file_.allot(name, unit, h5::Type::float64, dataset_extent, shape);
  const auto write = [&](const std::function<void(const WriteAt&)>& put) {
    on_all_ranks(comm_, [&] { file_.writers().write(file_.temporary(), put); });
  };
  if (h5::are_slabs(comm_, shape, boxes)) {
    add_pieces(begin, shape, boxes);
    write([&](const WriteAt& to) { put_all(to); });
    pieces_.clear();
    return;
  }
  h5::SlabExchange(comm_, shape, boxes).run([&](Index at, std::span<const std::uint64_t> values) {
    write([&](const WriteAt& to) {
      if (!values.empty()) to(begin + 8 * static_cast<std::size_t>(at), std::as_bytes(values));
    });
  });
}

void DeferredFile::put_all(const WriteAt& write) const {
  for (const Piece& piece : pieces_)
    (is_dense(piece.values) ? write_dense : write_rows)(write, piece.offset, piece.values, stop_);
}

void DeferredFile::depart(bool thread, const DeferredFile* before) {
  const Delivery delivery{thread, thread, before != nullptr ? before->done_ : std::shared_future<void>(), &stop_};
  done_ = file_.writers().begin(
      file_.temporary(), [this](const WriteAt& write) { put_all(write); }, delivery);
}

bool DeferredFile::arrived() const { return done_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

void DeferredFile::arrive() {
  on_all_ranks(comm_, [this] { done_.get(); });
  file_.commit();
}

}  // namespace halocline
