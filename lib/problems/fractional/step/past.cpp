#include "lib/problems/fractional/step/past.hpp"

#include <algorithm>

namespace halocline::fractional {

namespace {

template <class T>
std::unique_ptr<History<T>> make_history(const Formulation& f, const std::shared_ptr<Slabs<T>>& slabs,
                                         const Weights& weights) {
  const Levels& levels = *f.levels;
  const Index last = levels.steps();
  if constexpr (std::is_same_v<T, float>) {
    if (f.precision == Precision::fp16_history)
      return make_half_history(slabs, weights, f.history.block, levels.s(last), f.history.eps);
  }
  if (f.history.engine == Engine::exponentials)
    return make_exponential_history<T>(slabs, weights, f.history.block, levels.s(last), f.history.eps);
  if constexpr (std::is_same_v<T, double>) {
    if (f.history.engine == Engine::series)
      return make_series_history(slabs,
                                 {f.orders[0], f.gamma, f.history.terms, levels.t(last) / static_cast<double>(last)},
                                 f.history.variant);
  }
  require(f.history.engine == Engine::direct, "Past: series are of double only");
  return make_direct_history<T>(slabs, weights, f.history.block, f.history.variant);
}

}  // namespace

template <class Numbers>
Past<Numbers>::Past(const Formulation& f, const std::shared_ptr<Slabs<Slot>>& slabs, const MediumField& media,
                    const Weights& weights)
    : slabs_(slabs), weights_(&weights), history_(make_history<Slot>(f, slabs, weights)) {
  const int block = history_->block();
  std::vector<NodeMedium> of_nodes;
  for (int p = 0; p < slabs->parts(); ++p) {
    near_.emplace_back(slabs->team().executor(p), Index{media.count()} * block * block);
    near_first_.emplace_back(slabs->team().executor(p), Index{media.count()} * block);
    of_nodes.push_back(media.of_nodes(p));
  }
  history_->set_media(std::move(of_nodes));
}

template <class Numbers>
void Past<Numbers>::begin_block(Index at) {
  start_ = at;
  history_->begin(start_);
  set_tables();
}

template <class Numbers>
void Past<Numbers>::set_tables() {
  if (!tables_.near.empty() && repeats(*weights_, start_, history_->block())) return;
  tables_ = near_tables(*weights_, start_, history_->block());
  for (int p = 0; p < slabs_->parts(); ++p) {
    near_[static_cast<std::size_t>(p)].assign(tables_.near);
    near_first_[static_cast<std::size_t>(p)].assign(tables_.first);
  }
}

// The near pass of the sub-block that begins at slot `begin`, to its slots from `from` on.
template <class Numbers>
void Past<Numbers>::near_pass(int begin, int from) {
  if (begin > 0)
    history_->near_pass(tables_, near_, near_first_, begin, from, std::min(begin + sub(), history_->block()));
}

template <class Numbers>
void Past<Numbers>::open_step() {
  if (level_ == 0 || level_ == start_ + history_->block()) begin_block(level_);
  if (slot_number() % sub() == 0) near_pass(slot_number(), slot_number());
}

template <class Numbers>
NearSum<typename Numbers::Slot> Past<Numbers>::near_sum(int part) {
  NearSum<Slot> near;
  const int block = history_->block(), slot = slot_number(), from = slot / sub() * sub();
  const auto take = [&](const Slot* increment, double weight) {
    near.increments[near.count] = increment;
    near.weights[near.count++] = static_cast<Slot>(weight);
  };
  if (from == 0 && start_ > 0 && history_->counts_first())
    take(history_->first().data(part), tables_.first[static_cast<std::size_t>(slot)]);
  near.firsts = near.count;
  for (int i = from; i < slot; ++i)
    take(history_->slot(i).data(part), tables_.near[static_cast<std::size_t>(slot * block + i)]);
  near.by_tables = weights_->media() > 1;
  near.first = {near_first_[static_cast<std::size_t>(part)].data() + slot, block};
  near.table = {near_[static_cast<std::size_t>(part)].data() + slot * block + from, Index{block} * block};
  return near;
}

template <class Numbers>
void Past<Numbers>::archive(StateArchive& archive, SlabField<Field>& c) {
  archive.scalar("level", level_);
  const bool ended = level_ > 0 && level_ == start_ + history_->block();
  if (!archive.restoring() && ended && level_ < weights_->levels().steps()) begin_block(level_);
  archive.scalar("block_start", start_);
  c.archive(archive, "c");
  const int done = slot_number();
  history_->archive(archive, start_, done);
  if (!archive.restoring() || level_ == 0) return;
  set_tables();
  // Slots to come of an open sub-block have had its near pass; those done are increments.
  if (done % sub() != 0) near_pass(done / sub() * sub(), done);
}

template class Past<Fp64>;
template class Past<Mixed>;
template class Past<Fp32>;

}  // namespace halocline::fractional
