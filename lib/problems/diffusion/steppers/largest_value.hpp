// LargestValue: the largest value of a formula over all parts, noted on the devices in the pass that computes it.
#pragma once

#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/atomics.hpp"
#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline::diffusion {

class LargestValue {
 public:
  /// Both outlive this.
  LargestValue(const Communicator& comm, const Team& team);

  /// Begins anew, with 0. Of a part, where its device is driven.
  void start(int part);
  /// Where a part notes it, see PointLargest.
  Bits* place(int part) { return parts_[static_cast<std::size_t>(part)].place(); }
  /// That of all parts, at least 0. Waits for the devices; collective.
  double value();

 private:
  struct Part {
    Array<Bits, 1> slots;  // places used one after the other, so that few starts write to the device
    Index used = 0;
    Bits* place() { return slots.view().data + used; }
  };

  const Communicator& comm_;
  const Team& team_;
  std::vector<Part> parts_;
  std::vector<double> of_parts_;
};

}  // namespace halocline::diffusion
