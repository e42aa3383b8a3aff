// Systems with algebraic multigrid as their preconditioner, for tests.
#pragma once

#include "lib/amg/amg.hpp"
#include "lib/krylov/krylov.hpp"
#include "tests/unit/amg/amg_cases.hpp"

namespace halocline::amg {

using sparse::Devices;
using sparse::DistCrs;
using sparse::DistMatrix;
using sparse::RowSpacePtr;

// A matrix on some layout with its preconditioner.
class System {
 public:
  System(const Devices& devices, const WholeMatrix& whole, Partition partition, const AmgOptions& options)
      : System(devices.space(std::move(partition)), options,
               [&](const RowSpacePtr& rows) { return distribute(whole, rows, rows); }) {}
  // `make(rows)` gives the matrix.
  template <class Make>
  System(RowSpacePtr rows, const AmgOptions& options, const Make& make, RowKinds kinds = {})
      : rows_(std::move(rows)),
        a_(make(rows_)),
        matrix_(a_),
        amg_(a_, matrix_, options, std::vector<double>(static_cast<std::size_t>(rows_->team().total_parts()), 1),
             std::move(kinds)) {}

  // Other values of the same pattern.
  void renew(const WholeMatrix& whole) {
    a_ = distribute(whole, rows_, rows_);
    matrix_.renew(a_);
    amg_.refresh(a_);
  }

  const Amg& amg() const { return amg_; }
  const DistMatrix& matrix() const { return matrix_; }

  Vector<double> enter(const std::vector<double>& all) const {
    std::vector<Array<double, 1>> natural;
    for (int p = 0; p < rows_->team().parts(); ++p) {
      const Range<1> own = rows_->own(p);
      natural.push_back(
          make_array(rows_->team().executor(p), std::vector<double>(all.begin() + own.lo[0], all.begin() + own.hi[0])));
    }
    Vector<double> x(matrix_.space());
    matrix_.enter(natural, x);
    for (int p = 0; p < rows_->team().parts(); ++p) rows_->team().executor(p)->synchronize();
    return x;
  }
  std::vector<double> leave(const Vector<double>& x) const {
    std::vector<Array<double, 1>> natural;
    for (int p = 0; p < rows_->team().parts(); ++p)
      natural.emplace_back(rows_->team().executor(p), std::array<Index, 1>{rows_->own_size(p)});
    matrix_.leave(x, natural);
    std::vector<double> own;
    for (const auto& part : natural) {
      const std::vector<double> values = part.to_host();
      own.insert(own.end(), values.begin(), values.end());
    }
    return gather_lists(rows_->comm(), own).values;
  }
  std::vector<double> apply(const std::vector<double>& all) const {
    const Vector<double> x = enter(all);
    Vector<double> y(matrix_.space());
    amg_.apply(x, y);
    return leave(y);
  }
  // Iterations from zero; -1 where the method does not converge.
  int iterations(double tolerance, const std::vector<double>& rhs, const char* method = "cg") const {
    KrylovOptions options;
    options.tolerance = tolerance;
    options.max_iterations = 300;
    const Vector<double> b = enter(rhs);
    Vector<double> x(matrix_.space());
    const auto solver = make_krylov<double>(method, matrix_.space(), options);
    solver->begin(matrix_, &amg_, b, x);
    while (!solver->iterate(10)) {
    }
    return solver->report().converged() ? solver->report().iterations : -1;
  }
  // The same by CG for a right-hand side of ones.
  int iterations(double tolerance) const {
    return iterations(tolerance, std::vector<double>(static_cast<std::size_t>(rows_->size()), 1));
  }

 private:
  RowSpacePtr rows_;
  DistCrs a_;
  DistMatrix matrix_;
  Amg amg_;
};

inline Partition whole_partition(Index rows) { return Partition::from_starts({0, rows}); }

}  // namespace halocline::amg
