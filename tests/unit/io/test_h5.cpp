// h5::File against values the test computes itself, on any number of ranks.
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "io/h5/deferred_file.hpp"
#include "io/h5/h5.hpp"
#include "io/h5/output_file.hpp"
#include "output_support.hpp"

namespace halocline {
namespace {

template <class T>
const std::byte* bytes(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}
template <class T>
std::byte* bytes(std::vector<T>& values) {
  return reinterpret_cast<std::byte*>(values.data());
}

double expected(Index k, Index j, Index i) { return 100.0 * k + 10.0 * j + static_cast<double>(i) + 0.5; }

std::vector<double> fill(const h5::Extent& offset, const h5::Extent& count) {
  std::vector<double> values;
  for (Index k = 0; k < count[0]; ++k) {
    for (Index j = 0; j < count[1]; ++j) {
      for (Index i = 0; i < count[2]; ++i) values.push_back(expected(offset[0] + k, offset[1] + j, offset[2] + i));
    }
  }
  return values;
}

// The share of this rank along one axis.
void cut(const Communicator& comm, h5::Extent& offset, h5::Extent& count, int axis) {
  const Index n = count[axis];
  offset[axis] = n * comm.rank() / comm.size();
  count[axis] = n * (comm.rank() + 1) / comm.size() - offset[axis];
}

const h5::Extent shape{4, 5, 6};

// Makes a file of one dataset, from boxes whose values are dense.
void write_dataset(const Communicator& comm, const std::string& path, const std::string& name, const std::string& unit,
                   const h5::Extent& extent, const h5::Extent& whole, std::span<const h5::Source> boxes) {
  std::vector<HostBox> staged;
  for (const auto& box : boxes)
    staged.push_back(
        {box.offset, box.count, View<const double, 3>(reinterpret_cast<const double*>(box.values), 1, 1, box.size())});
  DeferredFile output(comm, path);
  output.dataset(name, unit, extent, whole, staged);
  output.depart(comm.size() % 2 == 0);
  output.arrive();
}

// Writes with the array cut along `axis`, reads the whole back alone.
void round_trip(const Communicator& comm, int axis, bool flat) {
  const Scratch scratch(comm, "h5_round_trip");
  const std::string path = scratch / "a.h5";
  h5::Extent offset{0, 0, 0}, count = shape;
  cut(comm, offset, count, axis);
  const auto values = fill(offset, count);
  const h5::Source box{offset, count, bytes(values)};
  write_dataset(comm, path, "/group/u", "m/s", flat ? h5::Extent{120} : shape, shape, std::span(&box, 1));
  const h5::File file(path, h5::File::Mode::read);
  EXPECT_EQ(file.text_attribute("/group/u", "unit"), "m/s");
  EXPECT_EQ(file.extent("/group/u"), flat ? h5::Extent{120} : shape);
  std::vector<double> all(120);
  const h5::Target whole{{0, 0, 0}, shape, bytes(all)};
  file.read("/group/u", h5::Type::float64, shape, std::span(&whole, 1));
  EXPECT_EQ(all, fill({0, 0, 0}, shape));
}

TEST(H5, WritesBoxesCutAlongEveryAxis) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const bool flat : {false, true}) {
    for (const int axis : {0, 1, 2}) round_trip(comm, axis, flat);
  }
}

TEST(H5, RanksMayHaveSeveralBoxesOrNone) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "h5_boxes");
  std::vector<std::vector<double>> values;
  std::vector<h5::Source> boxes;
  if (comm.rank() == comm.size() - 1) {
    for (Index j = 0; j < 5; ++j) {
      values.push_back(fill({0, j, 0}, {4, 1, 6}));
      boxes.push_back({{0, j, 0}, {4, 1, 6}, bytes(values.back())});
    }
  }
  write_dataset(comm, scratch / "a.h5", "/u", "", {120}, shape, boxes);
  std::vector<double> all(120);
  const h5::Target whole{{0}, {120}, bytes(all)};
  h5::File file(scratch / "a.h5", h5::File::Mode::read);
  file.read("/u", h5::Type::float64, {120}, std::span(&whole, 1));
  file.close();
  EXPECT_EQ(all, fill({0, 0, 0}, shape));
}

// Slabs come in rounds of few values, also from boxes with gaps between their rows and planes.
TEST(H5, SlabsComePieceByPiece) {
  const Communicator comm(MPI_COMM_WORLD);
  for (const int axis : {1, 2}) {
    h5::Extent offset{0, 0, 0}, count = shape;
    cut(comm, offset, count, axis);
    const auto dense = fill(offset, count);
    const Index pitch = count[2] + 3, plane = pitch * count[1] + 5;
    std::vector<double> values(static_cast<std::size_t>(plane * count[0]) + 1, -1.0);
    for (Index k = 0, n = 0; k < count[0]; ++k)
      for (Index j = 0; j < count[1]; ++j)
        for (Index i = 0; i < count[2]; ++i, ++n)
          values[static_cast<std::size_t>(k * plane + j * pitch + i)] = dense[static_cast<std::size_t>(n)];
    HostBox box{offset, count, View<const double, 3>(values.data(), count[0], count[1], count[2])};
    box.values.stride[0] = plane;
    box.values.stride[1] = pitch;
    const Index lo = 4 * comm.rank() / comm.size(), hi = 4 * (comm.rank() + 1) / comm.size();
    std::vector<double> slab;
    Index pieces = 0;
    h5::SlabExchange exchange(comm, shape, std::span(&box, 1), 30 * 8);
    exchange.run([&](Index at, std::span<const std::uint64_t> piece) {
      ++pieces;
      EXPECT_LE(piece.size(), 30U);
      EXPECT_TRUE(piece.empty() || at == lo * 30 + static_cast<Index>(slab.size()));
      for (const std::uint64_t word : piece) slab.push_back(std::bit_cast<double>(word));
    });
    EXPECT_EQ(pieces, (4 + comm.size() - 1) / comm.size());
    EXPECT_EQ(slab, fill({lo, 0, 0}, {hi - lo, 5, 6}));
  }
}

TEST(H5, ReadsTogetherWhatEachRankAsksFor) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "h5_together");
  const auto values = fill({0, 0, 0}, shape);
  std::vector<h5::Source> boxes;
  if (comm.rank() == 0) boxes.push_back({{0, 0, 0}, shape, bytes(values)});
  write_dataset(comm, scratch / "a.h5", "/u", "", shape, shape, boxes);
  h5::Extent offset{1, 0, 2}, count{2, 5, 3};
  cut(comm, offset, count, 1);
  std::vector<double> mine(static_cast<std::size_t>(count[0] * count[1] * count[2]));
  const h5::Target target{offset, count, bytes(mine)};
  h5::File file(scratch / "a.h5", h5::File::Mode::read);
  file.read("/u", h5::Type::float64, shape, std::span(&target, 1));
  file.close();
  EXPECT_EQ(mine, fill(offset, count));
}

TEST(H5, KeepsAttributesOfEveryKindAndLength) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "h5_attributes");
  const std::string deck(200000, 'x');
  OutputFile output(comm, scratch / "a.h5");
  output.structure(deck.size(), [&](h5::File& file) {
    file.set_attribute("/", "deck", deck);
    file.set_attribute("/", "empty", "");
    file.set_attribute("/", "unit", "µm");
    file.set_attribute("/", "time", 0.25);
    file.set_attribute("/", "seed", Index{1} << 60);
  });
  output.commit();
  const h5::File file(scratch / "a.h5", h5::File::Mode::read);
  EXPECT_EQ(file.text_attribute("/", "deck"), deck);
  EXPECT_EQ(file.text_attribute("/", "empty"), "");
  EXPECT_EQ(file.text_attribute("/", "unit"), "µm");
  EXPECT_EQ(file.number_attribute("/", "time"), 0.25);
  EXPECT_EQ(file.integer_attribute("/", "seed"), Index{1} << 60);
  EXPECT_FALSE(file.has_attribute("/", "none"));
}

TEST(H5, SaysWhichFileAndWhy) {
  const Communicator comm(MPI_COMM_WORLD);
  const std::string none = machine_error([] { h5::File("no/such.h5", h5::File::Mode::read); });
  EXPECT_NE(none.find("no/such.h5"), std::string::npos) << none;
  EXPECT_NE(none.find("No such file or directory"), std::string::npos) << none;
  EXPECT_NE(machine_error([&] { h5::File("no/such.h5", h5::File::Mode::read); }), "");
  const std::string folder = machine_error([&] { OutputFile(comm, "no/such/folder/a.h5"); });
  EXPECT_NE(folder.find("No such file or directory"), std::string::npos) << folder;
}

TEST(H5, FullDiskEndsOnEveryRankWithoutAFile) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "h5_full");
  const std::vector<double> values(1 << 18, 1.0);
  const h5::Source box{{0}, {comm.rank() == 0 ? 1 << 18 : 0}, bytes(values)};
  std::string message;
  {
    const FileSizeLimit limit(1 << 20);
    message = machine_error(
        [&] { write_dataset(comm, scratch / "a.h5", "/u", "", {1 << 18}, {1 << 18}, std::span(&box, 1)); });
  }
  EXPECT_NE(message.find("File too large"), std::string::npos) << message;
  EXPECT_TRUE(comm.agree(scratch.files() == 0));
}

// The limit strikes one rank in the middle of the write, past all precautions.
TEST(H5, FailureOfOneRankInAWriteReachesAll) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "h5_one_rank");
  const Index n = 1 << 20;
  const Index first = n * comm.rank() / comm.size(), size = n * (comm.rank() + 1) / comm.size() - first;
  const std::vector<double> values(static_cast<std::size_t>(size), 1.0);
  const h5::Source box{{first}, {size}, bytes(values)};
  for (int victim = 0; victim < comm.size(); ++victim) {
    std::string message = machine_error([&] {
      OutputFile output(comm, scratch / "a.h5");
      output.structure(static_cast<std::size_t>(n) * 8,
                       [&](h5::File& file) { file.make_dataset("/u", h5::Type::float64, {n}); });
      const FileSizeLimit limit(comm.rank() == victim ? 4096 : RLIM_INFINITY, true);
      output.write("/u", h5::Type::float64, {n}, std::span(&box, 1));
      output.commit();
    });
    EXPECT_NE(message.find("a.h5.tmp: File too large"), std::string::npos) << message;
    comm.barrier();
    EXPECT_EQ(scratch.files(), 0);
    comm.barrier();
  }
}

TEST(H5, FailureOfOneRankOnTheWayReachesAll) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "h5_on_the_way");
  const Index n = 1 << 20;
  const Index first = n * comm.rank() / comm.size(), size = n * (comm.rank() + 1) / comm.size() - first;
  const std::vector<double> values(static_cast<std::size_t>(size), 1.0);
  const HostBox box{{first}, {size}, View<const double, 3>(values.data(), 1, 1, size)};
  for (int victim = 0; victim < comm.size(); ++victim) {
    for (const bool thread : {false, true}) {
      const std::string message = machine_error([&] {
        DeferredFile output(comm, scratch / "a.h5");
        output.dataset("/u", "", {n}, {n}, std::span(&box, 1));
        const FileSizeLimit limit(comm.rank() == victim ? 4096 : RLIM_INFINITY, true);
        output.depart(thread);
        output.arrive();
      });
      EXPECT_NE(message.find("a.h5.tmp: File too large"), std::string::npos) << message;
      comm.barrier();
      EXPECT_EQ(scratch.files(), 0);
      comm.barrier();
    }
  }
}

// The first file is large, so that the second one would overtake it.
TEST(H5, FilesOnTheWayArriveInOrder) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "h5_order");
  DeferredFile one(comm, scratch / "one.h5"), two(comm, scratch / "two.h5");
  const std::vector<double> values(std::size_t{1} << 22, 2.0);
  const auto fill_file = [&](DeferredFile& file, Index n) {
    const Index mine = comm.rank() == 0 ? n : 0;
    const HostBox box{{0}, {mine}, View<const double, 3>(values.data(), 1, 1, mine)};
    file.dataset("/u", "", {n}, {n}, std::span(&box, 1));
  };
  fill_file(one, Index{1} << 22);
  fill_file(two, 8);
  one.depart(true);
  two.depart(true, &one);
  while (!two.arrived()) std::this_thread::yield();
  EXPECT_TRUE(one.arrived());
  EXPECT_FALSE(std::filesystem::exists(scratch / "one.h5"));
  one.arrive();
  EXPECT_TRUE(comm.agree(std::filesystem::exists(scratch / "one.h5")));
  two.arrive();
  comm.barrier();
  EXPECT_EQ(scratch.files(), 2);
  comm.barrier();
}

}  // namespace
}  // namespace halocline
