// The block `data` of a family: names that stand for fields in files, for formulas to use like functions of place.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/expression/raster.hpp"

namespace halocline {

enum class RasterValues { cells, nodes };
constexpr auto words_of(RasterValues) {
  return std::to_array<Word<RasterValues>>({{"cells", RasterValues::cells}, {"nodes", RasterValues::nodes}});
}

constexpr auto words_of(Interpolation) {
  return std::to_array<Word<Interpolation>>({{"linear", Interpolation::linear},
                                             {"conservative", Interpolation::conservative},
                                             {"nearest", Interpolation::nearest}});
}

struct DataOptions final : Options {
  std::vector<NamedFormula> file;
  std::string dataset, field, time;
  std::vector<std::vector<double>> extent;  // by axis, the ends; empty: those of the domain
  RasterValues values = RasterValues::cells;
  bool values_given = false;
  Interpolation interpolation = Interpolation::linear;
  void describe(Describer& d) override;
};

struct DataKept;  // see read_data.cpp

struct DataList final : OptionsList {
  std::vector<DataOptions> blocks;
  std::vector<std::string> names;
  Index size() const override { return static_cast<Index>(blocks.size()); }
  Options& at(Index number) override { return blocks[static_cast<std::size_t>(number)]; }
  Options& add() override { return blocks.emplace_back(); }
  std::unique_ptr<Options> sample() const override { return std::make_unique<DataOptions>(); }
  // The key `data`; makes its names known in `names`, which is to be described afterwards.
  void describe(Describer& d, Definitions& names);
  // What read_data() has read for a domain: plan and problem ask for the same.
  mutable std::shared_ptr<const DataKept> kept = nullptr;
};

}  // namespace halocline
