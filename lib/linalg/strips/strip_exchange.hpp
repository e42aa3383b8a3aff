// Lines that are cut between parts, at boundaries of strips: every part joins its own strips as far as it can, and
// sends the ends of the nodes that are left to parts that each join the rest of the tree for a share of the lines; what
// lies beside the nodes comes back. The same operations as on one part, so the same bits.
//
//   reduce_strips(..., exchange.own(part), ..., exchange.ends(part), ...) on every part
//   exchange.pack(lines), send(), turn(), finish()
//   resolve_strips(..., exchange.own(part), ..., exchange.ends(part), ...) on every part
//
// Parts share lines with those of a line of parts alone, all such lines at the same time: slabs are one line, and boxes
// have a line of parts for each row and each column of their table.
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
  /// `strips`: of the members of a line of parts, at least one each; `lines`: of every part of this rank, equal in a
  /// line of parts, a multiple of `lanes`; `most_lines`: of any part of all ranks, who ask each other where it is 0.
  /// The team outlives the exchange. Collective.
  StripExchange(const Communicator& comm, const Team& team, const PartLine& parts, const Partition& strips,
                std::span<const Index> lines, Index most_lines = 0);
  ~StripExchange();
  StripExchange(StripExchange&&) noexcept;
  StripExchange& operator=(StripExchange&&) noexcept;

  OwnStrips own(int part) const;  // part counts within the rank
  /// Where strips are reduced to and resolved from.
  EndTable<T> ends(int part);

  /// Queues what joins own strips and collects their ends; what is queued from here to send() goes on while the host
  /// waits for them and sends. `lines`: of every part of this rank, in memory of its device. On the main thread, as are
  /// the others.
  void pack(std::span<const Line> lines);
  void send();
  /// Joins what came from all parts, and sends back.
  void turn();
  /// Takes what came back down to every strip.
  void finish();

  Traffic sent() const;  // by this rank to others, since construction

 private:
  struct Part;
  void make_turns(const Communicator& comm, const PartLine& parts, Index most_lines);

  const Team* team_;
  std::vector<Index> first_node_;  // of each member of a line of parts, and the end
  std::vector<Part> parts_;
  std::vector<Line> lines_;
  std::unique_ptr<Turn<T>> up_, down_;  // null where no lines are cut
  std::vector<View<const T, 1>> from_;
  std::vector<View<T, 1>> to_;
};

}  // namespace halocline::strips
