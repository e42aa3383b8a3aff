#include "lib/problems/collocation/separable/strip_modes.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/launch.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/collocation/separable/strip_kernels.hpp"

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
      : team_(&team), blocks_(blocks), width_(mode_width(blocks.front().ny)) {
    const Index length = strip_length(x.elements()), nodes = x.elements() + 1;
    strips_ = {nodes, length, std::max<Index>(1, nodes / length)};
    const std::vector<double> rows = strip_rows(x, terms);
    for (int p = 0; p < team.parts(); ++p) {
      const ExecutorPtr& executor = team.executor(p);
      Part part;
      part.rows = make_array(executor, rows);
      part.values = make_array(executor, mode_values);
      part.reduced = Array<double, 1>(executor, {strips_.count * 6 * width_});
      part.factors = Array<double, 1>(executor, {strips_.count * 8 * width_});
      part.pivots = Array<double, 1>(executor, {strips_.count * 4 * width_});
      parts_.push_back(std::move(part));
      require(first_strip(p) * length == blocks_[p].first_line, "strips: a part begins within one");
    }
    team.each([&](int p) {
      launch_lanes(*team.executor(p), "factor strips", groups(), strips_.count, FactorBody{modes(p)});
    });
    if (team.total_parts() > 1) make_halo(comm, part_starts(comm, team, blocks));
  }

  void solve(Vector<double>& x) override {
    if (strips_.count > 1) {
      team_->each([&](int p) {
        launch_lanes(*team_->executor(p), "reduce strips", groups(), own_strips(p),
                     ReduceBody{modes(p), lines(p, x), first_strip(p)});
      });
      if (halo_) exchange();
    }
    team_->each([&](int p) {
      const Executor& executor = *team_->executor(p);
      if (strips_.count > 1)
        launch_lanes(executor, "solve interfaces", groups(), 1, InterfaceBody{modes(p), parts_[p].pivots.view().data});
      launch_lanes(executor, "solve strips", groups(), own_strips(p),
                   ResolveBody{modes(p), lines(p, x), first_strip(p)});
    });
  }
  Traffic sent() const override { return halo_ ? halo_->sent() : Traffic{}; }

 private:
  struct Part {
    Array<double, 1> rows, values, reduced, factors, pivots;
  };

  Index groups() const { return 2 * width_ / lanes; }
  Index strip_of(Index line) const { return line >= strips_.nodes ? strips_.count : line / strips_.length; }
  Index first_strip(int p) const { return strip_of(blocks_[p].first_line); }
  Index own_strips(int p) const { return strip_of(blocks_[p].end_line) - first_strip(p); }

  StripModes modes(int p) {
    Part& part = parts_[p];
    return {strips_, {part.rows.view().data},  part.values.view().data,
            width_,  part.reduced.view().data, part.factors.view().data};
  }
  StripLines lines(int p, Vector<double>& x) const {
    const NodalBlock& block = blocks_[p];
    return {x.part(p).data + NodalBlock::margin, block.first_line, block.line_size(), block.stride()};
  }

  void make_halo(const Communicator& comm, const std::vector<Index>& starts) {
    std::vector<Index> first_strips;
    for (const Index line : starts) first_strips.push_back(strip_of(line));
    const Partition strips = Partition::from_starts(std::move(first_strips));
    halo_ = std::make_unique<Halo<double>>(comm, *team_, gather_links(*team_, strips, 6 * width_));
    from_.resize(parts_.size());
    to_.resize(parts_.size());
  }
  void exchange() {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      to_[p] = parts_[p].reduced.view();
      from_[p] = to_[p];
    }
    halo_->start(from_);
    halo_->finish(to_);
  }

  const Team* team_;
  std::vector<NodalBlock> blocks_;
  Index width_;
  Strips strips_{};
  std::vector<Part> parts_;
  std::unique_ptr<Halo<double>> halo_;
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
