// Moving values between memory and datasets of h5::File.
#include <type_traits>
#include <utility>

#include "io/h5/file_driver.hpp"
#include "io/h5/h5_handle.hpp"

namespace halocline::h5 {
namespace {

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
void require_inside(const Extent& shape, const Box& box) {
  require(box.offset.size() == shape.size() && box.count.size() == shape.size(), "h5: box and array differ in rank");
  for (std::size_t d = 0; d < shape.size(); ++d) {
    require(box.offset[d] >= 0 && box.offset[d] + box.count[d] <= shape[d], "h5: box outside the array");
  }
}

template <class Box>
void select(hid_t space, const Extent& shape, const Box& box, const std::string& path) {
  require_inside(shape, box);
  const int rank = check(H5Sget_simple_extent_ndims(space), "H5Sget_simple_extent_ndims", path);
  if (rank == 1 && shape.size() > 1) return select_flat(space, shape, box, path);
  require(rank == static_cast<int>(shape.size()), "h5: array and dataset differ in rank");
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, unsigned_of(box.offset).data(), nullptr,
                            unsigned_of(box.count).data(), nullptr),
        "H5Sselect_hyperslab", path);
}

// Calls run(place, values, size) for every run of values that lie side by side in an array of `shape`: place of the
// first one, counted in values.
template <class Run>
void for_runs(const Extent& shape, const Source& box, Type type, Run run) {
  require_inside(shape, box);
  if (box.size() == 0) return;
  std::size_t axis = shape.size() - 1;  // the box is whole along the axes behind this one
  while (axis > 0 && box.count[axis] == shape[axis]) --axis;
  Index step = 1;  // values of the array per index of that axis
  for (std::size_t d = axis + 1; d < shape.size(); ++d) step *= shape[d];
  const Index size = box.count[axis] * step;
  for (Index n = 0; n < box.size() / size; ++n) {
    Index place = box.offset[axis] * step, rest = n, stride = step * shape[axis];
    for (std::size_t d = axis; d-- > 0;) {
      place += (box.offset[d] + rest % box.count[d]) * stride;
      rest /= box.count[d];
      stride *= shape[d];
    }
    run(place, box.values + static_cast<std::size_t>(n * size) * size_of(type), size);
  }
}

}  // namespace

std::size_t size_of(Type type) { return type == Type::uint8 ? 1 : 8; }

void put_runs(const Extent& shape, const Source& box, Type type, std::size_t begin,
              const std::function<void(std::size_t, std::span<const std::byte>)>& write) {
  for_runs(shape, box, type, [&](Index place, const std::byte* values, Index size) {
    write(begin + static_cast<std::size_t>(place) * size_of(type),
          std::span(values, static_cast<std::size_t>(size) * size_of(type)));
  });
}

template <class Box>
void File::transfer(const std::string& name, Type type, const Extent& shape, std::span<const Box> boxes) const {
  const Handle dataset(H5Dopen2(id_, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2", path_);
  for (const auto& box : boxes) {
    if (box.size() == 0) continue;
    const auto size = static_cast<hsize_t>(box.size());
    const Handle memory(H5Screate_simple(1, &size, nullptr), H5Sclose, "H5Screate_simple", path_);
    const Handle space(H5Dget_space(dataset), H5Sclose, "H5Dget_space", path_);
    select(space, shape, box, path_);
    if constexpr (std::is_same_v<Box, Source>) {
      check(H5Dwrite(dataset, memory_type(type), memory, space, H5P_DEFAULT, box.values), "H5Dwrite",
            path_ + ", " + name);
    } else {
      const herr_t read = H5Dread(dataset, memory_type(type), memory, space, H5P_DEFAULT, box.values);
      failure_->raise(path_);
      check(read, "H5Dread", path_ + ", " + name);
    }
  }
}

void File::write(const std::string& dataset, Type type, const Extent& shape, std::span<const Source> boxes) {
  transfer(dataset, type, shape, boxes);
}

void File::read(const std::string& dataset, Type type, const Extent& shape, std::span<const Target> boxes) const {
  transfer(dataset, type, shape, boxes);
}

}  // namespace halocline::h5
