#include "io/image/canvas.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <array>
#include <cctype>
#include <cmath>
#include <numbers>

#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr double points_per_inch = 72;
constexpr double raised = 0.38, small = 0.72;  // of powers, in sizes of the font

// An error of C++ must not pass Cairo.
cairo_status_t append(void* closure, const unsigned char* bytes, unsigned int count) noexcept {
  try {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

cairo_surface_t* make_surface(FigureFormat format, double width, double height, double resolution, std::string& bytes) {
  if (format == FigureFormat::svg) return cairo_svg_surface_create_for_stream(append, &bytes, width, height);
  if (format == FigureFormat::pdf) {
    cairo_surface_t* made = cairo_pdf_surface_create_for_stream(append, &bytes, width, height);
    // The same figure has the same bytes.
    cairo_pdf_surface_set_metadata(made, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
    return made;
  }
  const double scale = resolution / points_per_inch;
  return cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(std::lround(width * scale)),
                                    static_cast<int>(std::lround(height * scale)));
}

// What the font of Cairo itself does not have.
std::string in_ascii(const std::string& text) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto letter = static_cast<unsigned char>(text[i]);
    if (letter < 0x80) {
      made += text[i];
    } else if (text.compare(i, 3, "\xE2\x88\x92") == 0) {
      made += '-';
    } else if (text.compare(i, 2, "\xC2\xB7") == 0) {
      made += '*';
    } else if (letter >= 0xC0) {
      made += '?';
    }
  }
  return made;
}

struct Piece {
  std::string text;
  bool power;
};

// "2·10^−4 m" is "2·10", "−4" raised, " m".
std::vector<Piece> pieces_of(const std::string& text) {
  std::vector<Piece> pieces{{"", false}};
  constexpr const char* minus = "\xE2\x88\x92";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '^') {
      pieces.back().text += text[i];
      continue;
    }
    std::string power;
    if (text.compare(i + 1, 3, minus) == 0) power = minus;
    if (text.compare(i + 1, 1, "-") == 0) power = "-";
    std::size_t next = i + 1 + power.size();
    for (; next < text.size() && std::isalnum(static_cast<unsigned char>(text[next])) != 0; ++next) power += text[next];
    pieces.push_back({power, true});
    pieces.push_back({"", false});
    i = next - 1;
  }
  return pieces;
}

}  // namespace

struct Canvas::State {
  std::string bytes;  // that vectors are written to
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;
  FigureFormat format;
  double resolution, size = 8;
  bool found = true;

  State(FigureFormat of, double width, double height, double pixels) : format(of), resolution(pixels) {
    surface = make_surface(of, width, height, pixels, bytes);
    cairo = cairo_create(surface);
    if (of == FigureFormat::png) cairo_scale(cairo, pixels / points_per_inch, pixels / points_per_inch);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    find_font();
  }
  ~State() {
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Where fontconfig knows no font Cairo takes its own, which is a font of the user to it.
  void find_font() {
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    found = cairo_scaled_font_get_type(cairo_get_scaled_font(cairo)) != CAIRO_FONT_TYPE_USER;
    cairo_set_font_size(cairo, size);
    // Equal outlines at any place and size.
    cairo_font_options_t* options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
  }
  std::string spelled(const std::string& text) const { return found ? text : in_ascii(text); }
  double width(const Piece& piece) {
    cairo_set_font_size(cairo, piece.power ? size * small : size);
    cairo_text_extents_t extents{};
    cairo_text_extents(cairo, spelled(piece.text).c_str(), &extents);
    return extents.x_advance;
  }
};

namespace {

// Those of a picture that Cairo can hold, and that anybody can open.
void check_pixels(FigureFormat format, double width, double height, double resolution) {
  constexpr double most_along = 32767, most = 268435456;
  if (format != FigureFormat::png) return;
  const double across = std::ceil(width / points_per_inch * resolution),
               up = std::ceil(height / points_per_inch * resolution);
  if (across <= most_along && up <= most_along && across * up <= most) return;
  throw DeckError(
      formatted("a figure of {:.0f} x {:.0f} pixels is too large, {:.0f} along a side and {:.0f} in all are "
                "the most: give a smaller --size or --dpi, or draw .svg or .pdf",
                across, up, most_along, most));
}

}  // namespace

Canvas::Canvas(FigureFormat format, double width, double height, double resolution)
    : state_((check_pixels(format, width, height, resolution),
              std::make_unique<State>(format, width, height, resolution))) {}

Canvas::~Canvas() = default;

void Canvas::color(const Rgb& color) {
  cairo_set_source_rgba(state_->cairo, color.red, color.green, color.blue, color.opacity);
}

void Canvas::line_width(double width) { cairo_set_line_width(state_->cairo, width); }

void Canvas::dashes(double length) {
  const std::array<double, 2> pattern{length, length / 2};
  cairo_set_dash(state_->cairo, pattern.data(), length > 0 ? 2 : 0, 0);
}

void Canvas::line(std::span<const SheetPoint> spots) {
  for (std::size_t i = 0; i < spots.size(); ++i) {
    if (i == 0) cairo_move_to(state_->cairo, spots[i].x, spots[i].y);
    if (i > 0) cairo_line_to(state_->cairo, spots[i].x, spots[i].y);
  }
  cairo_stroke(state_->cairo);
}

void Canvas::frame(const SheetBox& box) {
  cairo_rectangle(state_->cairo, box.x, box.y, box.width, box.height);
  cairo_stroke(state_->cairo);
}

void Canvas::fill(const SheetBox& box) {
  cairo_rectangle(state_->cairo, box.x, box.y, box.width, box.height);
  cairo_fill(state_->cairo);
}

void Canvas::dots(std::span<const SheetPoint> spots, double diameter) {
  for (const SheetPoint& spot : spots) {
    cairo_new_sub_path(state_->cairo);
    cairo_arc(state_->cairo, spot.x, spot.y, diameter / 2, 0, 2 * std::numbers::pi);
    cairo_fill(state_->cairo);
  }
}

void Canvas::clip(const SheetBox& box) {
  cairo_save(state_->cairo);
  cairo_rectangle(state_->cairo, box.x, box.y, box.width, box.height);
  cairo_clip(state_->cairo);
}

void Canvas::release() { cairo_restore(state_->cairo); }

void Canvas::images(const SheetBox& box, const std::vector<SheetPoint>& spots, double diameter, const Rgb& color) {
  const double scale = state_->resolution / points_per_inch;
  const auto width = static_cast<int>(std::ceil(box.width * scale)),
             height = static_cast<int>(std::ceil(box.height * scale));
  cairo_surface_t* layer = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
  cairo_t* on = cairo_create(layer);
  cairo_scale(on, scale, scale);
  cairo_translate(on, -box.x, -box.y);
  cairo_set_source_rgba(on, color.red, color.green, color.blue, color.opacity);
  for (const SheetPoint& spot : spots) {  // squares: discs of this size look the same
    cairo_rectangle(on, spot.x - diameter / 2, spot.y - diameter / 2, diameter, diameter);
    cairo_fill(on);
  }
  cairo_destroy(on);
  cairo_save(state_->cairo);
  cairo_translate(state_->cairo, box.x, box.y);
  cairo_scale(state_->cairo, 1 / scale, 1 / scale);
  cairo_set_source_surface(state_->cairo, layer, 0, 0);
  cairo_paint(state_->cairo);
  cairo_restore(state_->cairo);
  cairo_surface_destroy(layer);
}

void Canvas::image(const SheetBox& box, Index width, Index height, std::span<const std::uint32_t> pixels) {
  require(pixels.size() == static_cast<std::size_t>(width * height), "Canvas: pixels of an image");
  cairo_surface_t* layer =
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width), static_cast<int>(height));
  cairo_surface_flush(layer);
  unsigned char* into = cairo_image_surface_get_data(layer);
  const int stride = cairo_image_surface_get_stride(layer);
  for (Index row = 0; into != nullptr && row < height; ++row) {
    const auto line = pixels.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(width));
    std::copy(line.begin(), line.end(), reinterpret_cast<std::uint32_t*>(into + row * stride));
  }
  cairo_surface_mark_dirty(layer);
  cairo_save(state_->cairo);
  cairo_translate(state_->cairo, box.x, box.y);
  cairo_scale(state_->cairo, box.width / static_cast<double>(width), box.height / static_cast<double>(height));
  cairo_set_source_surface(state_->cairo, layer, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(state_->cairo), CAIRO_FILTER_NEAREST);
  cairo_paint(state_->cairo);
  cairo_restore(state_->cairo);
  cairo_surface_destroy(layer);
}

double Canvas::text_width(const std::string& text) {
  double width = 0;
  for (const Piece& piece : pieces_of(text)) width += state_->width(piece);
  return width;
}

void Canvas::text(const SheetPoint& at, const std::string& text, Anchor anchor, bool upright) {
  const double before = anchor == Anchor::begin ? 0 : text_width(text) * (anchor == Anchor::middle ? 0.5 : 1);
  cairo_save(state_->cairo);
  cairo_translate(state_->cairo, at.x, at.y);
  if (upright) cairo_rotate(state_->cairo, -std::numbers::pi / 2);
  double x = -before;
  const double base = 0.36 * state_->size;  // half of a capital letter's height
  for (const Piece& piece : pieces_of(text)) {
    const double width = state_->width(piece);
    cairo_move_to(state_->cairo, x, base - (piece.power ? raised * state_->size : 0));
    cairo_show_text(state_->cairo, state_->spelled(piece.text).c_str());
    x += width;
  }
  cairo_restore(state_->cairo);
}

void Canvas::font_size(double points) { state_->size = points; }

bool Canvas::has_font() const { return state_->found; }

std::string Canvas::finish() {
  if (state_->format == FigureFormat::png) cairo_surface_write_to_png_stream(state_->surface, append, &state_->bytes);
  if (state_->format != FigureFormat::png) cairo_show_page(state_->cairo);
  const cairo_status_t drawn = cairo_status(state_->cairo);
  cairo_surface_finish(state_->surface);
  const cairo_status_t written = cairo_surface_status(state_->surface);
  if (drawn != CAIRO_STATUS_SUCCESS || written != CAIRO_STATUS_SUCCESS)
    throw MachineError(std::string("cannot draw a figure: ") +
                       cairo_status_to_string(drawn != CAIRO_STATUS_SUCCESS ? drawn : written));
  return std::move(state_->bytes);
}

}  // namespace halocline
