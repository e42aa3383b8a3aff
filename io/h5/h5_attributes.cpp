// Attributes of h5::File.
#include <algorithm>
#include <utility>

#include "io/h5/h5_handle.hpp"

namespace halocline::h5 {
namespace {

Handle text_type(std::size_t length, H5T_cset_t characters, const std::string& path) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy", path);
  check(H5Tset_size(type, std::max<std::size_t>(length, 1)), "H5Tset_size", path);
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad", path);
  check(H5Tset_cset(type, characters), "H5Tset_cset", path);
  return type;
}

struct Attribute {
  hid_t file;
  const std::string& path;
  const std::string& object;
  const std::string& name;

  void write(hid_t kept, hid_t given, hid_t space, const void* values) const {
    const Handle holder(H5Oopen(file, object.c_str(), H5P_DEFAULT), H5Oclose, "H5Oopen", path);
    const Handle handle(H5Acreate2(holder, name.c_str(), kept, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "H5Acreate2",
                        path);
    check(H5Awrite(handle, given, values), "H5Awrite", path);
  }
  void write_list(hid_t kept, hid_t given, hsize_t size, const void* values) const {
    const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, "H5Screate_simple", path);
    write(kept, given, space, values);
  }
  void write_one(hid_t kept, hid_t given, const void* value) const {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "H5Screate", path);
    write(kept, given, space, value);
  }
  Handle open() const {
    return Handle(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                  "H5Aopen_by_name", path + ", attribute " + name);
  }
  void read_one(hid_t wanted, void* value) const {
    const Handle handle = open();
    const Handle space(H5Aget_space(handle), H5Sclose, "H5Aget_space", path);
    if (H5Sget_simple_extent_npoints(space) != 1)
      throw MachineError(path + ": attribute " + name + " is not one value");
    check(H5Aread(handle, wanted, value), "H5Aread", path + ", attribute " + name);
  }
};

}  // namespace

void File::set_attribute(const std::string& object, const std::string& name, const std::string& text) {
  const Handle type = text_type(text.size(), H5T_CSET_UTF8, path_);
  Attribute{id_, path_, object, name}.write_one(type, type, text.c_str());
}

void File::set_ascii_attribute(const std::string& object, const std::string& name, const std::string& text) {
  const Handle type = text_type(text.size(), H5T_CSET_ASCII, path_);
  Attribute{id_, path_, object, name}.write_one(type, type, text.c_str());
}

void File::set_attribute(const std::string& object, const std::string& name, std::span<const double> values) {
  Attribute{id_, path_, object, name}.write_list(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

void File::set_attribute(const std::string& object, const std::string& name, std::span<const Index> values) {
  Attribute{id_, path_, object, name}.write_list(H5T_STD_I64LE, H5T_NATIVE_INT64, values.size(), values.data());
}

void File::set_attribute(const std::string& object, const std::string& name, double value) {
  Attribute{id_, path_, object, name}.write_one(H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void File::set_attribute(const std::string& object, const std::string& name, Index value) {
  Attribute{id_, path_, object, name}.write_one(H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

bool File::has_attribute(const std::string& object, const std::string& name) const {
  return check(H5Aexists_by_name(id_, object.c_str(), name.c_str(), H5P_DEFAULT), "H5Aexists_by_name", path_) > 0;
}

std::vector<std::string> File::attributes(const std::string& object) const {
  std::vector<std::string> names;
  const Handle holder(H5Oopen(id_, object.c_str(), H5P_DEFAULT), H5Oclose, "H5Oopen", path_);
  const auto visit = [](hid_t, const char* name, const H5A_info_t*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  check(H5Aiterate2(holder, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names), "H5Aiterate2", path_);
  return names;
}

std::string File::text_attribute(const std::string& object, const std::string& name) const {
  const Handle handle = Attribute{id_, path_, object, name}.open();
  const Handle type(H5Aget_type(handle), H5Tclose, "H5Aget_type", path_);
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    throw MachineError(path_ + ": attribute " + name + " is not a text of fixed length");
  }
  std::string text(H5Tget_size(type), '\0');
  check(H5Aread(handle, type, text.data()), "H5Aread", path_);
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

double File::number_attribute(const std::string& object, const std::string& name) const {
  double value = 0;
  Attribute{id_, path_, object, name}.read_one(H5T_NATIVE_DOUBLE, &value);
  return value;
}

Index File::integer_attribute(const std::string& object, const std::string& name) const {
  Index value = 0;
  Attribute{id_, path_, object, name}.read_one(H5T_NATIVE_INT64, &value);
  return value;
}

namespace {

template <class T>
std::vector<T> list_of(const Attribute& attribute, hid_t type, const std::string& path, const std::string& name) {
  const Handle handle = attribute.open();
  const Handle space(H5Aget_space(handle), H5Sclose, "H5Aget_space", path);
  constexpr hssize_t most = 1 << 16;  // that a damaged file may claim
  const hssize_t count = check(H5Sget_simple_extent_npoints(space), "npoints", path);
  if (count > most) throw MachineError(path + ": attribute " + name + " has more numbers than lists have");
  std::vector<T> values(static_cast<std::size_t>(count));
  check(H5Aread(handle, type, values.data()), "H5Aread", path + ", attribute " + name);
  return values;
}

}  // namespace

std::vector<Index> File::integers_attribute(const std::string& object, const std::string& name) const {
  return list_of<Index>({id_, path_, object, name}, H5T_NATIVE_INT64, path_, name);
}

std::vector<double> File::numbers_attribute(const std::string& object, const std::string& name) const {
  return list_of<double>({id_, path_, object, name}, H5T_NATIVE_DOUBLE, path_, name);
}

}  // namespace halocline::h5
