#include "io/h5/output_file.hpp"

#include <utility>

#include "io/collective.hpp"
#include "io/files.hpp"

namespace halocline {
namespace {

// More than HDF5 needs for a few dozen objects, their names and their attributes.
constexpr std::size_t structure_room = std::size_t{128} << 10;

}  // namespace

OutputFile::OutputFile(const Communicator& comm, std::string path)
    : comm_(comm), path_(std::move(path)), temporary_(path_ + ".tmp") {
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

void OutputFile::values(const std::function<void(h5::File&)>& work) {
  h5::File file(temporary_, h5::File::Mode::change, comm_);
  work(file);
  file.close();
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
