// MediaSet: which different tuples of coefficients c_i occur at the nodes of a grid.
//
// A medium is a tuple as it stands: (1, 0.3) and (2, 0.6) are two. A factor that varies from node to node would make
// every node a medium of its own; it belongs into sigma. Media are numbered in the lexicographic order of their tuples,
// so numbers depend neither on the order of nodes nor on the partition.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/problems/fractional/weights/media_kernels.hpp"
#include "lib/problems/fractional/weights/terms.hpp"

namespace halocline::fractional {

// Why the coefficients of one node are refused: "negative", "not finite", "all zero"; empty when they are not.
std::string fault_of_coefficients(std::span<const double> coefficients);
// For people, of `terms`: "have a coefficient that is negative at ", what a place ends; why media are too many.
std::string text_of_fault(const std::string& fault);
std::string text_of_too_many_media();

class MediaSet {
 public:
  static constexpr int most = most_media;

  explicit MediaSet(int terms);
  // The coefficients of nodes, one tuple behind the other: of nodes, or the tuples() of another rank. Without faults.
  void add(std::span<const double> tuples);
  // More than `most` were met: tuples() holds some most + 1 of them, so that ranks that exchange them all see it.
  bool too_many() const { return count() > most; }
  int count() const { return static_cast<int>(tuples_.size()) / terms_; }
  // All tuples, one behind the other, in lexicographic order.
  const std::vector<double>& tuples() const { return tuples_; }
  // The number of the medium with these coefficients; -1: none.
  int find(std::span<const double> tuple) const;
  // Each medium's terms: those with a positive coefficient. `orders`: one per term.
  std::vector<Medium> media(std::span<const double> orders) const;

 private:
  int terms_;
  std::vector<double> tuples_;
};

}  // namespace halocline::fractional
