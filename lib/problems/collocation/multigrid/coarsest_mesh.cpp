#include "lib/problems/collocation/multigrid/coarsest_mesh.hpp"

#include <algorithm>

namespace halocline::collocation {

namespace {

// Equations of the whole mesh on the host, those that exist numbered node by node.
class CoarsestEquations {
 public:
  explicit CoarsestEquations(Equations<double> equations)
      : equations_(std::move(equations)), number_(static_cast<std::size_t>(values()), -1) {
    const Index of_line = 4 * view().block.nodes();
    for (const Index i : order_of_lines())
      for (Index n = i * of_line; n < (i + 1) * of_line; ++n)
        if (view().exists(line(n), node(n), component(n))) {
          number_[n] = static_cast<Index>(places_.size());
          places_.push_back(place(n));
        }
  }

  Index size() const { return static_cast<Index>(places_.size()); }
  // Diagonals on either side of the main one. Neighbors are the next lines in order, where x is periodic the second
  // next; and the next nodes, where y is periodic those at the other end of a line.
  Index band() const {
    const NodalBlock& block = view().block;
    const Index lines = block.periodic_x ? 2 : 1, beside = block.periodic_y ? block.nodes() : 2;
    return std::min<Index>(4 * (lines * block.nodes() + beside), size() - 1);
  }

  std::vector<Index> equation_places() const { return places_; }
  // Of (v, w) of all nodes, [node][component].
  std::vector<Index> value_places() const {
    std::vector<Index> all;
    for (Index n = 0; n < values(); ++n) all.push_back(place(n));
    return all;
  }

  // Calls set(equation, unknown, coefficient) for every coefficient that is not zero.
  template <class Set>
  void assemble(const Set& set) const {
    const NodalBlock& block = view().block;
    for (Index i = 0; i < block.lines(); ++i)
      for (Index j = 0; j < block.nodes(); ++j)
        for (int di = -1; di <= 1; ++di)
          for (int dj = -1; dj <= 1; ++dj) {
            const bool beyond_x = i + di < 0 || i + di >= block.lines(),
                       beyond_y = j + dj < 0 || j + dj >= block.nodes();
            if ((!beyond_x || block.periodic_x) && (!beyond_y || block.periodic_y)) assemble(i, j, di, dj, set);
          }
  }

  // From the unknowns that are left to (v, w) of all nodes.
  std::vector<double> expanded(std::span<const double> x) const {
    std::vector<double> all(number_.size());
    for (std::size_t n = 0; n < all.size(); n += 4) {
      double a[4];
      for (std::size_t c = 0; c < 4; ++c) a[c] = number_[n + c] < 0 ? 0 : x[static_cast<std::size_t>(number_[n + c])];
      view().expand(line(static_cast<Index>(n)), node(static_cast<Index>(n)), a);
      std::copy(a, a + 4, all.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return all;
  }

 private:
  const EquationView<double>& view() const { return equations_.view(); }
  Index values() const { return 4 * view().block.lines() * view().block.nodes(); }
  // Of value n, counted [line][node][component].
  Index line(Index n) const { return n / 4 / view().block.nodes(); }
  Index node(Index n) const { return n / 4 % view().block.nodes(); }
  // From the first to the last; where x is periodic, from both ends of any cut to the middle, so that neighbors stay
  // near.
  std::vector<Index> order_of_lines() const {
    const Index count = view().block.lines();
    std::vector<Index> order;
    for (Index n = 0; n < count; ++n)
      order.push_back(!view().block.periodic_x ? n : n % 2 == 0 ? n / 2 : count - 1 - n / 2);
    return order;
  }
  static int component(Index n) { return static_cast<int>(n % 4); }
  Index place(Index n) const { return line(n) * view().block.line_size() + view().block.place(component(n), node(n)); }

  template <class Set>
  void assemble(Index i, Index j, int di, int dj, const Set& set) const {
    const NodalBlock& block = view().block;
    const Index nodes = block.nodes();
    const Index other_line = (i + di + block.lines()) % block.lines(), other_node = (j + dj + nodes) % nodes;
    double m[4][4];
    view().block_of(i, j, di, dj, m);
    view().reduce_columns(other_line, other_node, m);
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column) {
        const Index r = number_[4 * (i * nodes + j) + row], c = number_[4 * (other_line * nodes + other_node) + column];
        if (r >= 0 && c >= 0 && m[row][column] != 0) set(r, c, m[row][column]);
      }
  }

  Equations<double> equations_;
  std::vector<Index> number_, places_;
};

}  // namespace

template <class T>
std::unique_ptr<multigrid::CoarsestSolver<T>> make_coarsest_solver(const Formulation& problem, const LevelMesh<T>& mesh,
                                                                   const std::vector<double>& sampled) {
  require(!mesh.space->exchanges(), "make_coarsest_solver: the coarsest mesh must be replicated");
  const ExecutorPtr host = make_omp_executor(1);
  const NodalBlock block = nodal_block({{0}, {mesh.x->distinct_nodes()}}, *mesh.x, *mesh.y);
  const auto system = std::make_shared<CoarsestEquations>(
      sampled.empty() ? Equations<double>(problem, *mesh.x, *mesh.y, block, host, 1)
                      : Equations<double>(problem, *mesh.x, *mesh.y, block, host, make_array(host, sampled)));
  multigrid::CoarsestLayout layout{system->equation_places(), system->value_places(),
                                   [system](std::span<const double> x) { return system->expanded(x); }};
  const Index n = system->size();
  if (n <= largest_inverse) {
    std::vector<double> by_columns(static_cast<std::size_t>(n * n), 0.0);
    system->assemble([&](Index row, Index column, double value) { by_columns[column * n + row] = value; });
    return multigrid::make_dense_inverse<T>(mesh.space->vectors(), layout, std::move(by_columns));
  }
  const bool held = mesh.space->holds_anything();
  BandedMatrix banded(held ? n : 0, system->band(), system->band());
  if (held) system->assemble([&](Index row, Index column, double value) { banded.at(row, column) = value; });
  return multigrid::make_banded_solver<T>(mesh.space->vectors(), std::move(layout), std::move(banded));
}

template std::unique_ptr<multigrid::CoarsestSolver<double>> make_coarsest_solver(const Formulation&,
                                                                                 const LevelMesh<double>&,
                                                                                 const std::vector<double>&);
template std::unique_ptr<multigrid::CoarsestSolver<float>> make_coarsest_solver(const Formulation&,
                                                                                const LevelMesh<float>&,
                                                                                const std::vector<double>&);

}  // namespace halocline::collocation
