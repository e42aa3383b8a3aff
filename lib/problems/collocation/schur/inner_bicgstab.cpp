#include "lib/problems/collocation/schur/inner_bicgstab.hpp"

#include <cmath>

#include "gpu/launch.hpp"
#include "lib/linalg/vector_kernels.hpp"

namespace halocline::collocation {

namespace {

using vector_kernels::Rows;

template <class T>
struct CombineBody {
  T a, b, c;
  const T *x, *z;
  T* y;
  Rows rows;
  template <class P>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    for (Index k = rows.begin(piece); k < end; k += rows.step())
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        store(y + at, a * load<Q>(x + at) + b * load<Q>(y + at) + c * load<Q>(z + at));
      }
  }
};

// {(x, y), (x, x)} per line
template <class T>
struct DotsBody {
  const T *x, *y;
  Rows rows;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q xy[2] = {zero<Q>(), zero<Q>()}, xx[2] = {zero<Q>(), zero<Q>()};
    for (Index k = rows.begin(piece); k < end; k += rows.step())
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        const Q value = load<Q>(x + at);
        xy[q] = xy[q] + value * load<Q>(y + at);
        xx[q] = xx[q] + value * value;
      }
    sink.add(0, widened(xy[0] + xy[1]));
    sink.add(1, widened(xx[0] + xx[1]));
  }
};

// x += a p + o r; r -= o t; {(r, r), (r, w)} of the new r per line
template <class T>
struct InnerUpdateBody {
  T a, o;
  const T *p, *t, *w;
  T *x, *r;
  Rows rows;
  template <class P, class Sink>
  HALOCLINE_HD void operator()(Index group, Index piece, Index lane, Sink& sink) const {
    using Q = Like<P, T>;
    const Index start = rows.start(group, lane), end = rows.end(piece);
    Q rr[2] = {zero<Q>(), zero<Q>()}, rw[2] = {zero<Q>(), zero<Q>()};
    for (Index k = rows.begin(piece); k < end; k += rows.step())
      for (int q = 0; q < 2; ++q) {
        const Index at = start + (k + q) * lanes;
        const Q old = load<Q>(r + at);
        store(x + at, load<Q>(x + at) + (a * load<Q>(p + at) + o * old));
        const Q next = old - o * load<Q>(t + at);
        store(r + at, next);
        rr[q] = rr[q] + next * next;
        rw[q] = rw[q] + next * load<Q>(w + at);
      }
    sink.add(0, widened(rr[0] + rr[1]));
    sink.add(1, widened(rw[0] + rw[1]));
  }
};

// A GPU wants tens of thousands of threads, the host whole lines.
Rows rows_of(const VectorSpace& space, int part) {
  const Index rows = space.layout().rows;
  return space.team().executor(part)->backend() == Backend::cuda ? Rows{rows, 512, 32} : Rows{rows, rows, 1};
}

}  // namespace

template <class T>
InnerBicgstab<T>::InnerBicgstab(BlockSchur<T>& schur)
    : schur_(schur), b_(make()), x_(make()), r_(make()), r0_(make()), p_(make()), v_(make()), t_(make()) {}

template <class T>
typename InnerBicgstab<T>::Values InnerBicgstab<T>::make() const {
  Values values;
  const VectorSpace& space = *schur_.space();
  for (int p = 0; p < space.team().parts(); ++p) {
    const Index size = space.layout().groups[p] * space.layout().group_size();
    values.arrays.push_back(make_array(space.team().executor(p), std::vector<T>(static_cast<std::size_t>(size), T{0})));
    values.pointers.push_back(values.arrays.back().view().data);
    values.read.push_back(values.pointers.back());
  }
  return values;
}

template <class T>
void InnerBicgstab<T>::combine(double a, const Values& x, double b, double c, const Values& z, Values& y) const {
  const VectorSpace& space = *schur_.space();
  space.team().each([&](int p) {
    const Rows rows = rows_of(space, p);
    launch_lanes(*space.team().executor(p), "combine", space.layout().groups[p], rows.pieces(),
                 CombineBody<T>{static_cast<T>(a), static_cast<T>(b), static_cast<T>(c), x.read[p], z.read[p],
                                y.pointers[p], rows});
  });
}

template <class T>
void InnerBicgstab<T>::copy(const Values& from, Values& to) const {
  const Team& team = schur_.space()->team();
  team.each([&](int p) {
    team.executor(p)->copy_async(to.pointers[p], from.read[p],
                                 static_cast<std::size_t>(from.arrays[p].size()) * sizeof(T), Queue::compute);
  });
}

template <class T>
std::array<double, 2> InnerBicgstab<T>::dots(const Values& x, const Values& y) const {
  const VectorSpace& space = *schur_.space();
  space.clear_sums(2);
  space.team().each([&](int p) {
    const Rows rows = rows_of(space, p);
    sum_lanes<2>(*space.team().executor(p), "dots", space.layout().groups[p], rows.pieces(),
                 DotsBody<T>{x.read[p], y.read[p], rows}, space.sums<2>(p));
  });
  return space.join_sums<2>();
}

template <class T>
std::array<double, 2> InnerBicgstab<T>::update(double alpha, double omega) {
  const VectorSpace& space = *schur_.space();
  space.clear_sums(2);
  space.team().each([&](int p) {
    const Rows rows = rows_of(space, p);
    sum_lanes<2>(*space.team().executor(p), "update", space.layout().groups[p], rows.pieces(),
                 InnerUpdateBody<T>{static_cast<T>(alpha), static_cast<T>(omega), p_.read[p], t_.read[p], r0_.read[p],
                                    x_.pointers[p], r_.pointers[p], rows},
                 space.sums<2>(p));
  });
  return space.join_sums<2>();
}

template <class T>
int InnerBicgstab<T>::solve(Index most, double tolerance) {
  const double goal = tolerance * tolerance * dots(b_, b_)[1];
  copy(b_, x_);
  apply(x_, v_, x_);
  copy(b_, r_);
  combine(-1, v_, 1, 0, v_, r_);
  copy(r_, r0_);
  copy(r_, p_);
  double rho = dots(r_, r_)[1], rr = rho;
  int done = 0;
  while (done < most && rr > goal) {
    const double alpha = rho / apply(p_, v_, r0_).yw;
    if (!std::isfinite(alpha) || alpha == 0) break;
    combine(-alpha, v_, 1, 0, v_, r_);
    const Dots of_t = apply(r_, t_, r_);
    const double omega = of_t.yy > 0 ? of_t.yw / of_t.yy : 0;
    if (!std::isfinite(omega)) break;
    const auto [next_rr, r0_r] = update(alpha, omega);
    rr = next_rr;
    ++done;
    const double beta = (r0_r / rho) * (alpha / omega);
    if (!std::isfinite(beta) || beta == 0) break;
    rho = r0_r;
    combine(1, r_, beta, -beta * omega, v_, p_);
  }
  return done;
}

template class InnerBicgstab<double>;
template class InnerBicgstab<float>;

}  // namespace halocline::collocation
