#include "lib/problems/diffusion/reactions/stepper.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/format.hpp"
#include "lib/problems/diffusion/boxes/boxes_of.hpp"
#include "lib/problems/diffusion/boxes/edges.hpp"

namespace halocline::diffusion {

ReactionStepper::ReactionStepper(const Context& context, const Reactions& reactions, FormulaPath path)
    : context_(context),
      r_(reactions),
      slabs_(std::make_shared<Slabs<double>>(
          context.comm, context.team, boxes_of(context, r_.fields.front().alone, r_.count()), r_.geometry(),
          SlabRules{.halo = 1,
                    .periodic = r_.fields.front().alone.walls.periodic(r_.geometry().slow_axis()),
                    .periodic_y = r_.fields.front().alone.walls.periodic(1),
                    .fields = r_.count()})),
      rates_of_parts_(static_cast<std::size_t>(context.team.parts())),
      largest_(context.comm, context_.team),
      watch_(r_, context.log) {
  std::vector<SlabField<double>> old_states = SlabField<double>::together(slabs_),
                                 new_states = SlabField<double>::together(slabs_);
  for (std::size_t f = 0; f < r_.fields.size(); ++f) {
    const Formulation& alone = r_.fields[f].alone;
    fields_.push_back(std::make_unique<Field<double>>(context_, alone.stencil, alone.walls, slabs_,
                                                      std::move(old_states[f]), std::move(new_states[f]), 1,
                                                      alone.keeps_source));
    if (alone.keeps_source) fields_.back()->keep_source();
    largest_D_.push_back(alone.diffusivity);
    D_.emplace_back();
    if (!alone.terms.diffusivity) continue;
    D_.back().reset(new Diffusivity{FormulaField(slabs_, *alone.terms.diffusivity),
                                    WallDiffusivity(context_, alone, *fields_.back())});
  }
  for (int p = 0; p < context.team.parts(); ++p)
    parts_.push_back(std::make_unique<ReactionPart>(context.team.executor(p), r_, fields_, p, path));
}

void ReactionStepper::set() {
  for (int f = 0; f < r_.count(); ++f)
    set_to_formula(field(f).old_state(), r_.fields[static_cast<std::size_t>(f)].alone.initial);
  refresh();
}

// Halos of a state that was set as a whole.
void ReactionStepper::refresh() {
  field(0).start_exchange(false);
  field(0).finish_exchange(false);
  current_ = false;
}

void ReactionStepper::archive(StateArchive& state) {
  for (int f = 0; f < r_.count(); ++f) {
    const std::string name = "field_" + r_.fields[static_cast<std::size_t>(f)].name;
    field(f).source() != nullptr ? field(f).archive(state, name) : field(f).old_state().archive(state, name);
  }
  watch_.archive(state);
  if (state.restoring()) refresh();
}

std::string ReactionStepper::summary() const {
  const auto formulas = std::count_if(D_.begin(), D_.end(), [](const auto& D) { return D != nullptr; });
  return std::to_string(r_.count()) + " fields in one pass" +
         (formulas > 0 ? ", D of " + std::to_string(formulas) + " by formula" : std::string());
}

void ReactionStepper::wait() const {
  context_.team.each([&](int p) { context_.team.executor(p)->synchronize(); });
}

Index ReactionStepper::advance(const Clock& clock, Index steps) {
  for (Index n = 0; n < steps; ++n) {
    evaluate({clock.origin, clock.dt, clock.step + n});
    if (!watch_.allows(clock.dt)) {
      watch_.refuse(clock.dt, clock.at(n), largest_D_);
      return n;
    }
    step(clock.at(n), clock.dt);
    watch_.step_made();
    current_ = false;
  }
  return steps;
}

void ReactionStepper::mark(bool /*judged*/) {
  marked_ = watch_;
  for (auto& one : fields_) context_.team.each([&](int p) { one->keep_records(p); });
}

void ReactionStepper::undo(bool made) {
  if (made) {
    for (auto& one : fields_) {
      one->swap_all();
      context_.team.each([&](int p) { one->restore_records(p); });
    }
    for (auto& part : parts_) part->swap();
  }
  watch_.go_back(*marked_);
  current_ = false;
}

// Walls, D and the limit for the step to come. Done already where a step from here was refused.
void ReactionStepper::evaluate(const Clock& clock) {
  const double t = clock.at(0);
  if (current_ && t == time_) return;
  current_ = true;
  time_ = t;
  for (auto& one : fields_) one->set_walls(clock, 1);
  const bool fresh_D = !evaluated_ || r_.moving_D();
  if (fresh_D) evaluate_D(t);
  if (watch_.due()) {
    context_.team.each([&](int p) {
      parts_[static_cast<std::size_t>(p)]->largest_rates(t, rates_of_parts_[static_cast<std::size_t>(p)]);
    });
    ReactionRates all{};
    for (const ReactionRates& one : rates_of_parts_)
      for (std::size_t n = 0; n < all.size(); ++n) all[n] = std::max(all[n], one[n]);
    context_.comm.max(std::span<double>(all));
    watch_.note(all);
    watch_.judge(largest_D_);
  } else if (fresh_D) {
    watch_.judge(largest_D_);
  }
  evaluated_ = true;
}

void ReactionStepper::evaluate_D(double t) {
  for (int f = 0; f < r_.count(); ++f) {
    Diffusivity* D = D_[static_cast<std::size_t>(f)].get();
    if (D == nullptr || (evaluated_ && !D->cells.moving())) continue;
    context_.team.each([&](int p) {
      largest_.start(p);
      D->cells.evaluate_on(p, t, nullptr, slabs_->box_with(p, 1), {.to = largest_.place(p)});
      D->walls.evaluate(p, t, largest_.place(p));
    });
    largest_D_[static_cast<std::size_t>(f)] = largest_.value();
  }
}

// Computes the cells of the new states that neighbors wait for, sends them, computes the others meanwhile, and makes
// the new states the old ones.
void ReactionStepper::step(double t, double dt) {
  const bool open = slabs_->open();
  const auto inside = [&](int p) {
    if (const EdgesAndInside cells = split_edges(field(0).block(p), 1); !empty(cells.inside))
      compute(p, t, dt, cells.inside);
  };
  context_.team.each([&](int p) {
    const EdgesAndInside cells = split_edges(field(0).block(p), 1);
    for (const SlabBox& edge : cells.outer()) compute(p, t, dt, edge);
    if (!open) inside(p);
  });
  field(0).start_exchange(true);
  if (open) context_.team.each(inside);
  field(0).finish_exchange(true);
  for (auto& one : fields_) one->swap_all();
  for (auto& part : parts_) part->swap();
}

void ReactionStepper::compute(int part, double t, double dt, const SlabBox& cells) {
  std::array<ReactingTerms, most_fields> terms;
  const UniformGrid& g = r_.geometry();
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const Formulation& alone = r_.fields[f].alone;
    FluxTerms& flux = terms[f].flux;
    for (int axis = 0; axis < g.dimensions; ++axis)
      flux.k[axis] =
          dt * alone.terms.along[axis] * (D_[f] ? 1 : alone.diffusivity) / (g.spacing[axis] * g.spacing[axis]);
    flux.dt = dt;
    if (fields_[f]->source()) flux.record = fields_[f]->source()->of(part, dt);
    if (!D_[f]) continue;
    terms[f].mean = alone.terms.harmonic ? FaceMean::harmonic : FaceMean::arithmetic;
    flux.D = D_[f]->cells.data(part);
    D_[f]->walls.put(part, flux);
  }
  parts_[static_cast<std::size_t>(part)]->step(terms.data(), t, cells);
}

}  // namespace halocline::diffusion
