#include "lib/amg/rows_of_others.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace halocline::amg {
namespace {

// Of hosts: about what messages between processes take.
struct DeviceSpeed {
  double exchange, rate;
};
DeviceSpeed speed_of(const Executor& executor) {
  if (executor.backend() == Backend::cuda) return {gpu_exchange, gpu_rate};
  return {5e-6, 8e9 * executor.threads()};
}

double mean_bytes(const sparse::DistCrs& m, int p, double entry) {
  const sparse::CrsView<double> rows = m.view(p);
  return entry * static_cast<double>(rows.entries()) / static_cast<double>(std::max<Index>(1, rows.rows()));
}

VisitTimes times_of(const Stage& stage, int p, bool residuals, std::size_t bytes) {
  const DeviceSpeed speed = speed_of(*stage.a->team().executor(p));
  const double entry = static_cast<double>(bytes + sizeof(LocalIndex));
  const auto vectors = 3 * static_cast<double>(bytes), own = static_cast<double>(stage.a->rows().own_size(p));
  const double of_row = mean_bytes(*stage.a, p, entry) + vectors;
  const double of_interpolation = mean_bytes(*stage.interpolation, p, entry) + vectors;
  const double residuals_of_others = residuals ? of_row * static_cast<double>(stage.restriction->ghosts(p).size()) : 0;
  const double corrections_of_others = of_interpolation * static_cast<double>(stage.a->ghosts(p).size());
  return {speed.exchange, of_row * own / speed.rate, of_interpolation * own / speed.rate,
          (residuals_of_others + corrections_of_others) / speed.rate};
}

}  // namespace

// An exchange is hidden behind the rows that need no ghosts, about as long as these take.
bool wants_rows_of_others(const Stage& stage, Exchanges wanted, bool residuals, std::size_t bytes) {
  const Team& team = stage.a->team();
  if (wanted == Exchanges::four || team.total_parts() == 1 || stage.a->rows().replicated()) return false;
  if (wanted == Exchanges::two) return true;
  VisitTimes most;
  for (int p = 0; p < team.parts(); ++p) {
    const VisitTimes part = times_of(stage, p, residuals, bytes);
    most = {std::max(most.exchange, part.exchange), std::max(most.product, part.product),
            std::max(most.transfer, part.transfer), std::max(most.others, part.others)};
  }
  std::array<double, 4> all{most.exchange, most.product, most.transfer, most.others};
  stage.a->rows().comm().max(all);
  return VisitTimes{all[0], all[1], all[2], all[3]}.two_exchanges_pay(residuals);
}

void hold_others(Stage& stage, const Stage& next, bool residuals) {
  if (residuals) stage.held = std::make_unique<sparse::HeldRows>(*stage.a, *stage.restriction);
  if (next.shares) {
    stage.held_interpolation =
        std::make_unique<sparse::HeldRows>(with_columns(*stage.interpolation, next.a->rows_pointer()), *stage.a);
  } else {
    stage.held_interpolation = std::make_unique<sparse::HeldRows>(*stage.interpolation, *stage.a);
  }
}

sparse::StorageOrderPtr order_with_others(const sparse::HeldRows& held, const sparse::StorageOrder& own,
                                          const sparse::RowSpace& rows) {
  const Team& team = rows.team();
  std::vector<Index> own_rows;
  std::vector<std::vector<LocalIndex>> others;
  for (int p = 0; p < team.parts(); ++p) {
    own_rows.push_back(rows.own_size(p));
    others.push_back(held.by_length(p));
  }
  return std::make_shared<const sparse::StorageOrder>(team, own, own_rows, others);
}

std::vector<sparse::PlacesOfOthers> places_of_others(const sparse::HeldRows& held, const sparse::DistCrs& square) {
  std::vector<sparse::PlacesOfOthers> places;
  for (int p = 0; p < square.team().parts(); ++p) {
    sparse::PlacesOfOthers& of_part = places.emplace_back();
    for (const LocalIndex n : held.by_length(p))
      of_part.push_back(static_cast<LocalIndex>(local_number(square, p, held.others(p)[static_cast<std::size_t>(n)]) -
                                                square.ghosts(p).below));
  }
  return places;
}

}  // namespace halocline::amg
