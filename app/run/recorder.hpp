// Recorder: series over time (`output.probes` of a deck): extremes and integral of fields, their values at points and
// along lines, for any family that publishes fields on a grid.
//
// A sink for Problem::publish. Everything is computed where the field lies and does not depend on the partition: the
// integral is an exact sum over rows, values at points are interpolated between the 2, 4 or 8 nearest unless the
// problem gives better ones. The records are part of a checkpoint.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/run/run_options.hpp"
#include "app/run/sampling_kernels.hpp"
#include "io/output/result_writer.hpp"
#include "lib/base/exact_sum.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {

// Where a coordinate lies among the values of an axis: between `first` and `next`, `weight` of the latter.
struct AxisSpot {
  Index first = 0, next = 0;
  double weight = 0;
};
// `nodes`: of the axis, increasing; `point`: values at the nodes, else between them. Beyond the last value the first
// one comes again after a `period`; without one, 0, it is constant.
AxisSpot axis_spot(const std::vector<double>& nodes, bool point, double x, double period = 0);

class Recorder final : public FieldSink {
 public:
  // All that is given outlives this.
  Recorder(const Context& context, const ProbeOptions& options);

  // Adds a record of time `t`. Collective. DeckError when the problem has no grid, or a point lies outside.
  void take(const Problem& problem, double t);
  // Values of the last record at all points, field by field.
  std::vector<double> last_at_points() const;
  // Whether the fields have values at the nodes of the grid.
  bool at_nodes() const { return point_; }
  // The series so far, named probes/...
  void publish(ResultWriter& writer) const;
  // Saves and restores the records; those of other probes are dropped when restoring. Collective.
  void archive(StateArchive& archive);

  bool wants(const std::string& field) const override;
  void grid(const Grid& grid) override;
  void field(const FieldInfo& info, int part, const Range<3>& block, View<const double, 3> values,
             const Executor& executor) override;
  std::span<const std::array<double, 3>> places() const override { return coordinates_; }
  void at_places(const std::string& field, std::span<const double> values) override;
  void column(const FieldInfo&, int, const Range<1>&, View<const double, 1>, const Executor&) override {}
  void column(const FieldInfo&, int, const Range<1>&, View<const Index, 1>, const Executor&) override {}
  void series(const std::string&, const std::string&, std::span<const double>) override {}

 private:
  struct Probe {
    std::array<AxisSpot, 3> axes;
  };
  // One field of the record under way.
  struct Gathered {
    FieldInfo info;
    double low = 0, high = 0;
    ExactSum sum;
    std::vector<Index> corners;  // bits of the values around every probe, 0 where another rank has them
    std::vector<double> given;   // at every probe, by the problem itself; empty: to be interpolated
  };
  Gathered& gathered(const FieldInfo& info);
  void place_probes(bool point);
  void add_extremes(Gathered& into, const View<const double, 3>& values, const Executor& executor);
  void add_integral(Gathered& into, const Range<3>& block, const View<const double, 3>& values,
                    const Executor& executor);
  void add_corners(Gathered& into, const Range<3>& block, const View<const double, 3>& values,
                   const Executor& executor);
  void join(Gathered& one, std::vector<double>& record) const;
  double interpolate(const Probe& probe, const Index* corners) const;
  std::size_t width() const { return 1 + fields_.size() * (3 + coordinates_.size()); }
  Index fingerprint() const;

  Context context_;
  const ProbeOptions& options_;
  std::vector<std::string> fields_, units_;
  std::vector<std::array<double, 3>> coordinates_;  // of points, then of all lines
  std::vector<double> records_;                     // one row per record: time, then per field low, high, sum, values
  Grid grid_;
  bool point_ = false;
  std::vector<Probe> probes_;
  std::vector<Gathered> gathered_;
};

}  // namespace halocline
