#include "lib/problems/fractional/storage/stored_field.hpp"

#include "gpu/launch.hpp"

namespace halocline::fractional {

template <class Stored>
void clear(const Slabs<Computed<Stored>>& slabs, StoredField<Stored>& field, int part) {
  const SlabLayout& slab = slabs.layout(part);
  launch_rows(*slabs.team().executor(part), "clear", Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
              ClearBody<Stored>{{slab}, field.data(part)});
}

template void clear<double>(const Slabs<double>&, SlabField<double>&, int);
template void clear<float>(const Slabs<float>&, SlabField<float>&, int);
template void clear<Half>(const Slabs<float>&, HalfField&, int);

}  // namespace halocline::fractional
