// The format of NumPy's arrays, versions 1 to 3: a magic word, a header that is the text of a Python dictionary,
// values.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <span>

#include "io/input_file.hpp"
#include "io/raster/formats.hpp"
#include "lib/base/error.hpp"

namespace halocline {

namespace {

constexpr Index longest_header = 1 << 20;

// Reads 'key': value pairs of the header; what it cannot read is told with its byte.
class HeaderReader {
 public:
  HeaderReader(const InputFile& file, Index at, std::string text) : file_(file), start_(at), text_(std::move(text)) {}

  std::string text_of(const std::string& key) {
    seek(key);
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string::npos;
    if (end == std::string::npos) refuse("`" + key + "` is no text: arrays of records are not read");
    return text_.substr(at_ + 1, end - at_ - 1);
  }
  bool truth_of(const std::string& key) {
    seek(key);
    if (text_.compare(at_, 4, "True") == 0) return true;
    if (text_.compare(at_, 5, "False") != 0) refuse("`" + key + "` is neither True nor False");
    return false;
  }
  std::vector<Index> numbers_of(const std::string& key) {
    seek(key);
    const std::size_t end = text_.find(')', at_);
    if (at_ >= text_.size() || text_[at_] != '(' || end == std::string::npos) refuse("`" + key + "` is no tuple");
    std::vector<Index> numbers;
    const char *from = text_.data() + at_ + 1, *const last = text_.data() + end;
    while (from < last) {
      if (*from == ' ' || *from == ',') {
        ++from;
        continue;
      }
      Index number = 0;
      const auto read = std::from_chars(from, last, number);
      if (read.ec != std::errc() || number < 0) refuse("`" + key + "` has what is no number of values");
      numbers.push_back(number);
      from = read.ptr;
    }
    return numbers;
  }

 private:
  void seek(const std::string& key) {
    const std::size_t found = std::min(text_.find("'" + key + "'"), text_.find("\"" + key + "\""));
    at_ = 0;
    if (found == std::string::npos) refuse("the header has no `" + key + "`");
    at_ = text_.find_first_not_of(" :", found + key.size() + 2);
    if (at_ == std::string::npos) refuse("the header ends behind `" + key + "`");
  }
  [[noreturn]] void refuse(const std::string& message) const {
    file_.refuse_byte(start_ + static_cast<Index>(std::min(at_, text_.size())), message);
  }

  const InputFile& file_;
  Index start_;
  std::string text_;
  std::size_t at_ = 0;
};

template <class T>
double converted(const std::byte* from, bool swapped) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, from, sizeof(T));
  if (swapped) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}
using Convert = double (*)(const std::byte*, bool);

Convert converter_of(char kind, int size) {
  if (kind == 'f' && size == 8) return converted<double>;
  if (kind == 'f' && size == 4) return converted<float>;
  if (kind == 'i' && size == 8) return converted<std::int64_t>;
  if (kind == 'i' && size == 4) return converted<std::int32_t>;
  if (kind == 'i' && size == 2) return converted<std::int16_t>;
  if (kind == 'i' && size == 1) return converted<std::int8_t>;
  if (kind == 'u' && size == 8) return converted<std::uint64_t>;
  if (kind == 'u' && size == 4) return converted<std::uint32_t>;
  if (kind == 'u' && size == 2) return converted<std::uint16_t>;
  if ((kind == 'u' || kind == 'b') && size == 1) return converted<std::uint8_t>;
  return nullptr;
}

class NpyRaster final : public RasterFile {
 public:
  explicit NpyRaster(const std::string& path) : file_(path) {
    name = path;
    const std::string magic = file_.text(0, 8);
    if (magic.size() < 8 || magic.compare(0, 6, "\x93NUMPY") != 0)
      file_.refuse_byte(0, "is no file of NumPy (.npy): the first six bytes are others");
    const int version = magic[6];
    if (version < 1 || version > 3) file_.refuse_byte(6, "version " + std::to_string(version) + " is not known");
    const Index width = version == 1 ? 2 : 4;
    const std::string length = file_.text(8, width);
    Index header = 0;
    for (std::size_t n = length.size(); n-- > 0;) header = header * 256 + static_cast<unsigned char>(length[n]);
    begin_ = 8 + width + header;
    if (header > longest_header || begin_ > file_.size()) file_.refuse_byte(8, "the header does not end in the file");
    read_header(HeaderReader(file_, 8 + width, file_.text(8 + width, header)));
  }

  std::vector<double> read(const RasterWindow& w) const override {
    std::vector<double> made(
        static_cast<std::size_t>((w.high[0] - w.low[0]) * (w.high[1] - w.low[1]) * (w.high[2] - w.low[2])));
    // Lines of the file run along x, in Fortran's order along the slowest axis.
    const int along = fortran_ ? dimensions - 1 : 0, across[2] = {along == 0 ? 1 : 0, along == 2 ? 1 : 2};
    const Index count = w.high[along] - w.low[along];
    std::vector<std::byte> line(static_cast<std::size_t>(count * size_));
    const Index step[3] = {1, w.high[0] - w.low[0], (w.high[0] - w.low[0]) * (w.high[1] - w.low[1])};
    for (Index b = w.low[across[1]]; b < w.high[across[1]]; ++b)
      for (Index a = w.low[across[0]]; a < w.high[across[0]]; ++a) {
        Index at[3];
        at[along] = w.low[along], at[across[0]] = a, at[across[1]] = b;
        file_.read(begin_ + number_of(at) * size_, line);
        double* to = made.data();
        for (int axis = 0; axis < 3; ++axis) to += (at[axis] - w.low[axis]) * step[axis];
        for (Index n = 0; n < count; ++n) to[n * step[along]] = convert_(line.data() + n * size_, swapped_);
      }
    return made;
  }

 private:
  void read_header(HeaderReader header) {
    const std::string type = header.text_of("descr");
    fortran_ = header.truth_of("fortran_order");
    set_extent(*this, header.numbers_of("shape"));
    int size = 0;
    const bool ordered = type.size() >= 3 && std::strchr("<>|=", type[0]) != nullptr;
    if (ordered) std::from_chars(type.data() + 2, type.data() + type.size(), size);
    convert_ = ordered ? converter_of(type[1], size) : nullptr;
    if (convert_ == nullptr)
      throw DeckError(name + ": values of type '" + type +
                      "' are not read; those of f4, f8, i1 to i8 and u1 to u8 are");
    size_ = size;
    swapped_ = (type[0] == '>') == (std::endian::native == std::endian::little) && type[0] != '|' && type[0] != '=';
    const Index values = extent[0] * extent[1] * extent[2];
    if (file_.size() - begin_ < values * size_)
      file_.refuse_byte(file_.size(), "the file ends here; " + std::to_string(values) + " values of " +
                                          std::to_string(size_) + " bytes end at byte " +
                                          std::to_string(begin_ + values * size_));
  }
  Index number_of(const Index (&at)[3]) const {
    if (!fortran_) return (at[2] * extent[1] + at[1]) * extent[0] + at[0];
    if (dimensions == 2) return at[0] * extent[1] + at[1];
    return (at[0] * extent[1] + at[1]) * extent[2] + at[2];
  }

  InputFile file_;
  Index begin_ = 0, size_ = 0;
  bool fortran_ = false, swapped_ = false;
  Convert convert_ = nullptr;
};

}  // namespace

std::unique_ptr<RasterFile> open_npy(const std::string& path) { return std::make_unique<NpyRaster>(path); }

}  // namespace halocline
