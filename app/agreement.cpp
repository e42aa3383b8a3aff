#include "app/agreement.hpp"

#include <array>
#include <filesystem>
#include <limits>
#include <string>
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

// Whether all ranks that have a value have the same, of each trait; digests of the others are those of no text.
struct Consent {
  bool same = true;
  bool complete = false;  // no rank lacks the last one
};

Consent consent_of(const Communicator& comm, const std::string& own) {
  constexpr Index least = std::numeric_limits<Index>::min();
  const std::string unknown = digest("");
  std::vector<Index> most;  // of all ranks: each number and its complement, whose most is that of the least number
  for (std::size_t at = 0; at < own.size(); at += digits) {
    const std::string one = own.substr(at, digits);
    const auto number = static_cast<Index>(std::stoull(one, nullptr, 16));
    most.push_back(one == unknown ? least : number);
    most.push_back(one == unknown ? least : ~number);
  }
  most.push_back(own.ends_with(unknown) ? 1 : 0);
  comm.max(most);
  Consent consent{true, most.back() == 0};
  for (std::size_t n = 0; n + 1 < most.size(); n += 2)
    if (most[n] != ~most[n + 1] && (most[n] != least || most[n + 1] != least)) consent.same = false;
  return consent;
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

// Whether all ranks have a value of the last one.
bool require_same(const Communicator& comm, const std::vector<Trait>& traits) {
  std::string own;
  for (const Trait& trait : traits) own += digest(trait.value);
  const Consent consent = consent_of(comm, own);
  if (consent.same) return consent.complete;
  const std::vector<std::string> digests = comm.gather(own);
  std::array<Index, 1> first{none};
  std::vector<std::size_t> ranks;
  for (std::size_t n = 0; comm.rank() == 0 && first[0] == none && n < traits.size(); ++n) {
    ranks = others(digests, n);
    if (!ranks.empty()) first[0] = static_cast<Index>(n);
  }
  comm.broadcast(first);
  if (first[0] == none) return false;
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

std::string text_of(const std::string& deck) {
  constexpr std::size_t largest = std::size_t{8} << 20;
  if (deck.empty()) return "";
  try {
    return read_text(deck, largest);
  } catch (const MachineError&) {
    return "";  // told by who needs it
  }
}

}  // namespace

std::string require_same_start(const Communicator& comm, int argc, const char* const* argv, const std::string& deck) {
  if (comm.size() == 1) return "";
  std::error_code unknown;
  std::string text = text_of(deck);
  const bool all = require_same(comm, {{"program", program()},
                                       {"command line", words_of(argc, argv)},
                                       {"command line", cuts_of(argc, argv), false},
                                       {"working directory", std::filesystem::current_path(unknown).string()},
                                       {"text in " + deck, text, false}});
  return all ? text : "";
}

}  // namespace halocline
