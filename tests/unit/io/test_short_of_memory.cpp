// What files of a run say is read whole or not at all, whichever allocation fails, and so is what it reports.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "io/fingerprint.hpp"
#include "io/manifest.hpp"
#include "io/output/report.hpp"
#include "io/output/seal.hpp"
#include "io/output/xdmf.hpp"
#include "output_support.hpp"
#include "tests/unit/count_allocations.hpp"

namespace halocline {
namespace {

// work() with its n-th allocation failing, for every n: a failure is told, or nothing is missing.
void expect_told(const std::function<std::string()>& work) {
  const std::string whole = work();
  for (long n = 1, to_come = 0; to_come == 0; ++n) {
    std::string found;
    bool told = false;
    fail_allocation(n);
    try {
      found = work();
    } catch (const std::exception&) {
      told = true;
    }
    to_come = fail_allocation(0);
    EXPECT_TRUE(told || found == whole) << "allocation " << n << ": " << found;
  }
}

const std::string long_name = "a_name_that_finds_no_room_in_a_string_itself";

TEST(ShortOfMemory, KeysOfACheckpoint) {
  std::string text;
  for (int n = 0; n < 4; ++n) text += "=" + long_name + std::to_string(n) + "\t" + long_name + "\n";
  EXPECT_EQ(read_fingerprint(text).keys.size(), 4u);
  expect_told([&] { return read_fingerprint(text).text(); });
}

TEST(ShortOfMemory, IndexOfOutputs) {
  const Grid grid{{std::vector<double>{0, 1}, {0, 1}, {0}}, ""};
  const auto form = std::make_shared<const std::string>(xdmf_form(grid, "fields_grid.h5", {}));
  const auto index_of = [](const std::vector<OutputStep>& steps) {
    std::string index;
    put_xdmf_index([&](std::string_view more) { index += more; }, "fields", steps);
    return index;
  };
  const std::string index = index_of({{long_name + "1", 1, form}, {long_name + "2", 2, form}});
  expect_told([&] { return index_of(steps_of_xdmf(index)); });
}

TEST(ShortOfMemory, FilesOfARun) {
  const Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self, "short_of_memory_files");
  const std::string names[] = {long_name, long_name + long_name, long_name + long_name + long_name};
  std::ofstream list(scratch / Manifest::file_name);
  list << "halocline: the files of this directory that it may replace\nclosed\n";
  for (const std::string& name : names) {
    list << name << "\n";
    std::ofstream(scratch / name) << "text";
  }
  list.close();
  const auto owned = [&] {
    std::string text;
    const Manifest manifest(scratch.path());
    for (const std::string& name : names) text += manifest.owns(name) ? "1" : "0";
    return text;
  };
  EXPECT_EQ(owned(), "111");
  expect_told(owned);
}

// A byte that has changed, of the last of three ranges.
TEST(ShortOfMemory, Seal) {
  const Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self, "short_of_memory_seal");
  const std::string path = scratch / "sealed";
  std::ofstream(path) << std::string(3000, 'a');
  seal_file(path, {{1000, 1000, 0, long_name}});
  std::fstream(path).seekp(2500) << 'b';
  const std::string fault = fault_of_seal(self, path);
  EXPECT_NE(fault.find("bytes 1000 to 2000 (" + long_name), std::string::npos) << fault;
  expect_told([&] { return fault_of_seal(self, path); });
}

// In processes of their own, since nlohmann's destructors allocate as well, which ends a program by std::terminate().
TEST(ShortOfMemory, Report) {
  Report report;
  report.provenance = {{"version", long_name}, {"host", long_name}};
  report.devices = {long_name};
  report.findings = {{long_name, "m", 1.5}};
  const std::string whole = report_text(report);
  enum : int { equal, told, other, none_failed };
  const auto work = [&](long n) {
    std::set_terminate([] { std::_Exit(told); });
    fail_allocation(n);
    try {
      const bool same = report_text(report) == whole;
      return fail_allocation(0) > 0 ? none_failed : same ? equal : other;
    } catch (const std::bad_alloc&) {
      return told;
    }
  };
  for (long n = 1, end = equal; end != none_failed; ++n) {
    const pid_t child = fork();
    if (child == 0) std::_Exit(work(n));
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "allocation " << n << ": signal " << WTERMSIG(status);
    end = WEXITSTATUS(status);
    EXPECT_NE(end, other) << "allocation " << n;
  }
}

}  // namespace
}  // namespace halocline
