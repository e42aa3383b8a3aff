// Reactions: the options of a deck with several fields turned into what the numerics need, with every rule across keys
// checked: c_t = div(D grad c) + S of each field c, S of all fields.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/diffusion/reactions/bound.hpp"

namespace halocline::diffusion {

constexpr int place_and_time = 4;    // variables of programs before the fields: x, y, z, t
constexpr int most_registers = 128;  // of a program, on GPUs

struct ReactingField {
  std::string name, unit;
  // What a single field would have, but for its source: geometry, stencil, walls, diffusivity, terms, initial, exact.
  Formulation alone;
};

struct Reactions {
  std::vector<ReactingField> fields;
  Program sources;            // of x, y, z, t and all fields: a result for each field
  Program rates;              // the entries of ReactionRates, row by row; numbers of place alone are 0 here
  bool moving_rates = false;  // some entry changes with time or a field
  ReactionRates still = {};   // the largest values of the other entries, 0 for those that change
  double rate = 0;            // of the fastest mode at t = 0
  double end = 0, dt = 0, limit = 0;
  Index steps = 0;
  OnLimit on_limit = OnLimit::shorten;
  DataSummary data = {};

  int count() const { return static_cast<int>(fields.size()); }
  const UniformGrid& geometry() const { return fields.front().alone.geometry; }
  const Stencil& stencil() const { return fields.front().alone.stencil; }
  bool moving_D() const;  // D of a field changes with time
};

// Nothing, with faults reported, when something is wrong.
std::optional<Reactions> formulate_reactions(const DiffusionOptions& options, Faults& faults);
// For options that are known to be right; throws DeckError otherwise.
Reactions formulate_reactions(const DiffusionOptions& options);

}  // namespace halocline::diffusion
