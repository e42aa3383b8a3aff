#include "lib/linalg/sparse/formats/column_space.hpp"

namespace halocline::sparse {
namespace {

constexpr Index chunk_rows = 1024;
// Own numbers begin with a line of a GPU's caches, in doubles and in floats: half a line further an update of six
// vectors took half as long again on an H200.
constexpr Index of_line = 32;
static_assert(of_line % lanes == 0);

Index round_up(Index count, Index unit) { return (count + unit - 1) / unit * unit; }

VectorLayout layout_of(const RowSpace& rows) {
  VectorLayout layout{{}, chunk_rows / lanes, false};
  for (int p = 0; p < rows.team().parts(); ++p) {
    layout.groups.push_back((rows.own_size(p) + chunk_rows - 1) / chunk_rows);
    layout.used.push_back(rows.own_size(p));
  }
  return layout;
}

// From natural places of own columns to those in vectors.
void reorder(IndexSet& send, const std::vector<LocalIndex>& places, Index first) {
  if (places.empty()) return;
  for (Index& place : send.list) place = first + places[place - first];
}

}  // namespace

VectorSpacePtr vector_space(const RowSpace& rows) {
  return std::make_shared<VectorSpace>(rows.comm(), rows.team(), layout_of(rows));
}

ColumnSpace::ColumnSpace(const DistCrs& a, const StorageOrder& order) {
  const RowSpace& rows = a.columns();
  const Team& team = rows.team();
  VectorLayout layout = layout_of(rows);
  for (int p = 0; p < team.parts(); ++p) {
    layout.before.push_back(round_up(a.ghosts(p).below, of_line));
    layout.behind.push_back(round_up(a.ghosts(p).above(), lanes));
    shift_.push_back(layout.before.back() - a.ghosts(p).below);
  }
  links_.resize(static_cast<std::size_t>(team.parts()));
  if (a.has_ghosts()) {
    links_ = a.ghost_links(shift_);
    for (int p = 0; p < team.parts(); ++p) {
      const std::vector<LocalIndex> places = order.places_on_host(p);
      for (Link& link : links_[p]) reorder(link.send, places, layout.before[p]);
    }
  }
  space_ = std::make_shared<VectorSpace>(rows.comm(), team, std::move(layout));
}

}  // namespace halocline::sparse
