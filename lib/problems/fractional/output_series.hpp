// OutputSeries: figures of the state at the times of output.
#pragma once

#include <vector>

#include "lib/base/publish.hpp"

namespace halocline::fractional {

struct OutputRecord {
  double time = 0, step = 0, low = 0, high = 0, error = 0;
};

class OutputSeries {
 public:
  /// `with_error`: there is a solution to compare with.
  explicit OutputSeries(bool with_error) : with_error_(with_error) {}

  void add(const OutputRecord& record) { records_.push_back(record); }
  void publish(FieldSink& sink) const;
  /// Collective; `root` on the one rank that saves.
  void archive(StateArchive& state, bool root);

 private:
  bool with_error_;
  std::vector<OutputRecord> records_;
};

}  // namespace halocline::fractional
