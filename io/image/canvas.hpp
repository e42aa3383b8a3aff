// A sheet to draw on, over the library Cairo: lines, dots, texts and images, as PNG, SVG or PDF.
//
// Lengths are in points (1/72 inch) from the upper left corner. Needs no display. Texts are UTF-8 in the font that
// fontconfig finds for "DejaVu Sans"; where there are no fonts at all in the one that Cairo brings, which has ASCII
// only (other letters that figures use are spelled in it).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/base/types.hpp"

namespace halocline {

enum class FigureFormat { png, svg, pdf };

struct Rgb {
  double red = 0, green = 0, blue = 0, opacity = 1;
};
struct SheetPoint {
  double x = 0, y = 0;
};
struct SheetBox {
  double x = 0, y = 0, width = 0, height = 0;  // of the upper left corner
  bool contains(const SheetPoint& spot) const {
    return spot.x >= x && spot.x <= x + width && spot.y >= y && spot.y <= y + height;
  }
};
// Where a text lies from its place: to the right, around it, to the left.
enum class Anchor { begin, middle, end };

class Canvas {
 public:
  // `resolution`: pixels per inch, of PNG and of images() elsewhere. DeckError when they are too many.
  Canvas(FigureFormat format, double width, double height, double resolution);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void color(const Rgb& color);
  void line_width(double width);
  void dashes(double length);                    // of lines from here on, with gaps half as long; 0: none
  void line(std::span<const SheetPoint> spots);  // through these
  void frame(const SheetBox& box);
  void fill(const SheetBox& box);
  void dots(std::span<const SheetPoint> spots, double diameter);  // discs
  // All that is drawn until release() ends at the borders of the box.
  void clip(const SheetBox& box);
  void release();
  // Many dots are one image in formats of vectors.
  void images(const SheetBox& box, const std::vector<SheetPoint>& spots, double diameter, const Rgb& color);
  // Rows of width x height pixels, the top one first, 0xAARRGGBB.
  void image(const SheetBox& box, Index width, Index height, std::span<const std::uint32_t> pixels);

  // A text, its middle height at y; `upright`: turned to the left, and y its place along it.
  void text(const SheetPoint& at, const std::string& text, Anchor anchor, bool upright = false);
  double text_width(const std::string& text);
  void font_size(double points);
  bool has_font() const;  // one that fontconfig has found

  // The file's bytes; nothing can be drawn afterwards. MachineError when Cairo cannot make them.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline
