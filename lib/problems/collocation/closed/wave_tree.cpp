#include "lib/problems/collocation/closed/wave_tree.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "gpu/launch.hpp"

namespace halocline::collocation {

namespace {

// Levels of the tree that a thread climbs at once, in a piece of so many places: each stage is a launch.
constexpr int levels_of_stage = 3;

// A pair joins a node of `span` strips with the one behind, which may be shorter.
Index span_of(const strips::JoinStep& step) {
  return Index{1} << std::countr_zero(static_cast<unsigned>(step.join) + 1);
}
int stage_of(const strips::JoinStep& step) {
  return std::countr_zero(static_cast<unsigned>(step.join) + 1) / levels_of_stage;
}
Index piece_of(const strips::JoinStep& step) {
  return static_cast<Index>(step.join) >> ((stage_of(step) + 1) * levels_of_stage);
}

// Numbers of lengths, as they are asked for.
class Lengths {
 public:
  int number(Index elements) {
    const auto [at, made] = numbers_.emplace(elements, static_cast<int>(elements_.size()));
    if (made) elements_.push_back(elements);
    return at->second;
  }
  const std::vector<Index>& elements() const { return elements_; }

 private:
  std::map<Index, int> numbers_;
  std::vector<Index> elements_;
};

}  // namespace

std::vector<Range<1>> wave_nodes(Index strips, const Range<1>& own) {
  std::vector<Range<1>> nodes;
  for (Index at = own.lo[0]; at < own.hi[0]; at = nodes.back().hi[0]) {
    Index span = 1;
    const auto end = [&](Index of) { return std::min(at + of, strips); };
    while (at % (2 * span) == 0 && end(span) < own.hi[0] && end(2 * span) <= own.hi[0]) span *= 2;
    nodes.push_back({{at}, {end(span)}});
  }
  return nodes;
}

WaveTree::WaveTree(const ExecutorPtr& executor, const WaveStrips& strips, const std::vector<strips::JoinStep>& steps,
                   const WaveRates& rates, const Range<1>& modes)
    : executor_(executor), modes_(modes) {
  std::vector<strips::JoinStep> sorted(steps);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) {
    return std::pair(stage_of(x), piece_of(x)) < std::pair(stage_of(y), piece_of(y));
  });
  std::vector<WaveJoin> joins;
  std::vector<int> starts;
  Lengths lengths;
  for (std::size_t n = 0; n < sorted.size(); ++n) {
    const strips::JoinStep& step = sorted[n];
    const bool new_stage = n == 0 || stage_of(step) != stage_of(sorted[n - 1]);
    if (new_stage) {
      if (n > 0) starts.push_back(static_cast<int>(n));
      stages_.push_back({static_cast<int>(starts.size()), 0, 0});
    }
    if (new_stage || piece_of(step) != piece_of(sorted[n - 1])) {
      starts.push_back(static_cast<int>(n));
      ++stages_.back().pieces;
    }
    ++stages_.back().joins;
    const Index span = span_of(step), end = std::min<Index>(step.join + 1 + span, strips.count);
    const Index behind = strips.end(end - 1) - strips.first(step.join + 1);
    joins.push_back(
        {step.a_first, step.a_last, step.b_last, lengths.number(span * strips.length), lengths.number(behind)});
  }
  starts.push_back(static_cast<int>(sorted.size()));
  powers_ = make_array(executor, rates.powers(lengths.elements(), modes.lo[0], modes.size()));
  joins_ = make_array(executor, joins);
  starts_ = make_array(executor, starts);
}

void WaveTree::run(const ModeTable& rates, const WaveChunk& chunk, bool up) {
  constexpr double numbers = 4 * 2 * sizeof(double);  // of a join and mode, read and written
  const double modes = static_cast<double>(chunk.pieces.groups * lanes);
  for (std::size_t n = 0; n < stages_.size(); ++n) {
    const Stage& stage = stages_[up ? n : stages_.size() - 1 - n];
    const WaveTreeBody body{chunk.pieces,
                            rates,
                            {{powers_.view().data, modes_.lo[0], modes_.size()}},
                            chunk.slots,
                            joins_.view().data,
                            starts_.view().data + stage.first,
                            up};
    launch_lanes(*executor_, Label{up ? "waves: join" : "waves: part", numbers * stage.joins * modes},
                 chunk.pieces.groups * stage.pieces, 1, body);
  }
}

void copy_wave_rows(const Executor& executor, const WaveRowsBody& body, Index nodes) {
  constexpr double numbers = 2 * 2 * sizeof(double);
  const Index groups = body.pieces.groups * nodes;
  launch_lanes(executor, Label{"waves: rows", numbers * static_cast<double>(groups * lanes)}, groups, 1, body);
}

void close_waves(const Executor& executor, const WaveCloseBody& body) {
  constexpr double numbers = (4 + 2 + 2) * sizeof(double);
  launch_lanes(executor, Label{"waves: close", numbers * static_cast<double>(body.pieces.groups * lanes)},
               body.pieces.groups, 1, body);
}

}  // namespace halocline::collocation
