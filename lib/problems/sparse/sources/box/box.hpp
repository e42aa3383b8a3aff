// BoxSource: finite volumes on a box, from formulas, evaluated on the device that holds the rows.
#pragma once

#include "lib/fields/formula_grid.hpp"
#include "lib/problems/sparse/sources/box/box_model.hpp"
#include "lib/problems/sparse/sources/source.hpp"

namespace halocline::sparse {

class BoxSource final : public RowSource {
 public:
  explicit BoxSource(BoxModel model, FormulaPath path = FormulaPath::of_executor)
      : model_(std::move(model)), path_(path) {}

  const BoxModel& model() const { return model_; }
  Index rows() const override { return model_.layout.rows(); }
  RowNumbers row_numbers() const override;
  std::unique_ptr<PartRows> part(const ExecutorPtr& executor, const Range<1>& own, double t) const override;
  // k at the unknowns `own`, with the factors of a random medium.
  Array<double, 1> conductivity(const ExecutorPtr& executor, const Range<1>& own, double t) const;
  bool matrix_depends_on_time() const override { return model_.matrix_depends_on_time(); }
  bool depends_on_time() const override { return model_.depends_on_time(); }

 private:
  BoxModel model_;
  FormulaPath path_;
};

// Values of a formula at the unknowns `rows` at time t, in memory of the executor.
Array<double, 1> at_unknowns(const ExecutorPtr& executor, const BoxLayout& layout, const Expression& expression,
                             const Range<1>& rows, double t, FormulaPath path = FormulaPath::of_executor);

}  // namespace halocline::sparse
