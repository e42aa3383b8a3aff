#include "lib/problems/fractional/history/exponential_states.hpp"

#include <cmath>

#include "gpu/launch.hpp"
#include "lib/problems/fractional/history/flush_path.hpp"
#include "lib/problems/fractional/history/host_flush.hpp"
#include "lib/problems/fractional/history/state_names.hpp"

namespace halocline::fractional {

template <class Stored>
ExponentialStates<Stored>::ExponentialStates(const std::shared_ptr<Slabs<Number>>& slabs, const Weights& weights,
                                             int block, double longest, double eps)
    : slabs_(slabs), weights_(&weights), block_(block), kernel_(weights, block, longest, eps) {
  require(kernel_.terms() <= most_states, "ExponentialStates: more exponentials than passes have room for");
  for (int k = 0; k < kernel_.terms(); ++k) states_.emplace_back(slabs);
  const Index terms = std::max(kernel_.terms(), 1);
  for (int p = 0; p < slabs->parts(); ++p) {
    const ExecutorPtr& executor = slabs->team().executor(p);
    tables_.push_back({DeviceTable<Number>(executor, terms), DeviceTable<Number>(executor, terms),
                       DeviceTable<Number>(executor, terms * block),
                       DeviceTable<Number>(executor, terms * block * weights.media())});
  }
  slabs->team().each([&](int p) {
    for (auto& state : states_) clear<Stored>(*slabs_, state, p);
  });
}

template <class Stored>
std::string ExponentialStates<Stored>::summary() const {
  return exponentials_text(kernel_.terms(), kernel_.error(), block_);
}

template <class Stored>
void ExponentialStates<Stored>::set_tables(Index start) {
  if (far_.slots > 0 && repeats(*weights_, start, block_)) return;
  far_ = far_tables(*weights_, kernel_, start, block_);
  std::vector<double> decay = far_.decay;
  for (double& of_state : decay) of_state = DecayOf<Number>::held(of_state);
  for (Tables& of : tables_) {
    of.decay.assign(decay);
    of.from_first.assign(far_.from_first);
    of.into.assign(far_.into);
    of.out.assign(far_.out);
  }
}

// Bounds of what a flush stores, by those of what it reads.
template <class Stored>
void ExponentialStates<Stored>::aim(const Pass& pass) {
  if constexpr (std::is_same_v<Stored, Half>) {
    const auto width = static_cast<std::size_t>(block_), terms = states_.size();
    for (std::size_t k = 0; k < terms && pass.takes; ++k) {
      double bound = std::abs(far_.decay[k]) * states_[k].bound() + std::abs(far_.from_first[k]) * pass.first.bound();
      for (std::size_t j = 0; j < width; ++j) bound += std::abs(far_.into[k * width + j]) * pass.slots[j].bound();
      states_[k].aim(rounded_bound(bound));
    }
    if (pass.takes) pass.first.aim(pass.slots[width - 1].bound());
    for (std::size_t j = 0; j < width; ++j) {
      double most = 0;
      for (std::size_t medium = 0; medium < static_cast<std::size_t>(far_.media); ++medium) {
        double bound = 0;
        for (std::size_t k = 0; k < terms; ++k)
          bound += std::abs(far_.out[(medium * terms + k) * width + j]) * states_[k].bound();
        most = std::max(most, bound);
      }
      pass.slots[j].aim(rounded_bound(most));
    }
  }
}
template <class Stored>
void ExponentialStates<Stored>::settle(const Pass& pass) {
  if constexpr (std::is_same_v<Stored, Half>) {
    for (HalfField& state : states_) state.settle();
    for (HalfField& slot : pass.slots) slot.settle();
    pass.first.settle();
  }
}

template <class Stored>
void ExponentialStates<Stored>::advance(Index start, bool takes, std::span<Field> slots, Field& first,
                                        std::span<const NodeMedium> media) {
  const Pass pass{takes, slots, first};
  set_tables(start);
  aim(pass);
  slabs_->team().each([&](int p) { flush_part(p, pass); });
  settle(pass);
  if (weights_->media() == 1) return;
  slabs_->team().each([&](int p) { media_far(p, pass, media[static_cast<std::size_t>(p)]); });
}

template <class Stored>
void ExponentialStates<Stored>::flush_part(int part, const Pass& pass) {
  const SlabLayout& slab = slabs_->layout(part);
  const Executor& executor = *slabs_->team().executor(part);
  const Tables& t = tables_[static_cast<std::size_t>(part)];
  const FlushTablesOf<Number> tables{kernel_.terms(),     block_,        t.decay.data(),
                                     t.from_first.data(), t.into.data(), t.out.data()};
  const NodeStretches nodes = NodeStretches::of(slab);
  const double values = static_cast<double>(nodes.all()) * (2 * kernel_.terms() + 2 * block_ + 2);
  const Label label{"history flush", sizeof(Stored) * values};
  const auto slots = fields_of<Stored, most_slots>(pass.slots, part);
  const auto states = fields_of<Stored, most_states>(states_, part);
  const auto first = fields_of<Stored, 1>({&pass.first, 1}, part);
  if (pass.takes && plan_flush<Stored>(executor, tables.terms, tables.width))
    return flush<Stored>(executor, label, tables, slots, first, states, nodes);
  if (executor.backend() != Backend::cuda) {
    const HostFlushBody<Stored> body{tables, slots, first, states, pass.takes, nodes};
    return launch_on_host(executor, label, body.tiles(), body);
  }
  with_most_slots(block_, [&](auto most) {
    launch_rows(executor, label, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                FlushBody<most, Stored>{{slab}, tables, slots, first, states, pass.takes});
  });
}

template <class Stored>
void ExponentialStates<Stored>::media_far(int part, const Pass& pass, const NodeMedium& medium) {
  const SlabLayout& slab = slabs_->layout(part);
  const double values = static_cast<double>(slab.lines() * slab.pitch);
  const Label label{"history of media", sizeof(Stored) * values * (kernel_.terms() + block_)};
  with_most_slots(block_, [&](auto most) {
    launch_rows(*slabs_->team().executor(part), label, Range<2>{{0, 0}, {slab.lines(), slab.pitch}},
                MediaFarBody<most, Stored>{{slab, medium},
                                           fields_of<Stored, most_slots>(pass.slots, part),
                                           fields_of<Stored, most_states>(states_, part),
                                           kernel_.terms(),
                                           block_,
                                           tables_[static_cast<std::size_t>(part)].out.data()});
  });
}

template <class Stored>
void ExponentialStates<Stored>::archive(StateArchive& archive) {
  for (std::size_t k = 0; k < states_.size(); ++k)
    states_[k].archive(archive, numbered("state", 3, static_cast<Index>(k) + 1));
}

template class ExponentialStates<double>;
template class ExponentialStates<float>;
template class ExponentialStates<Half>;

}  // namespace halocline::fractional
