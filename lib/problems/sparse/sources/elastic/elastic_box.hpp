// ElasticBoxSource: linear elasticity on a box of cubes, bilinear along every axis, clamped on one side.
#pragma once

#include <array>
#include <optional>

#include "lib/problems/sparse/sources/elastic/elastic_kernels.hpp"
#include "lib/problems/sparse/sources/elastic/elastic_mesh.hpp"
#include "lib/problems/sparse/sources/elastic/elastic_options.hpp"
#include "lib/problems/sparse/sources/source.hpp"

namespace halocline::sparse {

// The matrix of one cube of edge 1 by 2 x 2 x 2 Gauss points, [a][c][b][d] of corners a, b (x + 2 y + 4 z) and
// components c, d; symmetric to the bit.
std::array<double, 576> cube_matrix(double young, double poisson);

struct ElasticModel {
  ElasticLayout layout;
  double young = 1, poisson = 0;
  Index entries() const { return layout.entries_before(layout.rows()); }
};

// Nothing, with faults reported, when something is wrong.
std::optional<ElasticModel> make_elastic_model(const ElasticOptions& options, Faults& faults);

class ElasticBoxSource final : public RowSource {
 public:
  explicit ElasticBoxSource(const ElasticModel& model) : model_(model) {}

  const ElasticModel& model() const { return model_; }
  Index rows() const override { return model_.layout.rows(); }
  std::unique_ptr<SourceMesh> mesh() const override { return std::make_unique<ElasticMesh>(model_.layout); }
  std::unique_ptr<PartRows> part(const ExecutorPtr& executor, const Range<1>& own, double t) const override;

 private:
  ElasticModel model_;
};

// Three translations and three rotations about the center of the box, on rows `own`.
constexpr int rigid_body_modes = 6;
std::array<Array<double, 1>, rigid_body_modes> rigid_body(const ExecutorPtr& executor, const ElasticLayout& layout,
                                                          const Range<1>& own);

}  // namespace halocline::sparse
