#include "app/agreement.hpp"

#include <array>
#include <filesystem>
#include <system_error>
#include <vector>

#include "app/cli.hpp"
#include "io/files.hpp"
#include "lib/base/digest.hpp"
#include "lib/base/error.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {
namespace {

struct Trait {
  std::string what, value;
  bool shown = true;  // the value, in messages
};

constexpr std::size_t digits = 16;
constexpr Index none = -1;

// "rank 2", "ranks 1, 2, 3 and 60 more".
std::string ranks_text(const std::vector<std::size_t>& ranks) {
  constexpr std::size_t most = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t n = 0; n < ranks.size() && n < most; ++n) text += (n > 0 ? ", " : "") + std::to_string(ranks[n]);
  return ranks.size() > most ? text + " and " + std::to_string(ranks.size() - most) + " more" : text;
}

// Whether rank 0, whose digests these are, and this rank have the same values, or have none.
bool alike(const std::string& first, const std::string& own) {
  const std::string unknown = digest("");
  for (std::size_t at = 0; at < own.size(); at += digits) {
    const std::string here = own.substr(at, digits), there = first.substr(at, digits);
    if (here != there && here != unknown && there != unknown) return false;
  }
  return true;
}

// Ranks whose value differs from that of rank 0; one without a value agrees with all.
std::vector<std::size_t> others(const std::vector<std::string>& digests, std::size_t trait) {
  const auto of = [&](std::size_t rank) { return digests[rank].substr(trait * digits, digits); };
  const std::string unknown = digest("");
  std::vector<std::size_t> found;
  for (std::size_t rank = 1; rank < digests.size(); ++rank)
    if (of(rank) != of(0) && of(rank) != unknown && of(0) != unknown) found.push_back(rank);
  return found;
}

std::string told(const Trait& trait, const std::vector<std::size_t>& ranks, const std::vector<std::string>& values) {
  std::string text =
      ranks_text(ranks) + (ranks.size() == 1 ? " has another " : " have another ") + trait.what + " than rank 0";
  if (trait.shown) text += ": '" + values[ranks.front()] + "', not '" + values.front() + "'";
  return text + "; nothing was computed. All ranks of a run are started alike";
}

void require_same(const Communicator& comm, const std::vector<Trait>& traits) {
  std::string own;
  for (const Trait& trait : traits) own += digest(trait.value);
  std::string of_first = own;
  comm.broadcast(of_first);
  if (comm.agree(alike(of_first, own))) return;
  const std::vector<std::string> digests = comm.gather(own);
  std::array<Index, 1> first{none};
  std::vector<std::size_t> ranks;
  for (std::size_t n = 0; comm.rank() == 0 && first[0] == none && n < traits.size(); ++n) {
    ranks = others(digests, n);
    if (!ranks.empty()) first[0] = static_cast<Index>(n);
  }
  comm.broadcast(first);
  if (first[0] == none) return;
  const Trait& trait = traits[static_cast<std::size_t>(first[0])];
  const std::vector<std::string> values = comm.gather(trait.value);
  std::string text = comm.rank() == 0 ? told(trait, ranks, values) : "";
  comm.broadcast(text);
  throw MachineError(text);
}

std::string program() {
  std::string text = version_text() + " with";
  for (const Family& family : families()) text += " " + std::string(family.name);
  return text;
}

std::string words_of(int argc, const char* const* argv) {
  std::string text;
  for (int n = 1; n < argc; ++n) text += (n > 1 ? " " : "") + std::string(argv[n]);
  return text;
}

// The same words may be cut in other places.
std::string cuts_of(int argc, const char* const* argv) {
  std::string text;
  for (int n = 1; n < argc; ++n) text += std::to_string(std::string(argv[n]).size()) + " ";
  return text;
}

}  // namespace

void require_same_start(const Communicator& comm, int argc, const char* const* argv) {
  if (comm.size() == 1) return;
  std::error_code unknown;
  require_same(comm, {{"program", program()},
                      {"command line", words_of(argc, argv)},
                      {"command line", cuts_of(argc, argv), false},
                      {"working directory", std::filesystem::current_path(unknown).string()}});
}

void require_same_deck(const Communicator& comm, const std::string& file) {
  if (comm.size() == 1) return;
  constexpr std::size_t largest = std::size_t{8} << 20;
  std::string text;
  try {
    text = read_text(file, largest);
  } catch (const MachineError&) {
    // Told by who needs it.
  }
  require_same(comm, {{"text in " + file, text, false}});
}

}  // namespace halocline
