// Rates of sparse matrices: products in every format and precision, transposes and products of matrices, beside the
// rate at which the device copies.
//
//   bench_sparse_products [DEVICE [PROBLEM [PARTS]]]     omp:2 p7:60 1 by default; any device; see named_problems.hpp
// A line per step: milliseconds, best of several passes, GB/s by the bytes it states, and their share of the copy rate;
// products of matrices with thousand millions of multiplications per second.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "gpu/copy_rate.hpp"
#include "gpu/devices.hpp"
#include "lib/linalg/sparse/dist_matrix.hpp"
#include "lib/linalg/sparse/products/spgemm.hpp"
#include "lib/linalg/sparse/products/transpose.hpp"
#include "lib/linalg/vector.hpp"
#include "tests/bench/made_up_interpolation.hpp"
#include "tests/bench/sparse_residual.hpp"
#include "tests/unit/sparse/named_problems.hpp"

namespace {

using namespace halocline;
using namespace halocline::sparse;

class Bench {
 public:
  Bench(const Team& team, double copy) : team_(team), copy_(copy) {}

  // Best time of a pass of `work`, in seconds.
  template <class Work>
  double best_time(const Work& work) const {
    double best = 1e300, total = 0;
    for (int pass = 0; pass < 200 && (pass < 3 || total < 1.0); ++pass) {
      const auto start = std::chrono::steady_clock::now();
      work();
      for (int p = 0; p < team_.parts(); ++p) team_.executor(p)->synchronize();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      best = std::min(best, seconds);
      total += seconds;
    }
    return best;
  }
  template <class Work>
  void rate(const std::string& step, double bytes, const Work& work) const {
    const double seconds = best_time(work);
    std::printf("%-40s %10.4f ms %9.1f GB/s %6.1f %% of copy\n", step.c_str(), 1e3 * seconds, 1e-9 * bytes / seconds,
                100 * bytes / seconds / copy_);
    std::fflush(stdout);
  }
  template <class Work>
  void products(const std::string& step, double count, const Work& work) const {
    const double seconds = best_time(work);
    std::printf("%-40s %10.4f ms %9.2f G/s\n", step.c_str(), 1e3 * seconds, 1e-9 * count / seconds);
    std::fflush(stdout);
  }

 private:
  const Team& team_;
  double copy_;
};

std::string name_of(const ChosenFormat& format) {
  const char* const kinds[] = {"automatic", "sell", "ell", "crs", "four"};
  std::string name = kinds[static_cast<int>(format.kind)];
  if (format.kind == FormatKind::sell) name += " sigma " + std::to_string(format.order->sigma());
  if (format.lanes > 1) name += ", " + std::to_string(format.lanes) + " lanes";
  return name;
}

// What the bytes of a row are besides its entries: a length of slices, or where a compressed row begins.
double bytes_of_row(const ChosenFormat& format) { return format.kind == FormatKind::crs ? 8 : 1; }

void time_matrix(const Bench& bench, const DistCrs& a, const MatrixFormat& wanted) {
  const DistMatrix matrix(a, wanted);
  const std::string name = ", " + name_of(matrix.format());
  const auto rows = static_cast<double>(a.rows().size()), entries = static_cast<double>(a.entries());
  const double fp64 = 12 * entries + rows * (bytes_of_row(matrix.format()) + 16),
               fp32 = 8 * entries + rows * (bytes_of_row(matrix.format()) + 12);
  std::printf("stored over used entries: %.3f\n", matrix.format().fill);
  Vector<double> x(matrix.space()), y(matrix.space()), b(matrix.space());
  fill(x, 1);
  fill(b, 1);
  bench.rate("product fp64" + name, fp64, [&] { matrix.apply(x, y); });
  bench.rate("product fp64 with two sums" + name, fp64 + 8 * rows, [&] { matrix.apply_with_energy(x, y, b); });
  bench.rate("residual fp64" + name, fp64 + 8 * rows, [&] { matrix.residual(b, x, y); });
  const ResidualInFloat residual(a, matrix.format(), matrix.columns());
  bench.rate("residual fp32" + name, fp32, [&] { residual.apply(); });
}

void time_shared(const Bench& bench, const DistCrs& a) {
  for (const int lanes : {1, 4, 8, 16}) {
    ChosenFormat format = choose_format(a, {FormatKind::crs});
    format.lanes = lanes;
    const ColumnSpace columns(a, *format.order);
    const ResidualInFloat residual(a, format, columns);
    const auto rows = static_cast<double>(a.rows().size()), entries = static_cast<double>(a.entries());
    bench.rate("residual fp32, " + name_of(format), 8 * entries + 20 * rows, [&] { residual.apply(); });
  }
}

void time_setup(const Bench& bench, const DistCrs& a) {
  const DistCrs p = made_up_interpolation(a), r = transpose(p);
  const auto columns = static_cast<double>(p.columns().size()), rows = static_cast<double>(a.rows().size());
  bench.rate("transpose", 24 * static_cast<double>(p.entries()) + 8 * (rows + columns), [&] { transpose(p); });
  bench.products("A P, as they arise", 4 * static_cast<double>(a.entries()),
                 [&] { multiply(a, p, Order::as_they_arise); });
  ProductPlan of_ap, of_c;
  DistCrs ap = multiply(a, p, Order::as_they_arise, &of_ap);
  const double mean = static_cast<double>(ap.entries()) / rows;
  bench.products("R (A P), sorted", mean * static_cast<double>(r.entries()), [&] { multiply(r, ap, Order::sorted); });
  DistCrs c = multiply(r, ap, Order::sorted, &of_c);
  std::printf("entries a row: A P %.1f, R (A P) %.1f\n", mean, static_cast<double>(c.entries()) / columns);
  bench.products("A P again", 4 * static_cast<double>(a.entries()), [&] { multiply_again(of_ap, a, p, ap); });
  bench.products("R (A P) again", mean * static_cast<double>(r.entries()), [&] { multiply_again(of_c, r, ap, c); });
}

void run(const std::string& device, const std::string& name, int parts) {
  const Communicator comm(MPI_COMM_SELF);
  std::vector<ExecutorPtr> executors;
  for (int p = 0; p < parts; ++p) executors.push_back(make_executor(device, 1));
  const Team team(executors, 0, parts);
  const double copy = copy_rate(executors[0], 0.5);
  const auto start = std::chrono::steady_clock::now();
  const auto source = named_problem(name);
  const std::vector<double> weights(static_cast<std::size_t>(team.total_parts()), 1.0);
  const auto rows = std::make_shared<const RowSpace>(comm, team, Partition(source->rows(), 1024, weights, 0));
  const DistCrs a = distribute(*source, rows).matrix;
  std::printf("%s on %s, %d parts: %ld rows, %ld entries, made in %.2f s; copies %.1f GB/s\n", name.c_str(),
              device.c_str(), parts, static_cast<long>(a.rows().size()), static_cast<long>(a.entries()),
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 1e-9 * copy);
  const Bench bench(team, copy);
  for (const Index sigma : {256, 1, 32, 1024}) time_matrix(bench, a, {FormatKind::sell, sigma});
  time_matrix(bench, a, {FormatKind::crs});
  time_shared(bench, a);
  time_setup(bench, a);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  run(argc > 1 ? argv[1] : "omp:2", argc > 2 ? argv[2] : "p7:60", argc > 3 ? std::atoi(argv[3]) : 1);
  MPI_Finalize();
}
