#include "lib/amg/kept_results.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/amg/kept_kernels.hpp"
#include "lib/base/error.hpp"

namespace halocline::amg {
namespace {

// Bytes of `of_row` for every row of a part.
Label label_of(const VectorSpace& space, int part, const char* name, double of_row) {
  return {name, of_row * static_cast<double>(space.layout().used_size(part))};
}
Range<1> rows_of(const VectorSpace& space, int part) { return {{0}, {space.layout().used_size(part)}}; }

}  // namespace

void KeptResults::keep(int slot, double scale, const Vector<double>& y) {
  const auto n = static_cast<std::size_t>(slot);
  require(n <= results_.size(), "KeptResults: slots are used in order");
  if (n == results_.size()) {
    results_.emplace_back(y.space_pointer());
    scales_.push_back(0);
  }
  scales_[n] = scale;
  const VectorSpace& space = y.space();
  space.team().each([&](int p) {
    launch(*space.team().executor(p), label_of(space, p, "keep", 20), rows_of(space, p),
           KeepResultBody{1 / scale, ends_->out.part(p).data, y.part(p).data, results_[n].part(p).data});
  });
}

void KeptResults::add(std::span<const double> coefficients, Vector<double>& x) const {
  require(coefficients.size() <= results_.size(), "KeptResults: more coefficients than results kept");
  const VectorSpace& space = x.space();
  for (std::size_t first = 0; first < coefficients.size(); first += kept_in_a_pass) {
    const std::size_t count = std::min<std::size_t>(kept_in_a_pass, coefficients.size() - first);
    space.team().each([&](int p) {
      AddKeptBody body{static_cast<int>(count), {}, {}, {}, ends_->out.part(p).data, x.part(p).data};
      for (std::size_t j = 0; j < count; ++j) {
        body.coefficient[j] = coefficients[first + j];
        body.scale[j] = scales_[first + j];
        body.kept[j] = results_[first + j].part(p).data;
      }
      launch(*space.team().executor(p), label_of(space, p, "add kept", 24 + 4.0 * static_cast<double>(count)),
             rows_of(space, p), body);
    });
  }
}

}  // namespace halocline::amg
