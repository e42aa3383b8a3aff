#include "lib/problems/diffusion/reactions/reaction_part.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/launch_joined.hpp"

namespace halocline::diffusion {

namespace {

constexpr int few_registers = 32;  // a GPU sets aside those of as many threads as it can hold
constexpr int width = EvaluateProgram::block;
static_assert(width % source_piece == 0);  // of FluxTerms::record

// Coordinates of a part's cells along the axes.
std::array<std::vector<double>, 3> places_of(const ConvolveBlock<double>& block, const UniformGrid& g) {
  std::array<std::vector<double>, 3> places;
  for (int axis = 0; axis < 3; ++axis)
    for (Index i = 0; i < block.extent[axis]; ++i)
      places[static_cast<std::size_t>(axis)].push_back(
          axis < g.dimensions ? g.coordinate(axis, i + block.first_along(axis)) : 0);
  return places;
}

// On devices with a thread per cell without lookups.
LiftedLooks lifted(const ExecutorPtr& executor, const Program& program, const ConvolveBlock<double>& block,
                   const UniformGrid& g, FormulaPath path) {
  if (!by_points(*executor, path)) return {program, {}};
  return lift_looks(executor, program, [&](const Program& look) { return sampled_on_grid(look, places_of(block, g)); });
}

}  // namespace

ReactionPart::ReactionPart(const ExecutorPtr& executor, const Reactions& r,
                           const std::vector<std::unique_ptr<Field<double>>>& fields, int part, FormulaPath path)
    : executor_(executor),
      count_(r.count()),
      block_(fields.front()->block(part)),
      lifted_sources_(lifted(executor, r.sources, block_, r.geometry(), path)),
      lifted_rates_(lifted(executor, r.rates, block_, r.geometry(), path)),
      sources_(executor, lifted_sources_.rest, path),
      rates_(executor, lifted_rates_.rest, path),
      largest_(make_array(executor, std::vector<Bits>(static_cast<std::size_t>(count_ * count_)))) {
  const std::array<std::vector<double>, 3> places = places_of(block_, r.geometry());
  for (int axis = 0; axis < 3; ++axis)
    coordinates_[axis] = make_array(executor, places[static_cast<std::size_t>(axis)]);
  const auto with_looked_up = [&](std::vector<PointInput> inputs, const LiftedLooks& looks) {
    for (const auto& values : looks.values)
      inputs.push_back({values.view().data, 1, block_.extent[0], block_.extent[0] * block_.extent[1]});
    return make_array(executor, inputs);
  };
  for (const bool later : {false, true}) {
    std::vector<PointInput> inputs{{coordinates_[0].view().data, 1, 0, 0},
                                   {coordinates_[1].view().data, 0, 1, 0},
                                   {coordinates_[2].view().data, 0, 0, 1},
                                   {nullptr, 0, 0, 0, PointInput::Source::number}};
    std::vector<ConvolveBlock<double>> blocks;
    for (const auto& field : fields) {
      blocks.push_back(field->block(part));
      if (later) std::swap(blocks.back().c, blocks.back().next);
      inputs.push_back({blocks.back().c, 1, block_.pitch, block_.plane});
    }
    inputs_[later ? 1 : 0] = with_looked_up(inputs, lifted_sources_);
    inputs_of_rates_[later ? 1 : 0] = with_looked_up(inputs, lifted_rates_);
    blocks_[later ? 1 : 0] = make_array(executor, blocks);
  }
}

double* ReactionPart::scratch(Index numbers) {
  if (scratch_.size() < numbers) scratch_ = Array<double, 1>(executor_, {numbers});
  return scratch_.view().data;
}

void ReactionPart::step(const ReactingTerms* terms, double t, const SlabBox& cells) {
  ReactionStep step;
  step.count = count_;
  step.blocks = blocks_[turn_].view().data;
  std::copy(terms, terms + count_, step.terms);
  block_.dimensions == 3 ? this->step<3>(step, t, cells) : this->step<2>(step, t, cells);
}

template <int Dimensions>
void ReactionPart::step(const ReactionStep& step, double t, const SlabBox& cells) {
  if (sources_.by_points()) {
    sources_.registers() <= few_registers ? step_by_points<Dimensions, few_registers>(step, t, cells)
                                          : step_by_points<Dimensions, most_registers>(step, t, cells);
    return;
  }
  const Index workers = executor_->threads(), rows_of_scratch = sources_.registers() + count_;
  double* own = scratch(workers * rows_of_scratch * width);
  const WorkerLines lines{{cells, block_.dimensions}, block_.extent[0], workers};
  launch_on_host(*executor_, {"react", bytes_of_box(block_, cells, 2 * count_)}, Range<1>{{0}, {workers}},
                 ReactRows<Dimensions>{step, sources_.rows(inputs(), t), lines, own, width});
}

template <int Dimensions, int Own>
void ReactionPart::step_by_points(const ReactionStep& step, double t, const SlabBox& cells) {
  const ConvolveMask<double> star{.radius = {1, 1, Dimensions == 3 ? 1 : 0}};
  const Shell shell = make_shell_of(block_, star, cells);
  const auto sources = sources_.points<Own>(inputs(), t);
  const double bytes = 2.0 * count_ * sizeof(double);  // of a cell
  const Range<3>& box = shell.inner;
  launch_rows(*executor_, {"react", bytes * static_cast<double>(box.size())},
              Range<2>{{0, 0}, {box.extent(0) * box.extent(1), box.extent(2)}},
              ReactCells<Dimensions, Own>{step, sources, box});
  launch(*executor_, {"react at walls", bytes * static_cast<double>(shell.cells())}, Range<1>{{0}, {shell.cells()}},
         ReactShellCells<Dimensions, Own>{step, sources, shell});
  record_by_points<Own>(step, t, cells);
}

// In passes of their own, which evaluate all sources once more for each field whose source is kept.
template <int Own>
void ReactionPart::record_by_points(const ReactionStep& step, double t, const SlabBox& cells) {
  const BoxLines lines{cells, block_.dimensions};
  for (int f = 0; f < count_; ++f) {
    const SourceRecord& record = step.terms[f].flux.record;
    if (!record.kept()) continue;
    launch_joined<source_lanes, double>(
        *executor_, {"sum of the source", bytes_of_box(block_, cells, count_)}, lines.count() * record.pieces,
        RecordedPieces<SourceOfField<Own>>{record, block_.extent[0], lines, {sources_.points<Own>(inputs(), t), f}});
  }
}

template <int Own>
void ReactionPart::largest_by_points(double t) {
  launch_rows(*executor_, {"rates of reactions", bytes_of(block_, block_.rows(), count_)},
              Range<2>{{0, 0}, {block_.lines(), block_.extent[0]}},
              LargestCells<Own>{rates_.points<Own>(inputs_of_rates(), t), block_, largest_.view().data});
}

void ReactionPart::largest_rates(double t, ReactionRates& rates) {
  std::array<Bits, most_rates> bits{};
  const auto bytes = static_cast<std::size_t>(largest_.size()) * sizeof(Bits);
  executor_->copy_in(largest_.view().data, bits.data(), bytes);
  if (rates_.by_points()) {
    rates_.registers() <= few_registers ? largest_by_points<few_registers>(t) : largest_by_points<most_registers>(t);
  } else {
    const Index workers = executor_->threads(), rows_of_scratch = rates_.registers() + rates_.results();
    double* own = scratch(workers * rows_of_scratch * width);
    const WorkerLines lines{{block_.box(block_.rows()), block_.dimensions}, block_.extent[0], workers};
    launch_on_host(*executor_, {"rates of reactions", bytes_of(block_, block_.rows(), count_)},
                   Range<1>{{0}, {workers}},
                   LargestRows{rates_.rows(inputs_of_rates(), t), lines, largest_.view().data, own, width});
  }
  executor_->copy_out(bits.data(), largest_.view().data, bytes);
  for (Index n = 0; n < largest_.size(); ++n)
    rates[static_cast<std::size_t>(n)] = std::bit_cast<double>(bits[static_cast<std::size_t>(n)]);
}

}  // namespace halocline::diffusion
