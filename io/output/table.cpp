#include "io/output/table.hpp"

#include <algorithm>
#include <filesystem>

#include "io/collective.hpp"
#include "io/files.hpp"
#include "io/h5/output_file.hpp"
#include "io/h5/staging.hpp"
#include "io/output/xdmf.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

template <class T>
Part<T> staged(const FieldInfo& info, const Range<1>& block, View<const T, 1> values, const Executor& executor) {
  require(values.extent[0] == block.extent(0) * info.width, "Tables: the view does not have the size of its block");
  if (info.width == 1) return {{block.lo[0]}, {block.extent(0)}, stage(values, executor)};
  return {{block.lo[0], 0}, {block.extent(0), info.width}, stage(values, executor)};
}

h5::Extent shape_of(const FieldInfo& info, Index rows) {
  return info.width == 1 ? h5::Extent{rows} : h5::Extent{rows, info.width};
}

std::string path_of(const FieldInfo& info) {
  if (info.name.starts_with('/')) return info.name;
  return (info.name.find('/') == std::string::npos ? "/columns/" : "/") + info.name;
}

template <class T>
void measure(const std::vector<Part<T>>& parts, Index& end, Index& held) {
  for (const auto& part : parts) {
    end = std::max(end, part.offset[0] + part.count[0]);
    held += part.count[0];
  }
}

template <class T>
void write_parts(OutputFile& file, const FieldInfo& info, h5::Type type, Index rows,
                 const std::vector<Part<T>>& parts) {
  file.write(path_of(info), type, shape_of(info, rows), boxes_of(parts));
}

}  // namespace

Tables::Tables(Writers writers, std::string path, std::vector<std::pair<std::string, std::string>> metadata)
    : writers_(std::move(writers)), comm_(writers_.comm()), path_(std::move(path)), metadata_(std::move(metadata)) {}

Tables::Column& Tables::column_of(const FieldInfo& info, bool whole_numbers) {
  if (stale_) columns_.clear();
  stale_ = false;
  for (auto& column : columns_) {
    if (column.info.name == info.name) {
      require(column.whole_numbers == whole_numbers, "Tables: a column has one type");
      return column;
    }
  }
  columns_.push_back({info, whole_numbers, {}, {}});
  return columns_.back();
}

void Tables::column(const FieldInfo& info, const Range<1>& block, View<const double, 1> values,
                    const Executor& executor) {
  column_of(info, false).reals.push_back(staged(info, block, values, executor));
}

void Tables::column(const FieldInfo& info, const Range<1>& block, View<const Index, 1> values,
                    const Executor& executor) {
  column_of(info, true).integers.push_back(staged(info, block, values, executor));
}

void Tables::series(const std::string& name, const std::string& unit, std::span<const double> values, Index width) {
  series_[name] = {unit, {values.begin(), values.end()}, width};
}

std::vector<std::pair<std::string, std::vector<double>>> Tables::short_series(std::size_t most) const {
  std::vector<std::pair<std::string, std::vector<double>>> found;
  for (const auto& [name, series] : series_)
    if (series.width == 1 && series.values.size() <= most) found.emplace_back(name, series.values);
  return found;
}

Index Tables::rows(const Column& column) const {
  Index end = 0, held = 0;
  measure(column.reals, end, held);
  measure(column.integers, end, held);
  comm_.max(std::span(&end, 1));
  comm_.sum(std::span(&held, 1));
  require(end == held, "Tables: the parts do not cover the column");
  return end;
}

void Tables::write() const {
  if (columns_.empty() && series_.empty()) return;
  constexpr std::size_t room_per_object = 2048;
  std::size_t bytes = (columns_.size() + series_.size()) * room_per_object;
  std::vector<Index> lengths;
  for (const auto& column : columns_) {
    lengths.push_back(rows(column));
    bytes += static_cast<std::size_t>(lengths.back() * column.info.width) * 8;
    for (const auto& [name, text] : column.info.attributes) bytes += name.size() + text.size();
  }
  for (const auto& [name, series] : series_) bytes += series.values.size() * 8;
  for (const auto& [name, text] : metadata_) bytes += name.size() + text.size();
  for (const auto& [path, text] : texts_) bytes += room_per_object + path.size() + text.size();
  OutputFile output(writers_, path_);
  output.structure(bytes, [&](h5::File& file) {
    for (const auto& [name, text] : metadata_) file.set_attribute("/", name, text);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const FieldInfo& info = columns_[c].info;
      const std::string path = path_of(info);
      file.make_dataset(path, columns_[c].whole_numbers ? h5::Type::int64 : h5::Type::float64,
                        shape_of(info, lengths[c]));
      file.set_attribute(path, "unit", info.unit);
      for (const auto& [name, text] : info.attributes) file.set_attribute(path, name, text);
    }
    for (const auto& [path, text] : texts_) {
      const std::size_t slash = path.rfind('/');
      require(slash != std::string::npos, "Tables: a text has a path");
      const std::string group = "/" + path.substr(0, slash);
      if (!file.contains(group)) file.make_group(group);
      file.set_attribute(group, path.substr(slash + 1), text);
    }
    for (const auto& [name, series] : series_) {
      h5::Extent shape{static_cast<Index>(series.values.size()) / series.width};
      if (series.width > 1) shape.push_back(series.width);
      file.make_dataset("/series/" + name, h5::Type::float64, shape);
      file.set_attribute("/series/" + name, "unit", series.unit);
      const h5::Source box{h5::Extent(shape.size(), 0), shape,
                           reinterpret_cast<const std::byte*>(series.values.data())};
      file.write("/series/" + name, h5::Type::float64, shape, std::span(&box, 1));
    }
  });
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (column.whole_numbers) {
      write_parts(output, column.info, h5::Type::int64, lengths[c], column.integers);
    } else {
      write_parts(output, column.info, h5::Type::float64, lengths[c], column.reals);
    }
  }
  output.commit();
  if (axes_) write_maps(lengths);
}

// By rank 0, for columns with one value per place of the map.
void Tables::write_maps(const std::vector<Index>& lengths) const {
  const std::string file = std::filesystem::path(path_).filename().string();
  std::vector<std::pair<std::string, std::string>> maps;
  const auto places = static_cast<Index>((*axes_)[0].values.size() * (*axes_)[1].values.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const FieldInfo& info = columns_[c].info;
    if (columns_[c].whole_numbers || info.width != 1 || lengths[c] != places) continue;
    const std::string path = path_of(info);
    maps.emplace_back(path.substr(path.rfind('/') + 1), file + ":" + path);
  }
  on_rank0(comm_, [&] {
    replace_file(std::filesystem::path(path_).replace_extension(".xdmf").string(), xdmf_maps(*axes_, maps));
  });
}

}  // namespace halocline
