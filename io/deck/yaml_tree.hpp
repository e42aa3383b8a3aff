// yaml_tree: one YAML document as a DeckNode tree, through the event interface of yaml-cpp, which gives a mark for
// every scalar and lets nesting be limited before yaml-cpp recurses.
#pragma once

#include <string>
#include <vector>

#include "io/deck/deck.hpp"

namespace halocline {

struct YamlProblem {
  DeckPosition position;
  std::string path;
  std::string message;
};

struct YamlTree {
  DeckNode root;                      // null when the text has no document
  std::vector<YamlProblem> problems;  // reported, but the tree is usable
};

// Thrown when the text cannot be read at all.
struct YamlFailure {
  YamlProblem problem;
};

// Reads `text`, which is number `origin` in the positions. Throws YamlFailure on syntax errors, characters that are no
// printable UTF-8, tabs in the indentation, several documents, nesting deeper than 50, and texts above 8 MiB.
YamlTree read_yaml(const std::string& text, int origin);

}  // namespace halocline
