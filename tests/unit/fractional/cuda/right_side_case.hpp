// Right sides of random numbers, the same wherever they lie.
#pragma once

#include <random>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/problems/fractional/step/right_side_kernels.hpp"

namespace halocline::fractional {

template <class T = double>
std::vector<T> random_values(Index count) {
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(any(engine));
  return values;
}

// What a right side adds, whether its nodes are of two media, and whether its coefficients are numbers all over.
struct PastKind {
  bool extrapolates = true, media = false;
  int increments = 2;  // at most 6
  bool numbers = false;
};

// A right side of random numbers on 37 x 11 nodes in some planes, with a plane of ghosts on either side.
template <class Numbers>
class RightSideCase {
 public:
  using Slot = typename Numbers::Slot;
  using Field = typename Numbers::Field;
  RightSideCase(const ExecutorPtr& executor, Index planes, End z, const PastKind& past = {})
      : executor_(executor), past_(past) {
    slab_.dimensions = 3;
    slab_.extent[0] = 37, slab_.extent[1] = 11, slab_.extent[2] = planes;
    slab_.pitch = 48, slab_.plane = 48 * 11, slab_.halo = 1;
    z_ = {planes, slab_.plane, z, z, false};
    values_ = make_array(executor, random_values(2 * size()));
    c_ = make_array(executor, random_values<Field>(size()));
    slots_ = make_array(executor, random_values<Slot>(slots * size()));
    std::vector<unsigned char> media(static_cast<std::size_t>(size()));
    for (std::size_t n = 0; n < media.size(); ++n) media[n] = n / 5 % 2;
    media_ = make_array(executor, media);
  }
  RightSideBody<ConstantAxis, Numbers> body() {
    RightSideBody<ConstantAxis, Numbers> body;
    body.slab = slab_;
    body.x = {x_, {1, -3, 2}, {1, -2, 1}, {2, -3, 1}};
    body.y = {y_, {}, {0.5, -1, 0.5}, {}};
    body.z = {z_, {0, -1, 0.25}, {0.25, -0.5, 0.25}, {0.25, -1, 0}};
    finish(body);
    return body;
  }
  RightSideBody<VaryingAxis, Numbers> varying_body() {
    RightSideBody<VaryingAxis, Numbers> body;
    body.slab = slab_;
    const NodeValue D{field(0), 0}, v{nullptr, 0.5};
    body.x = {x_, D, v, 1, 10, 10, false, false, 0, 0};
    body.y = {y_, D, v, 0.5, 5, 2.5, false, true, 0, 0};
    body.z = {z_, D, v, 2, 3, 6, true, false, 0, 0};
    finish(body);
    return body;
  }
  std::vector<Slot> result() const {
    executor_->synchronize();
    return slots_.to_host();
  }

 private:
  static constexpr Index slots = 4;
  Index size() const { return (slab_.extent[2] + 2) * slab_.plane; }
  double* field(Index n) { return values_.view().data + n * size() + slab_.plane; }
  Slot* slot(Index n) { return slots_.view().data + n * size() + slab_.plane; }
  template <class Body>
  void finish(Body& body) {
    body.box = slab_.box(slab_.rows());
    body.fields = {c_.view().data + slab_.plane, past_.extrapolates ? slot(0) : nullptr, slot(1)};
    body.numbers.local = {{1.5, 2}};
    body.numbers.ratio = past_.extrapolates ? 0.75 : 0;
    body.numbers.ahead = {{0.375, 0.25}};
    body.near.count = past_.increments;
    for (int n = 0; n < past_.increments; ++n) {  // the newest is delta'
      body.near.increments[n] = slot(n + 1 < past_.increments ? 2 + n % 2 : 0);
      body.near.weights[n] = static_cast<Slot>(0.5 / (1 + n));
    }
    if (past_.media) {
      body.medium.data = media_.view().data + slab_.plane;
      body.near.by_tables = true;
      body.near.table = {slot(3), 20};
    }
    body.mu = {past_.numbers ? nullptr : field(1), 0.875};
    body.sigma = {nullptr, 1.25};
    body.reaction = {nullptr, 0.5};
    body.source = {nullptr, 2};
  }
  ExecutorPtr executor_;
  PastKind past_;
  Array<unsigned char, 1> media_;
  SlabLayout slab_;
  AxisShape x_{37, 1, End::natural, End::natural, false}, y_{11, 48, End::periodic, End::periodic, false}, z_;
  Array<double, 1> values_;
  Array<Field, 1> c_;
  Array<Slot, 1> slots_;
};

}  // namespace halocline::fractional
