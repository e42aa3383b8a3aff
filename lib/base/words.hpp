// Words for the values of an enum: what decks, help and messages call them.
//
//   enum class Start { zero, fmg };
//   constexpr auto words_of(Start) { return std::to_array<Word<Start>>({{"zero", Start::zero}, {"fmg", Start::fmg}}); }
//
// words_of() stands beside its enum, in the same namespace, and gives the words in the order in which help lists them.
#pragma once

#include <array>
#include <cstddef>

namespace halocline {

template <class Enum>
struct Word {
  const char* text;
  Enum value;
};

/// The word for a value; "" for one that has none.
template <class Enum>
constexpr const char* word_for(Enum value) {
  for (const Word<Enum>& word : words_of(value))
    if (word.value == value) return word.text;
  return "";
}

/// The place of a value among the words, from 0; -1 for one that has none. Identities of runs hold it.
template <class Enum>
constexpr int place_of(Enum value) {
  constexpr auto words = words_of(Enum{});
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].value == value) return static_cast<int>(i);
  return -1;
}

/// All words of an enum, for example to be shown.
template <class Enum>
constexpr auto texts_of() {
  constexpr auto words = words_of(Enum{});
  std::array<const char*, words.size()> texts{};
  for (std::size_t i = 0; i < words.size(); ++i) texts[i] = words[i].text;
  return texts;
}

}  // namespace halocline
