// Methods by names that say how their sums are waited for: "cg", "fused cg".
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "lib/krylov/krylov.hpp"

namespace halocline {

inline bool is_fused(std::string_view variant) { return variant.starts_with("fused "); }
inline std::string_view method_of(std::string_view variant) { return is_fused(variant) ? variant.substr(6) : variant; }

template <class T>
std::unique_ptr<KrylovSolver<T>> make_variant(std::string_view variant, VectorSpacePtr space, KrylovOptions options) {
  options.sums = is_fused(variant) ? SumMessages::fused : SumMessages::separate;
  return make_krylov<T>(method_of(variant), std::move(space), options);
}

}  // namespace halocline
