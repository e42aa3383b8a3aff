#include "lib/amg/setup/vanishing_rows.hpp"

#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/setup/coarse_rows.hpp"
#include "lib/amg/setup/level_rows.hpp"
#include "lib/amg/setup/vanishing_rows_kernels.hpp"
#include "lib/amg/setup/weights.hpp"
#include "lib/base/index_range.hpp"

namespace halocline::amg {
namespace {

Magnitudes room_for_rows(const sparse::DistCrs& a) {
  Magnitudes made;
  for (int p = 0; p < a.team().parts(); ++p)
    made.emplace_back(a.team().executor(p), std::array<Index, 1>{a.rows().own_size(p)});
  return made;
}

}  // namespace

Magnitudes magnitudes_of(const sparse::DistCrs& a, const RowSizes& sizes) {
  Magnitudes made = room_for_rows(a);
  a.team().each([&](int p) {
    const std::size_t n = static_cast<std::size_t>(p);
    launch(*a.team().executor(p), "magnitudes", up_to(made[n].size()),
           DiagonalSizeBody{sizes.diagonal[n].view().data, made[n].view().data});
  });
  return made;
}

Magnitudes next_magnitudes(const sparse::DistCrs& restriction, const Magnitudes& fine, const sparse::RowSpace* held) {
  const Team& team = restriction.team();
  std::vector<const double*> own;
  for (const Array<double, 1>& part : fine) own.push_back(part.view().data);
  const LocalValues<double> of_columns = for_columns(restriction, own);
  Magnitudes made = room_for_rows(restriction);
  team.each([&](int p) {
    const LevelRows rows = level_rows(restriction, p);
    const double bytes = 20.0 * static_cast<double>(restriction.view(p).entries());
    launch(*team.executor(p), {"magnitudes", bytes}, up_to(rows.count),
           NextMagnitudeBody{rows, of_columns.data(p), made[static_cast<std::size_t>(p)].view().data});
    team.executor(p)->synchronize();  // those of columns are in use until then
  });
  return held == nullptr ? std::move(made) : moved(restriction.rows(), made, *held);
}

void clear_vanishing_rows(sparse::DistCrs& a, const Magnitudes& magnitudes,
                          const std::vector<Array<Index, 1>>& null_set) {
  a.team().each([&](int p) {
    const std::size_t n = static_cast<std::size_t>(p);
    const LevelRows rows = level_rows(a, p);
    launch(*a.team().executor(p), {"rounding", 12.0 * static_cast<double>(a.view(p).entries())}, up_to(rows.count),
           ClearVanishingBody{rows, a.values(p).data, magnitudes[n].view().data,
                              null_set.empty() ? nullptr : null_set[n].view().data});
  });
}

}  // namespace halocline::amg
