// Files are the same whichever ranks write them, and a failure on any rank reaches all. Compared with values that the
// test computes itself, and with the bytes that one rank alone writes.
#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "io/collective.hpp"
#include "io/h5/deferred_file.hpp"
#include "io/h5/h5.hpp"
#include "io/h5/relay.hpp"
#include "io/h5/writers.hpp"
#include "output_support.hpp"

namespace {

// What this rank sends to others while it counts, by rank: messages and bytes.
struct Sent {
  long messages = 0;
  long long bytes = 0;
};
std::map<int, Sent>* counted = nullptr;

void count(int bytes, int to) {
  if (counted == nullptr) return;
  ++(*counted)[to].messages;
  (*counted)[to].bytes += bytes;
}

// Of this rank's node, where a test gives it one.
std::string host_name;

}  // namespace

extern "C" int gethostname(char* name, size_t size) {
  utsname system{};
  uname(&system);
  const std::string text = host_name.empty() ? system.nodename : host_name;
  std::snprintf(name, size, "%s", text.c_str());
  return 0;
}

extern "C" int MPI_Isend(const void* data, int count_of, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  int size = 0;
  MPI_Type_size(type, &size);
  count(count_of * size, to);
  return PMPI_Isend(data, count_of, type, to, tag, comm, request);
}

extern "C" int MPI_Send(const void* data, int count_of, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  int size = 0;
  MPI_Type_size(type, &size);
  count(count_of * size, to);
  return PMPI_Send(data, count_of, type, to, tag, comm);
}

namespace halocline {
namespace {

using Kind = WriterChoice::Kind;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const std::byte* bytes(const std::vector<double>& values) { return reinterpret_cast<const std::byte*>(values.data()); }

TEST(Writers, AreChosenByAWordOrANumber) {
  EXPECT_EQ(writer_choice("auto")->kind, Kind::automatic);
  EXPECT_EQ(writer_choice("all")->kind, Kind::all);
  EXPECT_EQ(writer_choice("node")->kind, Kind::node);
  EXPECT_EQ(writer_choice("12")->kind, Kind::number);
  EXPECT_EQ(writer_choice("12")->number, 12);
  for (const char* text : {"", "0", "-1", "2.5", "3 ", "nodes", "99999999999999999999"})
    EXPECT_FALSE(writer_choice(text).has_value()) << text;
}

// All ranks of a test are on one node.
TEST(Writers, AreTheFirstRanksOfGroups) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto expect = [&](const Writers& writers, int count, int first, int last) {
    EXPECT_EQ(writers.count(), count);
    EXPECT_EQ(writers.first(), first);
    EXPECT_EQ(writers.last(), last);
    EXPECT_EQ(writers.writes(), comm.rank() == first);
  };
  const int rank = comm.rank(), size = comm.size();
  expect(Writers(comm), size, rank, rank + 1);
  expect(Writers(comm, {Kind::automatic}), size, rank, rank + 1);
  expect(Writers(comm, {Kind::node}), 1, 0, size);
  expect(Writers(comm, {Kind::number, 1}), 1, 0, size);
  expect(Writers(comm, {Kind::number, 100}), size, rank, rank + 1);
  if (size == 4) expect(Writers(comm, {Kind::number, 2}), 2, rank / 2 * 2, rank / 2 * 2 + 2);
  if (size == 3) expect(Writers(comm, {Kind::number, 2}), 2, rank < 2 ? 0 : 2, rank < 2 ? 2 : 3);
}

TEST(Writers, OfNodesAreTheirFirstRanks) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto on = [](int node) {
    host_name = "node" + std::to_string(node);
    return Communicator(MPI_COMM_WORLD);
  };
  const auto check = [&](const Communicator& comm, int begin, int end, int count) {
    host_name.clear();
    const Writers writers(comm, {Kind::node});
    EXPECT_EQ(writers.count(), count);
    EXPECT_EQ(writers.first(), begin);
    EXPECT_EQ(writers.last(), end);
  };
  // Two and what is left: the ranks of a node follow each other.
  const Communicator pairs = on(rank / 2);
  EXPECT_EQ(pairs.node_rank(), rank % 2);
  EXPECT_EQ(pairs.node_size(), std::min(2, size - rank / 2 * 2));
  check(pairs, rank / 2 * 2, std::min(size, rank / 2 * 2 + 2), (size + 1) / 2);
  // One after the other to each of two nodes: as many groups, of neighbors.
  const Communicator dealt = on(rank % 2);
  EXPECT_EQ(dealt.node_rank(), rank / 2);
  EXPECT_EQ(dealt.node_size(), (size + 1 - rank % 2) / 2);
  if (size == 4) check(dealt, rank / 2 * 2, rank / 2 * 2 + 2, 2);
  host_name.clear();
}

// Sums travel with what has failed, and are left alone where something has.
TEST(OnAllRanks, SumsWhatWorkCounts) {
  const Communicator comm(MPI_COMM_WORLD);
  const Index size = comm.size();
  std::array<Index, 2> sums{0, -1};
  on_all_ranks(
      comm,
      [&] {
        sums = {comm.rank() + 1, -1};
      },
      sums);
  EXPECT_EQ(sums[0], size * (size + 1) / 2);
  EXPECT_EQ(sums[1], -size);
  sums = {7, 8};
  const auto fail = [&] {
    if (comm.rank() == comm.size() - 1) throw MachineError("the last rank has failed");
  };
  EXPECT_EQ(machine_error([&] { on_all_ranks(comm, fail, sums); }), "the last rank has failed");
  EXPECT_EQ(sums[0], 7);
}

// An array whose rows are shorter in memory than apart, cut along an axis, in a file that two datasets share.
class Array3 {
 public:
  Array3(const Communicator& comm, h5::Extent shape, int axis) : offset_{0, 0, 0}, count_(shape), shape_(shape) {
    offset_[axis] = shape[axis] * comm.rank() / comm.size();
    count_[axis] = shape[axis] * (comm.rank() + 1) / comm.size() - offset_[axis];
    const Index apart = count_[2] + 3;
    values_.resize(static_cast<std::size_t>(count_[0] * count_[1] * apart), -1.0);
    for (Index k = 0; k < count_[0]; ++k)
      for (Index j = 0; j < count_[1]; ++j)
        for (Index i = 0; i < count_[2]; ++i)
          values_[static_cast<std::size_t>((k * count_[1] + j) * apart + i)] =
              at(offset_[0] + k, offset_[1] + j, offset_[2] + i);
    view_ = View<const double, 3>(values_.data(), count_[0], count_[1], count_[2]);
    view_.stride[0] = count_[1] * apart;
    view_.stride[1] = apart;
  }
  double at(Index k, Index j, Index i) const { return static_cast<double>((k * shape_[1] + j) * shape_[2] + i) + 0.25; }
  void put(DeferredFile& file) const {
    const HostBox box{offset_, count_, view_};
    file.dataset("/group/u", "m", shape_, shape_, std::span(&box, 1));
    file.dataset("/v", "", {h5::volume(shape_)}, shape_, std::span(&box, 1));
  }
  void write(OutputFile& file) const {
    const std::vector<double> dense = pack(view_);
    const h5::Source box{offset_, count_, bytes(dense)};
    const auto room = static_cast<std::size_t>(h5::volume(shape_)) * 8;
    file.structure(room, [&](h5::File& made) { made.make_dataset("/w", h5::Type::float64, shape_); });
    file.write("/w", h5::Type::float64, shape_, std::span(&box, 1));
  }
  void expect_in(const std::string& path, const char* name) const {
    const h5::File file(path, h5::File::Mode::read);
    std::vector<double> all(static_cast<std::size_t>(h5::volume(shape_)));
    const h5::Target whole{{0, 0, 0}, shape_, reinterpret_cast<std::byte*>(all.data())};
    file.read(name, h5::Type::float64, shape_, std::span(&whole, 1));
    for (std::size_t n = 0; n < all.size(); ++n) ASSERT_EQ(all[n], static_cast<double>(n) + 0.25) << name;
  }

 private:
  h5::Extent offset_, count_, shape_;
  std::vector<double> values_;
  View<const double, 3> view_;
};

void write_file(const Writers& writers, const std::string& path, const h5::Extent& shape, int axis, bool thread) {
  const Array3 array(writers.comm(), shape, axis);
  DeferredFile output(writers, path);
  array.put(output);
  array.write(output.file());
  output.depart(thread);
  output.arrive();
}

// The larger array makes several blocks of every rank.
TEST(Writers, BytesOfFilesDoNotDependOnThem) {
  const Communicator comm(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const Scratch scratch(comm, "writers_bytes");
  for (const h5::Extent& shape : {h5::Extent{7, 5, 6}, h5::Extent{16, 150, 200}}) {
    const std::string single = scratch / "single.h5";
    if (comm.rank() == 0) {
      write_file(alone, single, shape, 0, false);
      for (const char* name : {"/group/u", "/v", "/w"}) Array3(alone, shape, 0).expect_in(single, name);
    }
    comm.barrier();
    const std::string wanted = bytes_of(single);
    for (const Index number : {1, 2}) {
      for (const int axis : {0, 1}) {
        write_file(Writers(comm, {Kind::number, number}), scratch / "a.h5", shape, axis, (number + axis) % 2 == 1);
        EXPECT_TRUE(bytes_of(scratch / "a.h5") == wanted) << number << " writers, axis " << axis;
        comm.barrier();
      }
    }
  }
}

// No rank sends values to any but its own writer, each once, in blocks.
TEST(Writers, RanksSendOnceToTheirWriterAlone) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "writers_sent");
  const h5::Extent shape{16, 150, 200};
  for (const Index number : {1, 2}) {
    const Writers writers(comm, {Kind::number, number});
    const Array3 array(comm, shape, 0);
    DeferredFile output(writers, scratch / "a.h5");
    array.put(output);
    std::map<int, Sent> sent;
    counted = &sent;
    output.depart(true);
    counted = nullptr;
    output.arrive();
    const Index layers = (comm.rank() + 1) * shape[0] / comm.size() - comm.rank() * shape[0] / comm.size();
    const auto values = 2 * 8 * layers * shape[1] * shape[2];
    EXPECT_EQ(sent.size(), writers.writes() ? 0u : 1u);
    if (!writers.writes()) {
      const Sent& to_writer = sent[writers.first()];
      EXPECT_NEAR(static_cast<double>(to_writer.bytes), static_cast<double>(values),
                  0.05 * static_cast<double>(values));
      EXPECT_LE(to_writer.messages, values / static_cast<long>(h5::relay_block) + 2);
    }
  }
}

TEST(Writers, FailureOfOneReachesAll) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "writers_full");
  const h5::Extent shape{16, 150, 200};
  const Writers writers(comm, {Kind::number, 2});
  for (int victim = 0; victim < comm.size(); ++victim) {
    if (comm.agree(comm.rank() != victim || !writers.writes())) continue;
    for (const bool thread : {false, true}) {
      const std::string message = machine_error([&] {
        const Array3 array(comm, shape, 0);
        DeferredFile output(writers, scratch / "a.h5");
        array.put(output);
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

// What one rank cannot give, in the middle of its values: the others are written, and nobody waits.
TEST(Writers, FailureOfOneThatSendsReachesAll) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "writers_sender");
  const Writers writers(comm, {Kind::number, 1});
  const std::string path = scratch / "a";
  if (comm.rank() == 0) std::ofstream(path) << std::string(100, '.');
  comm.barrier();
  const auto put = [&](const WriteAt& write) {
    const std::string text(10, static_cast<char>('0' + comm.rank()));
    write(static_cast<std::size_t>(10 * comm.rank()), std::as_bytes(std::span(text)));
    if (comm.rank() == comm.size() - 1) throw MachineError("this rank has had enough");
  };
  EXPECT_EQ(machine_error([&] { on_all_ranks(comm, [&] { writers.write(path, put); }); }), "this rank has had enough");
  comm.barrier();
  EXPECT_EQ(bytes_of(path).substr(0, 10), comm.size() > 1 ? std::string(10, '0') : bytes_of(path).substr(0, 10));
  comm.barrier();
}

TEST(Inbox, HoldsNoMoreThanItMay) {
  h5::Inbox inbox(2 * h5::relay_block);
  std::atomic<int> taken = 0, written = 0;
  int most = 0;
  std::thread writer([&] {
    inbox.pour(
        [&](std::size_t, std::span<const std::byte>) {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          ++written;
        },
        nullptr);
  });
  for (int n = 0; n < 20; ++n) {
    h5::Block block = inbox.take();
    most = std::max(most, ++taken - written);
    const std::array<std::uint64_t, 4> record{0, 0, 8, 1};
    std::memcpy(block.get(), record.data(), sizeof record);
    inbox.push(std::move(block), sizeof record);
  }
  inbox.close();
  writer.join();
  EXPECT_EQ(written, 20);
  EXPECT_LE(most, 3);  // one that has just been written is counted late
}

// A disk that takes nothing does not keep anybody waiting.
TEST(Inbox, ThrowsAwayWhatCannotBeWritten) {
  h5::Inbox inbox(h5::relay_block);
  std::string message;
  std::thread writer([&] {
    message = machine_error(
        [&] { inbox.pour([](std::size_t, std::span<const std::byte>) { throw MachineError("full"); }, nullptr); });
  });
  for (int n = 0; n < 10; ++n) {
    h5::Block block = inbox.take();
    const std::array<std::uint64_t, 4> record{0, 0, 8, 1};
    std::memcpy(block.get(), record.data(), sizeof record);
    inbox.push(std::move(block), sizeof record);
  }
  inbox.close();
  writer.join();
  EXPECT_EQ(message, "full");
}

}  // namespace
}  // namespace halocline
