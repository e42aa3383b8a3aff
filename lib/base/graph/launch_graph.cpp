#include "lib/base/graph/launch_graph.hpp"

#include "lib/base/graph/capture_queue.hpp"

namespace halocline {

void LaunchGraph::reset() {
  queue_ = nullptr;
  captured_.reset();
}

void LaunchGraph::run(const Executor& executor, void (*call)(const void*), const void* context) {
  const auto* queue = executor.profile() == nullptr ? dynamic_cast<const CaptureQueue*>(&executor) : nullptr;
  if (queue == nullptr || queue->capturing()) return call(context);
  if (queue != queue_) {
    reset();
    call(context);
    queue_ = queue;
    return;
  }
  if (!captured_) {
    queue->begin_capture();
    try {
      call(context);
    } catch (...) {
      queue->drop_capture();
      throw;
    }
    captured_ = queue->end_capture();
  }
  queue->launch_captured(captured_, name_);
}

}  // namespace halocline
