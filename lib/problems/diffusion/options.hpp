// Keys of family diffusion: grid, equation, walls, stencil, time, and what to verify.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/fields/side_options.hpp"
#include "lib/fields/uniform_grid.hpp"
#include "lib/problems/data/data_options.hpp"
#include "lib/problems/diffusion/kernel_choice.hpp"

namespace halocline::diffusion {

// Variables of formulas, in the order programs take them; a formula may use the first of them only, see below.
constexpr std::array<const char*, 5> variables{"x", "y", "z", "t", "c"};
constexpr std::array<const char*, 3> place_variables{"x", "y", "z"};
constexpr std::array<const char*, 4> moving_variables{"x", "y", "z", "t"};
constexpr std::array<const char*, 1> field_names{"c"};
constexpr std::array<const char*, 1> compat_formats{"hiperc"};  // for layout hiperc in 2D

enum class Layout { fv, hiperc };
constexpr auto words_of(Layout) {
  return std::to_array<Word<Layout>>({{"fv", Layout::fv}, {"hiperc", Layout::hiperc}});
}

enum class EquationKind { diffusion, allen_cahn, cahn_hilliard };
constexpr auto words_of(EquationKind) {
  return std::to_array<Word<EquationKind>>({{"diffusion", EquationKind::diffusion},
                                            {"allen_cahn", EquationKind::allen_cahn},
                                            {"cahn_hilliard", EquationKind::cahn_hilliard}});
}

enum class MeanChoice { harmonic, arithmetic };  // of D
constexpr auto words_of(MeanChoice) {
  return std::to_array<Word<MeanChoice>>({{"harmonic", MeanChoice::harmonic}, {"arithmetic", MeanChoice::arithmetic}});
}

enum class MaskName { five, nine, seven, twenty_seven, nineteen, cross4 };
constexpr auto words_of(MaskName) {
  return std::to_array<Word<MaskName>>({{"5pt", MaskName::five},
                                        {"9pt", MaskName::nine},
                                        {"7pt", MaskName::seven},
                                        {"27pt", MaskName::twenty_seven},
                                        {"19pt", MaskName::nineteen},
                                        {"cross4", MaskName::cross4}});
}
// Where a deck names none; `accurate`: of order 4 in one step of time, see StencilOptions.
constexpr MaskName default_mask(int dimensions, bool accurate) {
  if (accurate) return dimensions == 2 ? MaskName::nine : MaskName::twenty_seven;
  return dimensions == 2 ? MaskName::five : MaskName::seven;
}

enum class TimeMethod { euler, rkc, rkl2 };
constexpr auto words_of(TimeMethod) {
  return std::to_array<Word<TimeMethod>>(
      {{"euler", TimeMethod::euler}, {"rkc", TimeMethod::rkc}, {"rkl2", TimeMethod::rkl2}});
}

enum class OnLimit { shorten, stop };  // where a step comes to lie above the limit of stability
constexpr auto words_of(OnLimit) {
  return std::to_array<Word<OnLimit>>({{"shorten", OnLimit::shorten}, {"stop", OnLimit::stop}});
}

enum class Precision { fp64, fp32 };  // of the state
constexpr auto words_of(Precision) {
  return std::to_array<Word<Precision>>({{"fp64", Precision::fp64}, {"fp32", Precision::fp32}});
}

enum class Reference { none, carburizing_exact };
constexpr auto words_of(Reference) {
  return std::to_array<Word<Reference>>(
      {{"none", Reference::none}, {"carburizing_exact", Reference::carburizing_exact}});
}

struct GridOptions final : Options {
  Layout layout = Layout::fv;
  std::vector<double> size;    // fv: lengths along x, y, (z)
  std::vector<double> cells;   // fv
  std::vector<double> points;  // hiperc: with the ring of ghosts
  NamedNumbers spacing;        // hiperc
  std::vector<double> origin;  // coordinates of the low corner
  std::vector<double> parts;   // along y and z, in 2D along x and y; empty: chosen
  Index refinement = 1;
  void describe(Describer& d) override;
};

struct EquationOptions final : Options {
  EquationKind kind = EquationKind::diffusion;
  Formula diffusivity, initial, source, mobility, free_energy;
  NamedNumbers anisotropy;  // factors of D along the axes
  MeanChoice face_mean = MeanChoice::harmonic;
  bool face_mean_given = false;
  double kappa = 0, rho = 0;  // 0: not given
  std::vector<double> wells;
  void describe(Describer& d) override;
};

// What is given on a piece of a side.
struct SegmentOptions final : Options, SideCondition {
  NamedNumbers from, to;  // along the side; left out: from its beginning, to its end
  void describe(Describer& d) override;
};

struct RestOptions final : Options, SideCondition {
  bool given = false;
  void describe(Describer& d) override;
};

struct WallsOptions final : Options {
  std::array<ListOf<SegmentOptions>, 6> sides;
  RestOptions rest;
  void describe(Describer& d) override;
};

// Names of several fields, and the variables of their formulas: x, y, z, t, then these.
struct FieldNames {
  explicit FieldNames(const std::vector<std::string>& fields);
  FieldNames(const FieldNames&) = delete;
  FieldNames& operator=(const FieldNames&) = delete;
  std::vector<std::string> texts;
  std::vector<const char*> variables;  // of `texts` too
};

// The equation of one of several fields.
struct FieldEquationOptions final : Options {
  Formula diffusivity, source, initial;
  MeanChoice face_mean = MeanChoice::harmonic;
  std::string unit = "1";
  WallsOptions walls;
  bool has_walls = false;
  std::shared_ptr<const FieldNames> fields;
  void describe(Describer& d) override;
};

// Blocks by name of the field. Those with formulas of all fields are given their names.
template <class Block>
struct ByField final : OptionsList {
  std::vector<Block> blocks;
  std::vector<std::string> names;
  std::shared_ptr<const FieldNames> fields;
  Index size() const override { return static_cast<Index>(blocks.size()); }
  Options& at(Index number) override { return blocks[static_cast<std::size_t>(number)]; }
  Options& add() override { return prepared(blocks.emplace_back()); }
  std::unique_ptr<Options> sample() const override {
    auto block = std::make_unique<Block>();
    prepared(*block);
    return block;
  }
  // The block of a field; null: none.
  const Block* of(const std::string& field) const {
    for (std::size_t n = 0; n < names.size(); ++n)
      if (names[n] == field) return &blocks[n];
    return nullptr;
  }

 private:
  Block& prepared(Block& block) const {
    if constexpr (requires { block.fields; }) block.fields = fields;
    return block;
  }
};

struct MaskOptions final : Options {
  Index size = 0;
  std::vector<double> weights;
  bool laplacian = true;
  void describe(Describer& d) override;
};

struct StencilOptions final : Options {
  std::optional<MaskName> mask = MaskName::five;  // none: own
  bool mask_given = false;
  MaskOptions own;
  double co = 0, dt = 0;  // 0: not given
  bool accurate = false;
  void describe(Describer& d) override;
};

struct TimeOptions final : Options {
  TimeMethod method = TimeMethod::euler;
  double end = 0;
  double tolerance = 0;   // 0: not given, steps of one size
  Index most_stages = 0;  // 0: not given
  std::string steps_per_sweep = "auto";
  KernelChoice kernel = KernelChoice::automatic;
  OnLimit on_limit = OnLimit::shorten;
  bool exact_times = false;
  void describe(Describer& d) override;
};

struct BlockOptions final : Options {
  DataList data;
  Definitions names;
  GridOptions grid;
  EquationOptions equation;
  bool has_equation = false;
  std::vector<std::string> fields;  // empty: one, c
  ByField<FieldEquationOptions> equations;
  WallsOptions walls;
  bool has_walls = false;
  StencilOptions stencil;
  TimeOptions time;
  Precision precision = Precision::fp64;
  void describe(Describer& d) override;
};

// What is known of one of several fields.
struct FieldVerifyOptions final : Options {
  Formula exact;
  double max_error = 0, rms_error = 0, mass_balance = 0;  // 0: not checked
  std::vector<double> mass, min, max;                     // low, high
  void describe(Describer& d) override;
};

struct VerifyOptions final : Options {
  Formula exact;
  Reference reference = Reference::none;
  NamedNumbers max_error, rms_error;
  double mass_balance = 0;                 // 0: not checked
  std::vector<double> mass, wrss, energy;  // low, high
  ByField<FieldVerifyOptions> fields;
  void describe(Describer& d) override;
};

struct DiffusionOptions final : Options {
  BlockOptions block;
  VerifyOptions verify;
  void describe(Describer& d) override;
  void refine(int factor) override;
};

}  // namespace halocline::diffusion
