#include "lib/problems/fractional/multigrid/grid_level.hpp"

#include <cmath>

#include "gpu/launch.hpp"
#include "lib/fields/error_kernels.hpp"
#include "lib/fields/measure.hpp"

namespace halocline::fractional {

namespace {

// Of the polynomial of degree 2 that is least from `least` to 2.
std::array<double, 2> chebyshev_factors(double least) {
  const double middle = (2 + least) / 2, half = (2 - least) / 2 * std::sqrt(0.5);
  return {1 / (middle + half), 1 / (middle - half)};
}

// Nodes of a part.
Range<2> nodes_of(const SlabLayout& slab) { return {{0, 0}, {slab.lines(), slab.extent[0]}}; }

Links with_offset(Links links, Index offset) {
  for (auto& of_part : links)
    for (Link& link : of_part) {
      link.send.offset += offset;
      link.recv.offset += offset;
    }
  return links;
}

class SingleSolver final : public multigrid::CoarsestSolver<Real> {
 public:
  explicit SingleSolver(GridLevel& level) : level_(&level) {}
  void solve(const Vector<Real>& /*f*/, Vector<Real>& /*u*/) override { level_->solve_single(); }

 private:
  GridLevel* level_;
};

}  // namespace

GridLevel::GridLevel(const LevelSetup& setup)
    : Level(setup.space),
      grids_(setup.grids),
      planes_(setup.planes),
      common_(setup.common),
      shared_(setup.shared),
      factors_(chebyshev_factors(setup.least)),
      work_(setup.space) {
  for (int p = 0; p < team().parts(); ++p) tables_.push_back(tables_of(setup, team().executor(p)));
  for (int n = 0; n < 4 && !common_; ++n) fields_.emplace_back(setup.space);
  const VectorLayout& layout = space().layout();
  const Index plane = this->plane();
  if (shared_)
    ghosts_ = VectorHalo<Real>(space(), with_offset(slab_links(planes_, team(), plane, 1, setup.axes[2].periodic()),
                                                    layout.room_before(0) - plane));
  if (setup.gathers) to_all_ = multigrid::Gather<Real>(space(), planes_, plane);
}

// One piece of memory for all tables.
GridLevel::PartTables GridLevel::tables_of(const LevelSetup& setup, const ExecutorPtr& executor) {
  std::vector<Real> values;
  const auto add = [&](const std::vector<double>& more) {
    const auto at = static_cast<Index>(values.size());
    for (const double value : more) values.push_back(static_cast<Real>(value));
    return at;
  };
  Index low[3], restriction[3], edge[3], share[3], rest[3];
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = add(setup.axes[a].low());
    restriction[a] = add(setup.axes[a].restriction());
    edge[a] = add(setup.entries[a].edge);
    share[a] = add(setup.entries[a].share);
    rest[a] = add(setup.entries[a].rest);
  }
  PartTables made{make_array(executor, values), {}, {}};
  const Real* const data = made.values.view().data;
  AxisTransfer* const transfers[3] = {&made.transfer.x, &made.transfer.y, &made.transfer.z};
  AxisTable* const tables[3] = {&made.common.x, &made.common.y, &made.common.z};
  for (std::size_t a = 0; a < 3; ++a) {
    *transfers[a] = {data + low[a], data + restriction[a], setup.axes[a].coarse_rows(), setup.axes[a].halved() ? 1 : 0};
    *tables[a] = {data + edge[a], data + share[a], data + rest[a]};
  }
  return made;
}

// Calls launch(executor, grid, entries, part) for every part.
template <class Launch>
void GridLevel::with_entries(const Launch& launch) {
  team().each([&](int p) {
    const LevelGrid& grid = grids_[static_cast<std::size_t>(p)];
    const Executor& executor = *team().executor(p);
    if (!common_) {
      const auto field = [&](Field of) { return fields_[of].part(p).data; };
      return launch(executor, grid, OwnEntries{field(along_x), field(along_y), field(along_z), field(mass)}, p);
    }
    CommonEntries entries = tables_[static_cast<std::size_t>(p)].common;
    entries.inverse_nu = inverse_nu_;
    launch(executor, grid, entries, p);
  });
}

void GridLevel::first_sweep(double factor) {
  with_entries([&](const Executor& executor, const LevelGrid& grid, const auto& entries, int p) {
    launch_rows(executor, "first sweep of multigrid", nodes_of(grid.slab),
                FirstSweepBody<std::decay_t<decltype(entries)>>{{grid, entries, f().part(p).data, u().part(p).data},
                                                                static_cast<Real>(factor)});
  });
}

void GridLevel::sweep(double factor) {
  ghosts_.exchange(u());
  with_entries([&](const Executor& executor, const LevelGrid& grid, const auto& entries, int p) {
    launch_rows(
        executor, "sweep of multigrid", nodes_of(grid.slab),
        SweepBody<std::decay_t<decltype(entries)>>{
            {grid, entries, f().part(p).data, work_.part(p).data}, static_cast<Real>(factor), u().part(p).data});
  });
  u().swap(work_);
}

void GridLevel::pre_smooth(bool from_zero) {
  if (from_zero) {
    first_sweep(factors_[0]);
  } else {
    sweep(factors_[0]);
  }
  sweep(factors_[1]);
}

void GridLevel::post_smooth() {
  sweep(factors_[1]);
  sweep(factors_[0]);
}

void GridLevel::solve_single() { first_sweep(1); }

SlabLayout GridLevel::computed(int part, const GridLevel& coarser) const {
  SlabLayout slab = coarser.grids_[static_cast<std::size_t>(part)].slab;
  if (!shared_ || coarser.shared_) return slab;
  const Range<1> own = coarser.planes_.block(team().first_part() + part);
  slab.first = own.lo[0];
  slab.extent[2] = own.size();
  return slab;
}

Index GridLevel::offset(int part, const GridLevel& coarser) const {
  return shared_ && !coarser.shared_ ? computed(part, coarser).first * computed(part, coarser).plane : 0;
}

// to = P^T of
void GridLevel::restrict_field(const Vector<Real>& of, GridLevel& coarser, Vector<Real>& to) {
  team().each([&](int p) {
    const auto n = static_cast<std::size_t>(p);
    const SlabLayout slab = computed(p, coarser);
    launch_rows(
        *team().executor(p), "restrict", nodes_of(slab),
        RestrictBody{grids_[n], slab, tables_[n].transfer, of.part(p).data, to.part(p).data + offset(p, coarser)});
  });
}

void GridLevel::restrict_to(Level& coarser) {
  ghosts_.exchange(u());
  with_entries([&](const Executor& executor, const LevelGrid& grid, const auto& entries, int p) {
    launch_rows(executor, "residual of multigrid", nodes_of(grid.slab),
                LevelResidualBody<std::decay_t<decltype(entries)>>{
                    {grid, entries, f().part(p).data, work_.part(p).data}, u().part(p).data});
  });
  ghosts_.exchange(work_);
  restrict_field(work_, static_cast<GridLevel&>(coarser), coarser.f());
}

void GridLevel::correct_from(Level& coarser) {
  auto& from = static_cast<GridLevel&>(coarser);
  from.ghosts_.exchange(from.u());
  team().each([&](int p) {
    const auto n = static_cast<std::size_t>(p);
    launch_rows(*team().executor(p), "prolong", nodes_of(grids_[n].slab),
                ProlongBody{grids_[n], from.grids_[n], tables_[n].transfer, from.u().part(p).data, u().part(p).data});
  });
}

void GridLevel::complete(Vector<Real>& of) {
  ghosts_.exchange(of);
  to_all_.exchange(of);
}

void GridLevel::set_edges(const std::vector<FirstEntries>& of, double scale) {
  team().each([&](int p) {
    const auto n = static_cast<std::size_t>(p);
    const auto field = [&](Field to) { return fields_[to].part(p).data; };
    launch_rows(*team().executor(p), "edges", nodes_of(grids_[n].slab),
                FirstEdgesBody{{}, of[n], scale, {field(along_x), field(along_y), field(along_z)}});
  });
  for (const Field axis : {along_x, along_y, along_z}) complete(fields_[axis]);
}

void GridLevel::set_masses(const std::vector<FirstEntries>& of, double scale, const std::vector<NodeValue>& nu) {
  team().each([&](int p) {
    const auto n = static_cast<std::size_t>(p);
    launch_rows(*team().executor(p), "masses", nodes_of(grids_[n].slab),
                FirstMassBody{{}, of[n], scale, nu[n], fields_[mass].part(p).data});
  });
  complete(fields_[mass]);
}

void GridLevel::make_edges_of(GridLevel& coarser) {
  team().each([&](int p) {
    const auto n = static_cast<std::size_t>(p);
    const SlabLayout slab = computed(p, coarser);
    CoarseEdgesBody body{{}, grids_[n], slab, tables_[n].transfer, {}, {}};
    for (const Field axis : {along_x, along_y, along_z}) {
      body.of[axis] = fields_[axis].part(p).data;
      body.to[axis] = coarser.fields_[axis].part(p).data + offset(p, coarser);
    }
    launch_rows(*team().executor(p), "edges", nodes_of(slab), body);
  });
  for (const Field axis : {along_x, along_y, along_z}) coarser.complete(coarser.fields_[axis]);
}

void GridLevel::make_masses_of(GridLevel& coarser) {
  restrict_field(fields_[mass], coarser, coarser.fields_[mass]);
  coarser.complete(coarser.fields_[mass]);
}

// Four sweeps and the residual, with f and u, and with fields where there are any; f of the next level.
double GridLevel::bytes() const {
  double nodes = 0;
  for (const LevelGrid& grid : grids_) nodes += static_cast<double>(grid.slab.lines() * grid.slab.extent[0]);
  return sizeof(Real) * nodes * 5 * (3 + (common_ ? 0 : 4));
}

double largest_edge(const Slabs<double>& slabs, const std::vector<FirstEntries>& of) {
  return largest_of_parts(slabs, [&](int p) {
    return reduce(*slabs.team().executor(p), "largest edge", nodes_of(slabs.layout(p)), 0.0, Larger{},
                  LargestEdgeBody{of[static_cast<std::size_t>(p)]});
  });
}

std::unique_ptr<multigrid::CoarsestSolver<Real>> make_single_solver(GridLevel& level) {
  return std::make_unique<SingleSolver>(level);
}

}  // namespace halocline::fractional
