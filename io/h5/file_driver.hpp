// The driver through which HDF5 reads and writes: HDF5 1.10 ends in a segmentation fault, at the latest when the
// program does, where a write or a close of a file has failed. So it never learns of one: the driver keeps the first
// failure, leaves out what comes after it, and who closes the file asks for it.
#pragma once

#include <hdf5.h>

#include <string>

#include "io/h5/read_failure.hpp"

namespace halocline::h5 {

struct FileFailure {
  int reason = 0;  // errno; 0: none
  const char* what = "";

  // MachineError when there has been a failure, ReadFailure when it was one of reading.
  void raise(const std::string& path) const;
};

// Lets files that are opened by this access list go through the driver; `failure` outlives them.
void go_through_driver(hid_t access_list, FileFailure& failure, const std::string& path);

}  // namespace halocline::h5
