// How the operations of vector.hpp run over the groups of all parts. For sources that are listed in
// halocline_kernels().
#pragma once

#include "gpu/launch.hpp"
#include "lib/linalg/vector.hpp"
#include "lib/linalg/vector_kernels.hpp"

namespace halocline::vector_kernels {

template <class T, class... Others>
void check_same_space(const Vector<T>& a, const Others&... others) {
  require(((&a.space() == &others.space()) && ...), "vectors of different spaces");
}

// A GPU wants tens of thousands of threads, the host whole columns.
inline Rows rows_of(const VectorSpace& space, int part) {
  const Index rows = space.layout().rows;
  const bool gpu = space.team().executor(part)->backend() == Backend::cuda;
  return gpu ? Rows{rows, 512, 32} : Rows{rows, rows, 1};
}

// For the numbers of a part, from the bytes moved for one of them.
inline Label label_of(const VectorSpace& space, int part, const Label& of_one) {
  return {of_one.name, of_one.bytes * static_cast<double>(space.layout().used_size(part))};
}

// make(part, rows) gives the body for launch_lanes(); `of_one` states the bytes moved per number of a vector.
template <class Make>
void each_group(const VectorSpace& space, const Label& of_one, const Make& make) {
  space.team().each([&](int part) {
    const Rows rows = rows_of(space, part);
    launch_lanes(*space.team().executor(part), label_of(space, part, of_one), space.layout().groups[part],
                 rows.pieces(), make(part, rows));
  });
}

// The same for sum_lanes(), into the accumulators first .. first + K - 1 of the space.
template <int K, class Make>
void sum_each_group(const VectorSpace& space, const Label& of_one, int first, const Make& make) {
  space.team().each([&](int part) {
    const Rows rows = rows_of(space, part);
    sum_lanes<K>(*space.team().executor(part), label_of(space, part, of_one), space.layout().groups[part],
                 rows.pieces(), make(part, rows), space.sums<K>(part, first));
  });
}

// The same for end_lanes(), of the only part of all ranks.
template <int K, class Body, class Then>
void end_groups(const VectorSpace& space, const Label& of_one, const Body& body, const Then& then) {
  require(space.team().total_parts() == 1, "sums that stay on a device are those of a single part");
  end_lanes<K>(*space.team().executor(0), label_of(space, 0, of_one), space.layout().groups[0],
               rows_of(space, 0).pieces(), body, then);
}

}  // namespace halocline::vector_kernels
