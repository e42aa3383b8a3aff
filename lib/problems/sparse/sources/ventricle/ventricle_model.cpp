#include "lib/problems/sparse/sources/ventricle/ventricle_model.hpp"

#include <cmath>

#include "lib/expression/scope.hpp"

namespace halocline::sparse {

namespace {

constexpr const char* path = "sparse.matrix.ventricle.conductivity";

struct Named {
  const char* word;
  Sigma sigma;
};
constexpr Named named[] = {{"bidomain", {0.799, 0.255}}, {"mono", {0.174, 0.019}}, {"iso", {1, 1}}};

std::optional<Sigma> read_sigma(const std::vector<std::string>& given, Faults& faults) {
  if (given.size() == 1)
    for (const Named& one : named)
      if (given.front() == one.word) return one.sigma;
  if (given.size() != 2) {
    faults.at(path, "is neither bidomain, mono or iso nor a list of two numbers, along fibers and across");
    return std::nullopt;
  }
  double values[2] = {0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    std::vector<FormulaFault> found;
    const auto value = parse_number({given[i], {}}, found);
    if (value && *value > 0 && std::isfinite(*value)) {
      values[i] = *value;
      continue;
    }
    faults.at(path, "'" + given[i] + "' is no positive number");
    return std::nullopt;
  }
  return Sigma{values[0], values[1]};
}

VentricleLattice lattice_of(double h, Index seed) {
  VentricleLattice l{h, {}, {}, static_cast<std::uint64_t>(seed)};
  l.n[0] = l.n[1] = 2 * static_cast<Index>(std::ceil(3 / h)) + 3;
  l.n[2] = static_cast<Index>(std::ceil(8 / h)) + 3;
  for (int axis = 0; axis < 2; ++axis) l.origin[axis] = -h * static_cast<double>(l.n[axis] - 1) / 2;
  l.origin[2] = -6 - h;
  return l;
}

}  // namespace

std::optional<VentricleModel> make_ventricle_model(const VentricleOptions& options, Faults& faults) {
  const auto sigma = read_sigma(options.conductivity, faults);
  if (!sigma) return std::nullopt;
  return VentricleModel{lattice_of(options.h, options.seed), *sigma, options.mass, options.ground, options.numbering};
}

}  // namespace halocline::sparse
