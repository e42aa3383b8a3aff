// mpi_type<T>(): MPI's name of a kind of number.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <type_traits>

namespace halocline {

// For double, float, std::int32_t and std::int64_t.
template <class T>
MPI_Datatype mpi_type() {
  if constexpr (std::is_same_v<T, double>) {
    return MPI_DOUBLE;
  } else if constexpr (std::is_same_v<T, float>) {
    return MPI_FLOAT;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return MPI_INT32_T;
  } else {
    static_assert(std::is_same_v<T, std::int64_t>);
    return MPI_INT64_T;
  }
}

}  // namespace halocline
