#include "app/run/images.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "app/run/grid_places.hpp"
#include "gpu/launch.hpp"

namespace halocline {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Edges of the cells around an axis's values; around points they lie halfway between.
std::vector<double> edges_of(const std::vector<double>& nodes, bool point) {
  if (!point || nodes.size() < 2) return nodes;
  std::vector<double> edges{nodes.front()};
  for (std::size_t i = 1; i < nodes.size(); ++i) edges.push_back((nodes[i - 1] + nodes[i]) / 2);
  edges.push_back(nodes.back());
  return edges;
}

double length(const std::vector<double>& nodes) { return nodes.back() - nodes.front(); }

double smallest_step(const std::vector<double>& nodes) {
  double smallest = infinity;
  for (std::size_t i = 1; i < nodes.size(); ++i) smallest = std::min(smallest, nodes[i] - nodes[i - 1]);
  return smallest;
}

// The part's share of the plane at `depth` of the third axis.
PlaneWindow plane_of(const View<const double, 3>& values, const FieldInfo& info, const Range<3>& block,
                     const std::array<int, 3>& axes, Index depth) {
  const auto stride = [&](int axis) { return values.stride[info.order == AxisOrder::x_fastest ? 2 - axis : axis]; };
  return {values.data + (depth - block.lo[axes[2]]) * stride(axes[2]), stride(axes[0]), stride(axes[1])};
}

// Pixels [first, last) whose cells meet [lo, hi).
Range<1> pixels_in(const std::vector<PixelCells>& pixels, Index lo, Index hi) {
  Range<1> range{{static_cast<Index>(pixels.size())}, {0}};
  for (Index n = 0; n < static_cast<Index>(pixels.size()); ++n) {
    const PixelCells& cells = pixels[static_cast<std::size_t>(n)];
    if (cells.begin >= hi || cells.end <= lo) continue;
    range.lo[0] = std::min(range.lo[0], n);
    range.hi[0] = std::max(range.hi[0], n + 1);
  }
  return range;
}

}  // namespace

std::vector<PixelCells> pixel_cells(const std::vector<double>& nodes, bool point, Index pixels) {
  const std::vector<double> edges = edges_of(nodes, point);
  const auto cells = static_cast<Index>(edges.size()) - 1;
  if (cells < 1) return {{0, 1}};
  const auto center = [&](Index n) {
    return (edges[static_cast<std::size_t>(n)] + edges[static_cast<std::size_t>(n) + 1]) / 2;
  };
  std::vector<PixelCells> found;
  Index next = 0;
  for (Index p = 0; p < pixels; ++p) {
    const double width = length(edges) / static_cast<double>(pixels);
    const double end = p + 1 == pixels ? infinity : edges.front() + static_cast<double>(p + 1) * width;
    const Index begin = next;
    while (next < cells && center(next) < end) ++next;
    if (next > begin) {
      found.push_back({begin, next});
      continue;
    }
    const double middle = edges.front() + (static_cast<double>(p) + 0.5) * width;
    const Index above = std::upper_bound(edges.begin(), edges.end(), middle) - edges.begin();
    const Index cell = std::clamp<Index>(above - 1, 0, cells - 1);
    found.push_back({cell, cell + 1});
  }
  return found;
}

Images::Images(const Context& context, const ImageOptions& options, std::string directory)
    : context_(context), options_(options), directory_(std::move(directory)) {
  const auto field = static_cast<std::size_t>(options.field);
  if (field < options.known_fields.size()) field_ = options.known_fields[field];
}

// Square pixels, no smaller than the smallest cell.
void Images::choose_plane(const FieldInfo& info) {
  const std::vector<std::vector<double>> nodes(grid_.nodes.begin(), grid_.nodes.end());
  if (nodes == nodes_) return;
  nodes_ = nodes;
  const bool point = info.centring == Centring::point;
  const int through = normal_axis(grid_, options_.axis);
  axes_ = through == 0 ? std::array{1, 2, 0} : through == 1 ? std::array{0, 2, 1} : std::array{0, 1, 2};
  const auto &across = nodes[axes_[0]], &up = nodes[axes_[1]], &depth = nodes[axes_[2]];
  const double longest = std::max(length(across), length(up));
  const double cell = std::min(smallest_step(across), smallest_step(up));
  const double pixel = std::max(cell, longest / static_cast<double>(options_.pixels));
  const auto count = [&](double size) { return std::max<Index>(1, std::llround(size / pixel)); };
  columns_ = pixel_cells(across, point, count(length(across)));
  rows_ = pixel_cells(up, point, count(length(up)));
  std::reverse(rows_.begin(), rows_.end());
  const double high = grid_.high(through);
  const double at = options_.at.empty() ? (grid_.low(through) + high) / 2 : options_.at.front();
  const std::string fault = plane_fault(grid_, through, at);
  if (!fault.empty()) throw DeckError("output.images.at: " + fault);
  const std::vector<double> edges = edges_of(depth, point);
  const Index above = std::upper_bound(edges.begin(), edges.end(), at) - edges.begin();
  depth_ = std::clamp<Index>(above - 1, 0, std::max<Index>(0, static_cast<Index>(edges.size()) - 2));
  // Closer to the high end of a period than to the last point: the first point, which comes again there.
  if (point && at > depth.back() && high - at <= at - depth.back()) depth_ = 0;
}

void Images::field(const FieldInfo& info, int part, const Range<3>& block, View<const double, 3> values,
                   const Executor& executor) {
  if (info.name != field_) return;
  seen_ = true;
  choose_plane(info);
  if (depth_ < block.lo[axes_[2]] || depth_ >= block.hi[axes_[2]] || block.size() == 0) return;
  const PlaneWindow plane = plane_of(values, info, block, axes_, depth_);
  const Range<2> box{{block.lo[axes_[0]], block.lo[axes_[1]]}, {block.hi[axes_[0]], block.hi[axes_[1]]}};
  if (measuring_) return measure(plane, box, executor);
  // What a family has brought to the host may lie with an executor that does not outlive the call.
  paint(plane, box, executor, executor.backend() == Backend::omp ? host_ : context_.team.executor(part));
}

void Images::measure(const PlaneWindow& plane, const Range<2>& box, const Executor& executor) {
  const Index across = box.extent(0), up = box.extent(1);
  const PlaneExtent body{plane, across};
  const Extent start{low_, high_};
  const Extent found = executor.backend() == Backend::cuda
                           ? reduce(executor, "image_range", Range<2>{{0, 0}, {up, across}}, start, JoinExtents{}, body)
                           : reduce(executor, "image_range", Range<1>{{0}, {up}}, start, JoinExtents{}, body);
  low_ = found.low, high_ = found.high;
}

// The copy to the host waits until the kernels of all parts are on their way.
void Images::paint(const PlaneWindow& plane, const Range<2>& box, const Executor& executor, const ExecutorPtr& memory) {
  const Range<1> rows = pixels_in(rows_, box.lo[1], box.hi[1]), columns = pixels_in(columns_, box.lo[0], box.hi[0]);
  if (rows.size() == 0 || columns.size() == 0) return;
  Share& share = shares_.emplace_back(Share{make_array(memory, columns_), make_array(memory, rows_),
                                            Array<Index, 2>(memory, {rows.size(), static_cast<Index>(columns_.size())}),
                                            rows.lo[0]});
  const double scale = high_ > low_ ? 1 / (high_ - low_) : 0;
  launch(executor, "image_pixels", Range<2>{{rows.lo[0], 0}, {rows.hi[0], static_cast<Index>(columns_.size())}},
         PixelBody{plane,
                   {box.lo[0], box.lo[1]},
                   {box.hi[0], box.hi[1]},
                   share.columns.view(),
                   share.rows.view(),
                   share.first_row,
                   low_,
                   scale,
                   share.sums.view()});
}

void Images::publish_to(const Problem& problem) {
  seen_ = false;
  problem.publish(*this);
  if (!seen_)
    throw DeckError("output.images.field: this problem has no field " + field_ + " on a grid, so no pictures of it");
}

// Infinite ends, where every value is NaN, leave a picture of one color.
void Images::join_range() {
  std::array<double, 2> ends{-low_, high_};
  context_.comm.max(ends);
  low_ = std::isfinite(ends[0]) ? -ends[0] : 0;
  high_ = std::isfinite(ends[1]) ? ends[1] : 0;
}

// On rank 0; the others send the rows of pixels that they have a share in.
std::vector<Index> Images::join_pixels() {
  const bool here = context_.comm.rank() == 0;
  std::vector<Index> sums(here ? columns_.size() * rows_.size() : 0, 0);
  const auto add = [&](Index first_row, const char* from, Index count) {
    Index* to = sums.data() + first_row * static_cast<Index>(columns_.size());
    for (Index n = 0; n < count; ++n) {
      Index sum = 0;
      std::memcpy(&sum, from + n * static_cast<Index>(sizeof sum), sizeof sum);
      to[n] += sum;
    }
  };
  std::string message;
  for (const Share& share : shares_) {
    const std::vector<Index> own = share.sums.to_host();
    const auto* bytes = reinterpret_cast<const char*>(own.data());
    const std::array<Index, 2> head{share.first_row, static_cast<Index>(own.size())};
    if (here) {
      add(head[0], bytes, head[1]);
    } else {
      message.append(reinterpret_cast<const char*>(head.data()), sizeof head);
      message.append(bytes, own.size() * sizeof(Index));
    }
  }
  shares_.clear();
  if (context_.comm.size() == 1) return sums;
  for (const std::string& text : context_.comm.gather(message)) {
    for (std::size_t at = 0; at < text.size();) {
      std::array<Index, 2> head{};
      std::memcpy(head.data(), text.data() + at, sizeof head);
      add(head[0], text.data() + at + sizeof head, head[1]);
      at += sizeof head + static_cast<std::size_t>(head[1]) * sizeof(Index);
    }
  }
  return sums;
}

Image Images::image_of(const std::vector<Index>& sums) const {
  Image image{static_cast<Index>(columns_.size()), static_cast<Index>(rows_.size()), {}, options_.map};
  image.levels.reserve(sums.size());
  const Index* sum = sums.data();
  for (const PixelCells& up : rows_) {
    for (const PixelCells& across : columns_) {
      const Index cells = (across.end - across.begin) * (up.end - up.begin);
      const double level = static_cast<double>(*sum++) / (static_cast<double>(cells) * PixelBody::unit);
      image.levels.push_back(static_cast<std::uint8_t>(255 * level + 0.5));
    }
  }
  return image;
}

void Images::take(const Problem& problem, double t) {
  measuring_ = options_.range.empty();
  if (measuring_) {
    low_ = infinity, high_ = -infinity;
    publish_to(problem);
    join_range();
    measuring_ = false;
  } else {
    low_ = options_.range[0], high_ = options_.range[1];
  }
  publish_to(problem);
  const std::vector<Index> sums = join_pixels();
  ++taken_;
  if (context_.comm.rank() != 0) return;
  if (!writer_) writer_.emplace(directory_, field_, taken_);
  writer_->write({image_of(sums), taken_, t, low_, high_});
  tell_failure();
}

void Images::finish() {
  if (!writer_) return;
  writer_->finish();
  tell_failure();
}

void Images::tell_failure() {
  const std::string failure = writer_->take_failure();
  if (!failure.empty()) context_.log.warning("no more pictures: " + failure);
}

}  // namespace halocline
