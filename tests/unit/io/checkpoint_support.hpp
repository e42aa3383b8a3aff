// What tests of checkpoints share: a state to save, and ways to damage files.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "io/output/checkpoint.hpp"
#include "lib/base/array.hpp"
#include "output_support.hpp"
#include "tests/unit/executors.hpp"

namespace halocline {

inline constexpr Index rows = 37;

// A problem's state: a block of reals with three values per row, a block of integers, two scalars.
class State {
 public:
  State(const Communicator& comm, const std::vector<ExecutorPtr>& executors, Index total = rows) : total_(total) {
    const int parts = static_cast<int>(executors.size()), all = parts * comm.size();
    for (int p = 0; p < parts; ++p) {
      const int part = comm.rank() * parts + p;
      const Range<1> block{{total * part / all}, {total * (part + 1) / all}};
      blocks_.push_back(block);
      u_.emplace_back(executors[p], std::array<Index, 1>{3 * block.extent(0)});
      n_.emplace_back(executors[p], std::array<Index, 1>{block.extent(0)});
    }
  }
  void set(double seed) {
    time_ = seed;
    step_ = static_cast<Index>(10 * seed);
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
      std::vector<double> u;
      std::vector<Index> n;
      for (Index i = blocks_[p].lo[0]; i < blocks_[p].hi[0]; ++i) {
        for (int c = 0; c < 3; ++c) u.push_back(seed + 0.1 * static_cast<double>(i) + c);
        n.push_back(i * i + step_);
      }
      u_[p].assign(u);
      n_[p].assign(n);
    }
  }
  bool is(double seed) {
    if (time_ != seed || step_ != static_cast<Index>(10 * seed)) return false;
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
      const auto u = u_[p].to_host();
      const auto n = n_[p].to_host();
      std::size_t at = 0;
      for (Index i = blocks_[p].lo[0]; i < blocks_[p].hi[0]; ++i) {
        if (n[i - blocks_[p].lo[0]] != i * i + step_) return false;
        for (int c = 0; c < 3; ++c) {
          if (u[at++] != seed + 0.1 * static_cast<double>(i) + c) return false;
        }
      }
    }
    return true;
  }
  Checkpoints::Archive archive() {
    return [this](StateArchive& archive) {
      archive.scalar("time", time_);
      for (std::size_t p = 0; p < blocks_.size(); ++p) {
        archive.block("u", total_, 3, blocks_[p], u_[p].view(), *u_[p].executor());
      }
      for (std::size_t p = 0; p < blocks_.size(); ++p) {
        archive.block("n", total_, 1, blocks_[p], n_[p].view(), *n_[p].executor());
      }
      archive.scalar("step", step_);
    };
  }

 private:
  Index total_;
  double time_ = 0;
  Index step_ = 0;
  std::vector<Range<1>> blocks_;
  std::vector<Array<double, 1>> u_;
  std::vector<Array<Index, 1>> n_;
};

inline const CheckpointIdentity identity{"test", "37 rows", "1.2.3", "problem: test\n"};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Flips one bit of the value `distance` bytes from the end of the first copy of `value` in the file.
inline void damage(const Communicator& comm, const std::string& path, double value) {
  if (comm.rank() == 0) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto at = bytes.find(std::string(reinterpret_cast<const char*>(&value), sizeof value));
    ASSERT_NE(at, std::string::npos);
    file.clear();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(bytes[at] ^ 1));
  }
  comm.barrier();
}

class Checkpoint : public testing::Test {
 protected:
  const Communicator comm{MPI_COMM_WORLD};
  const std::vector<ExecutorPtr> executors{make_omp_executor(1)};
};

}  // namespace halocline
