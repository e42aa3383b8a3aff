// Words for the values of an enum.
#include <gtest/gtest.h>

#include <string>

#include "lib/base/words.hpp"

namespace halocline {
namespace {

// Neither in the order of the words nor from 0; one value has no word.
enum class Tide { neap = 3, spring = 7, unknown = -2 };
constexpr auto words_of(Tide) { return std::to_array<Word<Tide>>({{"spring", Tide::spring}, {"neap", Tide::neap}}); }

TEST(Words, ValuesHaveWordsAndPlaces) {
  EXPECT_EQ(std::string(word_for(Tide::neap)), "neap");
  EXPECT_EQ(std::string(word_for(Tide::unknown)), "");
  EXPECT_EQ(place_of(Tide::spring), 0);
  EXPECT_EQ(place_of(Tide::neap), 1);
  EXPECT_EQ(place_of(Tide::unknown), -1);
  EXPECT_EQ(std::string(texts_of<Tide>()[1]), "neap");
}

}  // namespace
}  // namespace halocline
