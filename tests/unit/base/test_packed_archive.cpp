// Packed checkpoints: bits survive, whatever the width of rows and the partition that restores them.
#include "lib/base/packed_archive.hpp"

#include <gtest/gtest.h>

#include "lib/base/half.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline {
namespace {

template <class T, class Make>
void survives(Index width, const Make& make) {
  constexpr Index total = 7;
  std::vector<T> all;
  for (Index n = 0; n < total * width; ++n) all.push_back(make(n));
  MemoryArchive archive;
  const std::span<T> whole(all);
  const auto part = [width](std::span<T> values, Index from, Index to) {
    return values.subspan(static_cast<std::size_t>(from * width), static_cast<std::size_t>((to - from) * width));
  };
  archive_packed(archive, "x", total, width, {{0}, {3}}, part(whole, 0, 3));
  archive_packed(archive, "x", total, width, {{3}, {7}}, part(whole, 3, 7));
  archive.restore_from_now_on();
  std::vector<T> found(all.size());
  archive_packed(archive, "x", total, width, {{0}, {5}}, part(found, 0, 5));
  archive_packed(archive, "x", total, width, {{5}, {5}}, part(found, 5, 5));
  archive_packed(archive, "x", total, width, {{5}, {7}}, part(found, 5, 7));
  EXPECT_EQ(std::memcmp(found.data(), all.data(), all.size() * sizeof(T)), 0) << width;
}

TEST(PackedArchive, BitsSurvive) {
  for (const Index width : {1, 2, 3, 4, 5, 8, 13}) {
    survives<float>(width, [](Index n) { return static_cast<float>(n) / 3 - 5; });
    survives<Half>(width, [](Index n) { return Half{static_cast<std::uint16_t>(n * 2654435761u >> 7)}; });
  }
}

// Numbers that are none keep their bits too.
TEST(PackedArchive, NoNumberIsChanged) {
  survives<float>(3, [](Index n) {
    const auto bits = static_cast<std::uint32_t>(0x7F800001u + static_cast<std::uint32_t>(n));
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  });
}

TEST(PackedArchive, WordsHoldSeveral) {
  MemoryArchive archive;
  std::vector<float> values{1, 2, 3};
  archive_packed<float>(archive, "x", 1, 3, {{0}, {1}}, values);
  archive.restore_from_now_on();
  std::vector<Index> words(2);
  archive.block("x", 1, 2, {{0}, {1}}, View<Index, 1>(words.data(), 2), *make_omp_executor(1));
  float second;
  std::memcpy(&second, reinterpret_cast<const char*>(words.data()) + 4, sizeof second);
  EXPECT_EQ(second, 2);
  EXPECT_EQ(words[1] >> 32, 0);
}

}  // namespace
}  // namespace halocline
