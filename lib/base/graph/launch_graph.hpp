// LaunchGraph: a sequence of launches that is repeated with the same arguments, as one launch on devices where single
// ones cost more than small kernels take.
#pragma once

#include <memory>

#include "lib/base/executor.hpp"

namespace halocline {

class CaptureQueue;

// The first run() on a device that captures (CaptureQueue) calls `work`, so that what is set up at first use is; the
// second one records its launches and launches them; later ones only launch. Elsewhere, inside of another capture and
// while kernels are profiled, `work` is always called. An error inside of `work` leaves the graph as it was.
//
// `work` makes the same launches on the compute queue of the executor with the same arguments each time, from the
// calling thread; it neither waits nor takes memory nor meets the host after its first call. The memory that it uses
// outlives the graph, or whoever changes it resets the graph.
class LaunchGraph {
 public:
  // `name`: a literal, for the launches as a whole.
  explicit LaunchGraph(const char* name) : name_(name) {}

  template <class Work>
  void run(const Executor& executor, const Work& work) {
    run(
        executor, [](const void* context) { (*static_cast<const Work*>(context))(); }, &work);
  }
  // The next run() is a first one again.
  void reset();

 private:
  void run(const Executor& executor, void (*call)(const void*), const void* context);

  const char* name_;
  const CaptureQueue* queue_ = nullptr;  // where `work` has been called
  std::shared_ptr<void> captured_;
};

}  // namespace halocline
