#include "lib/problems/collocation/multigrid/halves.hpp"

#include <cmath>

#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/split_samples.hpp"

namespace halocline::collocation {

namespace {

constexpr Index shares = 32;  // threads that look for the largest number of a group
constexpr int top = 14;       // exponent of the largest number of a group

HALOCLINE_HD Index slot_of(const HalfLayout& layout, Index j) { return j % 2 * (layout.width / 2) + j / 2; }

// Groups x shares of their nodes.
struct LargestOfShare {
  HalfLayout layout;
  const float* from;
  float* largest;
  HALOCLINE_HD void operator()(Index group, Index share) const {
    float most = 0;
    for (Index row = 4 * layout.quads * group; row < 4 * layout.quads * (group + 1); ++row)
      for (Index j = share; j < layout.nodes; j += shares) {
        const float size = std::abs(from[row * layout.width + slot_of(layout, j)]);
        most = size > most ? size : most;
      }
    largest[group * shares + share] = most;
  }
};

// Groups: 2^-top of the power of two below the largest number. Down to 2^-120, so that its inverse is a number too.
struct ScaleOfGroup {
  const float* largest;
  float* scales;
  HALOCLINE_HD void operator()(Index group) const {
    float most = 0;
    for (Index n = group * shares; n < (group + 1) * shares; ++n) most = largest[n] > most ? largest[n] : most;
    const bool usable = most > 0 && most - most == 0;
    const int exponent = usable ? ::ilogb(most) - top : 0;
    scales[group] = ::ldexp(1.0F, exponent < -120 ? -120 : exponent);
  }
};

// Rows of FourHalves x nodes.
struct HalveBody {
  HalfLayout layout;
  const float *from, *scales;
  FourHalves* to;
  HALOCLINE_HD void operator()(Index row, Index j) const {
    const Index slot = slot_of(layout, j);
    const float factor = 1 / scales[row / layout.quads];
    FourHalves four;
    for (int c = 0; c < 4; ++c) four.of[c] = to_half(factor * from[(4 * row + c) * layout.width + slot]);
    to[row * layout.width + slot] = four;
  }
};

}  // namespace

HalfGroups halved(const ExecutorPtr& executor, const HalfLayout& layout, const float* from) {
  HalfGroups halves{Array<FourHalves, 1>(executor, {layout.groups * layout.quads * layout.width}),
                    Array<float, 1>(executor, {layout.groups})};
  Array<float, 1> largest(executor, {layout.groups * shares});
  float *const of_shares = largest.view().data, *const scales = halves.scales.view().data;
  const Index rows = layout.groups * layout.quads;
  const double numbers = 4 * static_cast<double>(rows * layout.nodes);
  launch(*executor, {"largest numbers", 4 * numbers}, Range<2>{{0, 0}, {layout.groups, shares}},
         LargestOfShare{layout, from, of_shares});
  launch(*executor, "scales", Range<1>{{0}, {layout.groups}}, ScaleOfGroup{of_shares, scales});
  launch(*executor, {"to 16 bits", 6 * numbers}, Range<2>{{0, 0}, {rows, layout.nodes}},
         HalveBody{layout, from, scales, halves.values.view().data});
  return halves;
}

template <class From>
HalfGroups halved_samples(const ExecutorPtr& executor, const EquationView<From>& view) {
  const Array<float, 1> samples = split_samples<float>(executor, view);
  return halved(executor, {6 * view.block.lines(), 1, 2 * split_of(view.block), view.block.nodes()},
                samples.view().data);
}

template HalfGroups halved_samples(const ExecutorPtr&, const EquationView<double>&);
template HalfGroups halved_samples(const ExecutorPtr&, const EquationView<float>&);

}  // namespace halocline::collocation
