// Moving values between memory and datasets of h5::File.
#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "io/collective.hpp"
#include "io/h5/h5_handle.hpp"

namespace halocline::h5 {
namespace {

constexpr std::size_t piece_limit = std::size_t{256} << 20;  // bytes per transfer; MPI counts are 32-bit

std::vector<hsize_t> unsigned_of(const Extent& extent) { return {extent.begin(), extent.end()}; }

// Selects a box of a row-major array of `shape` that lies flat in a one-dimensional dataset: whole slabs only.
template <class Box>
void select_flat(hid_t space, const Extent& shape, const Box& box, const std::string& path) {
  std::size_t axis = 0;
  while (axis + 1 < shape.size() && box.count[axis] == 1) ++axis;
  hsize_t start = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(d <= axis || box.count[d] == shape[d], "h5: a box of a flat dataset is contiguous");
    start = start * static_cast<hsize_t>(shape[d]) + static_cast<hsize_t>(box.offset[d]);
  }
  const auto size = static_cast<hsize_t>(box.size());
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &size, nullptr), "H5Sselect_hyperslab", path);
}

template <class Box>
void select(hid_t space, const Extent& shape, const Box& box, const std::string& path) {
  require(box.offset.size() == shape.size() && box.count.size() == shape.size(), "h5: box and array differ in rank");
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(box.offset[d] >= 0 && box.offset[d] + box.count[d] <= shape[d], "h5: box outside the array");
  }
  const int rank = check(H5Sget_simple_extent_ndims(space), "H5Sget_simple_extent_ndims", path);
  if (rank == 1 && shape.size() > 1) return select_flat(space, shape, box, path);
  require(rank == static_cast<int>(shape.size()), "h5: array and dataset differ in rank");
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, unsigned_of(box.offset).data(), nullptr,
                            unsigned_of(box.count).data(), nullptr),
        "H5Sselect_hyperslab", path);
}

template <class Box>
std::vector<Box> split_box(const Box& box, Type type, std::size_t limit) {
  if (box.size() == 0) return {};
  const auto limit_values = static_cast<Index>(std::max<std::size_t>(limit / size_of(type), 1));
  std::size_t axis = 0;
  while (axis + 1 < box.count.size() && box.count[axis] == 1) ++axis;
  const Index slice = box.size() / std::max<Index>(box.count[axis], 1);  // values per index of that axis
  const Index step = std::max<Index>(limit_values / slice, 1);
  std::vector<Box> pieces;
  for (Index at = 0; at < box.count[axis]; at += step) {
    Box piece = box;
    piece.offset[axis] += at;
    piece.count[axis] = std::min(step, box.count[axis] - at);
    piece.values += static_cast<std::size_t>(at * slice) * size_of(type);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

std::size_t size_of(Type type) { return type == Type::uint8 ? 1 : 8; }

std::vector<Source> split(const Source& box, Type type, std::size_t limit) { return split_box(box, type, limit); }
std::vector<Target> split(const Target& box, Type type, std::size_t limit) { return split_box(box, type, limit); }

// Every rank transfers its boxes by itself, also when the file was opened together: see h5_slabs.hpp.
template <class Box>
void File::transfer(const std::string& name, Type type, const Extent& shape, std::span<const Box> boxes) const {
  const auto work = [&] {
    const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2", path_);
    for (const auto& box : boxes) {
      for (const auto& piece : split_box(box, type, piece_limit)) {
        const auto size = static_cast<hsize_t>(piece.size());
        const Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose, "H5Screate_simple", path_);
        const Handle space(H5Dget_space(dataset), H5Sclose, "H5Dget_space", path_);
        select(space, shape, piece, path_);
        if constexpr (std::is_same_v<Box, Source>) {
          check(H5Dwrite(dataset, memory_type(type), memory, space, H5P_DEFAULT, piece.values), "H5Dwrite",
                path_ + ", " + name);
        } else {
          check(H5Dread(dataset, memory_type(type), memory, space, H5P_DEFAULT, piece.values), "H5Dread",
                path_ + ", " + name);
        }
      }
    }
  };
  comm_ != nullptr ? on_all_ranks(*comm_, work) : work();
}

void File::write(const std::string& dataset, Type type, const Extent& shape, std::span<const Source> boxes) {
  transfer(dataset, type, shape, boxes);
}

void File::read(const std::string& dataset, Type type, const Extent& shape, std::span<const Target> boxes) const {
  transfer(dataset, type, shape, boxes);
}

}  // namespace halocline::h5
