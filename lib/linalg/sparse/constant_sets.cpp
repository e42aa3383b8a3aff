#include "lib/linalg/sparse/constant_sets.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "lib/linalg/sparse/constant_sets_kernels.hpp"
#include "mpi/exchange.hpp"
#include "mpi/halo/halo.hpp"

namespace halocline::sparse {

namespace {

constexpr double tolerance = 1e-12;

class Labels {
 public:
  explicit Labels(const DistCrs& a) : a_(a), team_(a.team()), halo_(a.rows().comm(), team_, a.ghost_links()) {
    for (int p = 0; p < team_.parts(); ++p)
      labels_.emplace_back(team_.executor(p), std::array<Index, 1>{a.local_columns(p)});
    team_.each([&](int p) {
      launch(*team_.executor(p), {"first labels", 8.0 * static_cast<double>(a.view(p).entries())}, rows(p),
             FirstLabelBody{a.view(p), a.rows().own(p).lo[0], tolerance, own(p)});
    });
    do exchange();
    while (sink());
  }

  // The labels, above 0, of rows that are called after themselves, of all ranks: one of every component, ascending.
  std::vector<Index> names() const {
    std::vector<Index> found;
    for (int p = 0; p < team_.parts(); ++p) {
      const std::vector<Index> labels = labels_[static_cast<std::size_t>(p)].to_host();
      const Index below = a_.ghosts(p).below, first = a_.rows().own(p).lo[0];
      for (Index row = 0; row < a_.rows().own_size(p); ++row)
        if (labels[static_cast<std::size_t>(below + row)] == first + row + 1) found.push_back(first + row + 1);
    }
    return gather_lists(a_.rows().comm(), found).values;  // parts of lower ranks own lower rows
  }

  std::vector<Array<double, 1>> numbers(const std::vector<Index>& names) const {
    std::vector<Array<double, 1>> made;
    for (int p = 0; p < team_.parts(); ++p) {
      const ExecutorPtr& executor = team_.executor(p);
      made.emplace_back(executor, std::array<Index, 1>{a_.rows().own_size(p)});
      const Array<Index, 1> table = make_array(executor, names);
      launch(*executor, {"numbers of sets", 16.0 * static_cast<double>(made.back().size())}, rows(p),
             SetNumberBody{labels_[static_cast<std::size_t>(p)].view().data + a_.ghosts(p).below, table.view(),
                           made.back().view()});
      executor->synchronize();  // the table is in use until then
    }
    return made;
  }

 private:
  Range<1> rows(int part) const { return {{0}, {a_.rows().own_size(part)}}; }
  Index* own(int part) { return labels_[static_cast<std::size_t>(part)].view().data + a_.ghosts(part).below; }

  void exchange() {
    std::vector<View<const Index, 1>> from;
    std::vector<View<Index, 1>> to;
    for (Array<Index, 1>& labels : labels_) {
      from.push_back(std::as_const(labels).view());
      to.push_back(labels.view());
    }
    halo_.start(from);
    halo_.finish(to);
  }

  // Until labels of a part stay as they are; whether any part of any rank has new ones.
  bool sink() {
    std::vector<int> changed(static_cast<std::size_t>(team_.parts()));
    team_.each([&](int p) {
      const Range<1> block = a_.rows().own(p);
      const LowerLabelBody body{a_.view(p), a_.ghosts(p).below, block.lo[0], block.size(),
                                labels_[static_cast<std::size_t>(p)].view().data};
      const Label label{"lower labels", 12.0 * static_cast<double>(a_.view(p).entries())};
      while (reduce(*team_.executor(p), label, rows(p), 0, EitherChange{}, body) != 0)
        changed[static_cast<std::size_t>(p)] = 1;
    });
    const bool any = std::find(changed.begin(), changed.end(), 1) != changed.end();
    return !a_.rows().comm().agree(!any);
  }

  const DistCrs& a_;
  const Team& team_;
  std::vector<Array<Index, 1>> labels_;
  Halo<Index> halo_;
};

}  // namespace

ConstantSets constant_sets(const DistCrs& a, Index most) {
  const Labels labels(a);
  const std::vector<Index> names = labels.names();
  ConstantSets made{static_cast<Index>(names.size())};
  if (made.count > 0 && made.count <= most) made.of_rows = labels.numbers(names);
  return made;
}

}  // namespace halocline::sparse
