// Test matrices over double and float that couple rows of one chunk alone and so need no exchange, and preconditioners
// for them that are no multiple of the identity. Kernel-file header: the bodies are launched like any other.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "gpu/launch.hpp"
#include "lib/krylov/krylov.hpp"
#include "mpi/partition.hpp"

namespace halocline {

constexpr Index chunk_rows = 8 * lanes;

// Row i: (2 coupling + shift + wave (i mod 7)) x_i - coupling ((1 + skew) x_{i-1} + (1 - skew) x_{i+1}), without the
// neighbors of other chunks. Symmetric for skew = 0, positive definite for shift > 0.
struct MatrixShape {
  double skew = 0, shift = 0.05, wave = 0.2, coupling = 1;
  HALOCLINE_HD double diagonal(Index row) const { return 2 * coupling + shift + wave * static_cast<double>(row % 7); }
  HALOCLINE_HD double left(Index row) const { return row % chunk_rows == 0 ? 0 : -coupling * (1 + skew); }
  HALOCLINE_HD double right(Index row) const { return (row + 1) % chunk_rows == 0 ? 0 : -coupling * (1 - skew); }
  double largest_row_sum() const { return 4 * coupling + shift + 6 * wave; }
};

template <class T>
struct ChunkMatrixBody {
  const T* x;
  T* y;
  Index first, total;
  MatrixShape shape;
  HALOCLINE_HD void operator()(Index i) const {
    const Index row = first + i;
    T sum = static_cast<T>(shape.diagonal(row)) * x[i];
    if (shape.left(row) != 0) sum += static_cast<T>(shape.left(row)) * x[i - 1];
    if (shape.right(row) != 0 && row + 1 < total) sum += static_cast<T>(shape.right(row)) * x[i + 1];
    y[i] = row < total ? sum : T{0};
  }
};

template <class T>
struct DiagonalBody {
  const T* x;
  T* y;
  Index first, total;
  MatrixShape shape;
  HALOCLINE_HD void operator()(Index i) const {
    y[i] = first + i < total ? x[i] / static_cast<T>(shape.diagonal(first + i)) : T{0};
  }
};

// Rows cut over the parts of all ranks.
struct ChunkRows {
  ChunkRows(const Communicator& comm, const Team& team, Index row_count) : total(row_count) {
    const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
    const Index chunks = (total + chunk_rows - 1) / chunk_rows;
    const Partition partition(chunks, 1, weights);
    VectorLayout layout;
    layout.rows = chunk_rows / lanes;
    layout.lane_is_chunk = false;
    for (int p = 0; p < team.parts(); ++p) {
      const Range<1> block = partition.block(team.first_part() + p);
      first.push_back(block.lo[0] * chunk_rows);
      layout.groups.push_back(block.extent(0));
      layout.used.push_back(std::min(layout.size(p), total - first.back()));
    }
    space = std::make_shared<VectorSpace>(comm, team, layout);
  }

  // Fills a vector from a function of the row.
  template <class T, class F>
  void set(Vector<T>& x, const F& f) const {
    for (int p = 0; p < space->team().parts(); ++p) {
      std::vector<T> own(static_cast<std::size_t>(x.part(p).size()), T{0});
      for (Index i = 0; i < space->layout().used_size(p); ++i) own[i] = static_cast<T>(f(first[p] + i));
      x.assign(p, own);
    }
  }
  // Largest |x_i - f(i)| over the rows of all ranks.
  template <class T, class F>
  double largest_difference(const Vector<T>& x, const F& f) const {
    std::array<double, 1> largest{0};
    for (int p = 0; p < space->team().parts(); ++p) {
      const std::vector<T> own = x.to_host(p);
      for (Index i = 0; i < space->layout().used_size(p); ++i)
        largest[0] = std::max(largest[0], std::abs(static_cast<double>(own[i]) - f(first[p] + i)));
    }
    space->comm().max(largest);
    return largest[0];
  }

  Index total;
  std::vector<Index> first;  // of every part of this rank
  VectorSpacePtr space;
};

template <class T>
class ChunkMatrix final : public Operator<T> {
 public:
  ChunkMatrix(const ChunkRows& rows, const MatrixShape& shape) : rows_(rows), shape_(shape) {}
  void apply(const Vector<T>& x, Vector<T>& y) const override {
    rows_.space->team().each([&](int p) {
      launch(*rows_.space->team().executor(p), "chunk matrix", Range<1>{{0}, {x.part(p).size()}},
             ChunkMatrixBody<T>{x.part(p).data, y.part(p).data, rows_.first[p], rows_.total, shape_});
    });
  }
  bool only_launches() const override { return rows_.space->team().total_parts() == 1; }

 private:
  const ChunkRows& rows_;
  MatrixShape shape_;
};

// Division by the matrix's diagonal, which is not constant.
template <class T>
class DiagonalInverse final : public Operator<T> {
 public:
  DiagonalInverse(const ChunkRows& rows, const MatrixShape& shape) : rows_(rows), shape_(shape) {}
  void apply(const Vector<T>& x, Vector<T>& y) const override {
    rows_.space->team().each([&](int p) {
      launch(*rows_.space->team().executor(p), "diagonal", Range<1>{{0}, {x.part(p).size()}},
             DiagonalBody<T>{x.part(p).data, y.part(p).data, rows_.first[p], rows_.total, shape_});
    });
  }

 private:
  const ChunkRows& rows_;
  MatrixShape shape_;
};

// (2 - A/c)/c, two steps of Richardson's iteration: symmetric where A is, full within chunks, positive definite for
// eigenvalues of A below 2 c.
template <class T>
class TwoSteps final : public Operator<T> {
 public:
  TwoSteps(const ChunkRows& rows, const MatrixShape& shape) : A_(rows, shape), c_(shape.largest_row_sum() / 1.5) {}
  void apply(const Vector<T>& x, Vector<T>& y) const override {
    A_.apply(x, y);
    combine(2 / c_, x, -1 / (c_ * c_), 0, x, y);
  }

 private:
  ChunkMatrix<T> A_;
  double c_;
};

// y = factor x
template <class T>
class Multiple final : public Operator<T> {
 public:
  explicit Multiple(double factor) : factor_(factor) {}
  void apply(const Vector<T>& x, Vector<T>& y) const override { combine(factor_, x, 0, 0, x, y); }

 private:
  double factor_;
};

}  // namespace halocline
