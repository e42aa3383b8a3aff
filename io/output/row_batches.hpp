// Datasets of VTK's unstructured grids that every rank can make its share of, and single numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "io/h5/h5.hpp"
#include "io/h5/output_file.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// Writes extent[0] rows, each rank its share in batches that make(first, rows) produces.
template <class Make>
void write_rows(const Communicator& comm, OutputFile& file, const char* name, h5::Type type, const h5::Extent& extent,
                Make make) {
  constexpr Index batch = Index{1} << 20;  // rows per rank and transfer
  const Index total = extent[0];
  const Index share = (total + comm.size() - 1) / comm.size();
  const Index end = std::min(total, share * (comm.rank() + 1));
  for (Index at = 0; at < share; at += batch) {
    const Index first = share * comm.rank() + at;
    const Index rows = std::clamp<Index>(end - first, 0, batch);
    if (rows == 0) {
      file.write(name, type, extent, {});
      continue;
    }
    const auto values = make(first, rows);
    h5::Source box{{first}, {rows}, reinterpret_cast<const std::byte*>(values.data())};
    if (extent.size() == 2) {
      box.offset.push_back(0);
      box.count.push_back(extent[1]);
    }
    file.write(name, type, extent, std::span(&box, 1));
  }
}

// A dataset with this one number. By one rank.
inline void write_number(h5::File& file, const std::string& name, Index value) {
  file.make_dataset(name, h5::Type::int64, {1});
  const h5::Source box{{0}, {1}, reinterpret_cast<const std::byte*>(&value)};
  file.write(name, h5::Type::int64, {1}, std::span(&box, 1));
}

}  // namespace halocline
