// main() of every test program: MPI lives around GoogleTest, only rank 0 reports successes, any rank's failure counts.
// A filter that selects nothing (cases of a device that is not there) gives 77: skipped.
#include <gtest/gtest.h>
#include <mpi.h>

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) delete listeners.Release(listeners.default_result_printer());
  int failed = RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) failed = 77;
  if (failed == 1 && rank != 0) {
    const auto& unit = *testing::UnitTest::GetInstance();
    fprintf(stderr, "rank %d: %d test(s) failed\n", rank, unit.failed_test_count());
  }
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any;
}
