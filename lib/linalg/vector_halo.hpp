// VectorHalo: fills the ghosts of vectors, or gives every part what others hold, along links.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/vector.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline {

template <class T>
class VectorHalo {
 public:
  VectorHalo() = default;  // exchanges nothing
  // Between vectors of spaces laid out like `space`. Positions of `links` count from the first number of a part's
  // memory, room for ghosts included (Vector::whole). With a single part of all ranks nothing is exchanged. Collective.
  VectorHalo(const VectorSpace& space, const Links& links);

  // Sends from x; work on what is not received may run in between; finish() fills the ghosts of x. Nothing happens
  // where nothing is exchanged. Main thread.
  void start(const Vector<T>& x);
  void finish(const Vector<T>& x);
  void exchange(const Vector<T>& x) {
    start(x);
    finish(x);
  }
  Traffic sent() const { return halo_ ? halo_->sent() : Traffic{}; }  // by this rank, since construction

 private:
  std::unique_ptr<Halo<T>> halo_;
  std::vector<View<const T, 1>> from_;
  std::vector<View<T, 1>> to_;
};

}  // namespace halocline
