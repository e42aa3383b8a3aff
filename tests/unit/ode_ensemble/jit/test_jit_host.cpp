// Compiling on the host at run time: the compiler, what it may see, loading, the cache, all ranks together.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "lib/base/error.hpp"
#include "lib/problems/ode_ensemble/jit/jit_cache.hpp"
#include "lib/problems/ode_ensemble/jit/jit_ranks.hpp"
#include "lib/problems/ode_ensemble/jit/sha256.hpp"

namespace halocline::ode_ensemble {
namespace {

namespace fs = std::filesystem;

class JitTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "jit_test_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  // A script that stands for a compiler.
  std::string script(const std::string& body) const {
    const std::string path = file("compiler");
    std::ofstream(path) << "#!/bin/sh\n" << body;
    chmod(path.c_str(), 0700);
    return path;
  }
  fs::path folder_;
};
using JitHost = JitTest;
using JitCacheTest = JitTest;
using JitRanksFolder = JitTest;

// FIPS 180-4 and its published examples.
TEST(Sha256, PublishedExamples) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(JitHost, CompilesLoadsAndRuns) {
  const auto compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << "no compiler";
  const SharedObject one(compile_host(*compiler, "extern \"C\" double f(double x) { return 2 * x; }", host_level()));
  const SharedObject two(compile_host(*compiler, "extern \"C\" double f(double x) { return 3 * x; }", host_level()));
  using Function = double (*)(double);
  EXPECT_EQ(reinterpret_cast<Function>(one.find("f"))(7), 14);
  EXPECT_EQ(reinterpret_cast<Function>(two.find("f"))(7), 21);
  EXPECT_THROW(one.find("g"), MachineError);
  EXPECT_THROW(SharedObject("no machine code"), MachineError);
}

// Tests for finite numbers must survive the optimizer.
TEST_F(JitHost, KeepsNonFiniteNumbers) {
  const auto compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << "no compiler";
  const SharedObject code(
      compile_host(*compiler, "extern \"C\" int odd(double x) { return !(x - x == 0); }", host_level()));
  const auto odd = reinterpret_cast<int (*)(double)>(code.find("odd"));
  EXPECT_EQ(odd(1), 0);
  EXPECT_EQ(odd(std::nan("")), 1);
  EXPECT_EQ(odd(INFINITY), 1);
  for (int level : {1, 3, 4}) EXPECT_EQ(host_flags_text(level).find("fast-math"), std::string::npos);
}

TEST_F(JitHost, ShowsMessagesOfTheCompiler) {
  const auto compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << "no compiler";
  try {
    compile_host(*compiler, "nonsense;", 1);
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("nonsense"), std::string::npos);
  }
}

TEST_F(JitHost, GivesTheCompilerNothingOfTheUsersEnvironment) {
  setenv("HALOCLINE_SECRET", "1", 1);
  const std::string path = script("[ \"$1\" = --version ] && { echo pretend; exit 0; }\nenv; pwd; exit 1\n");
  try {
    compile_host({path, "pretend"}, "text", 1);
    FAIL() << "no error";
  } catch (const MachineError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("LC_ALL=C"), std::string::npos);
    EXPECT_EQ(text.find("HALOCLINE_SECRET"), std::string::npos);
    EXPECT_EQ(text.find("HOME="), std::string::npos);
  }
}

TEST_F(JitHost, EndsACompilerThatHangs) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(compile_host({script("exec sleep 100\n"), "pretend"}, "text", 1, 0.2), MachineError);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// Whether a process ends in the seconds that a busy machine may take.
bool ends(const std::string& file_of_number) {
  int process = 0;
  std::ifstream(file_of_number) >> process;
  EXPECT_GT(process, 0);
  for (int n = 0; n < 500 && kill(process, 0) == 0; ++n) {
    std::ifstream state("/proc/" + std::to_string(process) + "/stat");
    std::string number, name, letter;
    if (state >> number >> name >> letter && letter == "Z") return true;  // nobody has asked how it ended
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return kill(process, 0) != 0;
}

// Compilers start others; nothing of them survives, whether they hang, fail or say that all is well.
TEST_F(JitHost, EndsWhatTheCompilerHasStarted) {
  for (const char* const end : {"sleep 100", "exit 1", "exit 0"}) {
    const std::string number = file("number");
    EXPECT_THROW(compile_host({script("sleep 100 & echo $! > " + number + "\n" + std::string(end) + "\n"), "pretend"},
                              "text", 1, 0.5),
                 MachineError);
    EXPECT_TRUE(ends(number)) << end;
  }
}

TEST_F(JitHost, GivesTheCompilerNoOpenFilesAndNoBlockedSignals) {
  const int secret = open(file("secret").c_str(), O_RDWR | O_CREAT, 0600);  // open for programs that are started
  ASSERT_GE(secret, 0);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto handled = signal(SIGXFSZ, SIG_IGN);
  try {
    compile_host({script("ls -l /proc/$$/fd; grep -E 'SigBlk|SigIgn' /proc/self/status; exit 1\n"), "pretend"}, "text",
                 1);
    ADD_FAILURE() << "no error";
  } catch (const MachineError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    EXPECT_NE(text.find("SigBlk:\t0000000000000000"), std::string::npos) << text;
    const std::size_t ignored = text.find("SigIgn:\t");
    ASSERT_NE(ignored, std::string::npos) << text;
    EXPECT_EQ(std::stoull(text.substr(ignored + 8), nullptr, 16) & 0x7FFFFFFF, 0U) << text;  // 32, 33: glibc's own
  }
  signal(SIGXFSZ, handled);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(secret);
}

TEST_F(JitHost, LeavesNoFilesBehind) {
  const auto compiler = find_host_compiler();
  if (!compiler) GTEST_SKIP() << "no compiler";
  setenv("TMPDIR", folder_.c_str(), 1);
  const SharedObject code(compile_host(*compiler, "extern \"C\" int f() { return 1; }", 1));
  EXPECT_THROW(compile_host(*compiler, "nonsense;", 1), MachineError);
  unsetenv("TMPDIR");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(JitHost, FindsNoCompilerWhereThereIsNone) {
  EXPECT_FALSE(find_host_compiler(file("missing")));
  EXPECT_FALSE(find_host_compiler("halocline_no_such_compiler"));
  EXPECT_FALSE(find_host_compiler(script("exit 1\n")));
}

TEST_F(JitCacheTest, KeepsWhatWasStored) {
  JitCache cache(file("cache"));
  const std::string key = jit_key("text", "flags", "compiler", "arch");
  EXPECT_NE(key, jit_key("text", "flag", "scompiler", "arch"));
  EXPECT_FALSE(cache.find(key));
  cache.store(key, "some bytes");
  EXPECT_EQ(cache.fault(), "");
  EXPECT_EQ(JitCache(file("cache")).find(key).value_or(""), "some bytes");
  EXPECT_EQ(fs::status(file("cache")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file("cache") + "/" + key).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(JitCacheTest, TrustsOnlyFilesOfThisUser) {
  JitCache cache(file("cache"));
  const std::string key = jit_key("text", "flags", "compiler", "arch"), path = file("cache") + "/" + key;
  cache.store(key, "some bytes");
  chmod(path.c_str(), 0620);  // the group may write
  EXPECT_FALSE(cache.find(key));
  chmod(path.c_str(), 0600);
  EXPECT_TRUE(cache.find(key));
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
    EXPECT_FALSE(cache.find(key));
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  fs::rename(path, file("elsewhere"));
  fs::create_symlink(file("elsewhere"), path);
  EXPECT_FALSE(cache.find(key));
}

// A link in the place of a file to come is replaced, never followed.
TEST_F(JitCacheTest, WritesThroughNoLink) {
  JitCache cache(file("cache"));
  std::ofstream(file("victim")) << "text of a user";
  fs::create_symlink(file("victim"), file("cache") + "/key");
  cache.store("key", "some bytes");
  EXPECT_EQ(fs::file_size(file("victim")), 14U);
  EXPECT_EQ(cache.find("key").value_or(""), "some bytes");
  fs::create_symlink(file("cache"), file("link"));
  EXPECT_NE(JitCache(file("link")).fault(), "");
}

// Every single byte of the code and of the digest before it.
TEST_F(JitCacheTest, NoticesEveryChangedByte) {
  JitCache cache(file("cache"));
  cache.store("key", "some bytes of code");
  const std::string path = file("cache") + "/key";
  for (std::size_t at = 0; at < fs::file_size(path); ++at) {
    std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const int byte = stream.get();
    const auto put = [&](int value) {
      stream.seekp(static_cast<std::streamoff>(at));
      stream.put(static_cast<char>(value)).flush();
    };
    put(byte ^ 1);
    EXPECT_FALSE(cache.find("key")) << at;
    put(byte);
  }
  EXPECT_TRUE(cache.find("key"));
}

TEST_F(JitCacheTest, NoticesDamage) {
  JitCache cache(file("cache"));
  cache.store("key", "some bytes");
  fs::resize_file(file("cache") + "/key", 70);
  EXPECT_FALSE(cache.find("key"));
  std::ofstream(file("cache") + "/key") << "short";
  EXPECT_FALSE(cache.find("key"));
}

TEST_F(JitCacheTest, WaitsForNobodyAndRemovesWhatWasLeft) {
  JitCache cache(file("cache"));
  ASSERT_EQ(mkfifo((file("cache") + "/key").c_str(), 0600), 0);
  EXPECT_FALSE(cache.find("key"));
  for (const char* name : {"new_abcdef", "new_ABCDEF", "new_plans.txt"})
    std::ofstream(file("cache") + "/" + name) << "part";
  const auto days = fs::file_time_type::clock::now() - std::chrono::hours(48);
  fs::last_write_time(file("cache") + "/new_abcdef", days);
  fs::last_write_time(file("cache") + "/new_plans.txt", days);
  cache.store("other", "bytes");
  EXPECT_FALSE(fs::exists(file("cache") + "/new_abcdef"));
  EXPECT_TRUE(fs::exists(file("cache") + "/new_ABCDEF"));  // another process may be writing it
  EXPECT_TRUE(fs::exists(file("cache") + "/new_plans.txt"));
}

TEST_F(JitCacheTest, RefusesAFolderOthersMayWriteTo) {
  fs::create_directory(file("open"));
  chmod(file("open").c_str(), 0777);
  JitCache cache(file("open"));
  EXPECT_NE(cache.fault(), "");
  cache.store("key", "bytes");
  EXPECT_TRUE(fs::is_empty(file("open")));
  EXPECT_NE(JitCache(file("no/such/place")).fault(), "");
}

std::string answer(int level) { return "extern \"C\" int answer() { return " + std::to_string(40 + level) + "; }"; }

TEST(JitRanks, EveryRankGetsTheSameCode) {
  const Communicator comm(MPI_COMM_WORLD);
  Log log(false, LogLevel::off);
  const auto module = build_for_host(comm, log, {}, answer);
  if (!find_host_compiler()) {
    EXPECT_FALSE(module);
    return;
  }
  ASSERT_TRUE(module);
  EXPECT_EQ(reinterpret_cast<int (*)()>(module->code.find("answer"))(), 40 + module->level);
  EXPECT_LE(module->level, host_level());
  EXPECT_NE(module->compiler, "");
  EXPECT_FALSE(module->cached);
}

TEST(JitRanks, FallsBackTogether) {
  const Communicator comm(MPI_COMM_WORLD);
  Log log(false, LogLevel::off);
  EXPECT_FALSE(build_for_host(comm, log, {"/nowhere/compiler", ""}, answer));
  EXPECT_FALSE(build_for_host(comm, log, {}, [](int) { return "nonsense;"; }));
  const char* const folder = std::getenv("TMPDIR");
  const std::string before = folder == nullptr ? "" : folder;
  setenv("TMPDIR", "/proc/nowhere", 1);
  EXPECT_FALSE(build_for_host(comm, log, {}, answer));
  EXPECT_THROW(build_for_host(comm, log, {}, answer, true), MachineError);
  folder == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", before.c_str(), 1);
}

TEST_F(JitRanksFolder, StartsFastFromTheCache) {
  const Communicator comm(MPI_COMM_SELF);
  Log log(false, LogLevel::off);
  if (!find_host_compiler()) GTEST_SKIP() << "no compiler";
  ASSERT_TRUE(build_for_host(comm, log, {"", file("cache")}, answer));
  const std::clock_t before = std::clock();  // processor time: the machine may be busy
  const auto again = build_for_host(comm, log, {"", file("cache")}, answer);
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.05);
  ASSERT_TRUE(again && again->cached);
  EXPECT_EQ(reinterpret_cast<int (*)()>(again->code.find("answer"))(), 40 + again->level);
}

}  // namespace
}  // namespace halocline::ode_ensemble
