#include "lib/amg/refresh.hpp"

#include <utility>

#include "lib/amg/coarsest.hpp"
#include "lib/amg/level.hpp"

namespace halocline::amg {

template <class T>
Refresh<T>::Refresh(std::vector<std::unique_ptr<Stage>> stages, const WeightOptions& weights,
                    std::shared_ptr<Ends> ends, VectorSpacePtr coarsest)
    : stages_(std::move(stages)), weights_(weights), ends_(std::move(ends)), coarsest_(std::move(coarsest)) {
  stages_.front()->a = nullptr;  // the caller's, and of old values
  for (const auto& stage : stages_) {
    stage->strength.reset();
    stage->scaling.reset();
    stage->numbers.clear();
  }
}

template <class T>
void Refresh<T>::renew(Stage& stage, Stage* next, multigrid::Level<T>& level) {
  const auto scope = team().scope("refresh/formats");
  if (stage.held) stage.held->again(*stage.a);
  const ScaledValues matrix = matrix_values(stage);
  std::optional<ScaledValues> restriction, prolongation;
  if (next != nullptr) {
    restriction.emplace(restriction_values(stage, *next));
    prolongation.emplace(prolongation_values(stage, *next));
  }
  static_cast<Level<T>&>(level).renew(matrix, restriction ? &*restriction : nullptr,
                                      prolongation ? &*prolongation : nullptr, stage.scaling->largest_row());
  for (int p = 0; p < team().parts(); ++p) team().executor(p)->synchronize();  // factors are in use until then
}

template <class T>
void Refresh<T>::run(const sparse::DistCrs& a, multigrid::Hierarchy<T>& levels, HierarchyFacts& facts) {
  stages_.front()->a = &a;
  const std::size_t count = stages_.size();
  for (std::size_t l = 0; l < count; ++l) {
    Stage& stage = *stages_[l];
    if (l > 0) {
      const auto scope = team().scope("refresh/products");
      multiply_again(*stages_[l - 1], stage);
    }
    const auto scope = team().scope("refresh/formats");
    set_scaling(stage, row_sizes(*stage.a), facts.inverted && l + 1 == count, weights_);
    facts.levels[l].smallest_weight = stage.facts.smallest_weight;
    facts.levels[l].mean_weight = stage.facts.mean_weight;
  }
  fill_ends(*stages_.front(), *ends_);
  for (std::size_t l = 0; l + 1 < count; ++l) renew(*stages_[l], &*stages_[l + 1], levels.level(static_cast<int>(l)));
  if (facts.inverted) {
    const auto scope = team().scope("refresh/coarsest");
    levels.replace_coarsest(inverse_of<T>(*stages_.back(), coarsest_));
  } else {
    renew(*stages_.back(), nullptr, levels.level(static_cast<int>(count) - 1));
  }
  levels.forget_launches();
  for (const auto& stage : stages_) stage->scaling.reset();
  stages_.front()->a = nullptr;
}

template class Refresh<double>;
template class Refresh<float>;

}  // namespace halocline::amg
