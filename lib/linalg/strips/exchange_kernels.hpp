// Bodies of the exchange between parts: own strips joined up to the part's nodes, the rest of the tree for some of the
// lines, and down again.
#pragma once

#include "lib/linalg/strips/field_kernels.hpp"

namespace halocline::strips {

// Places of a part's nodes among its strips.
struct NodePlaces {
  struct Node {
    int first, last;
  };
  const Node* data = nullptr;
  int count = 0;
};

// Joins, and puts g (v, w) of the nodes together for sending, node by node.
template <class T, class Line>
struct JoinOwnBody : LinesBody<JoinOwnBody<T, Line>, T> {
  Line line;
  JoinSteps steps;
  NodePlaces nodes;
  EndTable<T> ends, up;
  template <class P>
  HALOCLINE_HD void call(Index n) const {
    const LineEnds<P, T> from{ends, n}, to{up, n};
    join_nodes<P>(line, steps, from);
    for (int k = 0; k < nodes.count; ++k)
      for (int kind = 0; kind < Line::kinds; ++kind) {
        to.set(k, kind, 0, from.get(nodes.data[k].first, kind, 0));
        to.set(k, kind, 1, from.get(nodes.data[k].last, kind, 1));
      }
  }
};

// The tree over the nodes of all parts; L and R of each node are put together for sending, in the places of its ends.
template <class T, class Line>
struct SolveAboveBody : LinesBody<SolveAboveBody<T, Line>, T> {
  Line line;
  JoinSteps steps;
  int nodes;
  EndTable<T> above, down;
  template <class P>
  HALOCLINE_HD void call(Index n) const {
    const LineEnds<P, T> ends{above, n}, to{down, n};
    solve_tree<P>(line, steps, nodes, ends);
    for (int k = 0; k < nodes; ++k) {
      to.set(k, 0, 0, ends.get(k - 1, 0, 1));
      to.set(k, 0, 1, ends.get(k + 1, 0, 0));
    }
  }
};

// L and R of the nodes to u beside every strip.
template <class T, class Line>
struct PartOwnBody : LinesBody<PartOwnBody<T, Line>, T> {
  Line line;
  JoinSteps steps;
  NodePlaces nodes;
  EndTable<T> ends, down;
  template <class P>
  HALOCLINE_HD void call(Index n) const {
    const LineEnds<P, T> to{ends, n}, from{down, n};
    for (int k = 0; k < nodes.count; ++k) {
      to.set(nodes.data[k].first - 1, 0, 1, from.get(k, 0, 0));
      to.set(nodes.data[k].last + 1, 0, 0, from.get(k, 0, 1));
    }
    part_nodes<P>(line, steps, to);
  }
};

}  // namespace halocline::strips
