// What ranks say to each other first. Each rank is given a file of its own in place of one that differs between nodes.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "app/agreement.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

class Agreement : public testing::Test {
 protected:
  Agreement() { std::filesystem::create_directory(folder); }
  ~Agreement() override {
    comm.barrier();
    std::filesystem::remove(file());
    std::filesystem::remove(folder, none);
  }

  std::string file() const { return folder + "/" + std::to_string(comm.rank()); }
  // What this rank gets where it has `text` in its file; without one where that is empty.
  std::string start(const std::string& text, const char* last_word = "deck.yaml") const {
    std::filesystem::remove(file());
    if (!text.empty()) std::ofstream(file()) << text;
    const std::array words{"halocline", "run", last_word};
    return require_same_start(comm, static_cast<int>(words.size()), words.data(), file());
  }
  std::string fault(const std::string& text, const char* last_word = "deck.yaml") const {
    try {
      start(text, last_word);
    } catch (const MachineError& error) {
      return error.what();
    }
    return "";
  }
  bool is_last() const { return comm.rank() + 1 == comm.size(); }

  std::error_code none;
  const std::string folder = testing::TempDir() + "halocline_agreement";
  Communicator comm{MPI_COMM_WORLD};
};

TEST_F(Agreement, ATextThatAllHaveNeedsNoMessage) {
  EXPECT_EQ(start("a: 1\n"), comm.size() > 1 ? "a: 1\n" : "");
  EXPECT_EQ(start(std::string(5000, 'x')), comm.size() > 1 ? std::string(5000, 'x') : "");
}

TEST_F(Agreement, ATextThatSomeLackIsNotKnown) {
  EXPECT_EQ(start(is_last() ? "" : "a: 1\n"), "");
  EXPECT_EQ(start(comm.rank() == 0 ? "" : "a: 1\n"), "");
  EXPECT_EQ(start(""), "");
  // Nobody can be compared with rank 0.
  EXPECT_EQ(fault(comm.rank() == 0 ? "" : std::to_string(comm.rank())), "");
}

TEST_F(Agreement, AnotherTextEndsAllRanks) {
  if (comm.size() == 1) return;
  const std::string last = "rank " + std::to_string(comm.size() - 1) + " has another ";
  const std::string text = fault(is_last() ? "a: 2\n" : "a: 1\n");
  EXPECT_TRUE(text.starts_with(last + "text in ")) << text;
  const std::string words = fault(is_last() ? "a: 2\n" : "a: 1\n", is_last() ? "other.yaml" : "deck.yaml");
  EXPECT_TRUE(words.starts_with(last + "command line than rank 0: 'run other.yaml', not 'run deck.yaml'")) << words;
  if (comm.size() == 2) return;
  const std::string middle = fault(comm.rank() == 1 ? "a: 2\n" : is_last() ? "" : "a: 1\n");
  EXPECT_TRUE(middle.starts_with("rank 1 has another text in ")) << middle;
}

}  // namespace
}  // namespace halocline
