#include "tests/bench/sparse_residual.hpp"

#include "lib/linalg/sparse/formats/row_products.hpp"

namespace halocline::sparse {

ResidualInFloat::ResidualInFloat(const DistCrs& a, const ChosenFormat& format, const ColumnSpace& columns)
    : rows_(std::make_shared<const RowPattern>(a, format), a),
      columns_(columns),
      x_(columns.space()),
      b_(columns.space()),
      r_(columns.space()),
      halo_(*columns.space(), columns.links()) {}

void ResidualInFloat::apply() const {
  const auto work = [&](int p, Windows which) {
    multiply_windows("residual", rows_, p, which, columns_.columns(x_, p),
                     ResidualEnd<float>{b_.part(p).data, r_.part(p).data});
  };
  const Team& team = rows_.team();
  halo_.start(x_);
  team.each([&](int p) { work(p, Windows::inside); });
  halo_.finish(x_);
  team.each([&](int p) {
    multiply_long_rows(rows_, p, columns_.columns(x_, p));
    work(p, Windows::with_ghosts);
  });
}

}  // namespace halocline::sparse
