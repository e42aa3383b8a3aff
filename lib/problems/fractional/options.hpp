// Keys of family fractional: grid, equation, sides, time, solver, history, and what to verify.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/base/words.hpp"
#include "lib/fields/side_options.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/fractional/history/variant.hpp"
#include "lib/problems/fractional/space/precision_layout.hpp"
#include "lib/problems/fractional/weights/levels.hpp"
#include "lib/problems/fractional/weights/terms.hpp"

namespace halocline::fractional {

// Variables of formulas, in the order programs take them; a formula may use those of its list only.
constexpr std::array<const char*, 5> variables{"x", "y", "z", "t", "c"};
constexpr std::array<const char*, 3> place_variables{"x", "y", "z"};
constexpr std::array<const char*, 4> moving_variables{"x", "y", "z", "t"};
constexpr std::array<const char*, 1> time_variables{"t"};
constexpr int variable_t = 3, variable_c = 4;  // places among `variables`
constexpr std::array<const char*, 1> field_names{"c"};

enum class MeanChoice { harmonic, arithmetic };  // of D
constexpr auto words_of(MeanChoice) {
  return std::to_array<Word<MeanChoice>>({{"harmonic", MeanChoice::harmonic}, {"arithmetic", MeanChoice::arithmetic}});
}

constexpr auto words_of(Scheme) {
  return std::to_array<Word<Scheme>>({{"alikhanov", Scheme::alikhanov}, {"l1", Scheme::l1}, {"l1_t", Scheme::l1_t}});
}

constexpr auto words_of(Mesh) {
  return std::to_array<Word<Mesh>>({{"uniform_t", Mesh::uniform_t},
                                    {"uniform_psi", Mesh::uniform_psi},
                                    {"graded", Mesh::graded},
                                    {"graded_start", Mesh::graded_start}});
}

enum class Split { automatic, adi, unsplit, lod };
constexpr auto words_of(Split) {
  return std::to_array<Word<Split>>(
      {{"auto", Split::automatic}, {"adi", Split::adi}, {"unsplit", Split::unsplit}, {"lod", Split::lod}});
}

enum class Predictor { extrapolated, zero };
constexpr auto words_of(Predictor) {
  return std::to_array<Word<Predictor>>({{"extrapolated", Predictor::extrapolated}, {"zero", Predictor::zero}});
}

// Of the published LOD step: values of Dirichlet sides in its sweeps, and which of these take the source.
enum class Intermediate { end_time, consistent };
constexpr auto words_of(Intermediate) {
  return std::to_array<Word<Intermediate>>(
      {{"end_time", Intermediate::end_time}, {"consistent", Intermediate::consistent}});
}
enum class SourceSplit { thirds, first, last };
constexpr auto words_of(SourceSplit) {
  return std::to_array<Word<SourceSplit>>(
      {{"thirds", SourceSplit::thirds}, {"first", SourceSplit::first}, {"last", SourceSplit::last}});
}

enum class Advection { central, upwind };
constexpr auto words_of(Advection) {
  return std::to_array<Word<Advection>>({{"central", Advection::central}, {"upwind", Advection::upwind}});
}

enum class Engine { automatic, exponentials, direct, series };
constexpr auto words_of(Engine) {
  return std::to_array<Word<Engine>>({{"auto", Engine::automatic},
                                      {"exponentials", Engine::exponentials},
                                      {"direct", Engine::direct},
                                      {"series", Engine::series}});
}

constexpr auto words_of(Arithmetic) {
  return std::to_array<Word<Arithmetic>>(
      {{"fp64", Arithmetic::fp64}, {"fp32", Arithmetic::fp32}, {"fp16", Arithmetic::fp16}});
}

constexpr auto words_of(Precision) {
  return std::to_array<Word<Precision>>({{"fp64", Precision::fp64},
                                         {"mixed", Precision::mixed},
                                         {"fp32", Precision::fp32},
                                         {"fp16_history", Precision::fp16_history}});
}

enum class Reference { none, mittag_leffler };
constexpr auto words_of(Reference) {
  return std::to_array<Word<Reference>>({{"none", Reference::none}, {"mittag_leffler", Reference::mittag_leffler}});
}

struct GridOptions final : Options {
  std::vector<double> size, cells, origin;  // three each; origin may be empty: zeros
  std::vector<double> parts;                // along y and z; empty: chosen
  Index refinement = 1;
  void describe(Describer& d) override;
};

struct TermOptions final : Options {
  double order = 0;
  Formula coefficient;  // 1 if not given
  void describe(Describer& d) override;
};

struct VelocityOptions final : Options {
  std::array<Formula, 3> along;
  void describe(Describer& d) override;
};

struct EquationOptions final : Options {
  Formula order;  // a number or a formula of t; or
  ListOf<TermOptions> terms;
  Formula psi;
  Formula diffusivity, sigma, reaction, source, initial;
  NamedNumbers anisotropy;  // factors of D along the axes
  MeanChoice face_mean = MeanChoice::harmonic;
  VelocityOptions velocity;
  void describe(Describer& d) override;
};

struct SideOptions final : Options, SideCondition {
  bool given = false;
  void describe(Describer& d) override;
};

struct SidesOptions final : Options {
  std::array<SideOptions, 6> sides;
  SideOptions rest;
  void describe(Describer& d) override;
};

inline constexpr double most_steps = 1e7;

struct TimeOptions final : Options {
  double end = 0;
  Index steps = 0;     // up to it
  double horizon = 0;  // 0: end
  Scheme scheme = Scheme::alikhanov;
  Mesh mesh = Mesh::uniform_t;
  double grading = 0;      // 0: by the smallest order
  Index start_steps = 64;  // of graded_start
  bool start_steps_given = false;
  void describe(Describer& d) override;
};

struct SolverOptions final : Options {
  Split split = Split::automatic;
  double split_error = 1e-3;  // auto: of one step, relative to the largest c
  double tol = 1e-8;          // of unsplit steps
  Index maxit = 2000;
  bool split_error_given = false, tol_given = false, maxit_given = false;
  Predictor predictor = Predictor::extrapolated;
  Advection advection = Advection::central;
  Intermediate intermediate = Intermediate::end_time;
  SourceSplit source_split = SourceSplit::thirds;
  bool intermediate_given = false, source_split_given = false;
  void describe(Describer& d) override;
};

struct HistoryOptions final : Options {
  Engine engine = Engine::automatic;
  double eps = 1e-9;  // relative error of the kernel
  Index block = 16;   // steps
  Index terms = 16;   // of the series
  Arithmetic arithmetic = Arithmetic::fp64;
  Index vector = 1;
  bool tensor = false;
  bool block_given = false, terms_given = false;
  void describe(Describer& d) override;
};

struct BlockOptions final : Options {
  Definitions names;
  GridOptions grid;
  EquationOptions equation;
  SidesOptions sides;
  TimeOptions time;
  SolverOptions solver;
  HistoryOptions history;
  Precision precision = Precision::fp64;
  void describe(Describer& d) override;
};

struct VerifyOptions final : Options {
  Formula exact;
  Reference reference = Reference::none;
  double rate = 0;  // of the reference; 0: not given
  NamedNumbers max_error, rms_error;
  double mass_balance = 0;   // 0: not checked
  std::vector<double> mass;  // low, high
  void describe(Describer& d) override;
};

struct FractionalOptions final : Options {
  BlockOptions block;
  VerifyOptions verify;
  void describe(Describer& d) override;
  void refine(int factor) override;
};

}  // namespace halocline::fractional
