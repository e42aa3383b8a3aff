// A level under set-up, and the step to the next one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lib/amg/setup/aggregation/nodes.hpp"
#include "lib/amg/setup/coarse_choice.hpp"
#include "lib/amg/setup/coarse_rows.hpp"
#include "lib/amg/setup/facts.hpp"
#include "lib/amg/setup/vanishing_rows.hpp"
#include "lib/amg/setup/weights.hpp"
#include "lib/linalg/sparse/products/held_rows.hpp"
#include "lib/linalg/sparse/products/spgemm.hpp"

namespace halocline::amg {

// classical: C-points and interpolation from them; aggregation: sets of rows, of nodes where components or vectors are
// told of.
enum class CoarseningKind { classical, aggregation };

struct CoarseningOptions {
  CoarseningKind kind = CoarseningKind::classical;
  double theta = 0.27;                 // of strong couplings
  InterpolationOptions interpolation;  // classical
  Index coarse_max = 1024;             // a level of so many rows is not coarsened
  double max_complexity = 6;           // entries of all levels over those of the finest
  int max_levels = 25;
  Index most_replicated = 32768;  // levels of at most so many rows are held whole, by each of the first parts
  int most_holders = 8;           // so many of these; the others wait meanwhile
  bool keep = false;              // what new values of the same pattern need
};

// What is told of own rows beside the matrix, for every part; empty: nothing.
struct RowKinds {
  std::vector<Array<Index, 1>> component;  // which unknown of a system a row is
  std::vector<Array<Index, 1>> null_set;   // from 1 on, the set of rows on which constants are mapped to 0; 0: none
  // For aggregation, see first_nodes():
  std::vector<Array<Index, 1>> node;
  std::vector<PartVector> near_null;
};

// The products behind the matrix of the next level, for new values of the same pattern.
struct GalerkinPlan {
  sparse::DistCrs ap;
  sparse::ProductPlan to_ap, to_coarse;
  std::optional<sparse::DistCrs> distributed;  // that matrix before it was given to all parts, where it was
};

// What is known of a level before it is scaled and brought into formats.
struct Stage {
  const sparse::DistCrs* a = nullptr;  // as its parts hold it
  std::unique_ptr<sparse::DistCrs> owned;
  sparse::RowSpacePtr shares;  // of the first replicated level: which rows of it each part made; else null
  sparse::StorageOrderPtr share_order;
  std::vector<Array<Index, 1>> numbers;  // on the finest level, of own rows
  Magnitudes magnitudes;                 // of own rows
  RowKinds kinds;

  std::optional<Strength> strength;
  std::optional<Nodes> nodes;            // of aggregation node by node
  std::unique_ptr<CoarseChoice> choice;  // none where that was not asked for
  std::optional<LevelScaling> scaling;
  std::optional<sparse::ChosenFormat> format;
  sparse::RowPatternPtr pattern;                               // none of an inverted level
  std::optional<sparse::DistCrs> interpolation, restriction;   // none on the last level
  std::optional<GalerkinPlan> galerkin;                        // of the next level's matrix, if it is kept
  std::unique_ptr<sparse::HeldRows> held, held_interpolation;  // with rows of others, see rows_of_others.hpp; or null
  LevelFacts facts;
};

// Of the finest level.
std::unique_ptr<Stage> first_stage(const sparse::DistCrs& a, RowKinds kinds = {});

// The matrix of `next`, from new values of that of `stage`, whose interpolation stays. Collective.
void multiply_again(Stage& stage, Stage& next);

class Coarsening {
 public:
  Coarsening(const CoarseningOptions& options, std::span<const double> weights)
      : options_(options), weights_(weights.begin(), weights.end()) {}

  // Coarsens the level; returns the next one, with nothing but its matrix, or none, and then says why in `facts`.
  // Collective.
  std::unique_ptr<Stage> next(Stage& stage, HierarchyFacts& facts);

 private:
  struct Coarse {
    sparse::DistCrs interpolation, restriction, matrix;
    std::optional<GalerkinPlan> plan;
    Guards guards;
  };
  // Strength and choice of the rows of the next level; the level is not changed where there is none.
  void find_strength(Stage& stage);
  std::unique_ptr<CoarseChoice> choose(const Stage& stage);
  Coarse products(const Stage& stage, const sparse::RowSpacePtr& rows, int entries) const;
  bool too_complex(const HierarchyFacts& facts, Index entries) const;

  CoarseningOptions options_;
  std::vector<double> weights_;
  std::optional<LocalValues<LocalIndex>> component_;  // of the level under way
};

}  // namespace halocline::amg
