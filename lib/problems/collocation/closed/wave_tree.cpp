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
                   Index places, const WaveRates& rates, const Range<1>& modes)
    : executor_(executor), modes_(modes), places_(places) {
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
      stages_.push_back({static_cast<int>(starts.size()), 0});
    }
    if (new_stage || piece_of(step) != piece_of(sorted[n - 1])) {
      starts.push_back(static_cast<int>(n));
      ++stages_.back().pieces;
    }
    const Index span = span_of(step), end = std::min<Index>(step.join + 1 + span, strips.count);
    const Index behind = strips.end(end - 1) - strips.first(step.join + 1);
    joins.push_back(
        {step.a_first, step.a_last, step.b_last, lengths.number(span * strips.length), lengths.number(behind)});
  }
  starts.push_back(static_cast<int>(sorted.size()));
  slots_ = Array<double, 1>(executor, {2 * (places + 1) * modes.size()});
  powers_ = make_array(executor, rates.powers(lengths.elements(), modes.lo[0], modes.size()));
  joins_ = make_array(executor, joins);
  starts_ = make_array(executor, starts);
}

void WaveTree::run(const ModeTable& rates, bool up) {
  for (std::size_t n = 0; n < stages_.size(); ++n) {
    const Stage& stage = stages_[up ? n : stages_.size() - 1 - n];
    const WaveTreeBody body{
        pieces(), rates, {table(powers_.view().data)}, slots(), joins_.view().data, starts_.view().data + stage.first,
        up};
    launch_lanes(*executor_, up ? "waves: join" : "waves: part", pieces().groups * stage.pieces, 1, body);
  }
}

void WaveTree::copy_rows(double* rows, const int* nodes, Index count, bool arrives, bool into_rows) {
  launch_lanes(*executor_, "waves: rows", pieces().groups * count, 1,
               WaveRowsBody{pieces(), slots(), table(rows), nodes, arrives, into_rows});
}

void WaveTree::close(const double* closing) {
  launch_lanes(*executor_, "waves: close", pieces().groups, 1,
               WaveCloseBody{pieces(), table(const_cast<double*>(closing)), slots(), places_});
}

}  // namespace halocline::collocation
