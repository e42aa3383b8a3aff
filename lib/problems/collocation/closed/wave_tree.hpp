// The tree of wave_tree_kernels.hpp for a part: which nodes it joins, in pieces that run at once, and by which powers.
// What strips and nodes leave behind lies in the slots of a chunk of modes (wave_exchange.hpp).
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
  // `steps`: the pairs to be joined, small ones first; `modes`: those it has powers for.
  WaveTree(const ExecutorPtr& executor, const WaveStrips& strips, const std::vector<strips::JoinStep>& steps,
           const WaveRates& rates, const Range<1>& modes);
  // From what places leave behind to what nodes do; from what arrives at nodes to what arrives at places. `chunk`: of
  // its modes.
  void join(const ModeTable& rates, const WaveChunk& chunk) { run(rates, chunk, true); }
  void part(const ModeTable& rates, const WaveChunk& chunk) { run(rates, chunk, false); }

 private:
  struct Stage {
    int first, pieces;  // of starts_
    double joins;
  };
  void run(const ModeTable& rates, const WaveChunk& chunk, bool up);

  ExecutorPtr executor_;
  Range<1> modes_;
  std::vector<Stage> stages_;
  Array<double, 1> powers_;
  Array<WaveJoin, 1> joins_;
  Array<int, 1> starts_;
};

// Between slots and rows, as by WaveRowsBody; what arrives at the ends of the axis, as by WaveCloseBody.
void copy_wave_rows(const Executor& executor, const WaveRowsBody& body, Index nodes);
void close_waves(const Executor& executor, const WaveCloseBody& body);

}  // namespace halocline::collocation
