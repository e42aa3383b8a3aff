// The resolved deck of every deck in inputs/: it is accepted wherever it lies, and is its own resolved deck.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "app/run/launcher.hpp"
#include "lib/base/error.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> input_decks() {
  std::vector<fs::path> decks;
  for (const auto& entry : fs::recursive_directory_iterator(HALOCLINE_INPUTS)) {
    if (entry.path().extension() == ".yaml") decks.push_back(entry.path());
  }
  return decks;
}

std::string resolve(const fs::path& file, const std::vector<std::string>& overrides = {}) {
  Command command;
  command.deck = file.string();
  command.overrides = overrides;
  return load_deck(Communicator(MPI_COMM_SELF), command).resolved;
}

// Resolves the deck, puts the text into a folder of its own, and resolves it there.
void expect_resolved(const fs::path& file, const std::vector<std::string>& overrides = {}) {
  const fs::path folder = fs::path(testing::TempDir()) / ("halocline-resolved-" + std::to_string(getpid()));
  fs::create_directories(folder);
  try {
    const std::string first = resolve(file, overrides);
    std::ofstream(folder / file.filename()) << first;
    EXPECT_EQ(resolve(folder / file.filename()), first) << file;
  } catch (const DeckError& error) {
    ADD_FAILURE() << file << "\n" << error.what();
  }
  fs::remove_all(folder);
}

TEST(Resolved, EveryInputDeckCanBeRunAgain) {
  const std::vector<fs::path> decks = input_decks();
  EXPECT_GE(decks.size(), 24u);
  for (const fs::path& deck : decks) expect_resolved(deck);
}

// Keys that other keys refuse, files named on the command line, and empty lists.
TEST(Resolved, OverriddenDecksCanBeRunAgain) {
  const fs::path inputs = HALOCLINE_INPUTS;
  const std::string reference = fs::relative(inputs / "../tests/data/riccati_rk4.csv").string();
  expect_resolved(inputs / "ode_ensemble/riccati.yaml",
                  {"verify.reference=" + reference, "ode_ensemble.events=[]", "ode_ensemble.accumulators={}"});
  expect_resolved(inputs / "ode_ensemble/riccati.yaml", {"verify={}", "ode_ensemble.solver={method: dopri5}"});
  expect_resolved(inputs / "diffusion/box_3d.yaml",
                  {"diffusion.stencil={co: 0.5}", "output.images={every: 0.01}", "diffusion.walls.y_min=[]"});
}

TEST(Resolved, ShowsTheMaskThatIsTaken) {
  const fs::path inputs = HALOCLINE_INPUTS;
  EXPECT_NE(resolve(inputs / "diffusion/order.yaml").find("# mask: 9pt  # default"), std::string::npos);
  EXPECT_NE(resolve(inputs / "diffusion/box_3d.yaml", {"diffusion.stencil={co: 0.5}"}).find("# mask: 7pt  # default"),
            std::string::npos);
}

}  // namespace
}  // namespace halocline
