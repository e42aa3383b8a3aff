// Where the levels of a hierarchy live on many parts: the finest ones on all of them, the next ones on fewer and fewer,
// the coarsest ones whole on each part that is left, which then exchange nothing. Parts without lines of a level wait
// until its correction comes back. Chosen by a model of what a cycle takes; results do not depend on it.
#pragma once

#include <vector>

#include "lib/problems/collocation/axes/axis.hpp"
#include "mpi/partition.hpp"

namespace halocline::collocation {

// Levels from `level` on are held by the first one of every `group` neighboring parts of the run.
struct Place {
  int level;
  Index group;
};

struct CoarsePlaces {
  std::vector<Place> places{{0, 1}};
  int distributed = 0;  // levels whose lines are shared out; later ones are whole on every part that holds any

  // Lines of a level, up to the first whole one, as its own parts hold them, and as those of the level before compute
  // them; for the finest lines, whose blocks begin at multiples of line_chunk().
  Partition lines(const std::vector<Axis>& x, const Partition& finest, int level) const;
  Partition computed(const std::vector<Axis>& x, const Partition& finest, int level) const;
  Index line_chunk() const { return Index{1} << levels_of(0); }
  // Parts that hold a whole level, ascending; none: all do.
  std::vector<int> holders(const std::vector<Axis>& x, const Partition& finest) const;

 private:
  std::size_t place_of(int level) const;
  // Levels of a place from its first one on: as often are the lines of its blocks halved.
  int levels_of(std::size_t place) const;
  // Lines of its first level.
  Partition first_lines(const std::vector<Axis>& x, const Partition& finest, std::size_t place) const;
};

// Seconds of the model.
struct PlaceCosts {
  double exchange;  // of lines between neighbors, with the launches and waits around it
  double message;   // each further one that a part sends or receives in an exchange
  double byte;      // sent
  double element;   // a visit of a cycle, for the elements of a part
  double gather;    // of a level's lines to all that hold it, beside its exchanges and messages
};
// One part a node or more of the host; GPUs of about 3 TB/s, which wait for each other as forecasts have it
// (app/forecast). Both with 25 GB/s between parts.
constexpr PlaceCosts costs_of_hosts{4e-6, 1e-6, 4e-11, 1e-8, 0}, costs_of_gpus{15e-6, 1.5e-6, 4e-11, 2e-10, 200e-6};

// For so many parts, beyond those few where whole levels on all parts are better.
CoarsePlaces choose_places(const std::vector<Axis>& x, const std::vector<Axis>& y, int parts, const PlaceCosts& costs);

}  // namespace halocline::collocation
