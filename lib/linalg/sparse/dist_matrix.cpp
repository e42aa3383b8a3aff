#include "lib/linalg/sparse/dist_matrix.hpp"

#include "lib/base/error.hpp"
#include "lib/linalg/sparse/formats/row_products.hpp"

namespace halocline::sparse {
namespace {

constexpr int most_sums = 5;

Index windows_of(Index rows) { return (rows + window_rows - 1) / window_rows; }

}  // namespace

DistMatrix::DistMatrix(const DistCrs& a, const MatrixFormat& format)
    : format_(choose_format(a, format)),
      rows_(std::make_shared<const RowPattern>(a, format_), a),
      columns_(a, *format_.order),
      halo_(*columns_.space(), columns_.links()) {
  require(a.rows().size() == a.columns().size(), "DistMatrix: the matrix is not square");
  for (int p = 0; p < a.team().parts(); ++p)
    window_sums_.emplace_back(a.team().executor(p), std::array<Index, 1>{most_sums * windows_of(a.rows().own_size(p))});
}

// work(part, windows) before and after the ghosts of x have come.
template <class Work>
void DistMatrix::overlapped(const Vector<double>& x, const Work& work) const {
  require(&x.space() == space().get(), "DistMatrix: a vector of another space");
  const Team& team = space()->team();
  halo_.start(x);
  team.each([&](int p) { work(p, Windows::inside); });
  halo_.finish(x);
  team.each([&](int p) {
    multiply_long_rows(rows_, p, columns_.columns(x, p));
    work(p, Windows::with_ghosts);
  });
}

template <class MakeEnd>
void DistMatrix::multiply(const char* name, const Vector<double>& x, const MakeEnd& make_end) const {
  overlapped(
      x, [&](int p, Windows which) { multiply_windows(name, rows_, p, which, columns_.columns(x, p), make_end(p)); });
}

template <int K, class MakeEnd>
std::array<double, K> DistMatrix::multiply_summed(const char* name, const Vector<double>& x,
                                                  const MakeEnd& make_end) const {
  static_assert(K <= most_sums);
  overlapped(x, [&](int p, Windows which) {
    multiply_windows_summed(name, rows_, p, which, columns_.columns(x, p), make_end(p), window_sums_[p].view().data);
  });
  space()->clear_sums(K);
  space()->team().each([&](int p) {
    const Index windows = windows_of(rows_.pattern().part(p).rows);
    sum_chunks<K>(*space()->team().executor(p), {"sums of windows", 8.0 * K * static_cast<double>(windows)},
                  space()->layout().groups[p], JoinWindowsBody<K>{window_sums_[p].view().data, windows},
                  space()->sums<K>(p));
  });
  return space()->join_sums<K>();
}

void DistMatrix::apply(const Vector<double>& x, Vector<double>& y) const {
  multiply("product", x, [&](int p) { return StoreEnd<double>{y.part(p).data}; });
}

void DistMatrix::residual(const Vector<double>& b, const Vector<double>& x, Vector<double>& r) const {
  multiply("residual", x, [&](int p) { return ResidualEnd<double>{b.part(p).data, r.part(p).data}; });
}

Dots DistMatrix::apply_with_dots(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const {
  const auto [yy, yw] = multiply_summed<2>("product with sums", x, [&](int p) {
    return DotsEnd{y.part(p).data, w.part(p).data};
  });
  return {.yy = yy, .yw = yw};
}

Dots DistMatrix::apply_with_energy(const Vector<double>& x, Vector<double>& y, const Vector<double>& w) const {
  const auto [xy, xw] = multiply_summed<2>("product with sums", x, [&](int p) {
    return EnergyEnd{y.part(p).data, x.part(p).data, w.part(p).data};
  });
  return {.xy = xy, .xw = xw};
}

EnergySums DistMatrix::apply_with_energy_sums(const Vector<double>& u, Vector<double>& w, const Vector<double>& r,
                                              const Vector<double>* q) const {
  if (q == nullptr) {
    const auto [uw, ru, rr] = multiply_summed<3>("product with sums", u, [&](int p) {
      return EnergySumsEnd{w.part(p).data, u.part(p).data, r.part(p).data};
    });
    return {.uw = uw, .ru = ru, .rr = rr};
  }
  const auto [uw, ru, rr, qu] = multiply_summed<4>("product with sums", u, [&](int p) {
    return EnergyAndLastSumsEnd{w.part(p).data, u.part(p).data, r.part(p).data, q->part(p).data};
  });
  return {uw, ru, rr, qu};
}

StepSums DistMatrix::apply_with_step_sums(const Vector<double>& x, Vector<double>& t, const Vector<double>& s,
                                          const Vector<double>& r0) const {
  const auto [tt, ts, ss, r0_t, r0_s] = multiply_summed<5>("product with sums", x, [&](int p) {
    return StepSumsEnd{t.part(p).data, s.part(p).data, r0.part(p).data};
  });
  return {tt, ts, ss, r0_t, r0_s};
}

template <class MakeBody>
void DistMatrix::reorder(const char* name, const MakeBody& make_body) const {
  const Team& team = space()->team();
  team.each([&](int p) {
    const Index rows = rows_.pattern().part(p).rows;
    launch(*team.executor(p), {name, 16.0 * static_cast<double>(rows)}, Range<1>{{0}, {rows}},
           make_body(p, format_.order->place(p)));
  });
}

void DistMatrix::enter(const std::vector<Array<double, 1>>& natural, Vector<double>& x) const {
  reorder("into storage order", [&](int p, const LocalIndex* place) {
    return EnterBody{natural[p].view().data, place, x.part(p).data};
  });
}

void DistMatrix::leave(const Vector<double>& x, std::vector<Array<double, 1>>& natural) const {
  reorder("into natural order", [&](int p, const LocalIndex* place) {
    return LeaveBody{x.part(p).data, place, natural[p].view().data};
  });
}

}  // namespace halocline::sparse
