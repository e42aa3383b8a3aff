#include "app/run/recorder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "app/run/grid_places.hpp"
#include "gpu/launch.hpp"
#include "io/checksum.hpp"
#include "lib/base/array.hpp"

namespace halocline {
namespace {

double middle(const std::vector<double>& nodes, Index cell) {
  const auto n = static_cast<std::size_t>(cell);
  return n + 1 < nodes.size() ? (nodes[n] + nodes[n + 1]) / 2 : nodes.back();
}

// Lengths that the values of an axis stand for; 1 on an axis that is missing.
std::vector<double> widths_of(const Grid& grid, int axis, bool point) {
  if (grid.missing(axis)) return {1.0};
  const std::vector<double>& nodes = grid.nodes[static_cast<std::size_t>(axis)];
  std::vector<double> widths;
  for (std::size_t n = 0; n + 1 < nodes.size(); ++n) widths.push_back(nodes[n + 1] - nodes[n]);
  if (!point) return widths;
  std::vector<double> around(nodes.size(), 0.0);
  for (std::size_t n = 0; n < widths.size(); ++n) around[n] += widths[n] / 2, around[n + 1] += widths[n] / 2;
  const double closing = grid.high(axis) - nodes.back();  // of a period, from the last point to the first one again
  around.front() += closing / 2, around.back() += closing / 2;
  return around;
}

// The axis that index `place` of a view counts along.
int axis_of(const FieldInfo& info, int place) { return info.order == AxisOrder::x_slowest ? place : 2 - place; }

std::array<double, 3> coordinates_of(const std::vector<double>& row, std::size_t first, std::size_t count) {
  std::array<double, 3> point{};
  std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(first), count, point.begin());
  return point;
}

// Working memory for kernels on `executor`, whoever owns it; must not outlive it.
ExecutorPtr borrow(const Executor& executor) { return {std::shared_ptr<void>(), &executor}; }

}  // namespace

AxisSpot axis_spot(const std::vector<double>& nodes, bool point, double x, double period) {
  const auto count = static_cast<Index>(nodes.size()) - (point || nodes.size() < 2 ? 0 : 1);
  const auto at = [&](Index n) { return point ? nodes[static_cast<std::size_t>(n)] : middle(nodes, n); };
  if (count < 2) return {};
  if (period > 0 && x < at(0)) x += period;
  if (period > 0 && x > at(count - 1))
    return {count - 1, 0, std::min(1.0, (x - at(count - 1)) / (at(0) + period - at(count - 1)))};
  if (x <= at(0)) return {0, 1, 0};
  if (x >= at(count - 1)) return {count - 2, count - 1, 1};
  Index low = 0, high = count - 1;
  while (high - low > 1) {
    const Index half = (low + high) / 2;
    (at(half) <= x ? low : high) = half;
  }
  return {low, high, (x - at(low)) / (at(high) - at(low))};
}

Recorder::Recorder(const Context& context, const ProbeOptions& options)
    : context_(context), options_(options), fields_(options.fields) {
  if (fields_.empty() && options.given()) fields_.assign(options.known_fields.begin(), options.known_fields.end());
  units_.resize(fields_.size());
  for (const auto& row : options.points) coordinates_.push_back(coordinates_of(row, 0, row.size()));
  for (const auto& row : options.lines) {
    const std::size_t axes = row.size() / 2;
    const auto from = coordinates_of(row, 0, axes), to = coordinates_of(row, axes, axes);
    for (Index n = 0; n < options.samples; ++n) {
      const double s = static_cast<double>(n) / static_cast<double>(options.samples - 1);
      coordinates_.push_back({});
      for (std::size_t a = 0; a < 3; ++a) coordinates_.back()[a] = from[a] + s * (to[a] - from[a]);
    }
  }
}

bool Recorder::wants(const std::string& field) const {
  return std::find(fields_.begin(), fields_.end(), field) != fields_.end();
}

void Recorder::grid(const Grid& grid) {
  if (grid.nodes == grid_.nodes && grid.period == grid_.period) return;
  grid_ = grid;
  probes_.clear();
}

void Recorder::place_probes(bool point) {
  if (!probes_.empty() && point == point_) return;
  point_ = point;
  probes_.clear();
  for (const auto& x : coordinates_) {
    const std::string fault = place_fault(grid_, x);
    if (!fault.empty()) throw DeckError("output.probes: " + fault);
    Probe probe;
    for (std::size_t a = 0; a < 3; ++a) probe.axes[a] = axis_spot(grid_.nodes[a], point, x[a], grid_.period[a]);
    probes_.push_back(probe);
  }
}

Recorder::Gathered& Recorder::gathered(const FieldInfo& info) {
  for (Gathered& one : gathered_)
    if (one.info.name == info.name) return one;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  gathered_.push_back({info, infinity, -infinity, {}, std::vector<Index>(8 * coordinates_.size(), 0), {}});
  return gathered_.back();
}

void Recorder::field(const FieldInfo& info, int, const Range<3>& block, View<const double, 3> values,
                     const Executor& executor) {
  if (!wants(info.name)) return;
  place_probes(info.centring == Centring::point);
  Gathered& into = gathered(info);
  if (block.size() == 0) return;
  add_extremes(into, values, executor);
  add_integral(into, block, values, executor);
  if (!probes_.empty()) add_corners(into, block, values, executor);
}

void Recorder::at_places(const std::string& field, std::span<const double> values) {
  for (Gathered& one : gathered_)
    if (one.info.name == field) one.given.assign(values.begin(), values.end());
}

void Recorder::add_extremes(Gathered& into, const View<const double, 3>& values, const Executor& executor) {
  const Range<3> all{{0, 0, 0}, {values.extent[0], values.extent[1], values.extent[2]}};
  const Range<2> rows{{0, 0}, {values.extent[0], values.extent[1]}};
  const Extent start{into.low, into.high};
  const FieldExtent body{values};
  const Extent found = executor.backend() == Backend::cuda
                           ? reduce(executor, "probe_range", all, start, JoinExtents{}, body)
                           : reduce(executor, "probe_range", rows, start, JoinExtents{}, body);
  into.low = found.low, into.high = found.high;
}

void Recorder::add_integral(Gathered& into, const Range<3>& block, const View<const double, 3>& values,
                            const Executor& executor) {
  std::array<Array<double, 1>, 3> widths;
  RowIntegral body{values, {}, block.lo[axis_of(into.info, 2)]};
  for (int place = 0; place < 3; ++place) {
    const int axis = axis_of(into.info, place);
    const auto all = widths_of(grid_, axis, into.info.centring == Centring::point);
    widths[place] =
        make_array(borrow(executor), std::vector<double>(all.begin() + block.lo[axis], all.begin() + block.hi[axis]));
    body.widths[place] = widths[place].view();
  }
  sum_chunks<1>(executor, "probe_integral", values.extent[0] * values.extent[1] * body.pieces(), body,
                std::span<ExactSum, 1>(&into.sum, 1));
}

void Recorder::add_corners(Gathered& into, const Range<3>& block, const View<const double, 3>& values,
                           const Executor& executor) {
  std::vector<Spot> spots;
  for (std::size_t p = 0; p < probes_.size(); ++p) {
    for (Index corner = 0; corner < 8; ++corner) {
      Spot spot{static_cast<Index>(8 * p) + corner, {}};
      bool inside = true;
      for (int place = 0; place < 3; ++place) {
        const int axis = axis_of(into.info, place);
        const AxisSpot& at = probes_[p].axes[static_cast<std::size_t>(axis)];
        const bool next = (corner >> axis & 1) != 0;
        inside = inside && (!next || at.weight > 0);
        spot.cell[place] = (next ? at.next : at.first) - block.lo[axis];
        inside = inside && spot.cell[place] >= 0 && spot.cell[place] < block.extent(axis);
      }
      if (inside) spots.push_back(spot);
    }
  }
  if (spots.empty()) return;
  const Array<Spot, 1> where = make_array(borrow(executor), spots);
  Array<double, 1> picked(borrow(executor), {static_cast<Index>(spots.size())});
  launch(executor, "probe_values", Range<1>{{0}, {picked.size()}}, PickSpots{values, where.view(), picked.view()});
  const std::vector<double> found = picked.to_host();
  for (std::size_t n = 0; n < spots.size(); ++n)
    into.corners[static_cast<std::size_t>(spots[n].slot)] = std::bit_cast<Index>(found[n]);
}

double Recorder::interpolate(const Probe& probe, const Index* corners) const {
  double value = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const double w = probe.axes[static_cast<std::size_t>(axis)].weight;
      weight *= (corner >> axis & 1) != 0 ? w : 1 - w;
    }
    if (weight != 0) value += weight * std::bit_cast<double>(corners[corner]);
  }
  return value;
}

// Adds extremes, integral and values of one field to the record. Collective.
void Recorder::join(Gathered& one, std::vector<double>& record) const {
  std::array<double, 2> ends{-one.low, one.high};
  context_.comm.max(ends);
  context_.comm.sum(std::span<ExactSum>(&one.sum, 1));
  // One rank has the bits of a value, the others zero.
  const bool given = one.given.size() == probes_.size();
  if (!given && !one.corners.empty()) context_.comm.sum(std::span<Index>(one.corners));
  record.insert(record.end(), {-ends[0], ends[1], one.sum.value()});
  for (std::size_t p = 0; p < probes_.size(); ++p)
    record.push_back(given ? one.given[p] : interpolate(probes_[p], one.corners.data() + 8 * p));
}

void Recorder::take(const Problem& problem, double t) {
  gathered_.clear();
  problem.publish(*this);
  std::vector<double> record{t};
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const auto one = std::find_if(gathered_.begin(), gathered_.end(),
                                  [&](const Gathered& each) { return each.info.name == fields_[f]; });
    if (one == gathered_.end())
      throw DeckError("output.probes: this problem has no field " + fields_[f] + " on a grid");
    units_[f] = one->info.unit;
    join(*one, record);
  }
  records_.insert(records_.end(), record.begin(), record.end());
}

std::vector<double> Recorder::last_at_points() const {
  std::vector<double> values;
  const auto record = records_.end() - static_cast<std::ptrdiff_t>(width());
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const auto first = record + static_cast<std::ptrdiff_t>(1 + f * (3 + coordinates_.size()) + 3);
    values.insert(values.end(), first, first + static_cast<std::ptrdiff_t>(options_.points.size()));
  }
  return values;
}

void Recorder::publish(ResultWriter& writer) const {
  const std::size_t rows = records_.size() / width();
  const auto add = [&](const std::string& name, const std::string& unit, std::size_t column, std::size_t columns) {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t c = 0; c < columns; ++c) values.push_back(records_[row * width() + column + c]);
    writer.table("probes/" + name, unit, static_cast<Index>(columns), values);
  };
  add("time", "problem time", 0, 1);
  const std::size_t points = options_.points.size(), samples = static_cast<std::size_t>(options_.samples);
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const std::size_t first = 1 + f * (3 + coordinates_.size());
    add(fields_[f] + "_min", units_[f], first, 1);
    add(fields_[f] + "_max", units_[f], first + 1, 1);
    add(fields_[f] + "_integral", "", first + 2, 1);
    if (points > 0) add(fields_[f] + "_points", units_[f], first + 3, points);
    for (std::size_t line = 0; line < options_.lines.size(); ++line)
      add(fields_[f] + "_line_" + std::to_string(line + 1), units_[f], first + 3 + points + line * samples, samples);
  }
  const auto places = [&](const std::string& name, std::size_t first, std::size_t count) {
    std::vector<double> values;
    for (std::size_t n = first; n < first + count; ++n)
      values.insert(values.end(), coordinates_[n].begin(), coordinates_[n].end());
    writer.table("probes/" + name, grid_.unit, 3, values);
  };
  if (points > 0) places("points", 0, points);
  for (std::size_t line = 0; line < options_.lines.size(); ++line)
    places("line_" + std::to_string(line + 1), points + line * samples, samples);
}

// A number that tells records of other probes.
Index Recorder::fingerprint() const {
  std::vector<double> all;
  for (const auto& x : coordinates_) all.insert(all.end(), x.begin(), x.end());
  std::uint64_t sum = checksum(std::span<const double>(all), 0);
  for (const std::string& field : fields_)
    for (const char letter : field) sum = sum * 31 + static_cast<std::uint64_t>(letter);
  return std::bit_cast<Index>(sum);
}

// Every rank has all records; part 0 of the run saves them.
void Recorder::archive(StateArchive& archive) {
  auto columns = static_cast<Index>(width());
  Index rows = static_cast<Index>(records_.size()) / columns, key = fingerprint();
  archive.scalar("probe_rows", rows);
  archive.scalar("probe_columns", columns);
  archive.scalar("probe_key", key);
  if (archive.restoring()) records_.assign(static_cast<std::size_t>(rows * columns), 0);
  const bool all = archive.restoring() || context_.comm.rank() == 0;
  const Range<1> own{{0}, {all ? rows : 0}};
  const ExecutorPtr host = make_omp_executor(1);
  archive.block("probe_records", rows, columns, own, View<double, 1>(records_.data(), own.extent(0) * columns), *host);
  if (!archive.restoring() || (key == fingerprint() && columns == static_cast<Index>(width()))) return;
  if (rows > 0) context_.log.warning("output.probes has changed: the series begin anew");
  records_.clear();
}

}  // namespace halocline
