#include "lib/linalg/sparse/one_level.hpp"

#include <algorithm>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/linalg/sparse/one_level_kernels.hpp"

namespace halocline::sparse {

namespace {

// In the natural order of the rows.
std::vector<Array<double, 1>> natural_weights(const DistCrs& a, const RowWeights& weights) {
  std::vector<Array<double, 1>> made;
  for (int p = 0; p < a.team().parts(); ++p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const Index rows = a.rows().own_size(p);
    made.emplace_back(executor, std::array<Index, 1>{rows});
    launch(*executor, {"weights of rows", 12.0 * static_cast<double>(a.view(p).entries())}, Range<1>{{0}, {rows}},
           RowWeightBody{a.view(p), a.ghosts(p).below, weights.omega, weights.bound, made.back().view()});
  }
  return made;
}

template <class MakeBody>
void each_number(const Vector<double>& x, const char* name, double bytes, const MakeBody& make_body) {
  const VectorSpace& space = x.space();
  space.team().each([&](int p) {
    const Index size = space.layout().size(p);
    launch(*space.team().executor(p), {name, bytes * static_cast<double>(size)}, Range<1>{{0}, {size}}, make_body(p));
  });
}

class Jacobi final : public Operator<double> {
 public:
  Jacobi(const DistCrs& a, const DistMatrix& matrix, const RowWeights& weights) : w_(matrix.space()) {
    matrix.enter(natural_weights(a, weights), w_);
  }
  void apply(const Vector<double>& x, Vector<double>& y) const override {
    each_number(x, "weigh", 24, [&](int p) { return WeighBody{w_.part(p), x.part(p), y.part(p)}; });
  }

 private:
  Vector<double> w_;
};

class Chebyshev final : public Operator<double> {
 public:
  Chebyshev(const DistCrs& a, const DistMatrix& matrix, const RowWeights& weights, int degree)
      : matrix_(matrix),
        degree_(degree),
        w_(matrix.space()),
        r_(matrix.space()),
        d_(matrix.space()),
        t_(matrix.space()) {
    const auto natural = natural_weights(a, weights);
    matrix.enter(natural, w_);
    std::vector<double> largest(static_cast<std::size_t>(a.team().parts()), 0.0);
    a.team().each([&](int p) {
      largest[static_cast<std::size_t>(p)] =
          reduce(*a.team().executor(p), "largest row sum", Range<1>{{0}, {a.rows().own_size(p)}}, 0.0, LargerNumber{},
                 WeightedRowSumBody{a.view(p), natural[static_cast<std::size_t>(p)].view()});
    });
    for (const double value : largest) largest_ = std::max(largest_, value);
    a.rows().comm().max(std::span(&largest_, 1));
  }

  void apply(const Vector<double>& x, Vector<double>& y) const override {
    copy(x, r_);
    fill(d_, 0);
    fill(y, 0);
    advance(0, 4 / (3 * largest_), y);
    for (int j = 2; j <= degree_; ++j) {
      matrix_.apply(d_, t_);
      axpy(-1, t_, r_);
      advance((2.0 * j - 3) / (2 * j + 1), (8.0 * j - 4) / ((2 * j + 1) * largest_), y);
    }
  }

 private:
  void advance(double b, double c, Vector<double>& y) const {
    each_number(y, "chebyshev", 48, [&](int p) {
      return ChebyshevBody{w_.part(p), std::as_const(r_).part(p), b, c, d_.part(p), y.part(p)};
    });
  }

  const DistMatrix& matrix_;
  int degree_;
  Vector<double> w_;
  mutable Vector<double> r_, d_, t_;
  double largest_ = 0;
};

}  // namespace

std::unique_ptr<Operator<double>> make_jacobi(const DistCrs& a, const DistMatrix& matrix, const RowWeights& weights) {
  return std::make_unique<Jacobi>(a, matrix, weights);
}

std::unique_ptr<Operator<double>> make_chebyshev(const DistCrs& a, const DistMatrix& matrix, const RowWeights& weights,
                                                 int degree) {
  return std::make_unique<Chebyshev>(a, matrix, weights, degree);
}

}  // namespace halocline::sparse
