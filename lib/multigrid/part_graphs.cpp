#include "lib/multigrid/part_graphs.hpp"

namespace halocline::multigrid {

namespace {

// Of every part; empty where one does not capture, or does so already.
std::vector<const CaptureQueue*> queues_of(const Team& team) {
  std::vector<const CaptureQueue*> queues;
  for (int p = 0; p < team.parts(); ++p) {
    const Executor& executor = *team.executor(p);
    const auto* queue = executor.profile() == nullptr ? dynamic_cast<const CaptureQueue*>(&executor) : nullptr;
    if (queue == nullptr || queue->capturing()) return {};
    queues.push_back(queue);
  }
  return queues;
}

}  // namespace

void PartGraphs::reset() {
  queues_.clear();
  captured_.clear();
}

void PartGraphs::run(const Team& team, void (*call)(const void*), const void* context) {
  auto queues = queues_of(team);
  if (queues.empty()) return call(context);
  if (queues != queues_) {
    reset();
    call(context);
    queues_ = std::move(queues);
    return;
  }
  if (captured_.empty()) capture(team, call, context);
  team.each([&](int p) { queues_[static_cast<std::size_t>(p)]->launch_captured(captured_[p], name_); });
}

// A capture is begun, filled and ended by the thread of its part.
void PartGraphs::capture(const Team& team, void (*call)(const void*), const void* context) {
  std::vector<std::shared_ptr<void>> graphs(queues_.size());
  try {
    team.each([&](int p) { queues_[static_cast<std::size_t>(p)]->begin_capture(); });
    call(context);
    team.each(
        [&](int p) { graphs[static_cast<std::size_t>(p)] = queues_[static_cast<std::size_t>(p)]->end_capture(); });
  } catch (...) {
    team.each([&](int p) {
      if (queues_[static_cast<std::size_t>(p)]->capturing()) queues_[static_cast<std::size_t>(p)]->drop_capture();
    });
    throw;
  }
  captured_ = std::move(graphs);
}

}  // namespace halocline::multigrid
