#include "lib/problems/fractional/output_series.hpp"

#include <utility>

namespace halocline::fractional {

void OutputSeries::publish(FieldSink& sink) const {
  const auto give = [&](const char* name, const char* unit, double OutputRecord::*member) {
    std::vector<double> values;
    for (const OutputRecord& record : records_) values.push_back(record.*member);
    sink.series(name, unit, values);
  };
  give("output_time", "problem time", &OutputRecord::time);
  give("output_step", "1", &OutputRecord::step);
  give("min", "1", &OutputRecord::low);
  give("max", "1", &OutputRecord::high);
  if (with_error_) give("max_error", "1", &OutputRecord::error);
}

void OutputSeries::archive(StateArchive& state, bool root) {
  constexpr Index width = sizeof(OutputRecord) / sizeof(double);
  auto rows = static_cast<Index>(records_.size());
  state.scalar("series_rows", rows);
  records_.resize(static_cast<std::size_t>(rows));
  std::vector<double> values;
  for (const OutputRecord& r : records_) values.insert(values.end(), {r.time, r.step, r.low, r.high, r.error});
  const Range<1> own{{0}, {state.restoring() || root ? rows : 0}};
  state.block("series", rows, width, own, View<double, 1>(values.data(), width * own.extent(0)), *make_omp_executor(1));
  if (!state.restoring()) return;
  for (std::size_t n = 0; n < records_.size(); ++n) {
    const double* const v = values.data() + static_cast<std::size_t>(width) * n;
    records_[n] = {v[0], v[1], v[2], v[3], v[4]};
  }
}

}  // namespace halocline::fractional
