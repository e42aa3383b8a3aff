#include "io/image/legend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/image/image.hpp"

namespace halocline {
namespace {

constexpr double margin = 5, sample = 14, row = 1.45;  // points; a row in letters
constexpr double step = 4;                             // between places of a line that are looked at

constexpr std::array<std::array<int, 3>, 6> colors{
    {{0, 0, 0}, {0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {86, 180, 233}}};

// How much of the series lies in a box.
double hidden(const SheetBox& box, const std::vector<LegendEntry>& entries) {
  double count = 0;
  for (const LegendEntry& entry : entries)
    for (std::size_t i = 0; i < entry.spots.size(); ++i) {
      if (box.contains(entry.spots[i])) ++count;
      if (entry.mark == Mark::points || i == 0) continue;
      const SheetPoint &from = entry.spots[i - 1], &to = entry.spots[i];
      const double length = std::hypot(to.x - from.x, to.y - from.y);
      for (double at = step; at < length; at += step)
        if (box.contains({from.x + (to.x - from.x) * at / length, from.y + (to.y - from.y) * at / length})) ++count;
    }
  return count;
}

// The first of the best: corners, upper right first, then the middles of sides, then the middle.
SheetBox best_place(const SheetBox& frame, double width, double height, const std::vector<LegendEntry>& entries) {
  const double room = frame.width - width - 2 * margin, above = frame.height - height - 2 * margin;
  constexpr std::array<std::array<double, 2>, 9> shares{
      {{1, 0}, {0, 0}, {1, 1}, {0, 1}, {1, 0.5}, {0, 0.5}, {0.5, 0}, {0.5, 1}, {0.5, 0.5}}};
  SheetBox best;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [right, down] : shares) {
    const SheetBox box{frame.x + margin + right * room, frame.y + margin + down * above, width, height};
    const double count = hidden(box, entries);
    if (count < least) best = box, least = count;
    if (count == 0) break;
  }
  return best;
}

}  // namespace

Rgb color_of_series(const FigureSeries& series, std::size_t number) {
  if (series.shade < 0) {
    const auto& color = colors[number % colors.size()];
    return {color[0] / 255.0, color[1] / 255.0, color[2] / 255.0};
  }
  // Without the lightest ones, which are hard to see on paper.
  const auto color = color_of(ColorMap::viridis, static_cast<int>(std::lround(225 * std::min(1.0, series.shade))));
  return {color[0] / 255.0, color[1] / 255.0, color[2] / 255.0};
}

double dashes_of_series(const FigureSeries& series, std::size_t number) {
  constexpr double longest = 4;
  const std::size_t round = number / colors.size();
  return series.shade >= 0 || round == 0 ? 0 : longest / static_cast<double>(round);
}

void draw_legend(Canvas& canvas, const SheetBox& frame, const std::vector<LegendEntry>& entries, double letter) {
  double widest = 0, rows = 0;
  for (const LegendEntry& entry : entries) {
    if (entry.label.empty()) continue;
    widest = std::max(widest, canvas.text_width(entry.label));
    ++rows;
  }
  if (rows == 0) return;
  const double each = row * letter;
  const SheetBox box = best_place(frame, widest + sample + 3 * margin, rows * each + margin, entries);
  canvas.color({1, 1, 1, 0.85});
  canvas.fill(box);
  canvas.color({0, 0, 0, 0.35});
  canvas.line_width(0.4);
  canvas.frame(box);
  double y = box.y + margin / 2 + each / 2;
  for (const LegendEntry& entry : entries) {
    if (entry.label.empty()) continue;
    const std::array<SheetPoint, 2> line{{{box.x + margin, y}, {box.x + margin + sample, y}}};
    canvas.color(entry.color);
    canvas.line_width(1.1);
    canvas.dashes(entry.dashes);
    if (entry.mark != Mark::points) canvas.line(line);
    canvas.dashes(0);
    if (entry.mark != Mark::line) canvas.dots(std::array<SheetPoint, 1>{{{box.x + margin + sample / 2, y}}}, 3);
    canvas.color({0, 0, 0, 1});
    canvas.text({box.x + 2 * margin + sample, y}, entry.label, Anchor::begin);
    y += each;
  }
}

}  // namespace halocline
