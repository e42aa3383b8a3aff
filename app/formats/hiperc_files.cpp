#include "app/formats/hiperc_files.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "io/collective.hpp"
#include "io/files.hpp"
#include "io/image/image.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

std::string file_name(double step, const char* suffix) {
  return formatted("/diffusion.{:07}.{}", static_cast<Index>(step), suffix);
}

// Before what a part has of a row.
struct RowHead {
  Index first = 0;  // point
  std::size_t bytes = 0;
};

// The head of a log, and its lines up to this step.
std::string lines_before(const std::string& file, double step) {
  std::string kept = "iter,sim_time,wrss,conv_time,step_time,IO_time,soln_time,run_time\n";
  if (!std::filesystem::exists(file)) return kept;
  const std::string text = read_text(file);
  std::string_view lines = text, line;
  next_line(lines, line);
  while (next_line(lines, line))
    if (std::strtod(std::string(line).c_str(), nullptr) < step) (kept += line) += "\n";
  return kept;
}

}  // namespace

void HipercFiles::field(const FieldInfo& info, int, const Range<3>& block, View<const double, 3> values,
                        const Executor& executor) {
  on_points_ = info.centring == Centring::point && info.order == AxisOrder::x_fastest;
  if (!on_points_) return;
  const std::size_t bytes = static_cast<std::size_t>(block.extent(0)) * sizeof(double);
  for (Index y = block.lo[1]; y < block.hi[1]; ++y) {
    const RowHead head{y * points(0) + block.lo[0], bytes};
    share_.append(reinterpret_cast<const char*>(&head), sizeof head);
    const std::size_t at = share_.size();
    share_.resize(at + bytes);
    executor.copy_out(share_.data() + at, values.data + (y - block.lo[1]) * values.stride[1], bytes);
  }
}

void HipercFiles::series(const std::string& name, const std::string&, std::span<const double> values) {
  if (values.empty()) return;
  if (name == "wrss") residual_ = {values.back()};
  if (name == "wrss_time") time_ = {values.back()};
  if (name == "wrss_step") step_ = {values.back()};
}

void HipercFiles::collect(const Problem& problem) {
  share_.clear();
  residual_.clear(), time_.clear(), step_.clear();
  on_points_ = false;
  problem.publish(*this);
}

void HipercFiles::check(const Problem& problem) {
  collect(problem);
  if (!comm_.agree(on_points_ && !residual_.empty() && !time_.empty() && !step_.empty()))
    throw DeckError("output.compat: hiperc is for the benchmark of family diffusion, with layout hiperc in 2D");
}

void HipercFiles::write(const Problem& problem, const Moment& moment) {
  check(problem);
  if (time_.front() != moment.t) return;
  join(comm_.size() > 1 ? comm_.gather(share_) : std::vector{share_});
  on_rank0(comm_, [&] {
    replace_file(directory_ + file_name(step_.front(), "png"), picture());
    if (moment.last) replace_file(directory_ + file_name(step_.front(), "csv"), text());
    log_line(moment);
  });
}

void HipercFiles::join(std::vector<std::string> shares) {
  if (comm_.rank() != 0) return;
  values_.assign(static_cast<std::size_t>(points(0) * points(1)), 0);
  for (const std::string& share : shares) {
    RowHead head;
    for (std::size_t at = 0; at < share.size(); at += sizeof head + head.bytes) {
      std::memcpy(&head, share.data() + at, sizeof head);
      std::memcpy(values_.data() + head.first, share.data() + at + sizeof head, head.bytes);
    }
  }
}

void HipercFiles::log_line(const Moment& moment) {
  double steps = 0, files = 0, residual = 0;
  for (const Timers::Entry& entry : moment.timers.entries()) {
    if (entry.path.ends_with("steps")) steps += entry.seconds;
    if (entry.path.ends_with("output") || entry.path.ends_with("images")) files += entry.seconds;
    if (entry.path.ends_with("residual")) residual += entry.seconds;
  }
  const std::string file = directory_ + "/runlog.csv";
  if (log_.empty()) log_ = lines_before(resumed_ ? file : "", step_.front());
  // Convolution and update are one pass here, so the time of the update is none of its own.
  log_ += formatted("{},{:f},{:f},{:f},{:f},{:f},{:f},{:f}\n", static_cast<Index>(step_.front()), time_.front(),
                    residual_.front(), steps, 0.0, files, residual, moment.seconds);
  replace_file(file, log_);
}

// The gray values are the benchmark's: from the least of 0 and all values to the greatest of 1 and all values.
std::string HipercFiles::picture() const {
  const double low = std::min(0.0, *std::min_element(values_.begin(), values_.end()));
  const double high = std::max(1.0, *std::max_element(values_.begin(), values_.end()));
  Image image{points(0), points(1), {}, ColorMap::gray};
  image.levels.reserve(values_.size());
  for (Index y = points(1); y-- > 0;)
    for (Index x = 0; x < points(0); ++x) {
      const double c = values_[static_cast<std::size_t>(y * points(0) + x)];
      const double level = 255 * (low + (c - low) / (high - low));
      image.levels.push_back(static_cast<std::uint8_t>(std::clamp(level, 0.0, 255.0)));
    }
  return encode_png(image);
}

// Coordinates count from the first point that is no ghost.
std::string HipercFiles::text() const {
  std::string text = "x,y,c\n";
  for (Index y = 0; y < points(1); ++y)
    for (Index x = 0; x < points(0); ++x) {
      const auto from_first = [&](int axis, Index i) {
        return grid_.nodes[axis][static_cast<std::size_t>(i)] - grid_.nodes[axis].front();
      };
      text += formatted("{:f},{:f},{:f}\n", from_first(0, x), from_first(1, y),
                        values_[static_cast<std::size_t>(y * points(0) + x)]);
    }
  return text;
}

}  // namespace halocline
