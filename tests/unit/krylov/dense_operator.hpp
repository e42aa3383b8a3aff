// DenseOperator: a small matrix on one part, multiplied on the host; for tests of methods, not of speed.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/operator.hpp"

namespace halocline {

template <class T>
class DenseOperator final : public Operator<T> {
 public:
  // n x n, row-major, n at most 16: one chunk.
  DenseOperator(const Communicator& comm, const Team& team, Index n, std::vector<double> a) : n_(n), a_(std::move(a)) {
    require(n <= 16 && static_cast<Index>(a_.size()) == n * n, "DenseOperator: a small square matrix");
    VectorLayout layout;
    layout.rows = 2;
    layout.groups = {1};
    layout.lane_is_chunk = false;
    space_ = std::make_shared<VectorSpace>(comm, team, layout);
  }
  const VectorSpacePtr& space() const { return space_; }
  const std::vector<double>& matrix() const { return a_; }

  void apply(const Vector<T>& x, Vector<T>& y) const override {
    const std::vector<double> from = values(x);
    std::vector<double> to(from.size(), 0.0);
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j)
        if (a_[i * n_ + j] != 0) to[i] += a_[i * n_ + j] * from[j];  // as sparse matrices: zeros hide infinite numbers
    set(y, to);
  }

  std::vector<double> values(const Vector<T>& x) const {
    const std::vector<T> host = x.to_host(0);
    return {host.begin(), host.begin() + n_};
  }
  void set(Vector<T>& x, const std::vector<double>& values) const {
    std::vector<T> host(16, T{0});
    for (Index i = 0; i < n_; ++i) host[i] = static_cast<T>(values[i]);
    x.assign(0, host);
  }

 private:
  Index n_;
  std::vector<double> a_;
  VectorSpacePtr space_;
};

}  // namespace halocline
