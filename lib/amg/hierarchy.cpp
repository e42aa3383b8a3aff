#include "lib/amg/hierarchy.hpp"

#include <limits>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/coarsest.hpp"
#include "lib/amg/level_kernels.hpp"
#include "lib/amg/setup/coarsening.hpp"

namespace halocline::amg {
namespace {

Range<1> up_to(Index count) { return {{0}, {count}}; }

using Pointers = std::vector<const double*>;
template <class Get>
Pointers of_parts(const Team& team, const Get& get) {
  Pointers result;
  for (int p = 0; p < team.parts(); ++p) result.push_back(get(p));
  return result;
}

template <class T>
class Builder {
 public:
  Builder(const sparse::DistCrs& a, const sparse::DistMatrix& matrix, const HierarchyOptions& options,
          std::span<const double> weights)
      : matrix_(matrix), team_(a.team()), options_(options), coarsening_(options.coarsening, weights) {
    require(options.coarsening.coarse_max <= most_inverted_rows, "amg: coarse_max");
    require(options.coarsening.most_replicated >= most_inverted_rows, "amg: most_replicated");
  }

  MadeHierarchy<T> build(std::unique_ptr<Stage> stage) {
    while (stage != nullptr) {
      begin(*stage);
      std::unique_ptr<Stage> next = coarsening_.next(*stage, made_.facts);
      finish(*stage, next == nullptr);
      if (before_ != nullptr) add_level(*before_, stage.get());
      before_ = std::move(stage);
      stage = std::move(next);
    }
    end(*before_);
    made_.levels = std::make_unique<multigrid::Hierarchy<T>>(std::move(levels_), std::move(coarsest_), replication());
    return std::move(made_);
  }

 private:
  void begin(Stage& stage) {
    const sparse::RowSpace& rows = stage.a->rows();
    stage.facts.rows = rows.size();
    stage.facts.entries = stage.a->entries();
    stage.facts.replicated = rows.replicated();
    stage.facts.parts = 0;
    for (int q = 0; q < rows.partition().parts(); ++q)
      stage.facts.parts += rows.replicated() || rows.partition().block(q).size() > 0 ? 1 : 0;
    made_.facts.levels.push_back(stage.facts);
    if (rows.replicated() && !first_replicated_) first_replicated_ = static_cast<int>(made_.facts.levels.size()) - 1;
    if (stage.shares) shares_ = stage.shares->partition();
  }

  // Scaling and format, once it is known what becomes of the level.
  void finish(Stage& stage, bool last) {
    const auto scope = team_.scope("set-up/formats");
    const sparse::DistCrs& a = *stage.a;
    const bool finest = made_.facts.levels.size() == 1;
    const bool inverted = last && a.rows().size() <= most_inverted_rows;
    made_.facts.inverted = inverted;
    const WeightOptions whole{1, std::numeric_limits<double>::infinity()};
    stage.scaling.emplace(a, *stage.strength, stage.splitting && !inverted ? &*stage.splitting : nullptr,
                          inverted ? whole : options_.weights);
    if (finest) {
      stage.format = matrix_.format();
      stage.pattern = matrix_.rows().pattern_pointer();
    } else if (inverted) {
      stage.format = {sparse::FormatKind::crs, std::make_shared<const sparse::StorageOrder>(team_.parts()), 1};
      if (stage.shares) stage.share_order = stage.format->order;
    } else {
      stage.format = sparse::choose_format(a, {});
      stage.pattern = std::make_shared<const sparse::RowPattern>(a, *stage.format);
    }
    stage.facts.smallest_weight = stage.scaling->smallest_weight();
    stage.facts.mean_weight = stage.scaling->mean_weight();
    stage.facts.format = stage.format->kind;
    stage.facts.fill = stage.format->fill;
    made_.facts.levels.back() = stage.facts;
  }

  // The level of `stage`; `next`: the one that follows, null for the last, which is swept over.
  void add_level(Stage& stage, Stage* next) {
    const auto scope = team_.scope("set-up/formats");
    const sparse::DistCrs& a = *stage.a;
    const LevelScaling& scaling = *stage.scaling;
    std::optional<Transfer<T>> transfer;
    if (next != nullptr) transfer = make_transfer(stage, *next);
    LevelMatrix<T> matrix = scaled(a, stage.pattern, of_parts(team_, [&](int p) { return scaling.left(p); }),
                                   of_parts(team_, [&](int p) { return scaling.right(p); }), stage.format->order);
    const VectorSpacePtr next_u = transfer ? transfer->prolongation.columns->space() : nullptr;
    levels_.push_back(std::make_unique<Level<T>>(std::move(matrix), std::move(transfer), u_space_, options_.smoother,
                                                 scaling.largest_row(), levels_.empty() ? ends(stage) : nullptr));
    u_space_ = next_u;
    stage.interpolation.reset();
    stage.restriction.reset();
  }

  // Waits for the device.
  LevelMatrix<T> scaled(const sparse::DistCrs& m, const sparse::RowPatternPtr& pattern, const Pointers& left,
                        const Pointers& right, const sparse::StorageOrderPtr& columns) {
    const LocalValues<double> of_columns = for_columns(m, right);
    std::vector<sparse::Scaling> factors;
    for (int p = 0; p < team_.parts(); ++p) factors.push_back({left[p], of_columns.data(p)});
    LevelMatrix<T> result{sparse::Rows<T>(pattern, m, factors),
                          std::make_shared<const sparse::ColumnSpace>(m, *columns)};
    team_.each([&](int p) { team_.executor(p)->synchronize(); });  // the factors are in use until then
    return result;
  }

  Transfer<T> make_transfer(const Stage& stage, const Stage& next) {
    const sparse::StorageOrderPtr &fine = stage.format->order, &coarse = next.format->order;
    const sparse::DistCrs& r = *stage.restriction;
    const sparse::ChosenFormat format = sparse::choose_format(r, {});
    std::vector<Index> to;
    for (int p = 0; p < team_.parts(); ++p) to.push_back(next.shares ? next.shares->own(p).lo[0] : 0);
    LevelMatrix<T> restriction =
        scaled(r,
               std::make_shared<const sparse::RowPattern>(
                   r, format.kind, sparse::RowOrders{format.order, next.shares ? next.share_order : coarse, fine}),
               of_parts(team_, [&](int p) { return next.scaling->left(p) + to[static_cast<std::size_t>(p)]; }),
               of_parts(team_, [&](int p) { return stage.scaling->inverse_left(p); }), fine);
    LevelMatrix<T> prolongation =
        next.shares
            ? make_prolongation(with_replicated_columns(*stage.interpolation, next.a->rows_pointer()), stage, next)
            : make_prolongation(*stage.interpolation, stage, next);
    return {std::move(restriction), std::move(prolongation), std::move(to)};
  }

  LevelMatrix<T> make_prolongation(const sparse::DistCrs& p, const Stage& stage, const Stage& next) {
    const sparse::StorageOrderPtr &fine = stage.format->order, &coarse = next.format->order;
    const auto kind =
        options_.coarsening.interpolation.entries <= 4 ? sparse::FormatKind::four : sparse::FormatKind::crs;
    return scaled(p, std::make_shared<const sparse::RowPattern>(p, kind, sparse::RowOrders{fine, fine, coarse}),
                  of_parts(team_, [&](int n) { return stage.scaling->inverse_right(n); }),
                  of_parts(team_, [&](int n) { return next.scaling->right(n); }), coarse);
  }

  EndsPtr ends(const Stage& stage) {
    auto result = std::make_shared<Ends>(Ends{Vector<double>(matrix_.space()), Vector<double>(matrix_.space())});
    team_.each([&](int p) {
      const auto store = [&](const double* natural, double* stored) {
        launch(*team_.executor(p), "factors", up_to(stage.a->rows().own_size(p)),
               StoreBody{natural, stage.format->order->place(p), stored});
      };
      store(stage.scaling->left(p), result->in.part(p).data);
      store(stage.scaling->right(p), result->out.part(p).data);
      team_.executor(p)->synchronize();  // the natural ones are in use until then
    });
    made_.ends = result;
    return result;
  }

  void end(Stage& last) {
    const auto scope = team_.scope("set-up/coarsest");
    if (!made_.facts.inverted) {
      add_level(last, nullptr);
      coarsest_ = std::make_unique<SweepSolver<T>>(static_cast<Level<T>&>(*levels_.back()));
    } else if (levels_.empty()) {
      add_only_level<T>(last, matrix_, ends(last), levels_, coarsest_);
    } else {
      add_inverted_level<T>(last, u_space_, levels_, coarsest_);
    }
  }

  multigrid::Replication replication() const {
    const int count = static_cast<int>(made_.facts.levels.size());
    const Partition& finest = before_->a->rows().partition();
    if (made_.facts.inverted && count == 1) return {0, finest, 1};
    if (!first_replicated_) return {count, {}, 1};
    return {*first_replicated_, shares_, 1};
  }

  const sparse::DistMatrix& matrix_;
  const Team& team_;
  HierarchyOptions options_;
  Coarsening coarsening_;
  MadeHierarchy<T> made_;
  std::unique_ptr<Stage> before_;
  std::vector<std::unique_ptr<multigrid::Level<T>>> levels_;
  std::unique_ptr<multigrid::CoarsestSolver<T>> coarsest_;
  VectorSpacePtr u_space_;
  std::optional<int> first_replicated_;
  Partition shares_;
};

}  // namespace

template <class T>
MadeHierarchy<T> make_hierarchy(const sparse::DistCrs& a, const sparse::DistMatrix& matrix,
                                const HierarchyOptions& options, std::span<const double> weights,
                                const RowKinds& kinds) {
  require(a.rows_pointer() == a.columns_pointer(), "amg: rows and columns are the same");
  return Builder<T>(a, matrix, options, weights).build(first_stage(a, kinds));
}

template MadeHierarchy<double> make_hierarchy(const sparse::DistCrs&, const sparse::DistMatrix&,
                                              const HierarchyOptions&, std::span<const double>, const RowKinds&);
template MadeHierarchy<float> make_hierarchy(const sparse::DistCrs&, const sparse::DistMatrix&, const HierarchyOptions&,
                                             std::span<const double>, const RowKinds&);

}  // namespace halocline::amg
