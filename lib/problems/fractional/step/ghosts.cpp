#include "lib/problems/fractional/step/ghosts.hpp"

#include "gpu/launch.hpp"
#include "lib/problems/fractional/step/ghost_kernels.hpp"

namespace halocline::fractional {

namespace {

template <class T>
GhostLines ghost_lines(const Slabs<T>& slabs, int part) {
  const SlabLayout& slab = slabs.layout(part);
  const SlabBox with = slabs.box_with(part, 1);
  GhostLines ghosts;
  if (with.rows.lo < 0) ghosts.add(slab.extent[1], slab.offset(-1, 0, 0), slab.pitch);
  if (with.rows.hi > slab.extent[2]) ghosts.add(slab.extent[1], slab.offset(slab.extent[2], 0, 0), slab.pitch);
  if (with.along_y.lo < 0) ghosts.add(slab.extent[2], slab.offset(0, -1, 0), slab.plane);
  if (with.along_y.hi > slab.extent[1]) ghosts.add(slab.extent[2], slab.offset(0, slab.extent[1], 0), slab.plane);
  return ghosts;
}

}  // namespace

template <class Numbers>
void Ghosts<Numbers>::start(const LevelNumbers& n, SlabField<Field>& c, Past<Numbers>& past) {
  if (!grow(n)) c.start_exchange();
  if (n.ratio > 0) past.last().start_exchange();
}

template <class Numbers>
void Ghosts<Numbers>::finish(const LevelNumbers& n, SlabField<Field>& c, Past<Numbers>& past) {
  if (!grow(n)) c.finish_exchange();
  if (n.ratio > 0) past.last().finish_exchange();
  if (grow(n)) {
    const Slabs<Field>& slabs = c.slabs();
    slabs.team().each([&](int p) {
      using Slot = typename Numbers::Slot;
      const GhostLines ghosts = ghost_lines(slabs, p);
      if (ghosts.lines == 0) return;
      const Range<2> nodes{{0, 0}, {ghosts.lines, slabs.layout(p).extent[0]}};
      const double bytes = static_cast<double>(nodes.size()) * (2 * sizeof(Field) + sizeof(Slot));
      launch_rows(*slabs.team().executor(p), {"ghosts", bytes}, nodes,
                  GrowGhostsBody<Field, Slot>{{}, ghosts, c.data(p), past.last().data(p)});
    });
  }
  known_ = true;
}

template class Ghosts<Fp64>;
template class Ghosts<Mixed>;
template class Ghosts<Fp32>;

}  // namespace halocline::fractional
