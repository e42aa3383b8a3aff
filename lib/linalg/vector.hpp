// Vector: distributed values, one array per part of this rank, and the fused operations Krylov methods need.
//
// The values of a part are groups of `rows` x `lanes` numbers. Sums are exact over chunks, and chunks do not depend on
// the partition: either every lane of a group is a chunk (a grid line), or the whole group is (1024 rows of a matrix).
// Places that no unknown uses hold zero and stay zero under every operation here.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/base/pack.hpp"
#include "mpi/communicator.hpp"
#include "mpi/team.hpp"

namespace halocline {

struct VectorLayout {
  std::vector<Index> groups;  // of every part of this rank
  Index rows = 0;             // of a group; even
  bool lane_is_chunk = true;  // false: the whole group is one chunk
  Index group_size() const { return rows * lanes; }
};

// What vectors of one kind share: where they live, and room for sums.
class VectorSpace {
 public:
  VectorSpace(const Communicator& comm, const Team& team, VectorLayout layout);
  const Communicator& comm() const { return *comm_; }
  const Team& team() const { return *team_; }
  const VectorLayout& layout() const { return layout_; }
  // Two accumulators for every part of this rank, set to zero by clear_sums() and joined over parts and ranks by
  // join_sums(). Collective, main thread.
  std::span<ExactSum, 2> sums(int part) const { return std::span<ExactSum, 2>(&sums_[2 * part], 2); }
  void clear_sums() const;
  std::array<double, 2> join_sums() const;

 private:
  const Communicator* comm_;
  const Team* team_;
  VectorLayout layout_;
  mutable std::vector<ExactSum> sums_;
};
using VectorSpacePtr = std::shared_ptr<const VectorSpace>;

class Vector {
 public:
  explicit Vector(VectorSpacePtr space);  // all zero
  const VectorSpace& space() const { return *space_; }
  const VectorSpacePtr& space_pointer() const { return space_; }
  View<double, 1> part(int part) { return parts_[part].view(); }
  View<const double, 1> part(int part) const { return parts_[part].view(); }

 private:
  VectorSpacePtr space_;
  std::vector<Array<double, 1>> parts_;
};

void fill(Vector& x, double value);  // only zero keeps the promise about unused places
void copy(const Vector& from, Vector& to);
void axpy(double a, const Vector& x, Vector& y);  // y += a x; reads 2, writes 1 vector
// p = r + b p + c v; reads 3, writes 1 vector
void direction(const Vector& r, double b, double c, const Vector& v, Vector& p);
// {(x, y), (x, x)}; reads 2 vectors. Collective.
std::array<double, 2> dots(const Vector& x, const Vector& y);
double norm(const Vector& x);  // Euclidean. Collective.
// x += a p + o s; s -= o t; returns {(s, s), (s, w)} of the new s: reads 5, writes 2 vectors. Collective.
std::array<double, 2> update(double a, const Vector& p, double o, const Vector& t, Vector& x, Vector& s,
                             const Vector& w);

}  // namespace halocline
