#include "lib/problems/collocation/direct/fourier.hpp"

#include <cmath>
#include <numbers>

namespace halocline::collocation {

namespace {

// Factors 4, 2, 3, 5 of n, or nothing when there are others.
std::vector<LocalIndex> factors_of(Index n) {
  std::vector<LocalIndex> factors;
  for (const LocalIndex radix : {4, 2, 3, 5})
    for (; n % radix == 0; n /= radix) factors.push_back(radix);
  return n == 1 ? factors : std::vector<LocalIndex>{};
}

// exp(-i pi numerator / denominator), numerator reduced to less than a turn.
void push_root(std::vector<double>& pairs, Index numerator, Index denominator) {
  const long double angle = std::numbers::pi_v<long double> * static_cast<long double>(numerator % (2 * denominator)) /
                            static_cast<long double>(denominator);
  pairs.push_back(static_cast<double>(std::cos(angle)));
  pairs.push_back(static_cast<double>(-std::sin(angle)));
}

// Least length of factors 2, 3 and 5 that is at least n.
Index smooth_length(Index n) {
  while (factors_of(n).empty()) ++n;
  return n;
}

// Where decimation in frequency leaves bin k.
LocalIndex place_of(Index k, Index size, const FourierView& f) {
  Index place = 0;
  for (int s = 0; s < f.stages; ++s) {
    size /= f.radix[s];
    place += k % f.radix[s] * size;
    k /= f.radix[s];
  }
  return static_cast<LocalIndex>(place);
}

}  // namespace

Fourier::Fourier(Index length, const ExecutorPtr& executor) {
  require(length >= 1 && length <= Index{1} << 28, "Fourier: a length from 1 to 2^28");
  const bool direct = length == 1 || !factors_of(length).empty();
  view_.length = length;
  view_.size = direct ? length : smooth_length(2 * length - 1);
  const auto factors = factors_of(view_.size);
  require(factors.size() <= FourierView::most_stages, "Fourier: too many factors");
  for (const LocalIndex radix : factors) view_.radix[view_.stages++] = radix;
  std::vector<double> roots, chirp, kernel;
  std::vector<LocalIndex> place;
  for (Index t = 0; t < view_.size; ++t) push_root(roots, 2 * t, view_.size);
  for (Index k = 0; k < length; ++k) place.push_back(direct ? place_of(k, length, view_) : static_cast<LocalIndex>(k));
  if (!direct) {
    for (Index t = 0; t < length; ++t) push_root(chirp, t * t, length);
    kernel.assign(static_cast<std::size_t>(2 * view_.size), 0.0);
    for (Index t = 0; t < length; ++t)
      for (const Index at : {t, (view_.size - t) % view_.size}) {
        kernel[2 * at] = chirp[2 * t] / static_cast<double>(view_.size);
        kernel[2 * at + 1] = -chirp[2 * t + 1] / static_cast<double>(view_.size);
      }
    FourierView host = view_;
    host.roots = roots.data();
    in_frequency(host, Field<double>{kernel.data(), kernel.data() + 1, 2}, Alone{});
  }
  roots_ = make_array(executor, roots);
  place_ = make_array(executor, place);
  chirp_ = make_array(executor, chirp);
  kernel_ = make_array(executor, kernel);
  view_.roots = roots_.view().data;
  view_.place = place_.view().data;
  view_.chirp = direct ? nullptr : chirp_.view().data;
  view_.kernel = direct ? nullptr : kernel_.view().data;
}

}  // namespace halocline::collocation
