// Red-black Schur complement for constant coefficients: A = [[D_R, H_B], [H_R, D_B]] with lines ordered by color, red
// even, black odd. The iteration runs on (I - D_B^-1 H_R D_R^-1 H_B) x_B = b', b' = D_B^-1 (b_B - H_R D_R^-1 b_R); then
// x_R = D_R^-1 (b_R - H_B x_B). Sides have u given; their lines are kept uniform by mirror images.
#pragma once

#include <memory>
#include <vector>

#include "lib/linalg/operator.hpp"
#include "lib/problems/collocation/schur/assembly.hpp"
#include "lib/problems/collocation/schur/schur_product.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::collocation {

class SchurOperator final : public Operator<double> {
 public:
  // `blocks`: lines of every part of this rank. Throws NumericalError if the line factorization fails.
  SchurOperator(const Communicator& comm, const Team& team, std::vector<LineBlock> blocks,
                const ConstantEquation& equation, double hx, const Axis& y,
                ProductMethod method = ProductMethod::automatic);
  ~SchurOperator() override;

  const VectorSpacePtr& space() const { return space_; }  // of vectors on black lines
  const LineBlock& block(int part) const { return blocks_[part]; }

  // One exchange of two lines per part and neighbor, overlapped with the groups that need none.
  void apply(const Vector<double>& x, Vector<double>& y) const override { apply_with_dots(x, y, x); }
  Dots apply_with_dots(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const override;

  // One pass where s is x.
  StepSums apply_with_step_sums(const Vector<double>& x, Vector<double>& t, const Vector<double>& s,
                                const Vector<double>& r0) const override;

  bool only_launches() const override { return team_->total_parts() == 1; }
  void apply_with_device_dots(const Vector<double>& x, Vector<double>& y, const Vector<double>& w,
                              double* sums) const override;
  void apply_with_device_step_sums(const Vector<double>& s, Vector<double>& t, const Vector<double>& r0,
                                   double* sums) const override;

  // Keeps the right-hand side's red part and computes b'.
  void reduce(const std::vector<PartRightHandSide>& b, Vector<double>& b_prime);
  // Red lines from black ones, groups() + 1 groups per part as in PartRightHandSide::red.
  void recover(const Vector<double>& x);
  View<const double, 1> red(int part) const;

  const Traffic& sent() const { return halo_->sent(); }

 private:
  struct Part;
  void fill_ghosts(int part, const Vector<double>& x) const;
  ProductData data_of(int part, const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const;
  template <int K>
  void run_product(int part, const ProductData& data, bool inner) const;
  template <int K>
  std::array<double, K> multiply(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const;
  void multiply_on_device(const Vector<double>& x, Vector<double>& y, const Vector<double>& w,
                          const ProductSums& sums) const;

  const Team* team_;
  std::vector<LineBlock> blocks_;
  VectorSpacePtr space_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::unique_ptr<Halo<double>> halo_;
  mutable std::vector<View<const double, 1>> owned_;
  std::vector<View<double, 1>> received_;
};

}  // namespace halocline::collocation
