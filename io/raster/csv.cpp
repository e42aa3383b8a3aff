// Tables of numbers as text: a line per y, from low to high, numbers between commas, semicolons, tabs or spaces. Commas
// beside semicolons may be decimal ones ("1,5;2,5"), which would make other numbers without a word: one of both.
#include <charconv>
#include <string_view>

#include "io/input_file.hpp"
#include "io/raster/formats.hpp"
#include "lib/base/error.hpp"

namespace halocline {

namespace {

constexpr std::string_view spaces = " \t\r";
constexpr std::string_view utf8_mark = "\xef\xbb\xbf";  // what spreadsheets begin their files with

class CsvRaster final : public RasterFile {
 public:
  explicit CsvRaster(const std::string& path) {
    name = path;
    const InputFile file(path);
    LineReader lines(file, 0, file.size());
    std::string_view line;
    Index number = 0, columns = 0, rows = 0;
    while (lines.next(line)) {
      if (++number == 1 && line.substr(0, utf8_mark.size()) == utf8_mark) line.remove_prefix(utf8_mark.size());
      const std::size_t first = line.find_first_not_of(spaces);
      if (first == std::string_view::npos || line[first] == '#') continue;
      const Index found = read_line(line, number);
      if (rows++ == 0) columns = found;
      if (found != columns)
        throw DeckError(name + ":" + std::to_string(number) + ": has " + std::to_string(found) +
                        " numbers, lines above have " + std::to_string(columns));
    }
    if (rows == 0) throw DeckError(name + ": has no numbers");
    set_extent(*this, {rows, columns});
  }

  std::vector<double> read(const RasterWindow& w) const override {
    std::vector<double> made;
    for (Index y = w.low[1]; y < w.high[1]; ++y)
      made.insert(made.end(), values_.begin() + y * extent[0] + w.low[0], values_.begin() + y * extent[0] + w.high[0]);
    return made;
  }

 private:
  // Numbers of a line, how many.
  Index read_line(std::string_view line, Index number) {
    Index count = 0;
    std::size_t at = 0;
    const auto skip = [&] { at = std::min(line.find_first_not_of(spaces, at), line.size()); };
    const auto refuse = [&](const std::string& message) {
      throw DeckError(name + ":" + std::to_string(number) + ":" + std::to_string(at + 1) + ": " + message);
    };
    for (skip(); at < line.size(); skip(), ++count) {
      if (count > 0 && (line[at] == ',' || line[at] == ';')) {
        if (separator_ == 0) separator_ = line[at];
        if (line[at] != separator_) refuse("has commas and semicolons; take one of them, and decimal points");
        ++at;
        skip();
        if (at == line.size()) break;  // a separator at the end
      }
      double value = 0;
      const std::size_t sign = line[at] == '+' ? 1 : 0;
      const auto read = std::from_chars(line.data() + at + sign, line.data() + line.size(), value);
      const auto behind = static_cast<std::size_t>(read.ptr - line.data());
      const bool ends = behind == line.size() || line.find_first_of(" \t\r,;", behind) == behind;
      if (read.ec != std::errc() || !ends)
        refuse(read.ec == std::errc::result_out_of_range ? "is beyond the range of numbers" : "expected a number");
      values_.push_back(value);
      at = behind;
    }
    return count;
  }

  char separator_ = 0;  // the first comma or semicolon
  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<RasterFile> open_csv(const std::string& path) { return std::make_unique<CsvRaster>(path); }

}  // namespace halocline
