#include "lib/problems/collocation/multigrid/coarse_places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mpi/halo/moved_rows.hpp"

namespace halocline::collocation {

namespace {

Index lines_of(const std::vector<Axis>& x, int level) { return x[static_cast<std::size_t>(level)].distinct_nodes(); }

// Every second line of blocks that begin at even ones; `count` lines in all. Empty blocks behind the last line stay
// there.
Partition halved(const Partition& fine, Index count) {
  std::vector<Index> starts;
  for (int p = 0; p < fine.parts(); ++p) {
    const Index start = fine.block(p).lo[0];
    starts.push_back(start == fine.count() ? count : start / 2);
  }
  starts.push_back(count);
  return Partition::from_starts(std::move(starts));
}

}  // namespace

std::size_t CoarsePlaces::place_of(int level) const {
  std::size_t place = 0;
  while (place + 1 < places.size() && places[place + 1].level <= level) ++place;
  return place;
}

int CoarsePlaces::levels_of(std::size_t place) const {
  return (place + 1 < places.size() ? places[place + 1].level : distributed) - places[place].level;
}

// As near to where groups begin among the finest lines as multiples of what is halved allow. The first part always
// holds some lines, and the last one not less than others must have.
Partition CoarsePlaces::first_lines(const std::vector<Axis>& x, const Partition& finest, std::size_t place) const {
  if (place == 0) return finest;
  const auto [level, group] = places[place];
  const Index lines = lines_of(x, level), chunk = Index{1} << levels_of(place);
  const auto begin_of = [&](Index part) {
    if (part >= finest.parts()) return lines;
    const Index start = ((finest.block(static_cast<int>(part)).lo[0] >> level) + chunk / 2) / chunk * chunk;
    return lines - start < chunk ? lines : std::max(start, chunk);
  };
  std::vector<Index> starts{0};
  for (Index p = 1; p < finest.parts(); ++p)  // parts behind the first one of a group begin, empty, where the next does
    starts.push_back(begin_of((p + group - 1) / group * group));
  starts.push_back(lines);
  return Partition::from_starts(std::move(starts));
}

Partition CoarsePlaces::lines(const std::vector<Axis>& x, const Partition& finest, int level) const {
  const std::size_t place = place_of(level);
  Partition lines = first_lines(x, finest, place);
  for (int l = places[place].level + 1; l <= level; ++l) lines = halved(lines, lines_of(x, l));
  return lines;
}

Partition CoarsePlaces::computed(const std::vector<Axis>& x, const Partition& finest, int level) const {
  return halved(lines(x, finest, level - 1), lines_of(x, level));
}

std::vector<int> CoarsePlaces::holders(const std::vector<Axis>& x, const Partition& finest) const {
  std::vector<int> parts;
  if (places.size() == 1) return parts;
  const Partition whole = lines(x, finest, distributed);
  for (int p = 0; p < whole.parts(); ++p)
    if (whole.block(p).size() > 0) parts.push_back(p);
  return parts;
}

namespace {

constexpr int exchanges = 5;       // of a visit
constexpr double numbers = 4 * 4;  // bytes of a node, in single precision
constexpr Index least_lines = 8;   // of a part that shares a level, but the finest
constexpr Index least_finest = 2;

// The best way from every level and group on, from the coarsest level to the finest.
class PlaceChoice {
 public:
  PlaceChoice(const std::vector<Axis>& x, const std::vector<Axis>& y, int parts, const PlaceCosts& costs)
      : x_(x), y_(y), parts_(parts), costs_(costs), levels_(static_cast<int>(x.size())) {
    int groups = 1;
    while (holders(groups - 1) > 1) ++groups;
    best_.assign(static_cast<std::size_t>(levels_), std::vector<Way>(static_cast<std::size_t>(groups)));
    for (int level = levels_ - 1; level >= 0; --level)
      for (int group = groups - 1; group >= 0; --group) best_[level][group] = best(level, group);
  }

  CoarsePlaces places() const {
    CoarsePlaces made;
    int level = 0;
    for (int group = 0;; ++level) {
      const Way& way = best_[level][group];
      if (way.group != group) made.places.push_back({level, Index{1} << way.group});
      group = way.group;
      if (way.whole) break;
    }
    made.distributed = level;
    return made;
  }

 private:
  struct Way {
    double seconds = 0;
    int group = 0;       // log2 of the parts that one stands for on this level
    bool whole = false;  // each part that is left has all lines from here on
  };

  int holders(int group) const { return static_cast<int>((parts_ + (Index{1} << group) - 1) >> group); }
  double elements(int level) const {
    return static_cast<double>(x_[level].elements()) * static_cast<double>(y_[level].elements());
  }
  double line(int level) const { return numbers * costs_.byte * static_cast<double>(y_[level].elements()); }

  Way whole(int level, int group) const {
    const int parts = holders(group);
    Way way{0, group, true};
    for (int l = level; l < levels_; ++l) way.seconds += elements(l) * costs_.element;
    if (parts == 1) return way;
    way.seconds += costs_.gather + numbers * costs_.byte * elements(level);
    way.seconds += parts <= most_direct ? costs_.exchange + (parts - 2) * costs_.message
                                        : std::ceil(std::log2(parts)) * costs_.exchange;
    return way;
  }
  Way shared(int level, int group) const {
    const int parts = holders(group);
    const Index least = level == 0 ? least_finest : least_lines;
    if (parts == 1 || level + 1 == levels_ || lines_of(x_, level) / parts < least)
      return {std::numeric_limits<double>::infinity(), group, false};
    const double visit = exchanges * (costs_.exchange + costs_.message + line(level));
    return {visit + elements(level) / parts * costs_.element + best_[level + 1][group].seconds, group, false};
  }
  // With the move from a group to another one, and back.
  Way best(int level, int group) const {
    Way best = whole(level, group);
    const auto take = [&](Way way, double move) {
      way.seconds += move;
      if (way.seconds < best.seconds) best = way;
    };
    take(shared(level, group), 0);
    for (int to = group + 1; level > 0 && to < static_cast<int>(best_[level].size()); ++to) {
      const double one = elements(level) / holders(to) * numbers * costs_.byte;
      const double move =
          2 * (costs_.exchange + one + static_cast<double>((Index{1} << (to - group)) - 1) * costs_.message);
      take(whole(level, to), move);
      take(shared(level, to), move);
    }
    return best;
  }

  const std::vector<Axis>&x_, &y_;
  int parts_;
  PlaceCosts costs_;
  int levels_;
  std::vector<std::vector<Way>> best_;  // [level][group]
};

}  // namespace

CoarsePlaces choose_places(const std::vector<Axis>& x, const std::vector<Axis>& y, int parts, const PlaceCosts& costs) {
  return PlaceChoice(x, y, parts, costs).places();
}

}  // namespace halocline::collocation
