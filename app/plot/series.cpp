#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/plot/figures.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

constexpr const char *probes = "/series/probes/", *times_of_probes = "/series/probes/time";
constexpr Index most_lines = 6;  // along one line, of so many times

bool is_residual(const std::string& path) { return path.find("residual") != std::string::npos; }

std::string short_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Coordinates of places: "(540, 260)".
std::string place_text(const Column& places, Index place, Index dimensions) {
  std::string text = "(";
  for (Index axis = 0; axis < dimensions; ++axis) text += (axis > 0 ? ", " : "") + brief_text(places.at(place, axis));
  return text + ")";
}

Index dimensions_of(const Column& places) {
  for (Index place = 0; place < places.rows; ++place)
    if (places.at(place, places.width - 1) != 0) return places.width;
  return std::max<Index>(1, places.width - 1);
}

// What a series is of: u of u_points and u_line_1, the residual of residual_history_3.
std::string quantity(const std::string& name) {
  if (name.starts_with("residual_history")) return "relative residual";
  for (const char* end : {"_points", "_line_"})
    if (const std::size_t at = name.rfind(end); at != std::string::npos && at > 0) return name.substr(0, at);
  return name;
}

// "solve 3" of residual_history_3.
std::string legend_name(const std::string& path) {
  const std::string name = short_name(path), begin = "residual_history_";
  return name.starts_with(begin) ? "solve " + name.substr(begin.size()) : name;
}

class SeriesFigure {
 public:
  SeriesFigure(const Command::Plot& wanted, bool several) : wanted_(wanted), several_(several) {}

  void add(const TableFile& run, const std::string& path, const std::string& label) {
    const std::string line = line_of(run, path);
    if (!line.empty()) return along_line(run, path, line, label);
    const Column y = run.read(path);
    std::vector<double> x = abscissa(run, y);
    if (x.size() != static_cast<std::size_t>(y.rows))
      throw DeckError(path.substr(1) + " and " + wanted_.x + " differ in length");
    const std::string points = path.starts_with(probes) && path.ends_with("_points") ? "/series/probes/points" : "";
    for (Index k = 0; k < y.width; ++k) {
      FigureSeries series{label, x, {}, y.rows == 1 ? Mark::points : y.rows <= 40 ? Mark::both : Mark::line};
      for (Index row = 0; row < y.rows; ++row) series.y.push_back(y.at(row, k));
      if (!points.empty()) {
        const Column places = run.read(points);
        if (k < places.rows) series.label = joined(series.label, place_text(places, k, dimensions_of(places)));
      }
      made_.figure.series.push_back(std::move(series));
    }
    take_label(label_of(quantity(y.name), run.text(path, "unit")));
    logarithmic_ = logarithmic_ || (is_residual(path) && made_.figure.map == std::nullopt);
  }

  NamedFigure finish(const std::string& name) && {
    Figure& figure = made_.figure;
    std::vector<const std::vector<double>*> xs, ys;
    bool positive = true;
    for (const FigureSeries& series : figure.series) {
      xs.push_back(&series.x), ys.push_back(&series.y);
      // The first residual may be 0 where nothing is left to do.
      positive = positive && std::any_of(series.y.begin(), series.y.end(), [](double value) { return value > 0; });
    }
    figure.x = axis_for(x_label_, wanted_.log_x, xs, 0.02);
    std::string names;
    for (const std::string& label : y_labels_) names += (names.empty() ? "" : ", ") + label;
    figure.y = axis_for(y_labels_.size() <= 3 ? names : "", wanted_.log_y || (logarithmic_ && positive), ys);
    if (figure.series.size() == 1 && !several_) figure.series.front().label.clear();
    if (figure.series.size() > 1 && !shades_) {
      // Names that are the same say nothing.
      const std::string first = figure.series.front().label;
      if (std::all_of(figure.series.begin(), figure.series.end(),
                      [&](const FigureSeries& one) { return one.label == first; }))
        for (FigureSeries& one : figure.series) one.label.clear();
    }
    made_.name = name;
    made_.words = names + " over " + x_label_;
    return std::move(made_);
  }

 private:
  static std::string joined(const std::string& one, const std::string& other) {
    return one.empty() ? other : one + ", " + other;
  }
  void take_label(const std::string& label) {
    if (std::find(y_labels_.begin(), y_labels_.end(), label) == y_labels_.end()) y_labels_.push_back(label);
  }

  // The coordinates of the line that values are along: /series/probes/line_1 of u_line_1.
  static std::string line_of(const TableFile& run, const std::string& path) {
    const std::size_t at = path.find("_line_");
    if (!path.starts_with(probes) || at == std::string::npos) return "";
    const std::string line = probes + path.substr(at + 1);
    return run.contains(line) ? line : "";
  }

  // Times where there are any of the same number, else numbers from 0.
  std::vector<double> abscissa(const TableFile& run, const Column& y) {
    std::vector<std::string> candidates{y.path + "_time"};
    if (y.path.starts_with(probes)) candidates.emplace_back(times_of_probes);
    candidates.emplace_back("/series/output_time");
    if (!wanted_.x.empty()) candidates = {run.find(wanted_.x)};
    for (const std::string& path : candidates) {
      if (!run.contains(path) || path == y.path) continue;
      const Column times = run.read(path);
      if (wanted_.x.empty() && times.rows != y.rows) continue;
      x_label_ = times.label;
      return times.values;
    }
    const std::string name = y.name;
    x_label_ = name.starts_with("residual") ? "iteration" : name.starts_with("newton") ? "Newton step" : "number";
    if (name.starts_with("levels_")) x_label_ = "level";
    std::vector<double> numbers;
    for (Index row = 0; row < y.rows; ++row) numbers.push_back(static_cast<double>(row));
    return numbers;
  }

  // The distance from the line's begin to the right, a curve for some of the times, the last one among them.
  void along_line(const TableFile& run, const std::string& path, const std::string& line, const std::string& label) {
    const Column y = run.read(path), places = run.read(line), times = run.read(times_of_probes);
    std::vector<double> x{0};
    for (Index k = 1; k < places.rows; ++k) {
      double square = 0;
      for (Index axis = 0; axis < places.width; ++axis)
        square += std::pow(places.at(k, axis) - places.at(k - 1, axis), 2);
      x.push_back(x.back() + std::sqrt(square));
    }
    const Index dimensions = dimensions_of(places), curves = std::min(most_lines, y.rows);
    const std::string from = place_text(places, 0, dimensions), to = place_text(places, places.rows - 1, dimensions);
    x_label_ = "distance from " + from + " to " + to;
    for (Index curve = 0; curve < curves; ++curve) {
      const Index row = curves == 1 ? y.rows - 1 : (y.rows - 1) * curve / (curves - 1);
      FigureSeries series{label, x, {}, Mark::line};
      for (Index k = 0; k < y.width; ++k) series.y.push_back(y.at(row, k));
      if (curves > 1) {
        series.label = joined(label, "t = " + brief_text(times.at(row)));
        if (!several_) series.shade = static_cast<double>(curve) / static_cast<double>(curves - 1);
        shades_ = true;
      }
      made_.figure.series.push_back(std::move(series));
    }
    take_label(label_of(quantity(y.name), run.text(path, "unit")));
  }

  const Command::Plot& wanted_;
  bool several_, shades_ = false, logarithmic_ = false;
  std::string x_label_;
  std::vector<std::string> y_labels_;
  NamedFigure made_;
};

// The folder of a run, as a name in a legend.
std::string run_name(const TableFile& run) {
  const std::filesystem::path path = std::filesystem::weakly_canonical(run.path());
  return path.filename() == "tables.h5" ? path.parent_path().filename().string() : path.stem().string();
}

}  // namespace

bool is_series(const std::string& path) { return path.starts_with("/series/"); }

std::vector<std::string> default_series(const TableFile& tables) {
  const std::vector<std::string> all = tables.columns_in("/series");
  std::vector<std::string> residuals, others;
  for (const std::string& path : all) {
    if (short_name(path).starts_with("residual_history")) residuals.push_back(path);
    const bool axis = path.ends_with("_time") || path.ends_with("_step") || short_name(path).starts_with("levels_");
    if (!axis && others.empty()) others.push_back(path);
  }
  if (residuals.size() > 1) return {"residual_history"};
  if (!residuals.empty()) return residuals;
  if (!others.empty()) return others;
  for (const std::string& path : tables.columns_in("/series/probes"))
    if (path.ends_with("_points")) return {path};
  for (const std::string& path : tables.columns_in("/series/probes"))
    if (path.ends_with("_integral")) return {path};
  return {};
}

NamedFigure series_figure(const std::vector<const TableFile*>& runs, const std::vector<std::string>& names,
                          const Command::Plot& wanted) {
  std::vector<std::string> labels;
  for (const TableFile* run : runs) labels.push_back(runs.size() > 1 ? run_name(*run) : "");
  SeriesFigure figure(wanted, runs.size() > 1);
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const std::string& name : names) {
      const std::vector<std::string> paths = runs[r]->contains(name) ? std::vector{name} : runs[r]->find_all(name);
      const bool many = names.size() > 1 || paths.size() > 1;
      for (const std::string& path : paths) {
        if (!is_series(path)) throw DeckError(path.substr(1) + " is no series; only these can be drawn together");
        const std::string own = many ? legend_name(path) : "";
        figure.add(*runs[r], path, labels[r].empty() ? own : own.empty() ? labels[r] : labels[r] + ", " + own);
      }
    }
  return std::move(figure).finish(short_name(names.front()));
}

}  // namespace halocline
