#include "lib/problems/sparse/measure.hpp"

#include <array>
#include <chrono>

#include "gpu/copy_rate.hpp"

namespace halocline::sparse {

namespace {

template <class Work>
double microseconds(const Context& context, Index times, const Work& work) {
  const auto wait = [&] {
    for (int p = 0; p < context.team.parts(); ++p) context.team.executor(p)->synchronize();
    context.comm.barrier();
  };
  work();
  wait();
  const auto start = std::chrono::steady_clock::now();
  for (Index n = 0; n < times; ++n) work();
  wait();
  std::array<double, 1> seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
  context.comm.max(seconds);
  return 1e6 * seconds[0] / static_cast<double>(times);
}

}  // namespace

Measured measure_kernels(const Context& context, const DistMatrix& matrix, const Operator<double>* preconditioner,
                         Index times) {
  Vector<double> x(matrix.space()), y(matrix.space());
  fill(x, 1);
  matrix.apply(x, y);
  Measured made;
  made.dot = microseconds(context, times, [&] { dots(x, y); });
  made.product = microseconds(context, times, [&] { matrix.apply(x, y); });
  if (preconditioner == nullptr) return made;
  preconditioner->begin(x);
  made.preconditioner = microseconds(context, times, [&] { preconditioner->apply(x, y); });
  return made;
}

double all_copy_rates(const Context& context) {
  std::vector<double> rates(static_cast<std::size_t>(context.team.parts()), 0.0);
  context.comm.barrier();  // so that devices that share memory meet
  context.team.each([&](int p) { rates[static_cast<std::size_t>(p)] = copy_rate(context.team.executor(p), 0.05); });
  double own = 0;
  for (const double rate : rates) own += rate;
  double all = 0;
  for (const double rate : context.comm.gather(own)) all += rate;
  return all;
}

}  // namespace halocline::sparse
