#include "lib/linalg/vector.hpp"

#include <cmath>

#include "gpu/launch.hpp"
#include "lib/linalg/vector_kernels.hpp"

namespace halocline {

VectorSpace::VectorSpace(const Communicator& comm, const Team& team, VectorLayout layout)
    : comm_(&comm), team_(&team), layout_(std::move(layout)), sums_(2 * static_cast<std::size_t>(team.parts())) {
  require(static_cast<int>(layout_.groups.size()) == team.parts(), "VectorSpace: one group count per part");
  require(layout_.rows % 2 == 0, "VectorSpace: rows must be even");
}

void VectorSpace::clear_sums() const {
  for (auto& sum : sums_) sum = ExactSum{};
}

std::array<double, 2> VectorSpace::join_sums() const {
  for (std::size_t i = 2; i < sums_.size(); ++i) sums_[i % 2].add(sums_[i]);
  comm_->sum(std::span<ExactSum>(sums_.data(), 2));
  return {sums_[0].value(), sums_[1].value()};
}

Vector::Vector(VectorSpacePtr space) : space_(std::move(space)) {
  const Team& team = space_->team();
  for (int part = 0; part < team.parts(); ++part)
    parts_.emplace_back(team.executor(part),
                        std::array<Index, 1>{space_->layout().groups[part] * space_->layout().group_size()});
  fill(*this, 0);
}

namespace {

// A GPU wants tens of thousands of threads, the host whole columns.
vector_kernels::Rows rows_of(const VectorSpace& space, int part) {
  const Index rows = space.layout().rows;
  const bool gpu = space.team().executor(part)->backend() == Backend::cuda;
  return gpu ? vector_kernels::Rows{rows, 512, 32} : vector_kernels::Rows{rows, rows, 1};
}

void check_same_space(const Vector& a, const Vector& b) {
  require(&a.space() == &b.space(), "vectors of different spaces");
}

}  // namespace

void fill(Vector& x, double value) {
  x.space().team().each([&](int part) {
    const auto values = x.part(part);
    launch(*x.space().team().executor(part), "fill", Range<1>{{0}, {values.size()}},
           vector_kernels::FillBody{values.data, value});
  });
}

void copy(const Vector& from, Vector& to) {
  check_same_space(from, to);
  from.space().team().each([&](int part) {
    const auto source = from.part(part);
    from.space().team().executor(part)->copy_async(
        to.part(part).data, source.data, static_cast<std::size_t>(source.size()) * sizeof(double), Queue::compute);
  });
}

void axpy(double a, const Vector& x, Vector& y) {
  check_same_space(x, y);
  const VectorSpace& space = x.space();
  space.team().each([&](int part) {
    const auto rows = rows_of(space, part);
    launch_lanes(*space.team().executor(part), "axpy", space.layout().groups[part], rows.pieces(),
                 vector_kernels::AxpyBody{a, x.part(part).data, y.part(part).data, rows});
  });
}

void direction(const Vector& r, double b, double c, const Vector& v, Vector& p) {
  check_same_space(r, p);
  check_same_space(v, p);
  const VectorSpace& space = p.space();
  space.team().each([&](int part) {
    const auto rows = rows_of(space, part);
    launch_lanes(*space.team().executor(part), "direction", space.layout().groups[part], rows.pieces(),
                 vector_kernels::DirectionBody{b, c, r.part(part).data, v.part(part).data, p.part(part).data, rows});
  });
}

std::array<double, 2> dots(const Vector& x, const Vector& y) {
  check_same_space(x, y);
  const VectorSpace& space = x.space();
  const VectorLayout& layout = space.layout();
  space.clear_sums();
  space.team().each([&](int part) {
    const auto rows = rows_of(space, part);
    sum_lanes<2>(*space.team().executor(part), "dots", layout.groups[part], rows.pieces(),
                 vector_kernels::DotsBody{x.part(part).data, y.part(part).data, rows, layout.lane_is_chunk},
                 space.sums(part));
  });
  return space.join_sums();
}

double norm(const Vector& x) { return std::sqrt(dots(x, x)[1]); }

std::array<double, 2> update(double a, const Vector& p, double o, const Vector& t, Vector& x, Vector& s,
                             const Vector& w) {
  for (const Vector* other : {&p, &t, static_cast<const Vector*>(&x), &w}) check_same_space(s, *other);
  const VectorSpace& space = s.space();
  const VectorLayout& layout = space.layout();
  space.clear_sums();
  space.team().each([&](int part) {
    const auto rows = rows_of(space, part);
    sum_lanes<2>(*space.team().executor(part), "update", layout.groups[part], rows.pieces(),
                 vector_kernels::UpdateBody{a, o, p.part(part).data, t.part(part).data, w.part(part).data,
                                            x.part(part).data, s.part(part).data, rows, layout.lane_is_chunk},
                 space.sums(part));
  });
  return space.join_sums();
}

}  // namespace halocline
