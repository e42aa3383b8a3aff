// Decks on parts in boxes, compared bit by bit with one part.
#pragma once

#include "tests/unit/diffusion/diffusion_cases.hpp"
#include "tests/unit/memory_archive.hpp"

namespace halocline::diffusion {

class BoxesTest : public testing::TestWithParam<TestDevice> {
 protected:
  Result on_one_part(const DiffusionOptions& options) const {
    const Communicator self(MPI_COMM_SELF);
    const TestDevice one = GetParam() == TestDevice::cuda ? TestDevice::cuda : TestDevice::omp_1;
    return run(self, {make_test_executor(one)}, options);
  }
  // Every way to cut into numbers of parts that ranks can share evenly, with two columns or more.
  void compare(const DiffusionOptions& options, const std::vector<int>& numbers) {
    DiffusionOptions reference = options;
    reference.block.grid.parts.clear();
    const Result whole = on_one_part(reference);
    const Communicator world(MPI_COMM_WORLD);
    for (const int parts : numbers)
      for (int columns = 2; columns <= std::min(parts, most_columns_); ++columns) {
        if (parts % columns != 0 || parts % world.size() != 0) continue;
        SCOPED_TRACE(std::to_string(columns) + " columns of " + std::to_string(parts) + " parts");
        DiffusionOptions cut = options;
        cut.block.grid.parts = {static_cast<double>(columns), static_cast<double>(parts / columns)};
        expect_equal_bits(run(world, make_test_executors(GetParam(), parts / world.size()), cut), whole);
        ++compared_;
      }
  }
  void compare(Case deck, const std::vector<int>& numbers, const std::vector<std::string>& times) {
    const std::string time = deck.time.substr(0, deck.time.size() - 1);
    for (const std::string& more : times) {
      SCOPED_TRACE(deck.stencil + more);
      deck.time = time + more + "}";
      compare(read_deck(deck.text()), numbers);
    }
  }
  // Saved in the middle on one layout, restored on the next one: the rest of the run has the same bits.
  void compare_restored(const DiffusionOptions& options, const std::vector<std::vector<double>>& layouts) {
    const Communicator self(MPI_COMM_SELF);
    const double middle = 0.4003 * options.block.time.end;  // no multiple of the time step
    const auto running = [&](const std::vector<double>& parts) {
      DiffusionOptions cut = options;
      cut.block.grid.parts = parts;
      return std::make_unique<Running>(self, make_test_executors(GetParam(), static_cast<int>(parts[0] * parts[1])),
                                       cut);
    };
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      auto without = running(layouts[n]);
      (*without)->initialize();
      while ((*without)->advance(middle).t < middle) {
      }
      MemoryArchive archive;
      (*without)->archive(archive);
      archive.restore_from_now_on();
      auto restored = running(layouts[(n + 1) % layouts.size()]);
      (*restored)->archive(archive);
      expect_equal_bits(restored->finish(), on_one_part(options));
    }
  }
  int compared_ = 0, most_columns_ = 1 << 20;
};

inline const std::vector<std::string> box_sweeps{
    ", kernel: fused, steps_per_sweep: 1", ", kernel: auto, steps_per_sweep: 2", ", kernel: fused, steps_per_sweep: 2"};

}  // namespace halocline::diffusion
