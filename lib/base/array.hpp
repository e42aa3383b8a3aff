// Array: owns memory of one executor. Every copy between executor and host is written out by the caller.
#pragma once

#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/executor.hpp"
#include "lib/base/view.hpp"

namespace halocline {

template <class T, int Rank>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  // Uninitialized memory of the given extents, last index fastest.
  Array(ExecutorPtr executor, std::array<Index, Rank> extent) : executor_(std::move(executor)) {
    Index size = 1;
    for (int d = 0; d < Rank; ++d) size *= extent[d];
    void* memory = executor_->allocate(static_cast<std::size_t>(size) * sizeof(T));
    view_ = std::apply([memory](auto... n) { return View<T, Rank>(static_cast<T*>(memory), n...); }, extent);
  }
  Array(Array&& other) noexcept
      : executor_(std::exchange(other.executor_, nullptr)), view_(std::exchange(other.view_, {})) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(view_, other.view_);
    return *this;
  }
  ~Array() {
    if (executor_) executor_->deallocate(view_.data, static_cast<std::size_t>(view_.size()) * sizeof(T));
  }

  View<T, Rank> view() { return view_; }
  View<const T, Rank> view() const { return view_; }
  const ExecutorPtr& executor() const { return executor_; }
  Index size() const { return view_.size(); }

  // Copies `host` (size() values) into the array.
  void assign(std::span<const T> host) {
    require(static_cast<Index>(host.size()) == size(), "Array::assign: sizes differ");
    executor_->copy_in(view_.data, host.data(), host.size_bytes());
  }
  // Copies from an array of the same executor; mixing executors is an error, never a hidden transfer.
  void assign(const Array& other) {
    require(other.executor_ == executor_, "Array::assign: arrays live on different executors");
    require(other.size() == size(), "Array::assign: sizes differ");
    executor_->copy_async(view_.data, other.view_.data, static_cast<std::size_t>(size()) * sizeof(T), Queue::compute);
  }
  std::vector<T> to_host() const {
    std::vector<T> host(static_cast<std::size_t>(size()));
    if (!host.empty()) executor_->copy_out(host.data(), view_.data, host.size() * sizeof(T));
    return host;
  }

 private:
  ExecutorPtr executor_;
  View<T, Rank> view_;
};

// A new array with these values.
template <class T>
Array<T, 1> make_array(const ExecutorPtr& executor, const std::vector<T>& values) {
  Array<T, 1> array(executor, {static_cast<Index>(values.size())});
  if (!values.empty()) array.assign(values);
  return array;
}

}  // namespace halocline
