// A small test matrix: -u'' + s u' + u on a line with u = 0 at both ends, second order differences, rows cut over
// parts. Kernel-file header: the body is launched like any other.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "gpu/launch.hpp"
#include "lib/linalg/operator.hpp"
#include "mpi/halo/halo.hpp"
#include "mpi/partition.hpp"

namespace halocline {

// Chunks of 1024 rows, each a group of 128 x lanes.
constexpr Index rows_per_chunk = 1024;

struct DifferenceBody {
  const double* x;
  const double* ghost;  // left, right neighbor value
  double* y;
  Index first, count, total;
  double skew, diagonal;
  HALOCLINE_HD void operator()(Index i) const {
    if (first + i >= total) {
      y[i] = 0;
      return;
    }
    const double left = i > 0 ? x[i - 1] : ghost[0];
    const double right = first + i + 1 >= total ? 0 : (i + 1 < count ? x[i + 1] : ghost[1]);
    y[i] = diagonal * x[i] - (1 + skew) * left - (1 - skew) * right;
  }
};

class Differences final : public Operator<double> {
 public:
  Differences(const Communicator& comm, const Team& team, Index total, double skew, double shift)
      : team_(team), total_(total), skew_(skew), diagonal_(2 + shift) {
    const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
    const Index chunks = (total + rows_per_chunk - 1) / rows_per_chunk;
    const Partition partition(chunks * rows_per_chunk, rows_per_chunk, weights);
    VectorLayout layout;
    layout.rows = rows_per_chunk / lanes;
    layout.lane_is_chunk = false;
    std::vector<Index> rows;
    for (int p = 0; p < team.parts(); ++p) {
      const int part = team.first_part() + p;
      const Range<1> block = partition.block(part);
      blocks_.push_back(block);
      layout.groups.push_back(block.extent(0) / rows_per_chunk);
      rows.push_back(block.extent(0));
      ghosts_.emplace_back(team.executor(p), std::array<Index, 1>{2});
      const std::vector<double> none(2, 0.0);
      ghosts_.back().assign(none);
    }
    space_ = std::make_shared<VectorSpace>(comm, team, layout);
    halo_ = std::make_unique<Halo<double>>(comm, team, edge_links(team, rows, 1));
  }

  const VectorSpacePtr& space() const { return space_; }

  void apply(const Vector<double>& x, Vector<double>& y) const override {
    std::vector<View<const double, 1>> owned;
    std::vector<View<double, 1>> ghosts;
    for (int p = 0; p < team_.parts(); ++p) {
      owned.push_back(x.part(p));
      ghosts.push_back(ghosts_[p].view());
    }
    halo_->start(owned);
    halo_->finish(ghosts);
    team_.each([&](int p) {
      const Range<1>& block = blocks_[p];
      launch(*team_.executor(p), "differences", Range<1>{{0}, {block.extent(0)}},
             DifferenceBody{owned[p].data, ghosts[p].data, y.part(p).data, block.lo[0], block.extent(0), total_, skew_,
                            diagonal_});
    });
  }

  // Fills a vector from a function of the row.
  template <class F>
  void set(Vector<double>& x, const F& f) const {
    for (int p = 0; p < team_.parts(); ++p) {
      std::vector<double> host(static_cast<std::size_t>(blocks_[p].extent(0)), 0.0);
      for (Index i = 0; i < blocks_[p].extent(0); ++i)
        if (blocks_[p].lo[0] + i < total_) host[i] = f(blocks_[p].lo[0] + i);
      team_.executor(p)->copy_in(x.part(p).data, host.data(), host.size() * sizeof(double));
    }
  }

  // Largest |x_i - f(i)| over this rank's rows.
  template <class F>
  double largest_difference(const Vector<double>& x, const F& f) const {
    double largest = 0;
    for (int p = 0; p < team_.parts(); ++p) {
      std::vector<double> host(static_cast<std::size_t>(blocks_[p].extent(0)));
      team_.executor(p)->copy_out(host.data(), x.part(p).data, host.size() * sizeof(double));
      for (Index i = 0; i < blocks_[p].extent(0) && blocks_[p].lo[0] + i < total_; ++i)
        largest = std::max(largest, std::abs(host[i] - f(blocks_[p].lo[0] + i)));
    }
    return largest;
  }

 private:
  const Team& team_;
  Index total_;
  double skew_, diagonal_;
  std::vector<Range<1>> blocks_;
  mutable std::vector<Array<double, 1>> ghosts_;
  VectorSpacePtr space_;
  std::unique_ptr<Halo<double>> halo_;
};

}  // namespace halocline
