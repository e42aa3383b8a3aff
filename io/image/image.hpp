// Pictures: 8-bit PNG in gray or color, made and written by a thread of their own while the run goes on.
//
// A picture gets its name by rename, when it is whole. What cannot be written is reported once, as a text, and ends the
// pictures, not the run. The index is written as a whole, so of many pictures not at each: it may lack the last ones, 1
// in 64, until finish().
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/types.hpp"
#include "lib/base/words.hpp"

namespace halocline {

enum class ColorMap { gray, viridis };
constexpr auto words_of(ColorMap) {
  return std::to_array<Word<ColorMap>>({{"gray", ColorMap::gray}, {"viridis", ColorMap::viridis}});
}

// Red, green and blue of a level from 0 to 255. viridis is a map of even steps to the eye, also in gray and for the
// color-blind (S. van der Walt, N. Smith, 2015), here as a polynomial within 0.02 of the table.
std::array<std::uint8_t, 3> color_of(ColorMap map, int level);

struct Image {
  Index width = 0, height = 0;
  std::vector<std::uint8_t> levels;  // width * height, the top row first; 0: the low end of the map
  ColorMap map = ColorMap::gray;
};

// The bytes of a PNG file: 8-bit gray, or a palette. MachineError when it cannot be made.
std::string encode_png(const Image& image);

// One picture of a sequence and its line in the index.
struct Picture {
  Image image;
  Index number = 1;          // in the sequence
  double time = 0;           // problem time
  double low = 0, high = 0;  // values at the ends of the map
};

// Writes DIRECTORY/NAME_0001.png, ... and the index NAME.csv (file, time, low, high). For one process.
class ImageWriter {
 public:
  // The directory is made with the first picture. Pictures from `first` on are new, and those of an earlier run are
  // removed; the index keeps those before.
  ImageWriter(std::string directory, std::string name, Index first = 1);
  ~ImageWriter();  // after finish(), in effect
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  // Hands a picture to the thread; waits only while several others are still to be written. After a failure pictures
  // are dropped.
  void write(Picture picture);
  // Returns when all pictures are on their way to the disk, and in the index.
  void finish();
  // The failure of the thread, once; "" when there is nothing new to tell.
  std::string take_failure();

 private:
  void work();
  void save(const Picture& picture);
  void read_index();
  void remove_later_pictures() const;
  void write_index();

  std::string directory_, name_;
  std::string index_;                     // what it is to hold
  std::size_t listed_ = 0, indexed_ = 0;  // pictures in it, and in the file
  Index first_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Picture> waiting_;  // the one under way included
  bool ending_ = false, failed_ = false;
  std::string failure_;
  std::thread thread_;  // the last member: begins when all others are there
};

}  // namespace halocline
