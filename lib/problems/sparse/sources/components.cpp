#include "lib/problems/sparse/sources/components.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/base/format.hpp"
#include "lib/problems/sparse/sources/file/renumbered.hpp"

namespace halocline::sparse {

namespace {

// Rows of `unknowns` a node, node by node, in the order of the input.
std::vector<Array<Index, 1>> by_number(const RowSpace& rows, Index unknowns, const RowNumbers& numbers) {
  std::vector<Array<Index, 1>> made;
  for (int p = 0; p < rows.team().parts(); ++p) {
    std::vector<Index> which;
    for (Index row = rows.own(p).lo[0]; row < rows.own(p).hi[0]; ++row)
      which.push_back((numbers.empty() ? row : numbers.input(row)) % unknowns);
    made.push_back(make_array(rows.team().executor(p), which));
  }
  return made;
}

std::vector<Array<Index, 1>> from_file(const RowSpace& rows, const DataFile& file, const RowNumbers& numbers) {
  PartValues values = std::move(read_columns(rows, file).front());
  constexpr double nothing = std::numeric_limits<double>::max();
  std::array<double, 2> first{nothing, 0};  // the lowest row of a wrong number, and that number
  for (int p = 0; p < rows.team().parts() && first[0] == nothing; ++p) {
    const std::vector<double> own = values[static_cast<std::size_t>(p)].to_host();
    for (std::size_t n = 0; n < own.size() && first[0] == nothing; ++n)
      if (!(own[n] >= 0 && own[n] < static_cast<double>(most_components) && own[n] == std::floor(own[n])))
        first = {static_cast<double>(rows.own(p).lo[0]) + static_cast<double>(n), own[n]};
  }
  std::array<double, 1> lowest{first[0]};
  rows.comm().min(lowest);
  if (lowest[0] != nothing) {
    std::array<double, 1> value{first[0] == lowest[0] ? first[1] : -nothing};
    rows.comm().max(value);
    throw DeckError(
        formatted("{}: row {} (counted from 0): {:.17g} is no whole number from 0 to {}; expected which "
                  "unknown of its node a row is",
                  file.path(), static_cast<Index>(lowest[0]), value[0], most_components - 1));
  }
  std::vector<Array<Index, 1>> made;
  const PartValues here = moved(rows, numbers.here, std::move(values));
  for (int p = 0; p < rows.team().parts(); ++p) {
    const std::vector<double> own = here[static_cast<std::size_t>(p)].to_host();
    made.push_back(make_array(rows.team().executor(p), std::vector<Index>(own.begin(), own.end())));
  }
  return made;
}

}  // namespace

std::vector<Array<Index, 1>> components_of(const RowSpace& rows, const Formulation& formulation,
                                           const BlockOptions& options, const RowNumbers& numbers) {
  if (options.preconditioner != Preconditioner::amg) return {};
  if (options.matrix.has_elastic_box) return by_number(rows, 3, numbers);
  if (formulation.components) return from_file(rows, *formulation.components, numbers);
  if (options.components == Components::one) return {};
  return by_number(rows, static_cast<Index>(*options.components), numbers);
}

}  // namespace halocline::sparse
