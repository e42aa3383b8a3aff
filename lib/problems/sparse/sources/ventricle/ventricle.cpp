#include "lib/problems/sparse/sources/ventricle/ventricle.hpp"

#include <algorithm>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/problems/sparse/sources/ventricle/numberings.hpp"

namespace halocline::sparse {

namespace {

// Memory that rows are made from. Numbers along the lattice are found from the lines around the own ones alone.
class VentriclePart final : public PartRows {
 public:
  VentriclePart(ExecutorPtr executor, const VentricleSource& source, const Range<1>& own, double t)
      : executor_(std::move(executor)), rows_(own.extent(0)) {
    const VentricleModel& model = source.model();
    const VentricleLattice& l = mesh_.lattice = model.lattice;
    mesh_.sigma = model.sigma;
    mesh_.mass = model.mass;
    mesh_.ground = model.ground;
    nodes_ = Array<Index, 1>(executor_, {rows_});
    mesh_.nodes = nodes_.view();
    if (rows_ == 0) return;
    const bool along_lattice = source.numbers().empty();
    Range<1> lines{{0}, {l.lines()}};
    const Index around = l.n[1] + 1;  // lines that hold the neighbors of a line
    if (along_lattice) {
      lines.lo[0] = std::max<Index>(0, line_of(source, own.lo[0]) - around);
      lines.hi[0] = std::min(l.lines(), line_of(source, own.hi[0] - 1) + 1 + around);
    }
    make_cubes({{std::max<Index>(0, lines.lo[0] - around)}, {lines.hi[0]}});
    mesh_.first_node = lines.lo[0] * l.n[0];
    if (along_lattice)
      number_lines(source, lines);
    else
      numbers_ = make_array(executor_, source.numbers());
    mesh_.numbers = numbers_.view();
    launch(*executor_, "ventricle nodes", Range<1>{{0}, {numbers_.size()}},
           OwnNodesBody{mesh_.first_node, own.lo[0], own.hi[0], numbers_.view(), nodes_.view()});
    make_points(t);
  }

  GlobalRows matrix() const override {
    GlobalRows made;
    made.ptr = Array<Index, 1>(executor_, {rows_ + 1});
    launch(*executor_, "ventricle entries", Range<1>{{0}, {rows_}}, CountEntriesBody{mesh_, made.ptr.view()});
    const Index entries = scan_counts(executor_, made.ptr.view());
    made.col = Array<Index, 1>(executor_, {entries});
    made.val = Array<double, 1>(executor_, {entries});
    launch(*executor_, {"ventricle rows", 16.0 * static_cast<double>(entries)}, Range<1>{{0}, {rows_}},
           VentricleRowsBody{mesh_, made.ptr.view(), made.col.view(), made.val.view()});
    return made;
  }

  Array<double, 1> rhs() const override {
    Array<double, 1> made(executor_, {rows_});
    launch(*executor_, {"ventricle right side", 8.0 * static_cast<double>(rows_)}, Range<1>{{0}, {rows_}},
           VentricleRhsBody{mesh_, made.view()});
    return made;
  }

 private:
  static Index line_of(const VentricleSource& source, Index row) {
    const std::vector<Index>& starts = source.starts();
    return std::upper_bound(starts.begin(), starts.end(), row) - starts.begin() - 1;
  }

  void make_cubes(const Range<1>& lines) {
    const VentricleLattice& l = mesh_.lattice;
    mesh_.first_cube = lines.lo[0] * l.n[0];
    cubes_ = Array<CubeCode, 1>(executor_, {lines.extent(0) * l.n[0]});
    mesh_.cubes = cubes_.view();
    launch(*executor_, {"ventricle cubes", 2.0 * static_cast<double>(cubes_.size())}, Range<1>{{0}, {cubes_.size()}},
           CubesBody{l, mesh_.first_cube, cubes_.view()});
  }

  void number_lines(const VentricleSource& source, const Range<1>& lines) {
    const VentricleLattice& l = mesh_.lattice;
    const auto first = source.starts().begin() + lines.lo[0];
    const auto starts = make_array(executor_, std::vector<Index>(first, first + lines.extent(0)));
    numbers_ = Array<Index, 1>(executor_, {lines.extent(0) * l.n[0]});
    launch(*executor_, {"ventricle numbers", 8.0 * static_cast<double>(numbers_.size())},
           Range<1>{{0}, {lines.extent(0)}},
           NumbersBody{l, mesh_.first_cube, lines.lo[0], cubes_.view(), starts.view(), numbers_.view()});
  }

  void make_points(double t) {
    points_ = Array<Point, 1>(executor_, {numbers_.size()});
    voltages_ = Array<double, 1>(executor_, {numbers_.size()});
    mesh_.points = points_.view();
    mesh_.voltages = voltages_.view();
    launch(*executor_, {"ventricle places", 32.0 * static_cast<double>(points_.size())},
           Range<1>{{0}, {points_.size()}},
           PointsBody{mesh_.lattice, mesh_.first_node, t, points_.view(), voltages_.view()});
  }

  ExecutorPtr executor_;
  Index rows_;
  VentricleMesh mesh_;
  Array<CubeCode, 1> cubes_;
  Array<Index, 1> numbers_, nodes_;
  Array<Point, 1> points_;
  Array<double, 1> voltages_;
};

}  // namespace

VentricleSource::VentricleSource(const VentricleModel& model) : model_(model) {
  const VentricleLattice& l = model.lattice;
  const ExecutorPtr host = make_omp_executor(omp_get_max_threads());
  Array<Index, 1> counts(host, {l.lines() + 1});
  launch(*host, "ventricle lines", Range<1>{{0}, {l.lines()}}, CountNodesBody{l, counts.view()});
  scan_counts(host, counts.view());
  starts_ = counts.to_host();
  if (model.numbering == Numbering::lattice) return;
  Array<CubeCode, 1> cubes(host, {l.nodes()});
  launch(*host, "ventricle cubes", Range<1>{{0}, {cubes.size()}}, CubesBody{l, 0, cubes.view()});
  Array<Index, 1> numbers(host, {l.nodes()});
  launch(*host, "ventricle numbers", Range<1>{{0}, {l.lines()}},
         NumbersBody{l, 0, 0, cubes.view(), counts.view(), numbers.view()});
  numbers_ = model.numbering == Numbering::morton ? morton_numbers(l.n, numbers.to_host())
                                                  : random_numbers(numbers.to_host(), rows(), l.seed);
}

std::unique_ptr<PartRows> VentricleSource::part(const ExecutorPtr& executor, const Range<1>& own, double t) const {
  return std::make_unique<VentriclePart>(executor, *this, own, t);
}

}  // namespace halocline::sparse
