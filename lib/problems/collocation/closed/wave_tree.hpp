// The tree of wave_tree_kernels.hpp for a part: which nodes it joins, in pieces that run at once, and by which powers.
#pragma once

#include <vector>

#include "lib/base/array.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/collocation/closed/wave_tables.hpp"
#include "lib/problems/collocation/closed/wave_tree_kernels.hpp"

namespace halocline::collocation {

// The nodes that the pairs within strips `own` leave: ranges of strips, in order.
std::vector<Range<1>> wave_nodes(Index strips, const Range<1>& own);

class WaveTree {
 public:
  // `steps`: the pairs to be joined, small ones first, among `places`; `modes`: those it has slots for.
  WaveTree(const ExecutorPtr& executor, const WaveStrips& strips, const std::vector<strips::JoinStep>& steps,
           Index places, const WaveRates& rates, const Range<1>& modes);
  // From what places leave behind to what nodes do; from what arrives at nodes to what arrives at places.
  void join(const ModeTable& rates) { run(rates, true); }
  void part(const ModeTable& rates) { run(rates, false); }
  // `modes` of the rows, which are those of the slots; `nodes` as of WaveRowsBody.
  void copy_rows(double* rows, const int* nodes, Index count, bool arrives, bool into_rows);
  void close(const double* closing);  // of a tree that leaves one node

  WaveSlots slots() { return {table(slots_.view().data)}; }
  WavePieces pieces() const { return {modes_.size() / lanes, modes_.lo[0]}; }

 private:
  struct Stage {
    int first, pieces;  // of starts_
  };
  void run(const ModeTable& rates, bool up);
  ModeTable table(double* data) const { return {data, modes_.lo[0], modes_.size()}; }

  ExecutorPtr executor_;
  Range<1> modes_;
  Index places_;
  std::vector<Stage> stages_;
  Array<double, 1> slots_, powers_;
  Array<WaveJoin, 1> joins_;
  Array<int, 1> starts_;
};

}  // namespace halocline::collocation
