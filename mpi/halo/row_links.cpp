#include <algorithm>
#include <map>

#include "lib/base/error.hpp"
#include "mpi/exchange.hpp"
#include "mpi/halo/links.hpp"
#include "mpi/part_ranks.hpp"

namespace halocline {
namespace {

// Rows of `owner` that `part` asks for: words in a message, {part, owner, number of rows, rows ...}.
constexpr std::size_t header = 3;

// Links of one part by the number of the other.
using LinkMap = std::map<int, Link>;

Link& link_with(LinkMap& links, int other) { return links.try_emplace(other, Link{other, {}, {}}).first->second; }

void check(const std::vector<Index>& wanted, const Partition& rows, const Range<1>& own) {
  const auto unordered = [](Index a, Index b) { return a >= b; };
  require(std::adjacent_find(wanted.begin(), wanted.end(), unordered) == wanted.end(), "row_links: rows in no order");
  require(wanted.empty() || (wanted.front() >= 0 && wanted.back() < rows.count()), "row_links: no such row");
  const auto first = std::lower_bound(wanted.begin(), wanted.end(), own.lo[0]);
  require(first == wanted.end() || *first >= own.hi[0], "row_links: a part wants a row of its own");
}

// Where the rows a part wants arrive; the questions for their owners are appended to the messages to their ranks.
LinkMap ask(int part, const std::vector<Index>& wanted, const Partition& rows, Index own, const PartRanks& ranks,
            std::map<int, std::vector<Index>>& questions) {
  const Range<1> block = rows.block(part);
  check(wanted, rows, block);
  const Index below = std::lower_bound(wanted.begin(), wanted.end(), block.lo[0]) - wanted.begin();
  LinkMap links;
  for (auto first = wanted.begin(); first != wanted.end();) {
    const int owner = rows.owner(*first);
    const auto end = std::lower_bound(first, wanted.end(), rows.block(owner).hi[0]);
    const Index at = first - wanted.begin();
    link_with(links, owner).recv = IndexSet::run(own - below + at + (at < below ? 0 : block.size()), end - first);
    std::vector<Index>& question = questions[ranks.rank_of(owner)];
    question.insert(question.end(), {part, owner, end - first});
    question.insert(question.end(), first, end);
    first = end;
  }
  return links;
}

}  // namespace

Links row_links(const Communicator& comm, const Team& team, const Partition& rows,
                std::span<const std::vector<Index>> wanted, std::span<const Index> own) {
  require(rows.parts() == team.total_parts(), "row_links: partition and team differ in parts");
  require(wanted.size() == own.size() && static_cast<int>(own.size()) == team.parts(), "row_links: a list per part");
  const PartRanks ranks(comm, team);
  std::vector<LinkMap> maps;
  std::map<int, std::vector<Index>> questions;
  for (int p = 0; p < team.parts(); ++p)
    maps.push_back(ask(team.first_part() + p, wanted[p], rows, own[p], ranks, questions));
  std::vector<Parcel<Index>> outgoing;
  for (auto& [rank, question] : questions) outgoing.push_back({rank, std::move(question)});
  for (const Parcel<Index>& parcel : exchange_lists(comm, outgoing)) {
    for (auto word = parcel.values.begin(); word != parcel.values.end();) {
      const int part = static_cast<int>(word[0]), p = static_cast<int>(word[1]) - team.first_part();
      const auto end = word + static_cast<std::ptrdiff_t>(header) + word[2];
      IndexSet& send = link_with(maps[p], part).send;
      send.list.assign(word + static_cast<std::ptrdiff_t>(header), end);
      for (Index& row : send.list) row += own[p] - rows.block(team.first_part() + p).lo[0];
      word = end;
    }
  }
  Links links(maps.size());
  for (std::size_t p = 0; p < maps.size(); ++p)
    for (auto& [part, link] : maps[p]) links[p].push_back(std::move(link));
  return links;
}

}  // namespace halocline
