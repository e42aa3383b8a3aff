// Boxes of a formulation, for its plan and for its run.
#pragma once

#include "lib/problems/diffusion/formulation.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::diffusion {

/// What a field of a formulation needs of parts, `fields` of them.
BoxNeeds needs_of(const Formulation& formulation, Index fields = 1);

/// For a plan: chosen for the weights of all parts. `columns` 1: slabs, whose rows (planes) go into Plan::partition.
/// A fault of diffusion.grid.parts is reported; throws DeckError where parts do not fit the grid.
BoxPartition plan_boxes(const BoxNeeds& needs, const Formulation& formulation, const std::vector<double>& weights,
                        Faults& faults);

/// What a plan tells of parts.
struct BoxForecast {
  Index thinnest = 0;              // rows (planes) of the slow axis
  Index cells = 0;                 // of the largest part, with `halo` ghosts
  std::size_t message_bytes = 0;   // of a step, at most
  std::vector<std::string> notes;  // of boxes
};
BoxForecast forecast_of(const BoxNeeds& needs, const BoxPartition& boxes, Index halo);

/// For a run: what its plan has chosen.
BoxPartition boxes_of(const Context& context, const Formulation& formulation, Index fields = 1);

}  // namespace halocline::diffusion
