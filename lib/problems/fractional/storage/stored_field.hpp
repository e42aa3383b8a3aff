// Fields of the history in the numbers they are stored in, and their pointers for bodies.
#pragma once

#include <span>
#include <type_traits>

#include "lib/fields/slab_field.hpp"
#include "lib/problems/fractional/storage/field_kernels.hpp"
#include "lib/problems/fractional/storage/half_field.hpp"

namespace halocline::fractional {

/// Stored: double, float or Half, here and below.
template <class Stored>
using StoredField = std::conditional_t<std::is_same_v<Stored, Half>, HalfField, SlabField<Computed<Stored>>>;

/// At most `Most` fields of a part.
template <class Stored, int Most>
FieldsOf<Stored, Most> fields_of(std::span<StoredField<Stored>> fields, int part) {
  FieldsOf<Stored, Most> of;
  for (std::size_t n = 0; n < fields.size(); ++n) {
    of.data[n] = fields[n].data(part);
    if constexpr (std::is_same_v<Stored, Half>) of.units[n] = {fields[n].unit(), fields[n].next_unit()};
  }
  return of;
}

/// All numbers of a part become 0, padding included; ghosts stay. On the compute queue.
template <class Stored>
void clear(const Slabs<Computed<Stored>>& slabs, StoredField<Stored>& field, int part);

}  // namespace halocline::fractional
