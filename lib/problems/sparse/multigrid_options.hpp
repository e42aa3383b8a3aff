// Keys of algebraic multigrid, whose defaults follow from a preset.
#pragma once

#include <optional>
#include <string>

#include "lib/amg/amg.hpp"
#include "lib/base/describe.hpp"
#include "lib/problems/sparse/sources/file/file_options.hpp"

namespace halocline::amg {

constexpr auto words_of(Precision) {
  return std::to_array<Word<Precision>>({{"fp32", Precision::fp32}, {"fp64", Precision::fp64}});
}
constexpr auto words_of(CoarseningKind) {
  return std::to_array<Word<CoarseningKind>>(
      {{"classical", CoarseningKind::classical}, {"aggregation", CoarseningKind::aggregation}});
}
constexpr auto words_of(SmootherKind) {
  return std::to_array<Word<SmootherKind>>({{"jacobi", SmootherKind::jacobi}, {"chebyshev", SmootherKind::chebyshev}});
}

}  // namespace halocline::amg

namespace halocline::multigrid {

constexpr auto words_of(CycleKind) {
  return std::to_array<Word<CycleKind>>({{"v", CycleKind::v}, {"w", CycleKind::w}, {"f", CycleKind::f}});
}

}  // namespace halocline::multigrid

namespace halocline::sparse {

// robust: fp64, smoothing that converges for any symmetric positive definite matrix, twice; memory: small levels, by
// aggregation; report: the smoother of Rosenberger and Haase, SFB-Report 2017-010, in fp64.
enum class Preset { fast, robust, memory, report };
constexpr auto words_of(Preset) {
  return std::to_array<Word<Preset>>(
      {{"fast", Preset::fast}, {"robust", Preset::robust}, {"memory", Preset::memory}, {"report", Preset::report}});
}

enum class InterpolationKind { extended_i, extended };
constexpr auto words_of(InterpolationKind) {
  return std::to_array<Word<InterpolationKind>>(
      {{"extended_i", InterpolationKind::extended_i}, {"extended", InterpolationKind::extended}});
}

// What coarse levels of aggregation must be able to show: constants, of every unknown of a node, or what moves and
// turns a body as it is.
enum class NearNullSpace { constants, rigid_body };
constexpr auto words_of(NearNullSpace) {
  return std::to_array<Word<NearNullSpace>>(
      {{"constants", NearNullSpace::constants}, {"rigid_body", NearNullSpace::rigid_body}});
}

struct MultigridOptions final : Options {
  Preset preset = Preset::fast;
  double theta = 0.27;
  InterpolationKind interpolation = InterpolationKind::extended_i;
  Index entries = 4, coarse_max = 1024;
  double max_complexity = 6;
  std::optional<NearNullSpace> near_null_space = NearNullSpace::constants;  // none: a file
  VectorFileOptions near_null_file;
  multigrid::CycleKind cycle = multigrid::CycleKind::v;
  amg::SmootherKind smoother = amg::SmootherKind::jacobi;
  Index degree = 2;
  // Defaults by the preset:
  amg::CoarseningKind type = amg::CoarseningKind::classical;
  amg::Precision precision = amg::Precision::fp32;
  Index sweeps = 1;
  double omega = 0.8;
  std::string bound = "1.9";  // a number or none
  void describe(Describer& d) override;

  bool aggregates() const { return type == amg::CoarseningKind::aggregation; }
  bool bound_is_known() const;  // whether `bound` is a positive number or none
  amg::AmgOptions made() const;

 private:
  bool type_given_ = false, precision_given_ = false, sweeps_given_ = false, omega_given_ = false, bound_given_ = false;
};

}  // namespace halocline::sparse
