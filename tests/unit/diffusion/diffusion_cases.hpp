// Decks of family diffusion as texts, run through the public interface, with what they publish.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/deck/deck_reader.hpp"
#include "lib/problems/diffusion/diffusion.hpp"
#include "lib/problems/diffusion/options.hpp"
#include "tests/unit/executors.hpp"

namespace halocline::diffusion {

inline constexpr std::array<const char*, 1> family_names{"diffusion"};

// The faults of a deck as `check` reports them, each line "file:line:column: path: message"; `options` is filled.
inline std::string read_deck(const std::string& text, DiffusionOptions& options, const Shape& shape = {}) {
  const Deck deck(text, "deck.yaml");
  DeckReader reader(deck);
  int problem = 0;
  reader.choice({"problem", "", "The family.", true}, problem, family_names);
  options.describe(reader);
  reader.finish();
  if (reader.faults().empty()) diffusion_family().plan(options, shape, reader);
  return reader.faults().empty() ? "" : format(reader.faults(), deck.file());
}

inline DiffusionOptions read_deck(const std::string& text) {
  DiffusionOptions options;
  const std::string faults = read_deck(text, options);
  if (!faults.empty()) throw DeckError(faults);
  return options;
}

struct Slab {
  Range<3> block;
  std::vector<double> values;
};

// Keeps the last state published by this rank.
class KeepingSink final : public FieldSink {
 public:
  bool wants(const std::string&) const override { return true; }
  void grid(const Grid& grid) override { last_grid = grid, slabs.clear(); }
  void field(const FieldInfo& info, int, const Range<3>& block, View<const double, 3> values,
             const Executor& executor) override {
    Slab slab{block, std::vector<double>(static_cast<std::size_t>(values.size()))};
    double* to = slab.values.data();
    for (Index z = 0; z < values.extent[0]; ++z)
      for (Index y = 0; y < values.extent[1]; ++y, to += values.extent[2])
        executor.copy_out(to, values.data + z * values.stride[0] + y * values.stride[1],
                          static_cast<std::size_t>(values.extent[2]) * sizeof(double));
    slabs.push_back(std::move(slab));
    last_info = info;
  }
  void column(const FieldInfo&, int, const Range<1>&, View<const double, 1>, const Executor&) override {}
  void column(const FieldInfo&, int, const Range<1>&, View<const Index, 1>, const Executor&) override {}
  void series(const std::string&, const std::string&, std::span<const double>) override {}
  std::vector<Slab> slabs;
  Grid last_grid;
  FieldInfo last_info;
};

struct Result {
  Findings findings;
  KeepingSink output;
  Traffic traffic;
  bool has(const std::string& name) const {
    for (const Finding& finding : findings.list)
      if (finding.name == name) return true;
    return false;
  }
  double operator[](const std::string& name) const {
    for (const Finding& finding : findings.list)
      if (finding.name == name) return finding.value;
    throw InternalError("no finding " + name);
  }
  const std::vector<double>& values() const { return output.slabs.front().values; }
};

// Slabs or boxes with what one part has.
inline void expect_equal_bits(const Result& parts, const Result& whole) {
  for (const Finding& finding : whole.findings.list)
    EXPECT_TRUE(std::bit_cast<Index>(parts[finding.name]) == std::bit_cast<Index>(finding.value)) << finding.name;
  // Field by field, each of all parts.
  const std::size_t fields = whole.output.slabs.size(), parts_of_field = parts.output.slabs.size() / fields;
  for (std::size_t n = 0; n < parts.output.slabs.size(); ++n) {
    const Slab &slab = parts.output.slabs[n], &all = whole.output.slabs[n / parts_of_field];
    const Index rows = all.block.extent(1), width = all.block.extent(0);
    ASSERT_EQ(all.block.size(), static_cast<Index>(all.values.size()));
    auto value = slab.values.begin();
    for (Index z = slab.block.lo[2]; z < slab.block.hi[2]; ++z)
      for (Index y = slab.block.lo[1]; y < slab.block.hi[1]; ++y)
        for (Index x = slab.block.lo[0]; x < slab.block.hi[0]; ++x, ++value)
          ASSERT_EQ(*value, all.values[static_cast<std::size_t>((z * rows + y) * width + x)])
              << "cell " << x << " " << y << " " << z;
    ASSERT_EQ(value, slab.values.end());
  }
}

// A problem with all it stands on.
class Running {
 public:
  Running(const Communicator& comm, std::vector<ExecutorPtr> executors, const DiffusionOptions& options)
      : log_(false, LogLevel::off) {
    const int devices = static_cast<int>(executors.size());
    team_ = std::make_unique<Team>(std::move(executors), comm.rank() * devices, comm.size() * devices);
    Shape shape;
    shape.ranks = comm.size();
    shape.weights.assign(static_cast<std::size_t>(comm.size() * devices), 1.0);
    ThrownFaults faults;
    const Partition partition = diffusion_family().plan(options, shape, faults).partition;
    problem_ = diffusion_family().make({comm, *team_, timers_, log_, shape, 1, partition}, options);
  }
  Problem* operator->() { return problem_.get(); }
  Result finish(double stop = 1e300) {
    while (!problem_->advance(stop).finished) {
    }
    Result result;
    problem_->publish(result.output);
    problem_->verify(result.findings);
    result.traffic = problem_->traffic();
    return result;
  }

 private:
  std::unique_ptr<Team> team_;
  Timers timers_;
  Log log_;
  std::unique_ptr<Problem> problem_;
};

inline Result run(const Communicator& comm, std::vector<ExecutorPtr> executors, const DiffusionOptions& options) {
  Running running(comm, std::move(executors), options);
  running->initialize();
  return running.finish();
}

inline Result run(const DiffusionOptions& options) {
  const Communicator self(MPI_COMM_SELF);
  return run(self, {make_omp_executor(1)}, options);
}
inline Result run(const std::string& text) { return run(read_deck(text)); }

// A deck in 2D or 3D on the unit square or cube.
struct Case {
  std::string grid = "{layout: fv, size: [1, 1], cells: [16, 16]}";
  std::string D = "1", initial = "0";
  std::string walls = "{rest: {kind: no_flux}}";
  std::string stencil = "{mask: 5pt, co: 0.5}";
  std::string time = "{end: 0.01}";
  std::string verify = "{}";
  std::string more;  // lines of the block, indented by two
  std::string text() const {
    return "problem: diffusion\ndiffusion:\n" + more + "  grid: " + grid + "\n  equation: {kind: diffusion, D: \"" + D +
           "\", initial: \"" + initial + "\"}\n  walls: " + walls + "\n  stencil: " + stencil + "\n  time: " + time +
           "\nverify: " + verify + "\n";
  }
};

}  // namespace halocline::diffusion
