// Seconds of the direct solvers of collocation per solve step, beside the least time their memory traffic (or, for the
// dense products, arithmetic) would take by the models of the method's cost table.
//
//   bench_collocation_direct [N [DEVICE [THREADS]]]     n (default 512) elements per axis, device omp or cuda:0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>

#include "gpu/devices.hpp"
#include "lib/linalg/dense_product.hpp"
#include "lib/problems/collocation/direct/closed_modes.hpp"
#include "lib/problems/collocation/direct/dense_modes.hpp"
#include "lib/problems/collocation/discretization/nodal_operator.hpp"
#include "lib/problems/collocation/separable/separable.hpp"

namespace halocline::collocation {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<double> equal_nodes(Index n) {
  std::vector<double> nodes;
  for (Index i = 0; i <= n; ++i) nodes.push_back(static_cast<double>(i) / static_cast<double>(n));
  return nodes;
}

struct Bench {
  Index n;
  Communicator comm{MPI_COMM_SELF};
  Team team;
  NodalBlock block;
  VectorSpacePtr space;
  Vector<double> f, x;

  Bench(Index size, const ExecutorPtr& executor)
      : n(size),
        team({executor}, 0, 1),
        block{0, n + 1, n, n},
        space(nodal_vector_space(comm, team, {block})),
        f(space),
        x(space) {
    std::vector<double> values(static_cast<std::size_t>(block.size()), 0.0);
    for (Index i = 0; i <= n; ++i)
      for (int c = 0; c < 4; ++c)
        for (Index j = 0; j <= n; ++j)
          values[i * block.line_size() + block.place(c, j)] = std::sin(static_cast<double>(i * 7 + c + j * 3));
    executor->copy_in(f.part(0).data, values.data(), values.size() * sizeof(double));
  }

  // Bytes a copy of a vector moves per second.
  double copy_rate() {
    const auto once = [&] {
      copy(f, x);
      team.executor(0)->synchronize();
    };
    return 2 * 8 * static_cast<double>(block.size()) / best_of(5, once);
  }
  static double best_of(int count, const std::function<void()>& work) {
    double best = 1e300;
    for (int i = 0; i < count; ++i) {
      const auto start = std::chrono::steady_clock::now();
      work();
      best = std::min(best, seconds_since(start));
    }
    return best;
  }

  // Operations per second of a product with as many lines as the y parts multiply at once.
  double product_rate() {
    const Index m = std::min<Index>(n, 512);
    const ExecutorPtr& executor = team.executor(0);
    const Array<double, 1> a = make_array(executor, std::vector<double>(static_cast<std::size_t>(m * n), 1.0)),
                           b = make_array(executor, std::vector<double>(static_cast<std::size_t>(n * n), 1.0));
    Array<double, 1> c(executor, {m * n});
    DenseProduct product(executor);
    const double seconds = best_of(3, [&] {
      product.multiply(m, n, n, a.view().data, n, b.view().data, n, 0, c.view().data, n);
      executor->synchronize();
    });
    return 2 * static_cast<double>(m) * static_cast<double>(n * n) / seconds;
  }

  // `vectors`: read or written at least; `products`: operations in units of n^3.
  void report(const char* name, const std::function<std::unique_ptr<Operator<double>>()>& make, double vectors,
              double products) {
    const auto start = std::chrono::steady_clock::now();
    const auto inverse = make();
    team.executor(0)->synchronize();
    const double set_up = seconds_since(start);
    const double seconds = best_of(products > 0 ? 2 : 5, [&] {
      inverse->apply(f, x);
      team.executor(0)->synchronize();
    });
    const double size = static_cast<double>(n);
    const double floor = std::max(vectors * 32 * size * size / copies, products * size * size * size / operations);
    std::printf("%-26s n = %5lld   set-up %8.3f s   solve %9.5f s   floor %9.5f s   fraction %.2f\n", name,
                static_cast<long long>(n), set_up, seconds, floor, floor / seconds);
  }

  double copies = copy_rate(), operations = product_rate();
};

std::unique_ptr<Operator<double>> closed(Bench& b) {
  const Axis axis(equal_nodes(b.n));
  std::vector<std::unique_ptr<AlongY>> along;
  along.push_back(make_closed_along(axis, b.block, b.team.executor(0)));
  return std::make_unique<SeparableInverse>(
      std::vector{b.block}, std::move(along),
      make_closed_across(b.comm, b.team, {b.block}, axis, 1, -1, closed_mode_values(axis, 1)));
}

std::vector<double> ones(const Bench& b) { return std::vector<double>(static_cast<std::size_t>(2 * b.n), 1.0); }

std::unique_ptr<Operator<double>> pencils(Bench& b) {
  const PencilBasis basis = pencil_basis(Axis(equal_nodes(b.n)), ones(b), b.comm);
  std::vector<std::unique_ptr<AlongY>> along;
  along.push_back(make_dense_along(basis, b.block, b.team.executor(0)));
  return std::make_unique<SeparableInverse>(std::vector{b.block}, std::move(along),
                                            make_dense_across(b.comm, b.team, {b.block}, basis, -1, basis.values));
}

// `closed`: trigonometric eigenvectors along y, else dense ones.
std::unique_ptr<Operator<double>> strips(Bench& b, bool closed) {
  std::vector<double> c = ones(b);
  if (!closed) c.front() = 1.1;
  const Axis axis(equal_nodes(b.n));
  const AxisOperator terms{ones(b), ones(b), std::vector<double>(c.size(), -1.0)};
  return make_separable_inverse(b.comm, b.team, {b.block}, axis, axis, terms, c);
}

void run(Index n, const ExecutorPtr& executor) {
  Bench bench(n, executor);
  std::printf("%s: copies %.1f GB/s, products %.1f GFlop/s\n", executor->name().c_str(), bench.copies * 1e-9,
              bench.operations * 1e-9);
  bench.report(
      "closed form (6a)", [&] { return closed(bench); }, 6, 0);
  bench.report(
      "separable, closed y (6c)", [&] { return strips(bench, true); }, 9, 0);
  if (n > 1024 && executor->backend() != Backend::cuda) return;  // minutes
  bench.report(
      "separable, dense y (6c)", [&] { return strips(bench, false); }, 9, 32);
  bench.report(
      "pencil (6b)", [&] { return pencils(bench); }, 8, 64);
}

}  // namespace
}  // namespace halocline::collocation

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long n = argc > 1 ? std::atol(argv[1]) : 512;
  const std::string device = argc > 2 ? argv[2] : "omp";
  const int threads = argc > 3 ? std::atoi(argv[3]) : 2;
  halocline::collocation::run(n, halocline::make_executor(device, threads));
  MPI_Finalize();
}
