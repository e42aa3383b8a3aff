#include "lib/problems/collocation/direct/closed_basis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gpu/launch.hpp"

namespace halocline::collocation {

namespace {

constexpr double root3 = std::numbers::sqrt3;

// Row by row.
struct Matrix2 {
  double m[2][2];
  friend Matrix2 operator*(const Matrix2& a, const Matrix2& b) {
    Matrix2 c{};
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j];
    return c;
  }
  Matrix2 inverse() const {
    const double det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    return {{{m[1][1] / det, -m[0][1] / det}, {-m[1][0] / det, m[0][0] / det}}};
  }
};

struct Angle {
  double sn, cs;  // of th / 2 = k pi / 2n
};
Angle half_angle(Index k, Index n) {
  const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(2 * n);
  // Beyond pi/4 from the other end, so that both have all their digits.
  if (2 * k <= n) return {std::sin(angle), std::cos(angle)};
  const double other = std::numbers::pi * static_cast<double>(n - k) / static_cast<double>(2 * n);
  return {std::cos(other), std::sin(other)};
}

// (al, be) to (p, q).
Matrix2 symbol0(const Angle& t) { return {{{t.cs, t.sn / 6}, {4 * root3 * t.sn / 9, -root3 * t.cs / 18}}}; }

// The two eigenvalues times h^2 and the eigenvectors (al, be) as columns, for 0 < k < n.
Matrix2 eigenvectors(const Angle& t, double (&m)[2]) {
  const double s2 = t.sn * t.sn;
  const double root = std::sqrt(2916 - 2592 * s2 - 288 * s2 * s2);
  // The smaller in size from the product of both, so that no difference of near numbers enters.
  const double large = (-(54 - 12 * s2) - root) / (3 + s2);
  m[0] = 432 * s2 / ((3 + s2) * large);
  m[1] = large;
  Matrix2 r{};
  for (int i = 0; i < 2; ++i) {
    const double a[2] = {-(2 + m[i] / 6) * t.sn, m[i] * t.cs};
    const double b[2] = {(2 + m[i] / 18) * t.cs, (4 + 4 * m[i] / 9) * t.sn};
    const bool first = std::hypot(a[0], a[1]) > std::hypot(b[0], b[1]);
    const double* larger = first ? a : b;
    const double length = std::hypot(larger[0], larger[1]);
    r.m[0][i] = larger[0] / length;
    r.m[1][i] = larger[1] / length;
  }
  return r;
}

// (Re, Im) of a bin, not yet turned by exp(-i pi k / 2n), to (p, q).
Matrix2 bin_to_sums(Index k, Index n, bool neumann) {
  const Angle t = half_angle(k, n);
  const double norm = (k == 0 || k == n ? 0.5 : 1.0) / static_cast<double>(n);
  // G = F exp(-i pi k / 2n): cosine sum Re G / 2, sine sum -Im G / 2, times 2 / n.
  const Matrix2 turned{{{norm * t.cs, norm * t.sn}, {-norm * t.sn, norm * t.cs}}};
  const Matrix2 order = neumann ? Matrix2{{{1, 0}, {0, 1}}} : Matrix2{{{0, -1}, {1, 0}}};
  return order * turned;
}

// (al, be) to (Re, Im) of the bin of the unknowns; real at both ends, where the sine vanishes.
Matrix2 sums_to_bin(Index k, Index n, bool neumann) {
  const bool end = k == 0 || k == n;
  const double real = end ? 1.0 : 0.5, imaginary = end ? 0.0 : 0.5;
  return neumann ? Matrix2{{{real, 0}, {0, imaginary}}} : Matrix2{{{0, real}, {-imaginary, 0}}};
}

void push(std::vector<double>& to, const Matrix2& m) {
  to.insert(to.end(), {m.m[0][0], m.m[0][1], m.m[1][0], m.m[1][1]});
}

// A single eigenvector at k = 0 or n: which of (al, be) it is, which of (p, q) gives it and by what factor.
struct Single {
  double value;
  int unknown, sum;
  double factor;
};
Single single(bool at_zero, bool neumann) {
  if (!neumann) return at_zero ? Single{-36, 1, 1, -root3 / 18} : Single{-12, 1, 0, 1.0 / 6};
  return at_zero ? Single{0, 0, 0, 1} : Single{-9, 0, 1, 4 * root3 / 9};
}

}  // namespace

std::optional<std::string> no_closed_form(const Axis& axis) {
  if (!axis.uniform()) return "has elements of different lengths";
  const EndCondition &low = axis.condition(End::low), &high = axis.condition(End::high);
  for (const EndCondition& end : {low, high})
    if (!end.dirichlet() && !end.neumann()) return "has a Robin condition";
  if (low.dirichlet() != high.dirichlet()) return "has conditions of different kinds at its two ends";
  return std::nullopt;
}

ClosedTables closed_tables(const Axis& axis) {
  require(!no_closed_form(axis), "closed_tables: the axis has no closed form");
  const Index n = axis.elements();
  const bool neumann = axis.condition(End::low).neumann();
  const double h2 = axis.mean_length() * axis.mean_length();
  ClosedTables tables;
  for (Index k = 0; k <= n; ++k) {
    double m[2];
    Matrix2 r{}, l{};
    if (k == 0 || k == n) {
      const Single one = single(k == 0, neumann);
      m[0] = m[1] = one.value;
      r.m[one.unknown][0] = 1;
      l.m[0][one.sum] = 1 / one.factor;
    } else {
      const Angle t = half_angle(k, n);
      r = eigenvectors(t, m);
      l = (symbol0(t) * r).inverse();
    }
    for (const double value : m) tables.value.push_back(value / h2);
    push(tables.into, l * bin_to_sums(k, n, neumann));
    push(tables.out, sums_to_bin(k, n, neumann) * r);
  }
  return tables;
}

ClosedBasis::ClosedBasis(const Axis& axis, const ClosedTables& tables, double scale, double shift,
                         const ExecutorPtr& executor)
    : executor_(executor),
      fourier_(2 * axis.elements(), executor),
      into_(make_array(executor, tables.into)),
      out_(make_array(executor, tables.out)) {
  std::vector<double> value = tables.value;
  for (double& v : value) v = scale * v + shift;
  value_ = make_array(executor, value);
  view_ = {axis.elements(), axis.condition(End::low).neumann(), into_.view().data, out_.view().data,
           value_.view().data};
}

// Host threads, or as many as keep a GPU busy that cannot do with blocks.
ClosedGroups ClosedBasis::groups(Index count) {
  const Index groups = (count + lanes - 1) / lanes;
  const Index workers = std::clamp<Index>(executor_->backend() == Backend::cuda ? 512 : executor_->threads(), 1,
                                          std::max<Index>(groups, 1));
  return {fourier(), view_, groups, workers, count, work(workers * fourier_.work_size())};
}

double* ClosedBasis::work(Index numbers) {
  if (work_.executor() == nullptr || work_.size() < numbers) work_ = Array<double, 1>(executor_, {numbers});
  return work_.view().data;
}

template <class Use>
void ClosedBasis::split_lines(const SplitView& split, Index lines, Index line_size, const Use& use) {
  const Index most = std::min(lines_at_a_time(split), lines);
  double* const between = work(most * 2 * split.fourier.size);
  for (Index first = 0; first < lines; first += most) use(std::min(most, lines - first), first * line_size, between);
}

void ClosedBasis::analyze(Index lines, Index line_size, Index stride, const double* f, double* x) {
  if (lines == 0) return;
  const ColumnPair from{const_cast<double*>(f), 1, stride, line_size, 2, 1, 0}, to{x, 1, stride, line_size, 2, 1, 0};
  if (closed_blocks_fit(*executor_, fourier())) return analyze_by_blocks(*executor_, fourier(), view_, lines, from, to);
  if (const auto split = split_for_blocks(*executor_, fourier()))
    return split_lines(*split, lines, line_size, [&](Index some, Index offset, double* between) {
      analyze_split(*executor_, *split, view_, some, from.moved(offset), to.moved(offset), between);
    });
  const ClosedGroups all = groups(lines);
  launch_lanes(*executor_, "closed form: into modes", all.workers, 1, AlongLineBody{all, from, to, true});
}

void ClosedBasis::synthesize(Index lines, Index line_size, Index stride, double* x) {
  if (lines == 0) return;
  const ColumnPair line{x, 1, stride, line_size, 2, 1, 0};
  if (closed_blocks_fit(*executor_, fourier())) return synthesize_by_blocks(*executor_, fourier(), view_, lines, line);
  if (const auto split = split_for_blocks(*executor_, fourier()))
    return split_lines(*split, lines, line_size, [&](Index some, Index offset, double* between) {
      synthesize_split(*executor_, *split, view_, some, line.moved(offset), between);
    });
  const ClosedGroups all = groups(lines);
  launch_lanes(*executor_, "closed form: out of modes", all.workers, 1, AlongLineBody{all, line, line, false});
}

void ClosedBasis::solve_across(Index columns, Index line_size, Index stride, double* x, const double* shifts,
                               Index shift_stride) {
  if (columns == 0) return;
  const ColumnPair lines{x, line_size, stride, 1, 1, 2, 0};
  if (closed_blocks_fit(*executor_, fourier()))
    return solve_across_by_blocks(*executor_, fourier(), view_, columns, lines, shifts, shift_stride);
  const ClosedGroups all = groups(columns);
  launch_lanes(*executor_, "closed form: across lines", all.workers, 1,
               AcrossLinesBody{all, lines, shifts, shift_stride});
}

}  // namespace halocline::collocation
