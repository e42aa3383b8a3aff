#include "lib/problems/collocation/separable/strip_modes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gpu/launch.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/collocation/separable/strip_kernels.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::collocation {

namespace {

// A power of two, which changes no digit.
double size_of(const double* row) {
  const auto less = [](double a, double b) { return std::abs(a) < std::abs(b); };
  return std::exp2(std::ilogb(std::abs(*std::max_element(row, row + 4, less))));
}

// The table of StripRows. On a side the row that has no Gauss point says that (v, w) is a multiple of the tangent, in
// numbers as large as those of the other row: transforms leave rounding errors of the right-hand side in its place.
std::vector<double> strip_rows(const Axis& x, const AxisOperator& terms) {
  const Index nx = x.elements();
  std::vector<double> rows(static_cast<std::size_t>((nx + 1) * 16), 0.0);
  for (Index g = 0; g < x.unknowns(); ++g) {
    double* row = rows.data() + ((g + 1) / 2 * 2 + (g + 1) % 2) * 8;
    const auto k0 = x.row(0, g), k1 = x.row(1, g), k2 = x.row(2, g);
    for (int m = 0; m < 4; ++m) {
      row[m] = terms.a[g] * k2[m] + terms.d[g] * k1[m] + terms.eta[g] * k0[m];
      row[4 + m] = k0[m];
    }
  }
  const auto low = x.tangent(End::low), high = x.tangent(End::high);
  double* first = rows.data() + 2;
  const double at_low = size_of(rows.data() + 8), at_high = size_of(rows.data() + nx * 16);
  first[0] = at_low * low[1];
  first[1] = -at_low * low[0];
  double* last = rows.data() + (nx * 2 + 1) * 8;
  last[0] = at_high * high[1];
  last[1] = -at_high * high[0];
  return rows;
}

class StripAcross final : public AcrossX {
 public:
  StripAcross(const Communicator& comm, const Team& team, const std::vector<NodalBlock>& blocks, const Axis& x,
              const AxisOperator& terms, const std::vector<double>& mode_values)
      : team_(&team),
        blocks_(blocks),
        width_(mode_width(blocks.front().ny)),
        shared_(team.total_parts() >= least_parts_that_share) {
    const Index length = strip_length(x.elements()), nodes = x.elements() + 1;
    strips_ = {nodes, length, std::max<Index>(1, nodes / length)};
    share_out(comm);
    const std::vector<double> rows = strip_rows(x, terms);
    for (int p = 0; p < team.parts(); ++p) {
      const ExecutorPtr& executor = team.executor(p);
      Part part;
      part.rows = make_array(executor, rows);
      part.values = make_array(executor, mode_values);
      const auto table = [&](Index strips, Index numbers, Index modes) {
        return Array<double, 1>(executor, {strips * numbers * modes});
      };
      const Index own = own_strips(p), modes = own_modes(p).size();
      part.factors = table(strips_.count, factor_numbers, modes);
      part.pivots = table(strips_.count, pivot_numbers, modes);
      part.reduced = table(shared_ ? own : strips_.count, reduced_numbers, 2 * width_);
      if (shared_) {
        part.solved = table(own + 1, solved_numbers, 2 * width_);
        part.turned = table(strips_.count, reduced_numbers, modes);
        part.turned_solved = table(strips_.count, solved_numbers, modes);
      }
      parts_.push_back(std::move(part));
      require(first_strip(p) * length == blocks_[p].first_line, "strips: a part begins within one");
    }
    team.each([&](int p) {
      launch_lanes(*team.executor(p), "factor strips", own_groups(p), strips_.count, FactorBody{modes(p), factors(p)});
    });
    if (shared_) make_turns(comm);
    if (!shared_ && team.total_parts() > 1)
      gather_ = std::make_unique<Halo<double>>(comm, team,
                                               gather_links(team, strips_of_parts_, reduced_numbers * 2 * width_));
    from_.resize(parts_.size());
    to_.resize(parts_.size());
  }

  void solve(Vector<double>& x) override {
    if (strips_.count > 1) {
      team_->each([&](int p) {
        launch_lanes(*team_->executor(p), "reduce strips", groups(), own_strips(p),
                     ReduceBody{modes(p), lines(p, x), own_reduced(p), first_strip(p)});
      });
      if (gather_) exchange(*gather_, &Part::reduced, &Part::reduced);
      if (up_) exchange(*up_, &Part::reduced, &Part::turned);
      team_->each([&](int p) {
        launch_lanes(*team_->executor(p), "solve interfaces", own_groups(p), 1,
                     InterfaceBody{modes(p), factors(p), shared_reduced(p), pivots(p), shared_solved(p)});
      });
      if (down_) exchange(*down_, &Part::turned_solved, &Part::solved);
    }
    team_->each([&](int p) {
      launch_lanes(*team_->executor(p), "solve strips", groups(), own_strips(p),
                   ResolveBody{modes(p), lines(p, x), own_solved(p), first_strip(p)});
    });
  }
  Traffic sent() const override { return up_ ? up_->sent() + down_->sent() : gather_ ? gather_->sent() : Traffic{}; }

 private:
  // Own strips with all modes, and all strips with own modes; what is turned is there where the modes are shared out.
  struct Part {
    Array<double, 1> rows, values, reduced, solved, turned, turned_solved, factors, pivots;
  };

  // Every part has some strips, and the interfaces of all strips for some groups of modes; of few parts each has them
  // for all modes, which takes one exchange instead of two.
  void share_out(const Communicator& comm) {
    std::vector<Index> first_strips, first_modes;
    for (const Index line : part_starts(comm, *team_, blocks_)) first_strips.push_back(strip_of(line));
    const Index parts = team_->total_parts();
    for (Index part = 0; part <= parts; ++part) first_modes.push_back(groups() * part / parts * lanes);
    strips_of_parts_ = Partition::from_starts(std::move(first_strips));
    modes_of_parts_ = Partition::from_starts(std::move(first_modes));
  }

  Index groups() const { return 2 * width_ / lanes; }
  Range<1> own_modes(int p) const {
    return shared_ ? modes_of_parts_.block(team_->first_part() + p) : Range<1>{{0}, {2 * width_}};
  }
  Index own_groups(int p) const { return own_modes(p).size() / lanes; }
  Index strip_of(Index line) const { return line >= strips_.nodes ? strips_.count : line / strips_.length; }
  Index first_strip(int p) const { return strips_of_parts_.block(team_->first_part() + p).lo[0]; }
  Index own_strips(int p) const { return strips_of_parts_.block(team_->first_part() + p).size(); }

  StripModes modes(int p) { return {strips_, {parts_[p].rows.view().data}, parts_[p].values.view().data, width_}; }
  ModeLines lines(int p, Vector<double>& x) const {
    const NodalBlock& block = blocks_[p];
    return {x.part(p).data + NodalBlock::margin, block.first_line, block.line_size(), block.stride()};
  }

  StripTable of_modes(int p, Array<double, 1>& numbers, Index each) const {
    return {numbers.view().data, each, 0, own_modes(p).lo[0], own_modes(p).size()};
  }
  StripTable factors(int p) { return of_modes(p, parts_[p].factors, factor_numbers); }
  StripTable pivots(int p) { return of_modes(p, parts_[p].pivots, pivot_numbers); }
  StripTable own_reduced(int p) {
    return {parts_[p].reduced.view().data, reduced_numbers, shared_ ? first_strip(p) : 0, 0, 2 * width_};
  }
  StripTable own_solved(int p) {
    if (!down_) return in_place(p);
    return {parts_[p].solved.view().data, solved_numbers, first_strip(p), 0, 2 * width_};
  }
  StripTable shared_reduced(int p) { return up_ ? of_modes(p, parts_[p].turned, reduced_numbers) : own_reduced(p); }
  StripTable shared_solved(int p) { return down_ ? of_modes(p, parts_[p].turned_solved, solved_numbers) : in_place(p); }
  // A part that has all modes keeps the unknowns of interfaces in place of their rows.
  StripTable in_place(int p) {
    StripTable table = own_reduced(p);
    table.data += table.modes;
    return table;
  }

  // A part needs the interface behind its last strip as well.
  void make_turns(const Communicator& comm) {
    const auto parts = parts_.size();
    const std::vector<Index> at_front(parts, 0);
    const auto turn = [&](Index numbers, Index overlap, TurnWay way, std::optional<Turn<double>>& made) {
      const std::vector<TurnRows> rows(parts, {0, numbers * 2 * width_, 2 * width_});
      made.emplace(comm, *team_, TurnShape{strips_of_parts_, modes_of_parts_, numbers, overlap}, way, rows, at_front);
    };
    turn(reduced_numbers, 0, TurnWay::to_columns, up_);
    turn(solved_numbers, 1, TurnWay::to_rows, down_);
  }
  template <class Exchange>  // Halo or Turn
  void exchange(Exchange& halo, Array<double, 1> Part::*from, Array<double, 1> Part::*to) {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      from_[p] = (parts_[p].*from).view();
      to_[p] = (parts_[p].*to).view();
    }
    halo.start(from_);
    halo.finish(to_);
  }

  const Team* team_;
  std::vector<NodalBlock> blocks_;
  Index width_;
  bool shared_;  // modes of the interfaces, among parts
  Strips strips_{};
  Partition strips_of_parts_, modes_of_parts_;
  std::vector<Part> parts_;
  std::unique_ptr<Halo<double>> gather_;   // of few parts
  std::optional<Turn<double>> up_, down_;  // of many
  std::vector<View<const double, 1>> from_;
  std::vector<View<double, 1>> to_;
};

}  // namespace

std::unique_ptr<AcrossX> make_strip_across(const Communicator& comm, const Team& team,
                                           const std::vector<NodalBlock>& blocks, const Axis& x,
                                           const AxisOperator& terms, const std::vector<double>& mode_values) {
  return std::make_unique<StripAcross>(comm, team, blocks, x, terms, mode_values);
}

}  // namespace halocline::collocation
