// Checkpoints whose values lie in files of their own: restored on other layouts; damaged, missing and foreign ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "checkpoint_support.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

// Values in a file of each writer, beside the one that names them.
class BesideCheckpoint : public Checkpoint {
 protected:
  Checkpoints checkpoints(const Scratch& scratch, Index writers, int keep) const {
    return {Writers(comm, {WriterChoice::Kind::number, writers}), scratch.path(), keep, identity,
            CheckpointFiles::writers};
  }
  // Runs `work` on rank 0 alone, between the others' last and next look at the files.
  void alone(const std::function<void()>& work) const {
    comm.barrier();
    if (comm.rank() == 0) work();
    comm.barrier();
  }
};

TEST_F(BesideCheckpoint, RestoresOnAnotherNumberOfPartsAndRanks) {
  for (const Index writers : {1, 2, 4}) {
    const Scratch scratch(comm, "checkpoint_beside");
    State saved(comm, make_test_executors(TestDevice::emulated_lazy, 3));
    saved.set(1.5);
    const std::string file = checkpoints(scratch, writers, 2).save(saved.archive());
    EXPECT_EQ(scratch.files(), 1 + std::min<Index>(writers, comm.size()));
    for (const int parts : {1, 2, 4}) {
      State restored(comm, make_test_executors(TestDevice::emulated, parts));
      const auto result = Checkpoints(comm, scratch.path(), 2, identity).restore_newest(restored.archive());
      EXPECT_EQ(result.file, file);
      EXPECT_TRUE(result.warnings.empty());
      EXPECT_TRUE(restored.is(1.5));
    }
    const Communicator self(MPI_COMM_SELF);
    State single(self, executors);
    EXPECT_EQ(Checkpoints(self, scratch.path(), 2, identity).restore(file, single.archive()).file, file);
    EXPECT_TRUE(single.is(1.5));
    comm.barrier();
  }
}

// Rows that no rank's parts follow each other in, and blocks with fewer rows than ranks.
TEST_F(BesideCheckpoint, TakesRowsInAnyOrder) {
  const Scratch scratch(comm, "checkpoint_order");
  const Index total = 40, size = comm.size();
  std::vector<double> rows, one{0.5, 1.5, 2.5};
  for (Index i = comm.rank(); i < total; i += size) rows.insert(rows.end(), {1.0 * i, 0.5 - i});
  const auto archive = [&](StateArchive& state) {
    for (std::size_t n = 0; 2 * n < rows.size(); ++n) {
      const Index row = comm.rank() + static_cast<Index>(n) * size;
      state.block("rows", total, 2, {{row}, {row + 1}}, View<double, 1>(rows.data() + 2 * n, 2), *executors[0]);
    }
    const bool mine = comm.rank() == comm.size() - 1 || state.restoring();
    state.block("one", 1, 3, {{0}, {mine ? 1 : 0}}, View<double, 1>(one.data(), mine ? 3 : 0), *executors[0]);
  };
  const auto before = rows;
  for (const Index writers : {2, 4}) {  // of four ranks that write, the first one gets nothing of the short block
    checkpoints(scratch, writers, 1).save(archive);
    std::fill(rows.begin(), rows.end(), 0.0);
    std::fill(one.begin(), one.end(), 0.0);
    checkpoints(scratch, writers, 1).restore_newest(archive);
    EXPECT_EQ(rows, before);
    EXPECT_EQ(one, (std::vector<double>{0.5, 1.5, 2.5}));
    comm.barrier();
  }
}

TEST_F(BesideCheckpoint, FallsBackWhereValuesAreNotThoseThatWereSaved) {
  const Scratch scratch(comm, "checkpoint_beside_damaged");
  Checkpoints saving = checkpoints(scratch, 2, 9);
  State state(comm, executors);
  for (const double t : {1.0, 2.0, 3.0, 4.0, 5.0}) {
    state.set(t);
    saving.save(state.archive());
  }
  namespace fs = std::filesystem;
  const std::string last = formatted(".{:04}.values", comm.size() > 1 ? 2 : 1);
  alone([&] {
    fs::copy_file(scratch / ("checkpoint_0001" + last), scratch / ("checkpoint_0002" + last),
                  fs::copy_options::overwrite_existing);
    fs::remove(scratch / "checkpoint_0003.0001.values");
    fs::resize_file(scratch / "checkpoint_0004.0001.values", 8);
  });
  damage(comm, scratch / "checkpoint_0005.0001.values", 5.0 + 0.1 * 2 + 1);  // u(2, 1)
  const auto result = saving.restore_newest(state.archive());
  EXPECT_EQ(result.file, scratch / "checkpoint_0001.h5");
  EXPECT_TRUE(state.is(1.0));
  ASSERT_EQ(result.warnings.size(), 4u);
  EXPECT_NE(result.warnings[0].find("checkpoint_0005.0001.values: bytes 0 to"), std::string::npos)
      << result.warnings[0];
  EXPECT_NE(result.warnings[1].find("checkpoint_0004.0001.values has 8 bytes instead"), std::string::npos);
  EXPECT_NE(result.warnings[2].find("checkpoint_0003.0001.values is gone"), std::string::npos);
  EXPECT_NE(result.warnings[3].find("checkpoint_0002" + last), std::string::npos) << result.warnings[3];
  EXPECT_THROW(saving.restore(scratch / "checkpoint_0005.h5", state.archive()), MachineError);
  alone([&] { fs::remove(scratch / "checkpoint_0001.0001.values"); });
  EXPECT_THROW(saving.restore_newest(state.archive()), MachineError);
  comm.barrier();
}

TEST_F(BesideCheckpoint, RemovesOldOnesAndRemains) {
  const Scratch scratch(comm, "checkpoint_beside_keep");
  State state(comm, executors);
  state.set(1.0);
  alone([&] {
    for (const char* name : {"checkpoint_0001.0001.values", "checkpoint_0001.0007.values",
                             "checkpoint_0003.0001.values.tmp", "checkpoint_of_a_user.values"})
      std::ofstream(scratch / name) << "left by a killed run";
  });
  Checkpoints saving = checkpoints(scratch, 2, 1);
  const int files = 1 + std::min(2, comm.size());
  for (int n = 0; n < 3; ++n) {
    saving.save(state.archive());
    EXPECT_TRUE(comm.agree(scratch.files() == files + 1)) << n;
    comm.barrier();
  }
  EXPECT_EQ(saving.restore_newest(state.archive()).file, scratch / "checkpoint_0003.h5");
  comm.barrier();
  Checkpoints(comm, scratch.path(), 1, identity).save(state.archive());
  EXPECT_TRUE(comm.agree(scratch.files() == 2));
  comm.barrier();
}

TEST_F(BesideCheckpoint, FullDiskKeepsTheGenerationBefore) {
  const Scratch scratch(comm, "checkpoint_beside_full");
  State state(comm, executors, 100000);
  Checkpoints saving = checkpoints(scratch, 2, 1);
  state.set(1.0);
  saving.save(state.archive());
  state.set(2.0);
  {
    const FileSizeLimit limit(1 << 19);
    EXPECT_NE(machine_error([&] { saving.save(state.archive()); }), "");
  }
  comm.barrier();
  EXPECT_EQ(scratch.files(), 1 + std::min(2, comm.size()));
  comm.barrier();
  saving.restore_newest(state.archive());
  EXPECT_TRUE(state.is(1.0));
  comm.barrier();
}

}  // namespace
}  // namespace halocline
