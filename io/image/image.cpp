#include "io/image/image.hpp"

#include <png.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "io/files.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/base/text/lines.hpp"

namespace halocline {
namespace {

constexpr std::size_t most_waiting = 4;  // pictures in memory; more would only hide that the disk is too slow

// Coefficients of t^0 to t^6 for red, green and blue; a fit to the table of viridis that its author M. Zucker has put
// into the public domain.
constexpr std::array<std::array<double, 3>, 7> viridis{{{0.2777273272234177, 0.005407344544966578, 0.3340998053353061},
                                                        {0.1050930431085774, 1.404613529898575, 1.384590162594685},
                                                        {-0.3308618287255563, 0.214847559468213, 0.09509516302823659},
                                                        {-4.634230498983486, -5.799100973351585, -19.33244095627987},
                                                        {6.228269936347081, 14.17993336680509, 56.69055260068105},
                                                        {4.776384997670288, -13.74514537774601, -65.35303263337234},
                                                        {-5.435455855934631, 4.645852612178535, 26.3124352495832}}};

std::string file_name(const std::string& name, Index number) { return formatted("{}_{:04}.png", name, number); }

}  // namespace

std::array<std::uint8_t, 3> color_of(ColorMap map, int level) {
  const auto gray = static_cast<std::uint8_t>(level);
  if (map != ColorMap::viridis) return {gray, gray, gray};
  const double t = level / 255.0;
  std::array<std::uint8_t, 3> color{};
  for (std::size_t c = 0; c < 3; ++c) {
    double value = 0;
    for (auto power = viridis.rbegin(); power != viridis.rend(); ++power) value = value * t + (*power)[c];
    color[c] = static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255 + 0.5);
  }
  return color;
}

std::string encode_png(const Image& image) {
  require(image.levels.size() == static_cast<std::size_t>(image.width * image.height),
          "encode_png: size of the levels");
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = image.map == ColorMap::gray ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB_COLORMAP;
  std::vector<std::uint8_t> palette;
  if (image.map != ColorMap::gray) {
    png.colormap_entries = 256;
    for (int level = 0; level < 256; ++level)
      for (const std::uint8_t part : color_of(image.map, level)) palette.push_back(part);
  }
  std::string bytes(PNG_IMAGE_PNG_SIZE_MAX(png), '\0');
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&png, bytes.data(), &size, 0, image.levels.data(), 0,
                                palette.empty() ? nullptr : palette.data()) == 0) {
    throw MachineError(std::string("cannot make a picture: ") + png.message);
  }
  bytes.resize(size);
  return bytes;
}

ImageWriter::ImageWriter(std::string directory, std::string name, Index first)
    : directory_(std::move(directory)), name_(std::move(name)), first_(first), thread_([this] { work(); }) {}

ImageWriter::~ImageWriter() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  try {
    finish();
  } catch (const std::exception&) {  // of memory; there is nobody left to tell
  }
}

void ImageWriter::write(Picture picture) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < most_waiting || failed_; });
  if (!failed_) waiting_.push_back(std::move(picture));
  changed_.notify_all();
}

void ImageWriter::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty(); });
  if (failed_ || indexed_ == listed_) return;
  try {
    write_index();
  } catch (const MachineError& error) {
    failure_ = error.what();
    failed_ = true;
  }
}

std::string ImageWriter::take_failure() {
  const std::lock_guard lock(mutex_);
  return std::exchange(failure_, "");
}

// The thread: takes pictures until the end is announced and all are written, or one cannot be.
void ImageWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Picture& picture = waiting_.front();  // push_back() of others leaves it where it is
    std::string failure;
    lock.unlock();
    try {
      save(picture);
    } catch (const std::exception& error) {
      failure = error.what();
    }
    lock.lock();
    waiting_.pop_front();
    if (!failure.empty()) {
      failure_ = failure;
      failed_ = true;
      waiting_.clear();
    }
    changed_.notify_all();
  }
}

void ImageWriter::save(const Picture& picture) {
  if (index_.empty()) read_index();
  const std::string name = file_name(name_, picture.number);
  replace_file(directory_ + "/" + name, encode_png(picture.image));
  index_ += formatted("{},{:.17g},{:.17g},{:.17g}\n", name, picture.time, picture.low, picture.high);
  ++listed_;
  constexpr std::size_t part = 64;  // as of the index of outputs, see VtkhdfWriter::is_index_due()
  if (listed_ > indexed_ + indexed_ / part) write_index();
}

void ImageWriter::write_index() {
  replace_file(directory_ + "/" + name_ + ".csv", index_);
  indexed_ = listed_;
}

// Those of an earlier run, also where a kill has kept them from its index; by their numbers alone, since somebody may
// have changed the names in there.
void ImageWriter::remove_later_pictures() const {
  const std::string begin = name_ + "_", end = ".png";
  for (const std::string& file : list_files(directory_, begin, end)) {
    const std::string digits = file.substr(begin.size(), file.size() - begin.size() - end.size());
    Index number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec == std::errc() && number >= first_ && file == file_name(name_, number))
      remove_file(directory_ + "/" + file);
  }
}

// Begins the index with the lines of an earlier run up to picture `first_`. It names no picture that is gone.
void ImageWriter::read_index() {
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  if (error) throw MachineError("cannot make the directory " + directory_ + ": " + error.message());
  index_ = "file,time,low,high\n";
  const std::string path = directory_ + "/" + name_ + ".csv";
  if (std::filesystem::exists(path)) {
    const std::string text = read_text(path);
    std::string_view lines = text, line;
    next_line(lines, line);
    bool more = false;
    while ((more = next_line(lines, line)) && static_cast<Index>(listed_) + 1 < first_) {
      (index_ += line) += "\n";
      ++listed_;
    }
    indexed_ = listed_;
    if (more) write_index();
  }
  remove_later_pictures();
}

}  // namespace halocline
