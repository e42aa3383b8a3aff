// A host device that counts the bytes that it has given.
#pragma once

#include <atomic>

#include "lib/base/executor.hpp"

namespace halocline {

class CountedMemory final : public Executor {
 public:
  CountedMemory() : Executor(Backend::omp, 1, "counted") {}
  std::size_t bytes() const { return bytes_; }

  void* allocate(std::size_t bytes) const override {
    bytes_ += bytes;
    return host_->allocate(bytes);
  }
  void deallocate(void* pointer, std::size_t bytes) const noexcept override {
    bytes_ -= bytes;
    host_->deallocate(pointer, bytes);
  }
  void* allocate_pinned(std::size_t bytes) const override { return allocate(bytes); }
  void deallocate_pinned(void* pointer, std::size_t bytes) const noexcept override { deallocate(pointer, bytes); }
  void copy_in_async(void* to, const void* host, std::size_t bytes, Queue queue) const override {
    host_->copy_in_async(to, host, bytes, queue);
  }
  void copy_out_async(void* host, const void* from, std::size_t bytes, Queue queue) const override {
    host_->copy_out_async(host, from, bytes, queue);
  }
  void copy_async(void* to, const void* from, std::size_t bytes, Queue queue) const override {
    host_->copy_async(to, from, bytes, queue);
  }
  void copy_peer(void* to, const Executor& source, const void* from, std::size_t bytes) const override {
    host_->copy_peer(to, source, from, bytes);
  }
  Event record(Queue queue) const override { return host_->record(queue); }
  void wait(Queue queue, const Event& event) const override { host_->wait(queue, event); }
  void wait(const Event& event) const override { host_->wait(event); }
  void synchronize() const override { host_->synchronize(); }
  void run(Queue queue, std::function<void()> work) const override { host_->run(queue, std::move(work)); }

 private:
  ExecutorPtr host_ = make_omp_executor(1);
  mutable std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace halocline
