// What the tests of fields' files share: grids, a step of two fields, and what is read back of it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "field_support.hpp"
#include "io/output/result_writer.hpp"

namespace halocline {

inline const Grid plane{{nodes(0, 0.25, 13), nodes(-1, 0.5, 9), {0}}, "m"};
inline const Grid graded{{nodes(0, 0.1, 14, 1.3), nodes(-1, 0.5, 9), {0}}, ""};
inline const Grid box{{nodes(0, 0.25, 13), nodes(-1, 0.5, 17), nodes(2, 0.125, 14)}, "m"};
inline const Grid graded_box{{nodes(0, 0.25, 13), nodes(-1, 0.5, 17), nodes(2, 0.125, 14, 1.2)}, "m"};

template <class T>
std::vector<T> read(const std::string& path, const std::string& dataset, h5::Type type) {
  const h5::File file(path, h5::File::Mode::read);
  const h5::Extent shape = file.extent(dataset);
  Index size = 1;
  for (const Index n : shape) size *= n;
  std::vector<T> values(static_cast<std::size_t>(size));
  const h5::Target target{h5::Extent(shape.size(), 0), shape, reinterpret_cast<std::byte*>(values.data())};
  file.read(dataset, type, shape, std::span(&target, 1));
  return values;
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void expect_sample(const std::string& path, const std::string& dataset, const Grid& grid, Centring centring,
                          double t) {
  const auto values = read<double>(path, dataset, h5::Type::float64);
  std::size_t at = 0, wrong = 0;
  const auto count = [&](int d) { return centring == Centring::point ? grid.points(d) : grid.cells(d); };
  ASSERT_EQ(static_cast<Index>(values.size()), count(0) * count(1) * count(2));
  for (Index k = 0; k < count(2); ++k) {
    for (Index j = 0; j < count(1); ++j) {
      for (Index i = 0; i < count(0); ++i) {
        wrong += values[at++] != sample(coordinate(grid, centring, 0, i), coordinate(grid, centring, 1, j),
                                        coordinate(grid, centring, 2, k), t);
      }
    }
  }
  EXPECT_EQ(wrong, 0u) << path << " " << dataset;
}

inline void write_step(ResultWriter& writer, const Communicator& comm, const std::vector<ExecutorPtr>& executors,
                       const Layout& layout, const Grid& grid, double t) {
  writer.begin_step(t);
  writer.grid(grid);
  publish_sample(writer, comm, executors, layout, {"u", "K"}, grid, t);
  publish_sample(writer, comm, executors, layout, {"c", "", Centring::cell}, grid, t + 1);
  writer.end_step();
}

}  // namespace halocline
