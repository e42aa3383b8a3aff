#include "lib/problems/collocation/discretization/residual.hpp"

#include "gpu/launch.hpp"

namespace halocline::collocation {

namespace {

// Lines first, first + 2, ...
template <class Residual>
struct AlternateLines : Residual {
  Index first;
  HALOCLINE_HD void operator()(Index n, Index j) const { Residual::operator()(first + 2 * n, j); }
  void row(Index n, Index begin, Index end) const { Residual::row(first + 2 * n, begin, end); }
};

// Reads u, f and six coefficients at four points of every node, and writes r. `lines_of_u`: lines read for one of r.
template <class T>
double bytes_of(const ResidualBody<T>& body, const Range<2>& nodes, int lines_of_u) {
  const Index numbers = 4 * lines_of_u + (body.f ? 4 : 0) + 4;
  return static_cast<double>(nodes.size()) *
         static_cast<double>(numbers * static_cast<Index>(sizeof(T)) + body.problem.view.coefficient_bytes());
}

struct Expand {
  EquationView<double> equations;
  const double* from;
  double* to;
  HALOCLINE_HD void operator()(Index i, Index j) const {
    const NodalBlock& block = equations.block;
    const Index base = i * block.line_size();
    double z[4];
    for (int c = 0; c < 4; ++c) z[c] = from[base + block.place(c, j)];
    equations.expand(block.first_line + i, j, z);
    for (int c = 0; c < 4; ++c) to[base + block.place(c, j)] = z[c];
  }
};

}  // namespace

void launch_expand(const Executor& executor, const EquationView<double>& equations, const double* from, double* to) {
  const NodalBlock& block = equations.block;
  const auto bytes = static_cast<double>(2 * block.size()) * sizeof(double);
  launch(executor, {"expand unknowns", bytes}, Range<2>{{0, 0}, {block.lines(), block.nodes()}},
         Expand{equations, from, to});
}

template <class T>
void launch_residual(const Executor& executor, Range<1> lines, const ResidualBody<T>& body) {
  const Range<2> nodes{{lines.lo[0], 0}, {lines.hi[0], body.problem.view.block.nodes()}};
  with_kind(body.problem, [&](auto stored, auto uniform) {
    launch_rows(executor, {body.f ? "residual" : "operator", bytes_of(body, nodes, 1)}, nodes,
                NodeResidualBody<T, stored(), uniform()>{body});
  });
}

template <class T>
void launch_residual_of_alternate_lines(const Executor& executor, Range<1> lines, const ResidualBody<T>& body) {
  const Range<2> nodes{{0, 0}, {(lines.hi[0] - lines.lo[0] + 1) / 2, body.problem.view.block.nodes()}};
  with_kind(body.problem, [&](auto stored, auto uniform) {
    using Residual = NodeResidualBody<T, stored(), uniform()>;
    launch_rows(executor, {"residual of alternate lines", bytes_of(body, nodes, 2)}, nodes,
                AlternateLines<Residual>{{body}, lines.lo[0]});
  });
}

template void launch_residual(const Executor&, Range<1>, const ResidualBody<double>&);
template void launch_residual(const Executor&, Range<1>, const ResidualBody<float>&);
template void launch_residual_of_alternate_lines(const Executor&, Range<1>, const ResidualBody<double>&);
template void launch_residual_of_alternate_lines(const Executor&, Range<1>, const ResidualBody<float>&);

}  // namespace halocline::collocation
