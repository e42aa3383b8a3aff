// What this rank's parts hold of one global array, staged on the host until all parts have given theirs.
#pragma once

#include <vector>

#include "io/h5/h5.hpp"

namespace halocline {

template <class T>
struct Part {
  h5::Extent offset, count;
  std::vector<T> values;
};

template <class T>
std::vector<h5::Source> boxes_of(const std::vector<Part<T>>& parts) {
  std::vector<h5::Source> boxes;
  for (const auto& part : parts) {
    boxes.push_back({part.offset, part.count, reinterpret_cast<const std::byte*>(part.values.data())});
  }
  return boxes;
}

}  // namespace halocline
