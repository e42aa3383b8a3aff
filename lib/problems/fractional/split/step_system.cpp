#include "lib/problems/fractional/split/step_system.hpp"

#include "gpu/launch.hpp"
#include "lib/fields/measure.hpp"
#include "lib/problems/fractional/split/system_kernels.hpp"

namespace halocline::fractional {

namespace {

// A group is a line along x with what lies behind it; the planes beyond either end are room for ghosts. In boxes lines
// of ghosts along y are groups as well, of zeros.
VectorSpacePtr space_of(const Slabs<double>& slabs) {
  VectorLayout layout;
  layout.lane_is_chunk = false;
  layout.rows = slabs.layout(0).pitch / lanes;
  for (int p = 0; p < slabs.parts(); ++p) {
    const SlabLayout& slab = slabs.layout(p);
    layout.groups.push_back(slab.lines() + (slab.extent[2] - 1) * 2 * slab.rim);
    layout.before.push_back(slab.origin());
    layout.behind.push_back(slab.origin());
  }
  return std::make_shared<VectorSpace>(slabs.comm(), slabs.team(), layout);
}

template <class T, class Of>
PartValuesOf<T> collect(int parts, const Of& of) {
  PartValuesOf<T> values(static_cast<std::size_t>(parts));
  for (int p = 0; p < parts; ++p) values[static_cast<std::size_t>(p)] = of(p);
  return values;
}

template <class T>
T* at(const PartValuesOf<T>& values, int part) {
  return values[static_cast<std::size_t>(part)];
}

}  // namespace

template <class T>
PartValuesOf<T> values_of(SlabField<T>& field) {
  return collect<T>(field.slabs().parts(), [&](int p) { return field.data(p); });
}

PartValues values_of(Vector<double>& vector) {
  return collect<double>(vector.space().team().parts(), [&](int p) { return vector.part(p).data; });
}

PartValues values_for_ghosts(const Vector<double>& vector) {
  const VectorLayout& layout = vector.space().layout();
  return collect<double>(vector.space().team().parts(),
                         [&](int p) { return vector.whole_for_ghosts(p).data + layout.room_before(p); });
}

StepSystem::StepSystem(const std::shared_ptr<Slabs<double>>& slabs, const Coefficients& coefficients,
                       const StepFactors& factors)
    : slabs_(slabs), coefficients_(&coefficients), factors_(&factors), space_(space_of(*slabs)) {}

void StepSystem::exchange(const PartValues& values) const {
  const std::vector<const double*> own(values.begin(), values.end());
  slabs_->start_exchange(own);
  slabs_->finish_exchange(values);
}

void StepSystem::forget_ghosts(const PartValues& values) const {
  if (!slabs_->boxes().cut_along_y()) return;
  slabs_->team().each([&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    launch_rows(*slabs_->team().executor(p), "ghosts", Range<2>{{0, 0}, {slab.extent[2], 2 * slab.rim * slab.pitch}},
                ClearGhostsBody{{}, slab, at(values, p)});
  });
}

// Launches make(stencil, part) over the nodes of every part, or over their rows as they lie in memory.
template <class Make>
void StepSystem::each(const char* name, bool whole_rows, const Make& make) const {
  coefficients_->with_rows([&](const auto& rows_of) {
    slabs_->team().each([&](int p) {
      const SlabLayout& slab = slabs_->layout(p);
      const auto x = rows_of(p, 0);
      const Stencil<std::decay_t<decltype(x)>> stencil{slab, x, rows_of(p, 1), rows_of(p, 2)};
      launch_rows(*slabs_->team().executor(p), name,
                  Range<2>{{0, 0}, {slab.lines(), whole_rows ? slab.pitch : slab.extent[0]}}, make(stencil, p));
    });
  });
}

// Sets `out` to value(part) at unknowns, to 0 elsewhere.
template <class T, class Value>
void StepSystem::each_unknown(const char* name, const PartValuesOf<T>& out, const Value& value) const {
  each(name, false, [&](const auto& stencil, int p) {
    return UnknownsBody<std::decay_t<decltype(stencil.x)>, decltype(value(p)), T>{{}, stencil, value(p), at(out, p)};
  });
}

template <class T>
void StepSystem::residual(const PartValues& right, const PartValues& u, const PartValuesOf<T>& out) const {
  each_unknown("residual of sweeps", out, [&](int p) {
    return ResidualValue{factors_->nu(p), right.empty() ? nullptr : at(right, p), at(u, p)};
  });
}

void StepSystem::apply(const PartValues& u, const PartValues& y) const {
  each_unknown("unsplit product", y, [&](int p) { return SystemValue{factors_->nu(p), at(u, p)}; });
}

template <class T>
void StepSystem::make_right(const PartValuesOf<T>& u, const PartValues& b) const {
  each_unknown("unsplit right side", b, [&](int p) {
    return SystemRightValue<T>{factors_->nu(p), at(b, p), at(u, p)};
  });
}

void StepSystem::precondition(const PartValues& x, const PartValues& y) const {
  each_unknown("unsplit diagonal", y, [&](int p) { return PreconditionedValue{factors_->nu(p), at(x, p)}; });
}

void StepSystem::randomize(int stream, const PartValues& to) const {
  each_unknown("probe start", to, [&](int) { return RandomValue{static_cast<std::uint64_t>(stream)}; });
}

template <class From, class To>
void StepSystem::take(const PartValuesOf<From>& from, const PartValuesOf<To>& to, bool unknowns_only) const {
  each("unsplit take", true, [&](const auto& stencil, int p) {
    return TakeBody<std::decay_t<decltype(stencil.x)>, From, To>{{}, stencil, at(from, p), at(to, p), unknowns_only};
  });
}

template <class T>
void StepSystem::clear(const PartValuesOf<T>& to) const {
  each("unsplit clear", true, [&](const auto& stencil, int p) {
    return TakeBody<std::decay_t<decltype(stencil.x)>, T, T>{{}, stencil, nullptr, at(to, p), false};
  });
}

template <class T>
void StepSystem::put(const PartValues& from, const PartValuesOf<T>& to) const {
  each("unsplit put", false, [&](const auto& stencil, int p) {
    return PutBody<std::decay_t<decltype(stencil.x)>, T>{{}, stencil, at(from, p), at(to, p)};
  });
}

template <class Numbers>
void StepSystem::update(const std::vector<UpdateOf<Numbers>>& updates) const {
  slabs_->team().each([&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    launch_rows(*slabs_->team().executor(p), "update", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                UpdateNodeBody<UpdateOf<Numbers>>{{}, slab, updates[static_cast<std::size_t>(p)]});
  });
}

template <class Make>
double StepSystem::largest_of(const char* name, const Make& make) const {
  return largest_of_parts(*slabs_, [&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    return reduce(*slabs_->team().executor(p), name, Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}}, 0.0, Larger{},
                  make(slab, p));
  });
}

template <class T>
double StepSystem::largest(const PartValuesOf<T>& u) const {
  return largest_of("largest", [&](const SlabLayout& slab, int p) { return MagnitudeBody<T>{slab, at(u, p)}; });
}

// Of value(part) at unknowns.
template <class Value>
double StepSystem::largest_of_unknowns(const char* name, const Value& value) const {
  double most = 0;
  coefficients_->with_rows([&](const auto& rows_of) {
    most = largest_of(name, [&](const SlabLayout& slab, int p) {
      const auto x = rows_of(p, 0);
      using Axis = std::decay_t<decltype(x)>;
      return UnknownMagnitudeBody<Axis, decltype(value(p))>{{slab, x, rows_of(p, 1), rows_of(p, 2)}, value(p)};
    });
  });
  return most;
}

template <class T>
double StepSystem::largest_unknown(const PartValuesOf<T>& u) const {
  return largest_of_unknowns("largest", [&](int p) { return OwnValue<T>{at(u, p)}; });
}

template <class T>
double StepSystem::error_bound(const PartValuesOf<T>& r) const {
  return largest_of_unknowns("error bound", [&](int p) { return BoundValue<T>{factors_->nu(p), at(r, p)}; });
}

double StepSystem::stiffness() const {
  return largest_of_unknowns("stiffness", [&](int p) { return StiffnessValue{factors_->nu(p)}; });
}

double StepSystem::largest_correction(const PartValues& b, const PartValues& u) const {
  return largest_of_unknowns("unsplit correction", [&](int p) {
    return CorrectionValue{{factors_->nu(p), at(u, p)}, at(b, p)};
  });
}

Index StepSystem::place_of_largest(const PartValues& u) const {
  const double most = largest(u);
  const Index least = -largest_of_parts(*slabs_, [&](int p) {
    const SlabLayout& slab = slabs_->layout(p);
    return -reduce(*slabs_->team().executor(p), "place of largest", Range<2>{{0, 0}, {slab.lines(), slab.extent[0]}},
                   PlaceOfBody::none, Lesser{}, PlaceOfBody{slab, at(u, p), most, slabs_->grid().extent[1]});
  });
  return least == PlaceOfBody::none ? 0 : least;
}

template <class Numbers>
double StepSystem::largest_state(const std::vector<UpdateOf<Numbers>>& updates) const {
  return largest_of("largest state", [&](const SlabLayout& slab, int p) {
    return StateMagnitudeBody<UpdateOf<Numbers>>{slab, updates[static_cast<std::size_t>(p)]};
  });
}

template PartValuesOf<double> values_of(SlabField<double>&);
template PartValuesOf<float> values_of(SlabField<float>&);
template double StepSystem::largest_unknown(const PartValuesOf<double>&) const;
template double StepSystem::largest_unknown(const PartValuesOf<float>&) const;
template double StepSystem::error_bound(const PartValuesOf<double>&) const;
template double StepSystem::error_bound(const PartValuesOf<float>&) const;
template void StepSystem::residual(const PartValues&, const PartValues&, const PartValuesOf<double>&) const;
template void StepSystem::residual(const PartValues&, const PartValues&, const PartValuesOf<float>&) const;
template void StepSystem::make_right(const PartValuesOf<double>&, const PartValues&) const;
template void StepSystem::make_right(const PartValuesOf<float>&, const PartValues&) const;
template void StepSystem::take(const PartValuesOf<double>&, const PartValuesOf<double>&, bool) const;
template void StepSystem::take(const PartValuesOf<double>&, const PartValuesOf<float>&, bool) const;
template void StepSystem::take(const PartValuesOf<float>&, const PartValuesOf<double>&, bool) const;
template void StepSystem::clear(const PartValuesOf<double>&) const;
template void StepSystem::clear(const PartValuesOf<float>&) const;
template void StepSystem::put(const PartValues&, const PartValuesOf<double>&) const;
template void StepSystem::put(const PartValues&, const PartValuesOf<float>&) const;
template double StepSystem::largest(const PartValuesOf<double>&) const;
template double StepSystem::largest(const PartValuesOf<float>&) const;
template void StepSystem::update(const std::vector<UpdateOf<Fp64>>&) const;
template void StepSystem::update(const std::vector<UpdateOf<Mixed>>&) const;
template void StepSystem::update(const std::vector<UpdateOf<Fp32>>&) const;
template double StepSystem::largest_state(const std::vector<UpdateOf<Fp64>>&) const;
template double StepSystem::largest_state(const std::vector<UpdateOf<Mixed>>&) const;
template double StepSystem::largest_state(const std::vector<UpdateOf<Fp32>>&) const;

}  // namespace halocline::fractional
