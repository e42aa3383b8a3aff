#include "io/h5/h5.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "io/files.hpp"
#include "io/h5/file_driver.hpp"
#include "io/h5/h5_handle.hpp"

namespace halocline::h5 {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// HDF5 1.10 ends in a segmentation fault where it gets no memory for the caches of a file, some 2 MB; so memory is
// tried first. Throws std::bad_alloc.
void try_memory() {
  constexpr std::size_t room_for_caches = std::size_t{4} << 20;
  void* volatile room = ::operator new(room_for_caches);
  ::operator delete(room);
}

Handle file_access(const std::string& path) {
  try_memory();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // failures are reported by check() alone
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "H5Pcreate", path);
  // The format of 1.8: checksums over the structure, attributes of any length.
  check(H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18), "H5Pset_libver_bounds", path);
  // Files under construction have names of their own; locks only fail on some network file systems.
  check(H5Pset_file_locking(list, false, true), "H5Pset_file_locking", path);
  // Values go to the system when they are written, not when the dataset is closed.
  check(H5Pset_sieve_buf_size(list, 0), "H5Pset_sieve_buf_size", path);
  return list;
}

std::vector<hsize_t> unsigned_of(const Extent& extent) { return {extent.begin(), extent.end()}; }

// Properties of something made in a file, without the time at which it was: equal results make equal files.
Handle timeless(hid_t kind, const std::string& path) {
  Handle list(H5Pcreate(kind), H5Pclose, "H5Pcreate", path);
  check(H5Pset_obj_track_times(list, false), "H5Pset_obj_track_times", path);
  return list;
}

}  // namespace

// Two records, since of an MPI failure the first has the reason and the second the function.
std::string reason() {
  struct Found {
    std::string text;
    int records = 0;
  } found;
  const auto visit = [](unsigned, const H5E_error2_t* record, void* data) -> herr_t {
    auto& into = *static_cast<Found*>(data);
    if (into.records++ < 2 && record->desc != nullptr) {
      into.text += (into.text.empty() ? "" : "; ") + std::string(record->desc);
    }
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &found);
  return found.text.empty() ? "no reason given" : found.text;
}

void raise_failure(const char* call, const std::string& path) {
  bool unread = false;
  const auto visit = [](unsigned, const H5E_error2_t* record, void* found) -> herr_t {
    if (record->maj_num == H5E_VFL && record->min_num == H5E_READERROR) *static_cast<bool*>(found) = true;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, visit, &unread);
  if (unread) throw ReadFailure("cannot read " + path + ": " + reason());
  throw MachineError(path + ": " + call + " failed: " + reason());
}

void File::create(const std::string& path) {
  // HDF5 cannot get rid of a file that it could not write, so the disk is tried with plain bytes first.
  constexpr std::size_t room_for_an_empty_file = 4096;
  remove_file(path);  // the name alone, where it is one of a link
  write_file(path, std::vector<std::byte>(room_for_an_empty_file));
  FileFailure failure;
  try {
    {
      const Handle access = file_access(path);
      go_through_driver(access, failure, path);
      const Handle root = timeless(H5P_FILE_CREATE, path);
      const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, root, access), H5Fclose, "H5Fcreate", path);
    }
    failure.raise(path);
  } catch (...) {
    remove_file(path);
    throw;
  }
}

File::File(std::string path, Mode mode) : path_(std::move(path)), failure_(std::make_unique<FileFailure>()) {
  open(mode == Mode::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR);
}

void File::open(unsigned flags) {
  const Handle access = file_access(path_);
  go_through_driver(access, *failure_, path_);
  id_ = H5Fopen(path_.c_str(), flags, access);
  failure_->raise(path_);
  check(id_, "H5Fopen", path_);
}

File::~File() {
  if (id_ >= 0) H5Fclose(id_);
}

void File::close() {
  const herr_t closed = H5Fclose(std::exchange(id_, -1));
  failure_->raise(path_);
  check(closed, "H5Fclose", path_);
}

bool File::contains(const std::string& path) const {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (part != "/" && check(H5Lexists(id_, part.c_str(), H5P_DEFAULT), "H5Lexists", path_) == 0) return false;
    if (end == std::string::npos) return true;
  }
}

std::vector<std::string> File::children(const std::string& group) const {
  std::vector<std::string> names;
  const Handle handle(H5Gopen2(id_, group.c_str(), H5P_DEFAULT), H5Gclose, "H5Gopen2", path_);
  const auto visit = [](hid_t, const char* name, const H5L_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  check(H5Literate(handle, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names), "H5Literate", path_);
  return names;
}

void File::make_groups_above(const std::string& path) {
  const std::string above = path.substr(0, path.rfind('/'));
  if (!above.empty() && !contains(above)) make_group(above);
}

void File::make_group(const std::string& path) {
  make_groups_above(path);
  const Handle creation = timeless(H5P_GROUP_CREATE, path_);
  const Handle group(H5Gcreate2(id_, path.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose, "H5Gcreate2", path_);
}

void File::make_dataset(const std::string& path, Type type, const Extent& extent) {
  make_dataset(path, type, extent, {});
}

void File::make_dataset(const std::string& path, Type type, const Extent& extent, std::span<const Stretch> stretches) {
  const Handle space(H5Screate_simple(static_cast<int>(extent.size()), unsigned_of(extent).data(), nullptr), H5Sclose,
                     "H5Screate_simple", path_);
  const Handle creation = timeless(H5P_DATASET_CREATE, path_);
  check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time", path_);
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "H5Pset_fill_time", path_);
  for (const Stretch& one : stretches)
    check(H5Pset_external(creation, one.file.c_str(), one.begin, static_cast<hsize_t>(one.bytes)), "H5Pset_external",
          path_);
  make_groups_above(path);
  const Handle dataset(H5Dcreate2(id_, path.c_str(), file_type(type), space, H5P_DEFAULT, creation, H5P_DEFAULT),
                       H5Dclose, "H5Dcreate2", path_);
}

void File::link(const std::string& path, const std::string& other_file, const std::string& target) {
  make_groups_above(path);
  check(H5Lcreate_external(other_file.c_str(), target.c_str(), id_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        "H5Lcreate_external", path_);
}

Extent File::extent(const std::string& dataset) const {
  const Handle handle(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2", path_);
  const Handle space(H5Dget_space(handle), H5Sclose, "H5Dget_space", path_);
  std::vector<hsize_t> extent(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space), "ndims", path_)));
  check(H5Sget_simple_extent_dims(space, extent.data(), nullptr), "H5Sget_simple_extent_dims", path_);
  double all = 1;
  for (const hsize_t values : extent) all *= static_cast<double>(std::max<hsize_t>(values, 1));
  if (all > 9e15) throw MachineError(path_ + ": " + dataset + ": has more values than bytes can be counted");
  return {extent.begin(), extent.end()};
}

std::size_t File::offset(const std::string& dataset) const {
  const Handle handle(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2", path_);
  const haddr_t place = H5Dget_offset(handle);
  if (place == HADDR_UNDEF) throw MachineError(path_ + ": H5Dget_offset failed for " + dataset + ": " + reason());
  return static_cast<std::size_t>(place);
}

std::vector<Stretch> File::stretches(const std::string& dataset) const {
  const Handle handle(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2", path_);
  const Handle creation(H5Dget_create_plist(handle), H5Pclose, "H5Dget_create_plist", path_);
  std::vector<Stretch> found(
      static_cast<std::size_t>(check(H5Pget_external_count(creation), "H5Pget_external_count", path_)));
  for (std::size_t n = 0; n < found.size(); ++n) {
    std::array<char, 256> name{};  // of those that halocline writes
    off_t begin = 0;
    hsize_t bytes = 0;
    check(H5Pget_external(creation, static_cast<unsigned>(n), name.size() - 1, name.data(), &begin, &bytes),
          "H5Pget_external", path_);
    found[n] = {name.data(), static_cast<Index>(begin), static_cast<Index>(bytes)};
  }
  return found;
}

Type File::type(const std::string& dataset) const {
  const Handle handle(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2", path_);
  const Handle type(H5Dget_type(handle), H5Tclose, "H5Dget_type", path_);
  for (const Type known : {Type::float64, Type::int64, Type::uint8}) {
    if (check(H5Tequal(type, file_type(known)), "H5Tequal", path_) > 0) return known;
  }
  throw MachineError(path_ + ": " + dataset + " has a type that halocline does not write");
}

int File::class_of(const std::string& dataset) const {
  const Handle handle(H5Dopen2(id_, dataset.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2", path_);
  const Handle type(H5Dget_type(handle), H5Tclose, "H5Dget_type", path_);
  return H5Tget_class(type);
}

bool File::holds_integers(const std::string& dataset) const { return class_of(dataset) == H5T_INTEGER; }
bool File::holds_reals(const std::string& dataset) const { return class_of(dataset) == H5T_FLOAT; }

}  // namespace halocline::h5
