#include "gpu/shared_library.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lib/base/error.hpp"

namespace halocline {
namespace {

template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const MachineError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SharedLibrary, FindsFunctions) {
  const SharedLibrary library("libm.so.6", "tests");
  double (*round_down)(double) = nullptr;
  library.find(round_down, "floor");
  EXPECT_EQ(round_down(2.5), 2);
}

TEST(SharedLibrary, TakesTheFirstThatThereIs) {
  const SharedLibrary library(std::vector<std::string>{"libcunothing.so.99", "libm.so.6"}, "tests");
  double (*round_down)(double) = nullptr;
  library.find(round_down, "floor");
  EXPECT_EQ(round_down(2.5), 2);
}

TEST(SharedLibrary, MissingOnesAreNamedInOneLine) {
  const std::string text = message_of([] { SharedLibrary("libcunothing.so.99", "tests of nothing"); });
  EXPECT_TRUE(text.starts_with("libcunothing.so.99, a library of the CUDA Toolkit, is needed for tests of nothing"));
  EXPECT_NE(text.find("/usr/local/cuda/lib64/libcunothing.so.99"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(SharedLibrary, MissingFunctionsAreNamed) {
  const std::string text = message_of([] {
    void (*none)() = nullptr;
    SharedLibrary("libm.so.6", "tests").find(none, "no_such_function");
  });
  EXPECT_EQ(text, "libm.so.6 has no function no_such_function: it is of another version");
}

}  // namespace
}  // namespace halocline
