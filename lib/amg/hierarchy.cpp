#include "lib/amg/hierarchy.hpp"

#include <array>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "lib/amg/coarsest.hpp"
#include "lib/amg/level_table.hpp"
#include "lib/amg/level_values.hpp"
#include "lib/amg/setup/coarsening.hpp"
#include "lib/base/memory/host_memory.hpp"

namespace halocline::amg {
namespace {

template <class T>
class Builder {
 public:
  Builder(const sparse::DistCrs& a, const sparse::DistMatrix& matrix, const HierarchyOptions& options,
          std::span<const double> weights)
      : matrix_(matrix), team_(a.team()), options_(options), coarsening_(options.coarsening, weights) {
    require(options.coarsening.coarse_max <= most_inverted_rows, "amg: coarse_max");
    require(options.coarsening.most_replicated >= most_inverted_rows, "amg: most_replicated");
  }

  // Where memory does not suffice, the message has the levels so far.
  MadeHierarchy<T> build(std::unique_ptr<Stage> stage) {
    try {
      return coarsen(std::move(stage));
    } catch (const OutOfMemory& error) {
      throw OutOfMemory(error.what() + levels_so_far());
    } catch (const std::bad_alloc&) {
      throw OutOfMemory("out of memory" + levels_so_far());
    }
  }

 private:
  std::string levels_so_far() {
    const std::size_t count = made_.facts.levels.size();
    if (count == 0) return "";
    made_.facts.inverted = false;
    std::vector<std::string> lines = level_table(made_.facts);
    lines.resize(count + 1);  // of levels alone
    std::string text = "; levels of multigrid so far:";
    for (const std::string& line : lines) text += "\n" + line;
    return text;
  }

  MadeHierarchy<T> coarsen(std::unique_ptr<Stage> stage) {
    while (stage != nullptr) {
      begin(*stage);
      std::unique_ptr<Stage> next = coarsening_.next(*stage, made_.facts);
      finish(*stage, next == nullptr);
      if (before_ != nullptr) add_level(*before_, stage.get());
      if (before_ != nullptr && options_.coarsening.keep) kept_.push_back(std::move(before_));
      before_ = std::move(stage);
      stage = std::move(next);
    }
    end(*before_);
    tell_facts();
    made_.levels = std::make_unique<multigrid::Hierarchy<T>>(std::move(levels_), std::move(coarsest_), replication());
    if (options_.coarsening.keep) {
      kept_.push_back(std::move(before_));
      made_.refresh = std::make_unique<Refresh<T>>(std::move(kept_), options_.weights, ends_, inverse_space_);
    }
    return std::move(made_);
  }

  // What only those know who hold a level, on all ranks.
  void tell_facts() {
    std::vector<LevelFacts>& levels = made_.facts.levels;
    static_assert(std::is_trivially_copyable_v<LevelFacts>);
    if (holders_.empty()) return;
    std::string bytes(reinterpret_cast<const char*>(levels.data()), levels.size() * sizeof(LevelFacts));
    before_->a->rows().comm().broadcast(bytes);
    std::memcpy(levels.data(), bytes.data(), bytes.size());
  }

  void begin(Stage& stage) {
    const sparse::RowSpace& rows = stage.a->rows();
    stage.facts.rows = rows.size();
    stage.facts.entries = stage.a->entries();
    stage.facts.longest = sparse::longest_row(*stage.a);
    stage.facts.replicated = rows.replicated();
    stage.facts.parts = 0;
    for (int q = 0; q < rows.partition().parts() && !rows.replicated(); ++q)
      stage.facts.parts += rows.partition().block(q).size() > 0 ? 1 : 0;
    if (rows.replicated()) stage.facts.parts = rows.holders();
    stage.facts.by_few = rows.held_by_few();
    made_.facts.levels.push_back(stage.facts);
    if (rows.replicated() && !first_replicated_) {
      first_replicated_ = static_cast<int>(made_.facts.levels.size()) - 1;
      for (int q = 0; q < rows.holders() && rows.held_by_few(); ++q) holders_.push_back(q);
    }
    if (stage.shares) shares_ = stage.shares->partition();
  }

  // Scaling and format, once it is known what becomes of the level.
  void finish(Stage& stage, bool last) {
    const auto scope = team_.scope("set-up/formats");
    const sparse::DistCrs& a = *stage.a;
    const bool finest = made_.facts.levels.size() == 1;
    const bool inverted = last && is_inverted(stage);
    made_.facts.inverted = inverted;
    set_scaling(stage, stage.strength->sizes(), inverted, options_.weights);
    if (finest) {
      stage.format = matrix_.format();
      stage.pattern = matrix_.rows().pattern_pointer();
    } else if (inverted) {
      stage.format = {sparse::FormatKind::crs, std::make_shared<const sparse::StorageOrder>(team_.parts()), 1};
      if (stage.shares) stage.share_order = stage.format->order;
    } else {
      stage.format = sparse::choose_format(a, {.may_share = true});
      stage.pattern = std::make_shared<const sparse::RowPattern>(a, *stage.format);
    }
    stage.facts.format = stage.format->kind;
    stage.facts.fill = stage.format->fill;
    stage.facts.bytes = inverted
                            ? sizeof(T) * static_cast<double>(a.rows().size()) * static_cast<double>(a.rows().size())
                            : bytes_of(a.rows(), [&](int p) { return stage.pattern->part(p).stored_with_longs(); });
    made_.facts.levels.back() = stage.facts;
  }

  // Whether the last level is: where it was not coarsened because diagonals dominate its rows, sweeps do as well.
  bool is_inverted(Stage& last) const {
    constexpr double next_to_diagonal = 1.25;  // sum of a row's sizes over the diagonal
    const Index rows = last.a->rows().size();
    if (rows <= options_.coarsening.coarse_max || rows > most_inverted_rows) return rows <= most_inverted_rows;
    set_scaling(last, last.strength->sizes(), true, options_.weights);  // of weights 1
    return last.scaling->largest_row() > next_to_diagonal;
  }

  // On one part of a replicated level, of all parts together of another one; stored(part) gives entries.
  template <class Stored>
  double bytes_of(const sparse::RowSpace& rows, const Stored& stored) const {
    std::array<Index, 1> entries{0};
    for (int p = 0; p < (rows.replicated() ? 1 : team_.parts()); ++p) entries[0] += stored(p);
    if (!rows.replicated()) rows.comm().sum(entries);
    return static_cast<double>(entries[0]) * (sizeof(T) + sizeof(LocalIndex));
  }

  // The level of `stage`; `next`: the one that follows, null for the last, which is swept over.
  void add_level(Stage& stage, Stage* next) {
    const auto scope = team_.scope("set-up/formats");
    if (next != nullptr && !levels_.empty()) hold_rows_of_others(stage, *next);
    LevelMatrix<T> matrix = scaled(matrix_values(stage), stage.pattern, stage.format->order);
    std::optional<Transfer<T>> transfer;
    if (next != nullptr) transfer = make_transfer(stage, *next, matrix);
    const VectorSpacePtr next_u = transfer ? transfer->prolongation.columns->space() : nullptr;
    auto level = std::make_unique<Level<T>>(std::move(matrix), std::move(transfer), u_space_, options_.smoother,
                                            stage.scaling->largest_row(), levels_.empty() ? ends(stage) : nullptr,
                                            stage.a->rows().held_by_few() && stage.a->rows().own_size(0) == 0);
    made_.facts.levels[levels_.size()].bytes = bytes_of(stage.a->rows(), [&](int p) { return level->stored(p); });
    made_.facts.levels[levels_.size()].two_exchanges = stage.held != nullptr;
    levels_.push_back(std::move(level));
    u_space_ = next_u;
    if (options_.coarsening.keep) return;
    stage.interpolation.reset();
    stage.restriction.reset();
    stage.held.reset();
    stage.held_interpolation.reset();
  }

  // Where a cycle on the level then exchanges twice.
  void hold_rows_of_others(Stage& stage, const Stage& next) {
    const bool residuals = options_.smoother.kind == SmootherKind::jacobi;
    if (!wants_rows_of_others(stage, options_.exchanges, residuals, sizeof(T))) return;
    hold_others(stage, next, residuals);
    if (!stage.held) return;
    const sparse::DistCrs& a = stage.held->matrix();
    const auto order = order_with_others(*stage.held, *stage.format->order, stage.a->rows());
    stage.pattern = std::make_shared<const sparse::RowPattern>(a, stage.format->kind,
                                                               sparse::RowOrders{order, order, stage.format->order},
                                                               stage.format->lanes, places_of_others(*stage.held, a));
  }

  // Waits for the device.
  LevelMatrix<T> scaled(const ScaledValues& values, const sparse::RowPatternPtr& pattern,
                        std::shared_ptr<const sparse::ColumnSpace> columns) {
    LevelMatrix<T> result{sparse::Rows<T>(pattern, values.matrix(), values.factors()), std::move(columns)};
    team_.each([&](int p) { team_.executor(p)->synchronize(); });  // the factors are in use until then
    return result;
  }
  LevelMatrix<T> scaled(const ScaledValues& values, const sparse::RowPatternPtr& pattern,
                        const sparse::StorageOrderPtr& columns) {
    return scaled(values, pattern, std::make_shared<const sparse::ColumnSpace>(values.matrix(), *columns));
  }

  Transfer<T> make_transfer(const Stage& stage, const Stage& next, const LevelMatrix<T>& matrix) {
    const sparse::StorageOrderPtr &fine = stage.format->order, &coarse = next.format->order;
    const ScaledValues values = restriction_values(stage, next);
    const sparse::DistCrs& r = values.matrix();
    const sparse::ChosenFormat format = sparse::choose_format(r, {.may_share = true});
    const sparse::RowOrders orders{format.order, next.shares ? next.share_order : coarse, fine};
    const auto pattern = std::make_shared<const sparse::RowPattern>(r, format.kind, orders, format.lanes);
    LevelMatrix<T> restriction = stage.held ? scaled(values, pattern, matrix.columns) : scaled(values, pattern, fine);
    return {std::move(restriction), make_prolongation(stage, next), first_restricted(team_, next),
            stage.held != nullptr, stage.held_interpolation != nullptr};
  }

  LevelMatrix<T> make_prolongation(const Stage& stage, const Stage& next) {
    const sparse::StorageOrderPtr &fine = stage.format->order, &coarse = next.format->order;
    const ScaledValues values = prolongation_values(stage, next);
    sparse::ChosenFormat format{sparse::FormatKind::four, fine, 1};
    if (options_.coarsening.kind == CoarseningKind::aggregation) {
      format = sparse::choose_format(*stage.interpolation, {});  // rows of any length
    } else if (options_.coarsening.interpolation.entries > 4) {
      format.kind = sparse::FormatKind::crs;
    }
    std::vector<sparse::PlacesOfOthers> others;
    sparse::RowOrders orders{format.order, fine, coarse};
    if (stage.held_interpolation) {
      others = places_of_others(*stage.held_interpolation, matrix_of(stage));
      orders.stored = order_with_others(*stage.held_interpolation, *format.order, stage.a->rows());
    }
    return scaled(values, std::make_shared<const sparse::RowPattern>(values.matrix(), format.kind, orders, 1, others),
                  coarse);
  }

  EndsPtr ends(const Stage& stage) {
    ends_ = std::make_shared<Ends>(Ends{Vector<double>(matrix_.space()), Vector<double>(matrix_.space())});
    fill_ends(stage, *ends_);
    made_.ends = ends_;
    return ends_;
  }

  void end(Stage& last) {
    const auto scope = team_.scope("set-up/coarsest");
    if (!made_.facts.inverted) {
      add_level(last, nullptr);
      coarsest_ = std::make_unique<SweepSolver<T>>(static_cast<Level<T>&>(*levels_.back()));
    } else {
      if (levels_.empty()) {
        inverse_space_ = add_only_level<T>(last, ends(last), levels_);
      } else {
        inverse_space_ = u_space_;
        add_inverted_level<T>(last, u_space_, levels_);
      }
      coarsest_ = inverse_of<T>(last, inverse_space_);
    }
  }

  multigrid::Replication replication() const {
    const int count = static_cast<int>(made_.facts.levels.size());
    const Partition& finest = before_->a->rows().partition();
    if (made_.facts.inverted && count == 1) return {0, finest, 1};
    if (!first_replicated_) return {count, {}, 1};
    return {*first_replicated_, shares_, 1, holders_};
  }

  const sparse::DistMatrix& matrix_;
  const Team& team_;
  HierarchyOptions options_;
  Coarsening coarsening_;
  MadeHierarchy<T> made_;
  std::unique_ptr<Stage> before_;
  std::vector<std::unique_ptr<multigrid::Level<T>>> levels_;
  std::unique_ptr<multigrid::CoarsestSolver<T>> coarsest_;
  VectorSpacePtr u_space_, inverse_space_;
  std::shared_ptr<Ends> ends_;
  std::vector<std::unique_ptr<Stage>> kept_;
  std::optional<int> first_replicated_;
  Partition shares_;
  std::vector<int> holders_;  // of replicated levels; none: all parts
};

}  // namespace

template <class T>
MadeHierarchy<T> make_hierarchy(const sparse::DistCrs& a, const sparse::DistMatrix& matrix,
                                const HierarchyOptions& options, std::span<const double> weights, RowKinds kinds) {
  require(a.rows_pointer() == a.columns_pointer(), "amg: rows and columns are the same");
  return Builder<T>(a, matrix, options, weights).build(first_stage(a, std::move(kinds)));
}

template MadeHierarchy<double> make_hierarchy(const sparse::DistCrs&, const sparse::DistMatrix&,
                                              const HierarchyOptions&, std::span<const double>, RowKinds);
template MadeHierarchy<float> make_hierarchy(const sparse::DistCrs&, const sparse::DistMatrix&, const HierarchyOptions&,
                                             std::span<const double>, RowKinds);

}  // namespace halocline::amg
