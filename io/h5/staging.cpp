#include "io/h5/staging.hpp"

#include <algorithm>
#include <cstring>

namespace halocline {
namespace {

void copy_out(const Executor& executor, double* to, const double* from, Index values) {
  executor.copy_out(to, from, static_cast<std::size_t>(values) * sizeof(double));
}

// Values from the first to the last of the view, gaps included.
Index span_of(const View<const double, 3>& v) {
  return (v.extent[0] - 1) * v.stride[0] + (v.extent[1] - 1) * v.stride[1] + v.extent[2];
}

// Copies row by row; `host` becomes the dense view of the copy.
void copy_rows(const View<const double, 3>& v, double* host, const Executor& executor) {
  for (Index i = 0; i < v.extent[0]; ++i) {
    for (Index j = 0; j < v.extent[1]; ++j) {
      copy_out(executor, host + (i * v.extent[1] + j) * v.extent[2], v.data + i * v.stride[0] + j * v.stride[1],
               v.extent[2]);
    }
  }
}

constexpr Index copied_at_once = Index{1} << 20;  // values of what is put into another order

// to(k, j, i) = from(i, j, k), tile by tile, so that both sides stay in the first cache. `width`: of a row there.
void transpose(const View<const double, 3>& from, Index width, double* to) {
  constexpr Index tile = 16;
  const Index nx = from.extent[0], ny = from.extent[1], nz = from.extent[2];
  for (Index k0 = 0; k0 < nz; k0 += tile) {
    for (Index j0 = 0; j0 < ny; j0 += tile) {
      for (Index i0 = 0; i0 < nx; i0 += tile) {
        const Index k1 = std::min(k0 + tile, nz), j1 = std::min(j0 + tile, ny), i1 = std::min(i0 + tile, nx);
        for (Index k = k0; k < k1; ++k) {
          for (Index j = j0; j < j1; ++j) {
            for (Index i = i0; i < i1; ++i) {
              to[(k * ny + j) * width + i] = from.data[i * from.stride[0] + j * from.stride[1] + k];
            }
          }
        }
      }
    }
  }
}

}  // namespace

template <class T>
std::vector<T> stage(View<const T, 1> values, const Executor& executor) {
  std::vector<T> host(static_cast<std::size_t>(values.size()));
  if (!host.empty()) executor.copy_out(host.data(), values.data, host.size() * sizeof(T));
  return host;
}
template std::vector<double> stage(View<const double, 1>, const Executor&);
template std::vector<Index> stage(View<const Index, 1>, const Executor&);

std::vector<double> stage(View<const double, 3> values, AxisOrder order, const Executor& executor) {
  if (values.size() == 0) return {};
  StagingBuffer buffer;
  if (order == AxisOrder::x_fastest) return pack(copy_to(buffer, values, executor));
  std::vector<double> result(static_cast<std::size_t>(values.size()));
  const Index all = values.extent[0], slice = std::max<Index>(1, values.extent[1] * values.extent[2]);
  const Index step = std::max<Index>(1, copied_at_once / slice);
  View<const double, 3> some = values;
  for (Index lo = 0; lo < all; lo += step) {
    some.data = values.data + lo * values.stride[0];
    some.extent[0] = std::min(step, all - lo);
    transpose(copy_to(buffer, some, executor), all, result.data() + lo);
  }
  return result;
}

double* StagingBuffer::room(const Executor& executor, Index values) {
  // Of other executors the memory of the host is as good as any; a GPU copies fast into its own.
  const Executor* owner = executor.backend() == Backend::cuda ? &executor : nullptr;
  if (data_ != nullptr && owner == owner_ && values <= values_) return data_;
  release();
  if (owner != nullptr) {
    data_ = static_cast<double*>(owner->allocate_pinned(static_cast<std::size_t>(values) * sizeof(double)));
  } else {
    plain_ = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(values));
    data_ = plain_.get();
  }
  owner_ = owner;
  values_ = values;
  return data_;
}

void StagingBuffer::release() noexcept {
  if (owner_ != nullptr) owner_->deallocate_pinned(data_, static_cast<std::size_t>(values_) * sizeof(double));
  plain_.reset();
  owner_ = nullptr;
  data_ = nullptr;
  values_ = 0;
}

View<const double, 3> copy_to(StagingBuffer& buffer, View<const double, 3> values, const Executor& executor) {
  if (values.size() == 0) return values;
  // One copy of everything is faster than one per row, unless most of it is gaps.
  const bool whole = span_of(values) <= 2 * values.size();
  double* const host = buffer.room(executor, whole ? span_of(values) : values.size());
  if (!whole) {
    copy_rows(values, host, executor);
    return View<const double, 3>(host, values.extent[0], values.extent[1], values.extent[2]);
  }
  copy_out(executor, host, values.data, span_of(values));
  values.data = host;
  return values;
}

std::vector<double> pack(const View<const double, 3>& from) {
  std::vector<double> dense(static_cast<std::size_t>(from.size()));
  for (Index k = 0; k < from.extent[0]; ++k) {
    for (Index j = 0; j < from.extent[1]; ++j) {
      std::copy_n(from.data + k * from.stride[0] + j * from.stride[1], from.extent[2],
                  dense.data() + (k * from.extent[1] + j) * from.extent[2]);
    }
  }
  return dense;
}

}  // namespace halocline
