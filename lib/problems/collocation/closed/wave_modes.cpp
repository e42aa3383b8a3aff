#include "lib/problems/collocation/closed/wave_modes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/closed/wave_exchange.hpp"
#include "lib/problems/collocation/closed/wave_tree.hpp"

namespace halocline::collocation {

namespace {

WaveStrips strips_of(const Axis& x) {
  const Index nodes = x.elements() + 1, length = wave_strip_length(x.elements());
  return {nodes, length, nodes / length, {x.condition(End::low).dirichlet(), x.condition(End::high).dirichlet()}};
}

// Where strips of parts begin, and their nodes of the tree; how modes are cut into chunks, all of one size but the
// last, and what parts have of each.
struct WaveShares {
  WaveShape shape;
  Partition chunks;
  std::vector<Range<1>> of_nodes;  // strips of every node of the run

  WaveShares(const std::vector<Index>& first_lines, const WaveStrips& all, Index modes, Index chunks_wanted) {
    const Index parts = static_cast<Index>(first_lines.size()) - 1;
    std::vector<Index> first_strips, first_nodes, first_modes;
    for (const Index line : first_lines) {
      first_strips.push_back(line == all.nodes ? all.count : line / all.length);
      require(first_strips.back() == all.count || all.first(first_strips.back()) == line,
              "waves: a part begins within a strip");
    }
    shape.strips = Partition::from_starts(std::move(first_strips));
    for (int part = 0; part < parts; ++part) {
      first_nodes.push_back(static_cast<Index>(of_nodes.size()));
      const auto own = wave_nodes(all.count, shape.strips.block(part));
      of_nodes.insert(of_nodes.end(), own.begin(), own.end());
    }
    first_nodes.push_back(static_cast<Index>(of_nodes.size()));
    shape.nodes = Partition::from_starts(std::move(first_nodes));
    chunks = modes_in_chunks(modes, chunks_wanted);
    const Index each = chunks.block(0).size() / lanes;
    for (Index part = 0; part <= parts; ++part) first_modes.push_back(each * part / parts * lanes);
    shape.modes = Partition::from_starts(std::move(first_modes));
  }
  Range<1> modes_of(int part, int chunk) const {
    const Range<1> all = chunks.block(chunk), own = shape.modes.block(part);
    return {{std::min(all.lo[0] + own.lo[0], all.hi[0])}, {std::min(all.lo[0] + own.hi[0], all.hi[0])}};
  }
};

WavePieces pieces_of(const Range<1>& modes) { return {modes.size() / lanes, modes.lo[0]}; }

class WaveAcross final : public AcrossX {
 public:
  WaveAcross(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks, const WaveRates& rates,
             const WaveStrips& strips, WaveShares shares)
      : team_(&team),
        blocks_(blocks),
        width_(mode_width(blocks.front().ny)),
        strips_(strips),
        shares_(std::move(shares)) {
    parts_.reserve(static_cast<std::size_t>(team.parts()));
    for (int p = 0; p < team.parts(); ++p) add_part(p, rates);
    // In two stages of each way a chunk takes four steps, in one two of them.
    while (static_cast<int>(buffers_.size()) < std::min(shares_.chunks.parts(), steps() + 1))
      buffers_.emplace_back(comm, team, shares_.shape);
  }

  // Step after step of all chunks that are under way, the first ones ahead: kernels of one run while others travel. All
  // are packed and sent in the same order by all ranks.
  void solve(Vector<double>& x) override {
    const int chunks = shares_.chunks.parts(), last = steps();
    const int stride = last == 2 ? 2 : 1;  // in one stage there is nothing between
    for (int round = 0; round < chunks + last; ++round) {
      const int first = std::max(0, round - chunks + 1), end = std::min(round, last);
      for (int step = first; step <= end; ++step) queue(stride * step, round - step, x);
      for (int step = first; step <= std::min(end, last - 1); ++step) send(stride * step, round - step);
    }
    if (last == 0) queue(4, 0, x);
  }
  Traffic sent() const override {
    Traffic traffic;
    for (const WaveExchange& buffer : buffers_) traffic += buffer.sent();
    return traffic;
  }

 private:
  struct Above {  // of the nodes of all parts, own modes of a chunk
    WaveTree tree;
    Array<double, 1> closing;
  };
  struct Part {
    WaveTree tree;  // of own strips, all modes
    Array<double, 1> rates;
    Array<int, 1> nodes;       // where they begin among own strips
    std::vector<Above> above;  // of every chunk
    Array<double, 1> closing;  // where there is one part
  };

  void add_part(int p, const WaveRates& rates) {
    const ExecutorPtr& executor = team_->executor(p);
    const WaveShape& shape = shares_.shape;
    const Range<1> own = shape.strips.block(number(p)), all{{0}, {2 * width_}};
    Part part{WaveTree(executor, strips_, strips::join_steps(strips_.count, own), rates, all),
              make_array(executor, rates.rates()),
              {},
              {},
              {}};
    if (alone()) {
      part.closing = make_array(executor, rates.closing(0, all.size()));
    } else {
      const Range<1> nodes = shape.nodes.block(number(p));
      std::vector<int> starts;
      for (Index n = nodes.lo[0]; n < nodes.hi[0]; ++n)
        starts.push_back(static_cast<int>(shares_.of_nodes[n].lo[0] - own.lo[0]));
      starts.push_back(static_cast<int>(own.size()));
      part.nodes = make_array(executor, starts);
      const auto steps = strips::join_steps_above(strips_.count, shares_.of_nodes);
      for (int chunk = 0; chunk < shares_.chunks.parts(); ++chunk) {
        const Range<1> modes = shares_.modes_of(number(p), chunk);
        part.above.push_back({WaveTree(executor, strips_, steps, rates, modes),
                              make_array(executor, rates.closing(modes.lo[0], modes.size()))});
      }
    }
    parts_.push_back(std::move(part));
  }

  bool alone() const { return team_->total_parts() == 1; }
  // From the strips of a chunk to what arrives at them: those that another chunk's kernels can lie between.
  int steps() const { return alone() ? 0 : buffers_.empty() || buffers_.front().stages() == 2 ? 4 : 2; }
  WaveExchange& buffer(int chunk) { return buffers_[static_cast<std::size_t>(chunk) % buffers_.size()]; }

  void queue(int step, int n, Vector<double>& x) {
    switch (step) {
      case 0:
        return reduce(n, x);
      case 1:
        return buffer(n).up().pack_between();
      case 2:
        return join_parts(n);
      case 3:
        return buffer(n).down().pack_between();
      default:
        return resolve(n, x);
    }
  }
  void send(int step, int n) {
    Turn<double>& turn = step < 2 ? buffer(n).up() : buffer(n).down();
    if (step % 2 == 0)
      turn.send();
    else
      turn.send_between();
  }

  void reduce(int n, Vector<double>& x) {
    team_->each([&](int p) {
      const WavePart part = part_of(p, n, x);
      launch_lanes(*team_->executor(p), Label{"waves: reduce", bytes(p, n)}, part.pieces.groups * own_strips(p), 1,
                   WaveReduceBody{part});
      parts_[p].tree.join(rates(p), chunk(p, n));
      if (alone())
        close_waves(*team_->executor(p), {part.pieces, table(parts_[p].closing.view().data, shares_.chunks.block(n)),
                                          part.slots, own_strips(p)});
      else
        copy_rows(p, n, false, true);
    });
    if (!alone()) buffer(n).pack_up();
  }

  // From what the nodes of all parts leave behind to what arrives at them.
  void join_parts(int n) {
    buffer(n).finish_up();
    team_->each([&](int p) {
      const Executor& executor = *team_->executor(p);
      Above& above = parts_[p].above[n];
      const Range<1> modes = shares_.modes_of(number(p), n);
      const Index nodes = shares_.shape.nodes.count();
      // Their room is that of a whole chunk.
      const Range<1> room{{modes.lo[0]}, {modes.lo[0] + shares_.shape.modes.block(number(p)).size()}};
      const WaveChunk slots{pieces_of(modes), {table(buffer(n).above(p), room)}};
      const ModeTable rows = table(buffer(n).all_rows(p), room);
      copy_wave_rows(executor, {slots.pieces, slots.slots, rows, nullptr, false, false}, nodes);
      above.tree.join(rates(p), slots);
      close_waves(executor, {slots.pieces, table(above.closing.view().data, modes), slots.slots, nodes});
      above.tree.part(rates(p), slots);
      copy_wave_rows(executor, {slots.pieces, slots.slots, rows, nullptr, true, true}, nodes);
    });
    buffer(n).pack_down();
  }

  void resolve(int n, Vector<double>& x) {
    if (!alone()) buffer(n).finish_down();
    team_->each([&](int p) {
      if (!alone()) copy_rows(p, n, true, false);
      parts_[p].tree.part(rates(p), chunk(p, n));
      const WavePart part = part_of(p, n, x);
      launch_lanes(*team_->executor(p), Label{"waves: resolve", 2 * bytes(p, n)}, part.pieces.groups * own_strips(p), 1,
                   WaveResolveBody{part});
    });
  }

  void copy_rows(int p, int n, bool arrives, bool into_rows) {
    const WaveChunk slots = chunk(p, n);
    copy_wave_rows(
        *team_->executor(p),
        {slots.pieces, slots.slots, table(buffer(n).rows(p), room(n)), parts_[p].nodes.view().data, arrives, into_rows},
        shares_.shape.nodes.block(number(p)).size());
  }

  int number(int p) const { return team_->first_part() + p; }
  Index own_strips(int p) const { return shares_.shape.strips.block(number(p)).size(); }
  double bytes(int p, int n) const {
    return 2.0 * sizeof(double) * static_cast<double>(blocks_[p].lines() * shares_.chunks.block(n).size());
  }
  static ModeTable table(double* data, const Range<1>& modes) { return {data, modes.lo[0], modes.size()}; }
  ModeTable rates(int p) { return {parts_[p].rates.view().data, 0, 2 * width_}; }
  // Modes that a buffer has room for, from the first of the chunk on.
  Range<1> room(int n) const {
    const Index first = shares_.chunks.block(n).lo[0];
    return {{first}, {first + shares_.shape.modes.count()}};
  }
  WaveChunk chunk(int p, int n) { return {pieces_of(shares_.chunks.block(n)), {table(buffer(n).slots(p), room(n))}}; }
  WavePart part_of(int p, int n, Vector<double>& x) {
    const NodalBlock& block = blocks_[p];
    const ModeLines lines{x.part(p).data + NodalBlock::margin, block.first_line, block.line_size(), block.stride()};
    const WaveChunk own = chunk(p, n);
    return {own.pieces, rates(p), strips_, lines, width_, shares_.shape.strips.block(number(p)).lo[0], own.slots};
  }

  const Team* team_;
  std::vector<NodalBlock> blocks_;
  Index width_;
  WaveStrips strips_;
  WaveShares shares_;
  std::vector<Part> parts_;
  std::vector<WaveExchange> buffers_;
};

}  // namespace

std::unique_ptr<AcrossX> make_wave_across(const Communicator& comm, const Team& team,
                                          const std::vector<NodalBlock>& blocks, const Axis& x, double a, double eta,
                                          const std::vector<double>& mode_values, Index chunks) {
  const WaveStrips strips = strips_of(x);
  const Index width = mode_width(blocks.front().ny);
  if (team.total_parts() == 1)
    chunks = 1;
  else if (chunks == 0)
    chunks = wave_chunks(strips.nodes / team.total_parts(), width);
  return std::make_unique<WaveAcross>(comm, team, blocks, WaveRates(x, a, eta, mode_values), strips,
                                      WaveShares(part_starts(comm, team, blocks), strips, 2 * width, chunks));
}

namespace {

// Nodes of the tree that parts hold whole: at most, and of all.
struct WaveNodes {
  double most = 0, all = 0;
};
WaveNodes nodes_of_parts(Index strips, Index parts) {
  WaveNodes nodes;
  for (Index part = 0; part < parts; ++part) {
    const auto own = wave_nodes(strips, {{strips * part / parts}, {strips * (part + 1) / parts}}).size();
    nodes.most = std::max(nodes.most, static_cast<double>(own));
    nodes.all += static_cast<double>(own);
  }
  return nodes;
}

// Of an exchange of `modes` modes between so many parts, `own` strips in each: slots and rows, of own nodes and of all
// for own modes, both turns with what they send and receive, twice that and what lies between in two stages.
double numbers_of_buffer(double modes, double own, const WaveNodes& nodes, int parts) {
  const double share = std::ceil(modes / lanes / parts) * lanes;
  const double rows = 2 * nodes.most * modes, all_rows = 2 * nodes.all * share, turn = rows + all_rows;
  const bool two_stages = turns_in_two_stages(parts, rows * sizeof(double));
  return 2 * (own + 1) * modes + rows + 2 * all_rows + 2 * share + 2 * (two_stages ? 2 * turn + rows : turn);
}

}  // namespace

// Rates, powers of the levels of the tree, which has one more length at each where the axis ends, unless that is
// where a node would, and what closes it.
Index wave_numbers(Index lines, Index all_lines, Index ny) {
  const Index length = wave_strip_length(all_lines - 1), all = all_lines / length;
  const Index own = lines == all_lines ? all : std::max<Index>(1, lines / length), parts = (all + own / 2) / own;
  const Index modes = 2 * mode_width(ny), chunks = parts == 1 ? 1 : wave_chunks(lines, mode_width(ny));
  // Nodes that parts hold whole have powers of two of strips; beyond their joins the tree goes on above.
  const double levels = parts == 1 ? std::bit_width(static_cast<unsigned>(own - 1))
                                   : std::bit_width(static_cast<unsigned>(own)) - 1,
               levels_above = std::bit_width(static_cast<unsigned>(parts - 1));
  const bool whole = all * length == all_lines && all % (Index{1} << static_cast<int>(levels)) == 0;
  const double lengths = whole ? 1 : 2;
  const double tables =
      rate_numbers + 2 * lengths * levels + (4 + 2 * lengths * levels_above) / static_cast<double>(parts);
  const double of_mode = static_cast<double>(modes), of_chunk = of_mode / static_cast<double>(chunks);
  if (parts == 1) return static_cast<Index>(of_mode * (tables + 2 * static_cast<double>(own + 1)));
  const double buffers = static_cast<double>(std::min<Index>(chunks, most_buffers));
  return static_cast<Index>(tables * of_mode + buffers * numbers_of_buffer(of_chunk, static_cast<double>(own),
                                                                           nodes_of_parts(all, parts),
                                                                           static_cast<int>(parts)));
}

}  // namespace halocline::collocation
