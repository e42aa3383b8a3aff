// State saved on some parts, restored on others; damaged, missing and foreign checkpoints.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "checkpoint_support.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {
namespace {

using CheckpointTest = OnEveryExecutor;

TEST_P(CheckpointTest, RestoresOnAnotherNumberOfParts) {
  const Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm, "checkpoint");
  Checkpoints checkpoints(comm, scratch.path(), 2, identity);
  State saved(comm, make_test_executors(GetParam(), 3));
  saved.set(1.5);
  const std::string file = checkpoints.save(saved.archive());
  EXPECT_EQ(file, scratch / "checkpoint_0001.h5");
  for (const int parts : {1, 2, 4}) {
    State restored(comm, make_test_executors(GetParam(), parts));
    const auto result = checkpoints.restore_newest(restored.archive());
    EXPECT_EQ(result.file, file);
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_TRUE(restored.is(1.5));
  }
  comm.barrier();
}

INSTANTIATE_TEST_SUITE_P(Executors, CheckpointTest, every_executor(), executor_name);

TEST_F(Checkpoint, FileIsTheSameOnAnyNumberOfRanksAndParts) {
  const Communicator alone(MPI_COMM_SELF);
  const Scratch scratch(comm, "checkpoint_bits");
  State together(comm, make_test_executors(TestDevice::omp_1, 2));
  together.set(0.5);
  const std::string a = Checkpoints(comm, scratch.path(), 2, identity).save(together.archive());
  if (comm.rank() == 0) {
    const Scratch own(alone, "checkpoint_bits_alone");
    State single(alone, executors);
    single.set(0.5);
    const std::string b = Checkpoints(alone, own.path(), 2, identity).save(single.archive());
    EXPECT_EQ(bytes_of(a), bytes_of(b));
  }
  comm.barrier();
}

TEST_F(Checkpoint, KeepsTwoGenerations) {
  const Scratch scratch(comm, "checkpoint_keep");
  Checkpoints checkpoints(comm, scratch.path(), 2, identity);
  State state(comm, executors);
  if (comm.rank() == 0) std::ofstream(scratch / "checkpoint_0001.h5.tmp") << "left by a killed run";
  for (const double t : {1.0, 2.0, 3.0, 4.0}) {
    state.set(t);
    checkpoints.save(state.archive());
  }
  EXPECT_EQ(scratch.files(), 2);
  EXPECT_TRUE(std::filesystem::exists(scratch / "checkpoint_0003.h5"));
  const auto result = checkpoints.restore_newest(state.archive());
  EXPECT_EQ(result.file, scratch / "checkpoint_0004.h5");
  EXPECT_TRUE(state.is(4.0));
  checkpoints.restore(scratch / "checkpoint_0003.h5", state.archive());
  EXPECT_TRUE(state.is(3.0));
  comm.barrier();
}

TEST_F(Checkpoint, FallsBackWhenTheNewestIsDamaged) {
  const Scratch scratch(comm, "checkpoint_damaged");
  Checkpoints checkpoints(comm, scratch.path(), 3, identity);
  State state(comm, executors);
  for (const double t : {1.0, 2.0, 3.0}) {
    state.set(t);
    checkpoints.save(state.archive());
  }
  damage(comm, scratch / "checkpoint_0003.h5", 3.0 + 0.1 * 20 + 1);  // u(20, 1)
  if (comm.rank() == 0) std::filesystem::resize_file(scratch / "checkpoint_0002.h5", 1500);
  comm.barrier();
  const auto result = checkpoints.restore_newest(state.archive());
  EXPECT_EQ(result.file, scratch / "checkpoint_0001.h5");
  EXPECT_TRUE(state.is(1.0));
  ASSERT_EQ(result.warnings.size(), 2u);
  EXPECT_NE(result.warnings[0].find("/blocks/u"), std::string::npos) << result.warnings[0];
  EXPECT_NE(result.warnings[1].find("checkpoint_0002.h5"), std::string::npos) << result.warnings[1];
  EXPECT_THROW(checkpoints.restore(scratch / "checkpoint_0003.h5", state.archive()), MachineError);
  damage(comm, scratch / "checkpoint_0001.h5", 1.0 + 0.1 * 20 + 1);
  EXPECT_THROW(checkpoints.restore_newest(state.archive()), MachineError);
  comm.barrier();
}

// Any byte, the seal's own included; and files that are cut off or have more at the end. HALOCLINE_FAULT_PLACES=0 in
// the environment: every byte.
TEST_F(Checkpoint, AnyDamageIsNoticed) {
  const Scratch scratch(comm, "checkpoint_bytes");
  Checkpoints checkpoints(comm, scratch.path(), 2, identity);
  State state(comm, executors);
  for (const double t : {1.0, 2.0}) {
    state.set(t);
    checkpoints.save(state.archive());
  }
  const std::string path = scratch / "checkpoint_0002.h5", good = bytes_of(path);
  comm.barrier();  // all have read it
  const auto expect_damaged = [&](const std::string& bytes, std::size_t at) {
    if (comm.rank() == 0) std::ofstream(path, std::ios::binary) << bytes;
    comm.barrier();
    const auto result = checkpoints.check("auto");
    EXPECT_EQ(result.file, scratch / "checkpoint_0001.h5") << at;
    EXPECT_EQ(result.warnings.size(), 1u) << at;
    comm.barrier();
  };
  const char* places = std::getenv("HALOCLINE_FAULT_PLACES");
  const std::size_t step =
      places != nullptr && std::string(places) == "0" ? 1 : good.size() / (comm.size() > 1 ? 15 : 300);
  for (std::size_t at = 0; at < good.size(); at += step) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
    expect_damaged(bad, at);
    if (at % (10 * step) == 0) expect_damaged(good.substr(0, at), at);
  }
  for (const char* more : {" ", "\n", "sealed 000000000010 0000000000000000\n"})
    expect_damaged(good + more, good.size());
  expect_damaged(good + good, good.size());
  if (comm.rank() == 0) std::ofstream(path, std::ios::binary) << good;
  comm.barrier();
  EXPECT_EQ(checkpoints.check("auto").file, path);
  comm.barrier();
}

TEST_F(Checkpoint, CountsOnTheOutputsBeforeIt) {
  const Scratch scratch(comm, "checkpoint_outputs");
  Checkpoints checkpoints(comm, scratch.path(), 2, identity);
  State state(comm, executors);
  state.set(1.0);
  const auto write = [&](const std::string& name, const std::string& text) {
    if (comm.rank() == 0) std::ofstream(scratch / name) << text;
    comm.barrier();
  };
  const auto found = [&] {
    comm.barrier();
    auto result = checkpoints.check("auto");
    comm.barrier();
    return result;
  };
  write("fields_0001.vtkhdf", "first");
  write("photo_0001.png", "of a user");
  checkpoints.save(state.archive());
  write("fields_0002.vtkhdf", "second");
  checkpoints.save(state.archive());
  EXPECT_EQ(found().file, scratch / "checkpoint_0002.h5");
  if (comm.rank() == 0) std::filesystem::remove(scratch / "photo_0001.png");
  write("fields_0002.vtkhdf", "cut");
  EXPECT_EQ(found().file, scratch / "checkpoint_0001.h5");
  EXPECT_NE(found().warnings[0].find("fields_0002.vtkhdf has 3 bytes instead of 6"), std::string::npos);
  if (comm.rank() == 0) std::filesystem::remove(scratch / "fields_0001.vtkhdf");
  const auto none = found();
  EXPECT_EQ(none.file, "");
  ASSERT_EQ(none.warnings.size(), 3u);
  EXPECT_NE(none.warnings[1].find("fields_0001.vtkhdf is gone"), std::string::npos);
  EXPECT_EQ(checkpoints.restore(scratch / "checkpoint_0002.h5", state.archive()).file, scratch / "checkpoint_0002.h5");
  comm.barrier();
}

TEST_F(Checkpoint, NoneIsNoError) {
  const Scratch scratch(comm, "checkpoint_none");
  State state(comm, executors);
  const Checkpoints checkpoints(comm, scratch.path(), 2, identity);
  EXPECT_EQ(checkpoints.restore_newest(state.archive()).file, "");
  EXPECT_THROW(checkpoints.restore(scratch / "checkpoint_0001.h5", state.archive()), DeckError);
}

TEST_F(Checkpoint, RefusesForeignState) {
  const Scratch scratch(comm, "checkpoint_foreign");
  State state(comm, executors);
  state.set(1.0);
  Checkpoints(comm, scratch.path(), 2, identity).save(state.archive());
  const auto restore = [&](const CheckpointIdentity& other, State& into) {
    return Checkpoints(comm, scratch.path(), 2, other).restore_newest(into.archive());
  };
  EXPECT_THROW(restore({"other", "37 rows", "1.2.3", ""}, state), DeckError);
  EXPECT_THROW(restore({"test", "38 rows", "1.2.3", ""}, state), DeckError);
  EXPECT_EQ(restore({"test", "37 rows", "1.2.4", ""}, state).warnings.size(), 1u);
  State larger(comm, executors, 38);
  EXPECT_THROW(restore(identity, larger), DeckError);
  comm.barrier();
}

TEST_F(Checkpoint, FullDiskKeepsTheGenerationBefore) {
  const Scratch scratch(comm, "checkpoint_full");
  State state(comm, executors, 100000);
  Checkpoints checkpoints(comm, scratch.path(), 1, identity);
  state.set(1.0);
  checkpoints.save(state.archive());
  state.set(2.0);
  {
    const FileSizeLimit limit(1 << 20);
    EXPECT_NE(machine_error([&] { checkpoints.save(state.archive()); }), "");
  }
  comm.barrier();
  EXPECT_EQ(scratch.files(), 1);
  comm.barrier();
  checkpoints.restore_newest(state.archive());
  EXPECT_TRUE(state.is(1.0));
}

}  // namespace
}  // namespace halocline
