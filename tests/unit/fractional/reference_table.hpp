// Lines of tables made by tests/data/make_fractional.py.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "lib/problems/fractional/weights/levels.hpp"

namespace halocline::fractional {

struct ReferenceLine {
  std::vector<double> arguments, values;
};

// All lines of this kind; a failure when there are none.
inline std::vector<ReferenceLine> reference_lines(const std::string& file, const std::string& kind) {
  std::ifstream table(HALOCLINE_TEST_DATA "/" + file);
  std::vector<ReferenceLine> lines;
  std::string text;
  while (std::getline(table, text)) {
    std::istringstream words(text);
    std::string word;
    words >> word;
    if (word != kind) continue;
    ReferenceLine line;
    bool values = false;
    while (words >> word) {
      if (word == ":")
        values = true;
      else
        (values ? line.values : line.arguments).push_back(std::strtod(word.c_str(), nullptr));
    }
    lines.push_back(line);
  }
  EXPECT_FALSE(lines.empty()) << file << ": " << kind;
  return lines;
}

// Levels at just these s, by a psi that is linear in between.
inline std::shared_ptr<const Levels> levels_at(const std::vector<double>& s) {
  const auto steps = static_cast<Index>(s.size()) - 1;
  MeshOptions options;
  options.end = static_cast<double>(steps);
  options.steps = steps;
  const TimeChange psi{[s](double t) {
                         const auto l = static_cast<std::size_t>(t);
                         const double beyond = t - static_cast<double>(l);
                         return beyond == 0 ? s[l] : s[l] + beyond * (s[l + 1] - s[l]);
                       },
                       {}};
  return std::make_shared<const Levels>(options, psi);
}

}  // namespace halocline::fractional
