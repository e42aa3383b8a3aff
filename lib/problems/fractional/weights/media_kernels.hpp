// Which medium a node is of, for bodies: numbers and tables by medium.
#pragma once

#include <cstdint>
#include <cstring>

#include "lib/base/pack.hpp"
#include "lib/fields/slab_layout.hpp"

namespace halocline::fractional {

constexpr int most_media = 16;

// A number for every medium.
struct MediumNumbers {
  double of[most_media] = {};
};

// A byte per node of a part, laid out as its fields; null: all are of medium 0. Padding is as the last node of its
// line.
struct NodeMedium {
  const unsigned char* data = nullptr;
  HALOCLINE_HD int at(Index node) const { return data == nullptr ? 0 : data[node]; }
  // Whether eight neighbors, the first of them at a multiple of 8, are of one medium.
  bool alike(Index node) const {
    if (data == nullptr) return true;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, data + node, sizeof bytes);
    return bytes == data[node] * std::uint64_t{0x0101010101010101};
  }
};

// What bodies over nodes of any medium have in common. Body: node<P>(at).
template <class Body>
struct NodesBody {
  SlabLayout slab;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    static_cast<const Body*>(this)->template node<double>(slab.line(line) + i);
  }
  void row(Index line, Index begin, Index end) const {
    const Body body = *static_cast<const Body*>(this);
    const Index at = slab.line(line);
    for (Index i = begin; i < end; i += lanes) body.template node<Pack<double>>(at + i);
  }
};

// What bodies over nodes of several media have in common. Body: node<P>(at, medium), the same bits for a number as for
// a lane of a pack. Lines end with padding.
template <class Body>
struct MediaNodesBody {
  SlabLayout slab;
  NodeMedium medium;
  HALOCLINE_HD void operator()(Index line, Index i) const {
    const Index at = slab.line(line) + i;
    static_cast<const Body*>(this)->template node<double>(at, medium.at(at));
  }
  [[gnu::flatten]] void row(Index line, Index begin, Index end) const {
    const Body body = *static_cast<const Body*>(this);
    const Index first = slab.line(line);
    for (Index at = first + begin; at < first + end; at += lanes) {
      if (body.medium.alike(at)) {
        body.template node<Pack<double>>(at, body.medium.at(at));
      } else {
        for (Index i = at; i < at + lanes; ++i) body.template node<double>(i, body.medium.at(i));
      }
    }
  }
};

}  // namespace halocline::fractional
