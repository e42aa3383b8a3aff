// What the parts of h5.cpp share: checked calls and owned handles. Not for use outside io/h5*.
#pragma once

#include <hdf5.h>

#include <exception>
#include <string>
#include <utility>

#include "io/h5/h5.hpp"
#include "io/h5/read_failure.hpp"
#include "lib/base/error.hpp"

namespace halocline::h5 {

// HDF5's own account of the last failure, innermost first.
std::string reason();

// Throws what a call of HDF5 has failed of: ReadFailure where the system could not read, otherwise MachineError.
[[noreturn]] void raise_failure(const char* call, const std::string& path);

// Passes a result on, or throws when it is HDF5's sign of failure.
template <class T>
T check(T result, const char* call, const std::string& path) {
  if (result >= 0) return result;
  raise_failure(call, path);
}

// Closes what it owns; a failure of that is an error like any other, unless another one is on its way: buffers may be
// written there.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const char* call, const std::string& path)
      : id_(check(id, call, path)), close_(close), path_(path), failures_(std::uncaught_exceptions()) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)),
        close_(other.close_),
        path_(std::move(other.path_)),
        failures_(other.failures_) {}
  ~Handle() noexcept(false) {
    if (id_ < 0 || close_(id_) >= 0 || std::uncaught_exceptions() > failures_) return;
    throw MachineError(path_ + ": closing failed: " + reason());
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
  std::string path_;
  int failures_;
};

inline hid_t file_type(Type type) {
  if (type == Type::float64) return H5T_IEEE_F64LE;
  return type == Type::int64 ? H5T_STD_I64LE : H5T_STD_U8LE;
}

inline hid_t memory_type(Type type) {
  if (type == Type::float64) return H5T_NATIVE_DOUBLE;
  return type == Type::int64 ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT8;
}

}  // namespace halocline::h5
