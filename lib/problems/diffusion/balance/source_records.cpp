#include "lib/problems/diffusion/balance/source_records.hpp"

#include "gpu/launch_joined.hpp"
#include "lib/fields/slab_field.hpp"

namespace halocline::diffusion {

SourceRecords::SourceRecords(const Context& context, const UniformGrid& grid, std::vector<SlabLayout> parts)
    : context_(context), grid_(grid) {
  for (const SlabLayout& slab : parts) {
    const ExecutorPtr& executor = context.team.executor(static_cast<int>(parts_.size()));
    const Index pieces = (slab.extent[0] + source_piece - 1) / source_piece;
    const std::vector<double> zeros(static_cast<std::size_t>(slab.lines() * pieces), 0.0);
    parts_.push_back({slab, pieces, make_array(executor, zeros), make_array(executor, zeros), {}, {}});
  }
}

SourceRecord SourceRecords::of(int part, double share) const {
  const Part& p = parts_[static_cast<std::size_t>(part)];
  return {const_cast<double*>(p.sum.view().data), const_cast<double*>(p.carry.view().data), p.pieces, p.slab.extent[1],
          share};
}

void SourceRecords::add(int part, const double* values, const SlabBox& cells, double share) {
  const Part& p = parts_[static_cast<std::size_t>(part)];
  const BoxLines lines{cells, p.slab.dimensions};
  const double bytes = static_cast<double>(lines.count() * p.slab.extent[0]) * sizeof(double);
  launch_joined<source_lanes, double>(
      *context_.team.executor(part), {"sum of the source", bytes}, lines.count() * p.pieces,
      RecordedPieces<StoredSource>{of(part, share), p.slab.extent[0], lines, {p.slab, values}});
}

void SourceRecords::keep(int part) {
  Part& p = parts_[static_cast<std::size_t>(part)];
  if (p.kept_sum.size() == 0)
    for (Array<double, 1>* kept : {&p.kept_sum, &p.kept_carry})
      *kept = Array<double, 1>(context_.team.executor(part), {p.sum.size()});
  p.kept_sum.assign(p.sum), p.kept_carry.assign(p.carry);
}

void SourceRecords::restore(int part) {
  Part& p = parts_[static_cast<std::size_t>(part)];
  p.sum.assign(p.kept_sum), p.carry.assign(p.kept_carry);
}

ExactSum SourceRecords::total() const {
  std::vector<ExactSum> sum(1);
  for (const Part& p : parts_) {
    for (const double value : p.sum.to_host()) sum[0].add(value);
    for (const double value : p.carry.to_host()) sum[0].add(-value);
  }
  context_.comm.sum(sum);
  return sum[0];
}

void SourceRecords::archive(StateArchive& state, const std::string& name) {
  for (const bool carry : {false, true}) {
    const std::string block = name + (carry ? "_source_carry" : "_source");
    for (int p = 0; p < context_.team.parts(); ++p) {
      Part& part = parts_[static_cast<std::size_t>(p)];
      Array<double, 1>& array = carry ? part.carry : part.sum;
      archive_lines(state, block, part.slab, part.slab.rows(), grid_, part.pieces, array.view(),
                    *context_.team.executor(p));
    }
  }
}

}  // namespace halocline::diffusion
