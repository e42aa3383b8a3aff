// MediumField: which media the nodes of a grid are of, see weights/media.hpp.
#pragma once

#include <memory>
#include <vector>

#include "lib/base/array.hpp"
#include "lib/fields/slabs.hpp"
#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/weights/media_kernels.hpp"

namespace halocline::fractional {

class MediumField {
 public:
  /// Looks at the coefficients of terms at all nodes, on the host, so that media are the same with any devices. Throws
  /// DeckError where a node has coefficients that cannot be, or nodes have too many. Collective.
  MediumField(const Formulation& formulation, const std::shared_ptr<Slabs<double>>& slabs);

  /// Media by number; one at least.
  const std::vector<Medium>& media() const { return media_; }
  int count() const { return static_cast<int>(media_.size()); }
  NodeMedium of_nodes(int part) const {
    return {count() > 1 ? bytes_[static_cast<std::size_t>(part)].view().data + slabs_->origin(part) : nullptr};
  }

 private:
  std::shared_ptr<Slabs<double>> slabs_;
  std::vector<Medium> media_;
  std::vector<Array<unsigned char, 1>> bytes_;  // of parts
};

}  // namespace halocline::fractional
