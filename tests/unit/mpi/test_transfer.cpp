#include "mpi/transfer.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

// A GPU in name only.
class PaperGpu final : public Executor {
 public:
  PaperGpu() : Executor(Backend::cuda, 1, "cuda:7") {}
  void* allocate(std::size_t) const override { return nullptr; }
  void deallocate(void*, std::size_t) const noexcept override {}
  void* allocate_pinned(std::size_t) const override { return nullptr; }
  void deallocate_pinned(void*, std::size_t) const noexcept override {}
  void copy_in_async(void*, const void*, std::size_t, Queue) const override {}
  void copy_out_async(void*, const void*, std::size_t, Queue) const override {}
  void copy_async(void*, const void*, std::size_t, Queue) const override {}
  void copy_peer(void*, const Executor&, const void*, std::size_t) const override {}
  Event record(Queue) const override { return {}; }
  void wait(Queue, const Event&) const override {}
  void wait(const Event&) const override {}
  void synchronize() const override {}
  void run(Queue, std::function<void()>) const override {}
};

std::string refusal(const Executor& executor, bool cuda_pointers) {
  try {
    goes_directly(Transfer::direct, executor, cuda_pointers);
  } catch (const MachineError& error) {
    return error.what();
  }
  return "";
}

TEST(Transfer, GpusGoDirectlyWhereTheLibrarySaysSo) {
  const PaperGpu gpu;
  EXPECT_TRUE(goes_directly(Transfer::automatic, gpu, true));
  EXPECT_FALSE(goes_directly(Transfer::automatic, gpu, false));
  EXPECT_TRUE(goes_directly(Transfer::direct, gpu, true));
  EXPECT_FALSE(goes_directly(Transfer::staged, gpu, true));
  EXPECT_EQ(refusal(gpu, false),
            "run.transfer: direct: this MPI library does not take pointers to memory of cuda:7 (it is not CUDA-aware); "
            "use auto or staged");
}

TEST(Transfer, TheHostGoesDirectlyOnRequest) {
  const ExecutorPtr host = make_omp_executor(1);
  EXPECT_FALSE(goes_directly(Transfer::automatic, *host, true));
  EXPECT_TRUE(goes_directly(Transfer::direct, *host, false));
}

TEST(Transfer, ClosedMemoryIsNeverHandedOut) {
  const ExecutorPtr device = make_emulated_executor(1, false);
  EXPECT_FALSE(goes_directly(Transfer::automatic, *device, true));
  EXPECT_NE(refusal(*device, true).find("MPI cannot read the memory of emulated:1"), std::string::npos);
}

// Debian's Open MPI is made without CUDA; its own words about itself are the reference.
TEST(Transfer, AsksTheLibrary) {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, ' ');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  if (text.find("Debian") != std::string::npos) {
    EXPECT_FALSE(mpi_takes_cuda_pointers());
  }
}

}  // namespace
}  // namespace halocline
