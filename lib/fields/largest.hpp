// The largest of what the parts of all ranks have.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "lib/fields/slabs.hpp"

namespace halocline {

/// The largest of(part), a double or an Index, over the parts of all ranks; each is asked for where its device is
/// driven. `parts`: room for a value of each, so that nothing is allocated. Collective.
template <class T, class Of, class Value>
Value largest_of_parts(const Slabs<T>& slabs, const Of& of, std::vector<Value>& parts) {
  slabs.team().each([&](int p) { parts[static_cast<std::size_t>(p)] = of(p); });
  std::array<Value, 1> most{*std::max_element(parts.begin(), parts.end())};
  slabs.comm().max(most);
  return most[0];
}
template <class T, class Of>
auto largest_of_parts(const Slabs<T>& slabs, const Of& of) {
  std::vector<decltype(of(0))> parts(static_cast<std::size_t>(slabs.parts()));
  return largest_of_parts(slabs, of, parts);
}

}  // namespace halocline
