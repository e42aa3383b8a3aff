#include "lib/problems/collocation/closed/wave_modes.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/closed/wave_tree.hpp"

namespace halocline::collocation {

namespace {

WaveStrips strips_of(const Axis& x) {
  const Index nodes = x.elements() + 1, length = wave_strip_length(x.elements());
  return {nodes, length, nodes / length, {x.condition(End::low).dirichlet(), x.condition(End::high).dirichlet()}};
}

// Where strips of parts begin, and their nodes of the tree.
struct WaveShares {
  Partition strips, nodes, modes;
  std::vector<Range<1>> of_nodes;  // strips of every node of the run

  WaveShares(const std::vector<Index>& first_lines, const WaveStrips& all, Index modes_of_all) {
    std::vector<Index> first_strips, first_nodes, first_modes;
    const Index parts = static_cast<Index>(first_lines.size()) - 1, groups = modes_of_all / lanes;
    for (const Index line : first_lines) {
      first_strips.push_back(line == all.nodes ? all.count : line / all.length);
      require(first_strips.back() == all.count || all.first(first_strips.back()) == line,
              "waves: a part begins within a strip");
    }
    strips = Partition::from_starts(std::move(first_strips));
    for (int part = 0; part < parts; ++part) {
      first_nodes.push_back(static_cast<Index>(of_nodes.size()));
      const auto own = wave_nodes(all.count, strips.block(part));
      of_nodes.insert(of_nodes.end(), own.begin(), own.end());
    }
    first_nodes.push_back(static_cast<Index>(of_nodes.size()));
    for (Index part = 0; part <= parts; ++part) first_modes.push_back(groups * part / parts * lanes);
    nodes = Partition::from_starts(std::move(first_nodes));
    modes = Partition::from_starts(std::move(first_modes));
  }
};

class WaveAcross final : public AcrossX {
 public:
  WaveAcross(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks, const Axis& x, double a,
             double eta, const std::vector<double>& mode_values)
      : team_(&team),
        blocks_(blocks),
        width_(mode_width(blocks.front().ny)),
        strips_(strips_of(x)),
        shares_(part_starts(comm, team, blocks), strips_, 2 * width_) {
    const WaveRates rates(x, a, eta, mode_values);
    parts_.reserve(static_cast<std::size_t>(team.parts()));
    for (int p = 0; p < team.parts(); ++p) add_part(p, rates);
    if (team.total_parts() > 1) make_turns(comm);
  }

  void solve(Vector<double>& x) override {
    team_->each([&](int p) {
      const WavePart part = part_of(p, x);
      launch_lanes(*team_->executor(p), Label{"waves: reduce", bytes(p)}, part.pieces.groups * own_strips(p), 1,
                   WaveReduceBody{part});
      parts_[p].tree.join(rates(p));
      if (!up_)
        parts_[p].tree.close(parts_[p].closing.view().data);
      else
        copy_rows(p, false, true);
    });
    if (up_) join_parts();
    team_->each([&](int p) {
      if (up_) copy_rows(p, true, false);
      parts_[p].tree.part(rates(p));
      const WavePart part = part_of(p, x);
      launch_lanes(*team_->executor(p), Label{"waves: resolve", 2 * bytes(p)}, part.pieces.groups * own_strips(p), 1,
                   WaveResolveBody{part});
    });
  }
  Traffic sent() const override { return up_ ? up_->sent() + down_->sent() : Traffic{}; }

 private:
  struct Part {
    WaveTree tree;                    // of own strips, all modes
    Array<double, 1> rates, closing;  // closing: of own modes
    std::optional<WaveTree> above;    // of the nodes of all parts, own modes
    Array<double, 1> rows, turned;    // of own nodes, all modes; of all nodes, own modes
    Array<int, 1> nodes;              // where they begin among own strips
  };

  void add_part(int p, const WaveRates& rates) {
    const ExecutorPtr& executor = team_->executor(p);
    const Range<1> own = shares_.strips.block(number(p)), all{{0}, {2 * width_}};
    const bool alone = team_->total_parts() == 1;
    const Range<1> modes = alone ? all : shares_.modes.block(number(p));
    Part part{WaveTree(executor, strips_, strips::join_steps(strips_.count, own), own.size(), rates, all),
              make_array(executor, rates.rates()),
              make_array(executor, rates.closing(modes.lo[0], modes.size())),
              {},
              {},
              {},
              {}};
    if (!alone) {
      const auto total = static_cast<Index>(shares_.of_nodes.size());
      part.above.emplace(executor, strips_, strips::join_steps_above(strips_.count, shares_.of_nodes), total, rates,
                         modes);
      const Range<1> nodes = shares_.nodes.block(number(p));
      std::vector<int> starts;
      for (Index n = nodes.lo[0]; n < nodes.hi[0]; ++n)
        starts.push_back(static_cast<int>(shares_.of_nodes[n].lo[0] - own.lo[0]));
      starts.push_back(static_cast<int>(own.size()));
      part.nodes = make_array(executor, starts);
      part.rows = Array<double, 1>(executor, {nodes.size() * 2 * all.size()});
      part.turned = Array<double, 1>(executor, {total * 2 * modes.size()});
    }
    parts_.push_back(std::move(part));
  }

  void make_turns(const Communicator& comm) {
    const std::vector<TurnRows> rows(parts_.size(), {0, 4 * width_, 2 * width_});
    const std::vector<Index> at_front(parts_.size(), 0);
    const TurnShape shape{shares_.nodes, shares_.modes, 2, 0};
    up_.emplace(comm, *team_, shape, TurnWay::to_columns, rows, at_front);
    down_.emplace(comm, *team_, shape, TurnWay::to_rows, rows, at_front);
    from_.resize(parts_.size());
    to_.resize(parts_.size());
  }

  // From what the nodes of all parts leave behind to what arrives at them.
  void join_parts() {
    exchange(*up_, &Part::rows, &Part::turned);
    team_->each([&](int p) {
      Part& part = parts_[p];
      double* const rows = part.turned.view().data;
      part.above->copy_rows(rows, nullptr, shares_.nodes.count(), false, false);
      part.above->join(rates(p));
      part.above->close(part.closing.view().data);
      part.above->part(rates(p));
      part.above->copy_rows(rows, nullptr, shares_.nodes.count(), true, true);
    });
    exchange(*down_, &Part::turned, &Part::rows);
  }
  void exchange(Turn<double>& turn, Array<double, 1> Part::*from, Array<double, 1> Part::*to) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      from_[p] = (parts_[p].*from).view();
      to_[p] = (parts_[p].*to).view();
    }
    turn.start(from_);
    turn.finish(to_);
  }
  void copy_rows(int p, bool arrives, bool into_rows) {
    Part& part = parts_[p];
    part.tree.copy_rows(part.rows.view().data, part.nodes.view().data, shares_.nodes.block(number(p)).size(), arrives,
                        into_rows);
  }

  int number(int p) const { return team_->first_part() + p; }
  Index own_strips(int p) const { return shares_.strips.block(number(p)).size(); }
  double bytes(int p) const { return 4.0 * sizeof(double) * static_cast<double>(blocks_[p].lines() * width_); }
  ModeTable rates(int p) { return {parts_[p].rates.view().data, 0, 2 * width_}; }
  WavePart part_of(int p, Vector<double>& x) {
    const NodalBlock& block = blocks_[p];
    const ModeLines lines{x.part(p).data + NodalBlock::margin, block.first_line, block.line_size(), block.stride()};
    WaveTree& tree = parts_[p].tree;
    return {tree.pieces(), rates(p), strips_, lines, width_, shares_.strips.block(number(p)).lo[0], tree.slots()};
  }

  const Team* team_;
  std::vector<NodalBlock> blocks_;
  Index width_;
  WaveStrips strips_;
  WaveShares shares_;
  std::vector<Part> parts_;
  std::optional<Turn<double>> up_, down_;  // of several parts
  std::vector<View<const double, 1>> from_;
  std::vector<View<double, 1>> to_;
};

}  // namespace

std::unique_ptr<AcrossX> make_wave_across(const Communicator& comm, const Team& team,
                                          const std::vector<NodalBlock>& blocks, const Axis& x, double a, double eta,
                                          const std::vector<double>& mode_values) {
  return std::make_unique<WaveAcross>(comm, team, blocks, x, a, eta, mode_values);
}

// Per mode: slots of strips, rates, powers of the levels of the tree, rows there and back with their buffers.
Index wave_numbers(Index lines, Index all_lines, Index ny) {
  const Index modes = 2 * mode_width(ny), strips = lines / wave_strip_length(all_lines - 1) + 1;
  const auto levels = static_cast<Index>(std::bit_width(static_cast<unsigned>(strips)));
  const Index alone = 2 * (strips + 1) + rate_numbers + 4 * levels;
  return modes * (lines < all_lines ? alone + 12 : alone + 4);
}

}  // namespace halocline::collocation
