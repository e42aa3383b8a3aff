// PartGraphs: a LaunchGraph for work on all parts of a rank at once, a graph of each part.
#pragma once

#include <memory>
#include <vector>

#include "lib/base/graph/capture_queue.hpp"
#include "mpi/team.hpp"

namespace halocline::multigrid {

// As LaunchGraph, but that `work` is called on the main thread and launches through Team::each(): the first run() calls
// it, the second one records what every part launches, and later ones launch that in one visit of the parts. Where a
// device of the rank does not capture, `work` is always called.
class PartGraphs {
 public:
  // `name`: a literal, for the launches as a whole.
  explicit PartGraphs(const char* name) : name_(name) {}

  template <class Work>
  void run(const Team& team, const Work& work) {
    run(
        team, [](const void* context) { (*static_cast<const Work*>(context))(); }, &work);
  }
  // The next run() is a first one again.
  void reset();

 private:
  using Queues = std::vector<const CaptureQueue*>;

  void run(const Team& team, void (*call)(const void*), const void* context);
  void capture(const Team& team, void (*call)(const void*), const void* context);

  const char* name_;
  Queues queues_;  // where the work has been called
  std::vector<std::shared_ptr<void>> captured_;
};

}  // namespace halocline::multigrid
