#include "lib/problems/sparse/sources/ventricle/ventricle.hpp"

#include <optional>

#include "gpu/launch.hpp"
#include "gpu/primitives/scan.hpp"
#include "lib/problems/sparse/sources/ventricle/numberings.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle_mesh.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle_patch.hpp"

namespace halocline::sparse {

namespace {

class VentriclePart final : public PartRows {
 public:
  VentriclePart(ExecutorPtr executor, const VentricleSource& source, const Range<1>& own, double t)
      : executor_(std::move(executor)), rows_(own.extent(0)) {
    if (rows_ == 0) return;
    const VentricleLattice& l = source.model().lattice;
    patch_.emplace(executor_, source, VentriclePatch::with_neighbors(l, VentriclePatch::lines_of(source, own)), t);
    nodes_ = patch_->nodes(own);
    mesh_ = patch_->mesh();
    mesh_.nodes = std::as_const(nodes_).view();
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
  ExecutorPtr executor_;
  Index rows_;
  std::optional<VentriclePatch> patch_;
  Array<Index, 1> nodes_;
  VentricleMesh mesh_;
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

std::unique_ptr<SourceMesh> VentricleSource::mesh() const { return std::make_unique<VentricleOutputMesh>(*this); }

}  // namespace halocline::sparse
