#include "io/h5/output_file.hpp"

#include <utility>

#include "io/collective.hpp"
#include "io/files.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

// More than HDF5 needs for a few dozen objects, their names and their attributes.
constexpr std::size_t structure_room = std::size_t{128} << 10;

}  // namespace

OutputFile::OutputFile(Writers writers, std::string path)
    : writers_(std::move(writers)), comm_(writers_.comm()), path_(std::move(path)), temporary_(path_ + ".tmp") {
  on_rank0(comm_, [this] { h5::File::create(temporary_); });
}

OutputFile::~OutputFile() {
  if (!committed_ && comm_.rank() == 0) remove_file(temporary_);
}

void OutputFile::structure(std::size_t bytes, const std::function<void(h5::File&)>& work) {
  on_rank0(comm_, [&] {
    reserve_room(temporary_, bytes + structure_room);
    h5::File file(temporary_, h5::File::Mode::change);
    work(file);
    file.close();  // gives back what was not used
  });
}

// Rank 0 looks, once for each dataset.
std::size_t OutputFile::place_of(const std::string& dataset, h5::Type type, const h5::Extent& shape) {
  if (const auto known = places_.find(dataset); known != places_.end()) return known->second;
  Index place = 0;
  on_rank0(comm_, [&] {
    const h5::File file(temporary_, h5::File::Mode::read);
    require(file.type(dataset) == type, "h5: values and dataset differ in type");
    require(h5::volume(file.extent(dataset)) == h5::volume(shape), "h5: array and dataset differ in size");
    if (h5::volume(shape) > 0) place = static_cast<Index>(file.offset(dataset));
  });
  comm_.broadcast(std::span(&place, 1));
  return places_[dataset] = static_cast<std::size_t>(place);
}

void OutputFile::write(const std::string& dataset, h5::Type type, const h5::Extent& shape,
                       std::span<const h5::Source> boxes) {
  const std::size_t begin = place_of(dataset, type, shape);
  on_all_ranks(comm_, [&] {
    writers_.write(temporary_, [&](const WriteAt& write) {
      for (const h5::Source& box : boxes) h5::put_runs(shape, box, type, begin, write);
    });
  });
}

std::size_t OutputFile::allot(const std::string& name, const std::string& unit, h5::Type type,
                              const h5::Extent& dataset_extent, const h5::Extent& shape) {
  std::size_t bytes = h5::size_of(type);
  for (const Index n : shape) bytes *= static_cast<std::size_t>(n);
  Index place = 0;
  structure(bytes, [&](h5::File& file) {
    file.make_dataset(name, type, dataset_extent);
    if (!unit.empty()) file.set_attribute(name, "unit", unit);
    if (bytes > 0) place = static_cast<Index>(file.offset(name));
  });
  comm_.broadcast(std::span(&place, 1));
  return static_cast<std::size_t>(place);
}

void OutputFile::commit(bool durable) {
  comm_.barrier();  // every rank has closed the file
  if (durable) {
    on_all_ranks(comm_, [&] {
      if (comm_.node_rank() == 0 && comm_.rank() != 0) put_on_disk(temporary_);
    });
  }
  on_rank0(comm_, [&] { rename_file(temporary_, path_, durable); });
  committed_ = true;
}

}  // namespace halocline
