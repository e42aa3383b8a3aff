#include "lib/problems/collocation/multigrid/coarse_solver.hpp"

#include <algorithm>
#include <optional>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/multigrid/banded_lu.hpp"

namespace halocline::collocation {

namespace {

// Places of equations (and of what is left of the unknowns) in nodal vectors, node by node.
struct Numbering {
  explicit Numbering(const EquationView<double>& view) {
    const NodalBlock& block = view.block;
    number.assign(static_cast<std::size_t>(4 * block.lines() * block.nodes()), -1);
    for (Index i = 0; i <= block.nx; ++i)
      for (Index j = 0; j <= block.ny; ++j)
        for (int c = 0; c < 4; ++c)
          if (view.exists(i, j, c)) {
            number[4 * (i * block.nodes() + j) + c] = static_cast<Index>(places.size());
            places.push_back(i * block.line_size() + block.place(c, j));
          }
  }
  std::vector<Index> number, places;
};

BandedLu assemble(const EquationView<double>& view, const Numbering& numbering) {
  const NodalBlock& block = view.block;
  const Index nodes = block.nodes(), band = 4 * (nodes + 2);
  BandedLu lu(static_cast<Index>(numbering.places.size()), std::min<Index>(band, numbering.places.size() - 1),
              std::min<Index>(band, numbering.places.size() - 1));
  double m[4][4];
  for (Index i = 0; i <= block.nx; ++i)
    for (Index j = 0; j <= block.ny; ++j)
      for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) {
          const Index x = i + di, y = j + dj;
          if (x < 0 || x > block.nx || y < 0 || y > block.ny) continue;
          view.block_of(i, j, di, dj, m);
          view.reduce_columns(x, y, m);
          for (int row = 0; row < 4; ++row)
            for (int column = 0; column < 4; ++column) {
              const Index r = numbering.number[4 * (i * nodes + j) + row],
                          c = numbering.number[4 * (x * nodes + y) + column];
              if (r >= 0 && c >= 0 && m[row][column] != 0) lu.at(r, c) = m[row][column];
            }
        }
  return lu;
}

// From unknowns that are left to (v, w) of all nodes; [node][component].
std::vector<double> expanded(const EquationView<double>& view, const Numbering& numbering,
                             const std::vector<double>& x) {
  const NodalBlock& block = view.block;
  std::vector<double> values(numbering.number.size());
  for (Index i = 0; i <= block.nx; ++i)
    for (Index j = 0; j <= block.ny; ++j) {
      const Index node = i * block.nodes() + j;
      double a[4];
      for (int c = 0; c < 4; ++c) {
        const Index n = numbering.number[4 * node + c];
        a[c] = n < 0 ? 0 : x[n];
      }
      view.expand(i, j, a);
      for (int c = 0; c < 4; ++c) values[4 * node + c] = a[c];
    }
  return values;
}

// Partial sums over a piece of the columns; pieces x rows.
template <class T>
struct InverseBody {
  const T* matrix;  // [equation][row]
  const Index* places;
  const T* f;
  T* sums;  // [piece][row]
  Index equations, rows, length;
  HALOCLINE_HD void operator()(Index piece, Index row) const {
    const Index end = (piece + 1) * length < equations ? (piece + 1) * length : equations;
    T sum = 0;
    for (Index e = piece * length; e < end; ++e) sum += matrix[e * rows + row] * f[places[e]];
    sums[piece * rows + row] = sum;
  }
  void row(Index piece, Index begin, Index end) const {
    const Index last = (piece + 1) * length < equations ? (piece + 1) * length : equations;
    T* to = sums + piece * rows;
    for (Index n = begin; n < end; ++n) to[n] = 0;
    for (Index e = piece * length; e < last; ++e) {
      const T value = f[places[e]];
      const T* from = matrix + e * rows;
#pragma omp simd
      for (Index n = begin; n < end; ++n) to[n] += from[n] * value;
    }
  }
};

template <class T>
struct AddPiecesBody {
  const T* sums;
  Index pieces, rows;
  NodalBlock block;
  T* u;
  HALOCLINE_HD void operator()(Index row) const {
    T sum = 0;
    for (Index piece = 0; piece < pieces; ++piece) sum += sums[piece * rows + row];
    const Index node = row / 4;
    u[node / block.nodes() * block.line_size() + block.place(static_cast<int>(row % 4), node % block.nodes())] = sum;
  }
};

constexpr Index pieces = 32;

}  // namespace

template <class T>
struct CoarseSolver<T>::State {
  struct Part {
    Array<T, 1> matrix, sums;
    Array<Index, 1> places;
    std::vector<T> host;
    std::vector<double> x;
  };

  State(const Formulation& problem, const Level<T>& coarsest)
      : level(coarsest),
        host(make_omp_executor(1)),
        equations(problem, *level.x, *level.y, level.view(0).block, host, 1),
        numbering(equations.view()),
        lu(assemble(equations.view(), numbering)) {
    lu.factor();
    const Team& team = level.space->team();
    parts.resize(static_cast<std::size_t>(team.parts()));
    if (lu.size() > largest_inverse) return;
    const std::vector<T> inverse = invert();
    for (int p = 0; p < team.parts(); ++p) {
      parts[p].matrix = make_array(team.executor(p), inverse);
      parts[p].places = make_array(team.executor(p), numbering.places);
      parts[p].sums = Array<T, 1>(team.executor(p), {pieces * rows()});
    }
  }

  Index rows() const { return static_cast<Index>(numbering.number.size()); }

  std::vector<T> invert() const {
    std::vector<T> inverse;
    for (Index e = 0; e < lu.size(); ++e) {
      std::vector<double> x(static_cast<std::size_t>(lu.size()), 0.0);
      x[e] = 1;
      lu.solve(x.data());
      for (const double value : expanded(equations.view(), numbering, x)) inverse.push_back(static_cast<T>(value));
    }
    return inverse;
  }

  void apply_inverse(int p, const NodalVector<T>& f, NodalVector<T>& u) {
    const Executor& executor = *level.space->team().executor(p);
    Part& part = parts[p];
    const Index length = (lu.size() + pieces - 1) / pieces;
    launch_rows(executor, "coarsest mesh", Range<2>{{0, 0}, {pieces, rows()}},
                InverseBody<T>{part.matrix.view().data, part.places.view().data, f.own(p), part.sums.view().data,
                               lu.size(), rows(), length});
    launch(executor, "coarsest mesh sums", Range<1>{{0}, {rows()}},
           AddPiecesBody<T>{part.sums.view().data, pieces, rows(), level.view(p).block, u.own(p)});
  }

  void solve_on_host(int p, const NodalVector<T>& f, NodalVector<T>& u) {
    const Executor& executor = *level.space->team().executor(p);
    const NodalBlock& block = level.view(p).block;
    Part& part = parts[p];
    part.host.resize(static_cast<std::size_t>(block.size()));
    part.x.resize(static_cast<std::size_t>(lu.size()));
    executor.copy_out(part.host.data(), f.own(p), part.host.size() * sizeof(T));
    for (Index e = 0; e < lu.size(); ++e) part.x[e] = part.host[numbering.places[e]];
    lu.solve(part.x.data());
    const std::vector<double> values = expanded(equations.view(), numbering, part.x);
    std::fill(part.host.begin(), part.host.end(), T{0});
    for (Index n = 0; n < rows(); ++n) {
      const Index node = n / 4;
      part.host[node / block.nodes() * block.line_size() + block.place(static_cast<int>(n % 4), node % block.nodes())] =
          static_cast<T>(values[n]);
    }
    executor.copy_in(u.own(p), part.host.data(), part.host.size() * sizeof(T));
  }

  const Level<T>& level;
  ExecutorPtr host;
  Equations<double> equations;
  Numbering numbering;
  BandedLu lu;
  std::vector<Part> parts;
};

template <class T>
CoarseSolver<T>::CoarseSolver(const Formulation& problem, const Level<T>& level) {
  require(!level.space->exchanges(), "CoarseSolver: the coarsest level must be replicated");
  state_ = std::make_unique<State>(problem, level);
}

template <class T>
CoarseSolver<T>::~CoarseSolver() = default;

template <class T>
void CoarseSolver<T>::solve(const NodalVector<T>& f, NodalVector<T>& u) {
  State& state = *state_;
  state.level.space->team().each([&](int p) {
    if (state.lu.size() <= largest_inverse) {
      state.apply_inverse(p, f, u);
    } else {
      state.solve_on_host(p, f, u);
    }
  });
}

template class CoarseSolver<double>;
template class CoarseSolver<float>;

}  // namespace halocline::collocation
