#include "lib/base/exact_sum.hpp"

namespace halocline {

void ExactSum::add(const ExactSum& other) {
  // Limbs of either side may be close to 2^62.
  if (pending_ + other.pending_ >= (1 << 30)) normalize();
  for (int k = 0; k < words; ++k) word_[k] += other.word_[k];
  pending_ += other.pending_ + 1;
  if (pending_ >= (1 << 30)) normalize();
}

double ExactSum::value() const {
  std::array<std::int64_t, words> word = word_;
  return exact_rounding::rounded(word.data(), exact_rounding::used_limbs(word.data()));
}

void ExactSum::normalize() {
  exact_rounding::propagate(word_.data(), 0, limbs - 1);
  pending_ = 0;
}

}  // namespace halocline
