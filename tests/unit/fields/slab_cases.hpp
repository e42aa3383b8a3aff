// Grids in slabs over devices of a kind on all ranks, for tests of fields.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "lib/expression/program.hpp"
#include "lib/fields/slab_field.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/expression/formulas.hpp"

namespace halocline {

/// A box of nodes or cells with edges 1, 1.5, 2, from -1 along x on.
inline UniformGrid some_grid(GridLayout layout, const std::vector<double>& cells) {
  ThrownFaults faults;
  const std::vector<double> size = cells.size() == 3 ? std::vector{1.0, 1.5, 2.0} : std::vector{1.0, 1.5};
  const std::vector<double> origin = cells.size() == 3 ? std::vector{-1.0, 0.0, 0.5} : std::vector{-1.0, 0.0};
  return grid_of_box(layout, {size, cells, origin}, "grid", faults);
}

/// Parts of unequal shares on `devices` devices of every rank.
template <class T>
class SlabCase {
 public:
  SlabCase(TestDevice device, int devices, const UniformGrid& grid, const SlabRules& rules)
      : team_(make_test_executors(device, devices), world_.rank() * devices, world_.size() * devices) {
    std::vector<double> weights(static_cast<std::size_t>(team_.total_parts()));
    std::iota(weights.begin(), weights.end(), 2.0 + team_.total_parts());  // none thinner than ghosts on 8 parts
    const Partition partition(grid.extent[grid.slow_axis()], 1, weights);
    slabs_ = std::make_shared<Slabs<T>>(world_, team_, partition, grid, rules);
  }
  /// In boxes: `columns` along y, in 2D along x, a divisor of the number of parts.
  SlabCase(TestDevice device, int devices, int columns, const UniformGrid& grid, const SlabRules& rules)
      : team_(make_test_executors(device, devices), world_.rank() * devices, world_.size() * devices) {
    const int slow = grid.slow_axis();
    const auto share = [](Index count, Index chunk, int parts) {
      return Partition(count, chunk, std::vector<double>(static_cast<std::size_t>(parts), 1.0));
    };
    const BoxPartition boxes(share(grid.extent[slow - 1], slow == 1 ? line_piece : 1, columns),
                             share(grid.extent[slow], 1, team_.total_parts() / columns));
    slabs_ = std::make_shared<Slabs<T>>(world_, team_, boxes, grid, rules);
  }
  const std::shared_ptr<Slabs<T>>& slabs() const { return slabs_; }

 private:
  Communicator world_{MPI_COMM_WORLD};
  Team team_;
  std::shared_ptr<Slabs<T>> slabs_;
};

/// Sets own unknowns to value(x, y, z), counted in the grid.
template <class T, class Value>
void fill(SlabField<T>& field, const Value& value) {
  for (int p = 0; p < field.slabs().parts(); ++p) {
    const SlabLayout& slab = field.layout(p);
    std::vector<double> values;
    for (Index z = 0; z < slab.extent[2]; ++z)
      for (Index y = 0; y < slab.extent[1]; ++y)
        for (Index x = 0; x < slab.extent[0]; ++x)
          values.push_back(value(x + slab.first_along(0), y + slab.first_along(1), z + slab.first_along(2)));
    field.write(p, values);
  }
}

/// `text` of the first `count` of x, y, z, t, c.
inline Program program_of(const std::string& text, int count) {
  static constexpr const char* names[] = {"x", "y", "z", "t", "c"};
  const Scope scope(std::span<const char* const>(names).first(static_cast<std::size_t>(count)));
  const Expression expression = scope.parse(test::formula(text));
  return Program({&expression, 1}, count);
}

}  // namespace halocline
