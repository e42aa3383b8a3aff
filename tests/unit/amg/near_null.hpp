// Nodes and rigid-body modes of the elastic box, for tests.
#pragma once

#include "lib/amg/setup/coarsening.hpp"
#include "lib/problems/sparse/sources/elastic/elastic_box.hpp"

namespace halocline::amg {

// `modes`: the first so many of three translations and three rotations.
inline RowKinds rigid_body_kinds(const sparse::RowSpace& rows, const sparse::ElasticBoxSource& source,
                                 std::size_t modes) {
  RowKinds kinds;
  kinds.near_null.resize(modes);
  for (int p = 0; p < rows.team().parts(); ++p) {
    const ExecutorPtr& executor = rows.team().executor(p);
    std::vector<Index> nodes;
    for (Index row = rows.own(p).lo[0]; row < rows.own(p).hi[0]; ++row) nodes.push_back(row / 3);
    kinds.node.push_back(make_array(executor, nodes));
    auto vectors = sparse::rigid_body(executor, source.model().layout, rows.own(p));
    for (std::size_t m = 0; m < modes; ++m) kinds.near_null[m].push_back(std::move(vectors[m]));
  }
  return kinds;
}

}  // namespace halocline::amg
