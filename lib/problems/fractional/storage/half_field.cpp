#include "lib/problems/fractional/storage/half_field.hpp"

#include <algorithm>
#include <cmath>

#include "lib/problems/fractional/storage/stored_planes.hpp"

namespace halocline::fractional {

namespace {

constexpr int top = 14;                  // values below the bound are below 2^15 units, half of what halves hold
constexpr int least = -126, most = 113;  // exponents; so that unit and inverse are floats, for all floats

float unit_of(double bound) {
  if (!(bound > 0)) return 1;
  return static_cast<float>(std::ldexp(1.0, std::clamp(std::min(std::ilogb(bound), 1024) - top, least, most)));
}

}  // namespace

HalfField::HalfField(const std::shared_ptr<Slabs<float>>& slabs) : slabs_(slabs) {
  for (int p = 0; p < slabs->parts(); ++p) {
    const SlabLayout& slab = slabs->layout(p);
    memory_.emplace_back(slabs->team().executor(p), std::array<Index, 1>{slab.extent[2] * slab.plane});
  }
}

void HalfField::aim(double bound) {
  bound_ = bound;
  next_ = unit_of(bound);
}

void HalfField::archive(StateArchive& archive, const std::string& name) {
  archive.scalar((name + "_bound").c_str(), bound_);
  aim(bound_);
  settle();
  for (int p = 0; p < slabs_->parts(); ++p) archive_stored(archive, name, *slabs_, p, data(p));
}

}  // namespace halocline::fractional
