// Lines that are cut between parts, at boundaries of strips: every part joins its own strips as far as it can, and
// sends the ends of the nodes that are left to parts that each join the rest of the tree for a share of the lines; what
// lies beside the nodes comes back. The same operations as on one part, so the same bits.
//
//   reduce_strips(..., exchange.own(part), ..., exchange.ends(part), ...) on every part
//   exchange.start(lines), turn(), finish()
//   resolve_strips(..., exchange.own(part), ..., exchange.ends(part), ...) on every part
//
// Between these calls other work may be queued, and other exchanges may be under way, one for each chunk of lines, as
// long as all ranks call in the same order. Many parts send in two stages (mpi/halo/turn.hpp).
#pragma once

#include <memory>
#include <span>

#include "lib/linalg/strips/field_kernels.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "mpi/communicator.hpp"
#include "mpi/halo/turn.hpp"
#include "mpi/partition.hpp"
#include "mpi/team.hpp"

namespace halocline::strips {

/// T: double or float; Line: CommonLine<T> or OwnLine, which sends v and w as well.
template <class T, class Line>
class StripExchange {
 public:
  /// `strips`: of the parts of all ranks, at least one each; `lines`: of every part, a multiple of `lanes`. The team
  /// outlives the exchange. Collective.
  StripExchange(const Communicator& comm, const Team& team, const Partition& strips, Index lines);
  ~StripExchange();
  StripExchange(StripExchange&&) noexcept;
  StripExchange& operator=(StripExchange&&) noexcept;

  OwnStrips own(int part) const;  // part counts within the rank
  /// Where strips are reduced to and resolved from.
  EndTable<T> ends(int part);

  /// Joins own strips and sends. `lines`: of every part of this rank, in memory of its device. On the main thread, as
  /// are the others.
  void start(std::span<const Line> lines);
  /// Joins what came from all parts, and sends back.
  void turn();
  /// Takes what came back down to every strip.
  void finish();

  Traffic sent() const;  // by this rank to others, since construction

 private:
  struct Part;
  void make_turns(const Communicator& comm);

  const Team* team_;
  Partition strips_, shares_;      // shares_: lines of each part for which it solves above
  std::vector<Index> first_node_;  // of each part of all ranks, and the end
  std::vector<Part> parts_;
  std::vector<Line> lines_;
  std::unique_ptr<Turn<T>> up_, down_;  // null with one part
  std::vector<View<const T, 1>> from_;
  std::vector<View<T, 1>> to_;
};

}  // namespace halocline::strips
