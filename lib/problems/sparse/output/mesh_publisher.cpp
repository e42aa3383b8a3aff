#include "lib/problems/sparse/output/mesh_publisher.hpp"

#include <numeric>
#include <utility>

namespace halocline::sparse {

namespace {

// About as many rows as belong to the cells that a part hands over at once.
constexpr Index rows_per_piece = Index{1} << 17;

}  // namespace

MeshPublisher::MeshPublisher(const RowSpacePtr& rows, std::unique_ptr<SourceMesh> mesh)
    : rows_(rows), mesh_(std::move(mesh)), nodes_(rows, mesh_->unknowns()) {
  const Team& team = rows->team();
  const Index parts = team.total_parts();
  pieces_ = 1 + rows->size() / parts / rows_per_piece;
  cells_.assign(static_cast<std::size_t>(parts * pieces_ + 1), 0);
  for (int p = 0; p < team.parts(); ++p)
    for (Index piece = 0; piece < pieces_; ++piece)
      cells_[static_cast<std::size_t>((team.first_part() + p) * pieces_ + piece)] =
          mesh_->cells(team.executor(p), groups(p, piece));
  rows->comm().sum(std::span(cells_));
  std::exclusive_scan(cells_.begin(), cells_.end(), cells_.begin(), Index{0});
}

// The last part has the points without rows too.
Range<1> MeshPublisher::points(int part) const {
  Range<1> own = nodes_.own(part);
  if (rows_->team().first_part() + part + 1 == rows_->team().total_parts()) own.hi[0] += mesh_->fixed_points();
  return own;
}

Range<1> MeshPublisher::groups(int part, Index piece) const {
  const Team& team = rows_->team();
  const Index all = mesh_->groups(), pieces = team.total_parts() * pieces_;
  const Index number = (team.first_part() + part) * pieces_ + piece;
  return {{all * number / pieces}, {all * (number + 1) / pieces}};
}

template <class Make>
void MeshPublisher::give_points(const std::function<void(std::span<const RowsOf<double>>)>& take,
                                const Make& make) const {
  const Team& team = rows_->team();
  std::vector<Array<double, 1>> made;
  std::vector<RowsOf<double>> parts;
  for (int p = 0; p < team.parts(); ++p) {
    made.push_back(make(p));
    parts.push_back({points(p), std::as_const(made.back()).view(), team.executor(p).get()});
  }
  take(parts);
}

template <class T, class Make>
void MeshPublisher::give_cells(const std::function<void(std::span<const RowsOf<T>>)>& take, const Make& make) const {
  const Team& team = rows_->team();
  for (Index piece = 0; piece < pieces_; ++piece) {
    std::vector<Array<T, 1>> made;
    std::vector<RowsOf<T>> parts;
    for (int p = 0; p < team.parts(); ++p) {
      const auto at = static_cast<std::size_t>((team.first_part() + p) * pieces_ + piece);
      made.push_back(make(team.executor(p), groups(p, piece)));
      parts.push_back({{{cells_[at]}, {cells_[at + 1]}}, std::as_const(made.back()).view(), team.executor(p).get()});
    }
    take(parts);
  }
}

void MeshPublisher::publish_mesh(FieldSink& sink) const {
  const Index points_of_rows = rows_->size() / mesh_->unknowns();
  const bool wanted =
      sink.mesh({mesh_->kind(), points_of_rows + mesh_->fixed_points(), cells_.back(), mesh_->length_unit()});
  if (!wanted) return;
  give_points([&](std::span<const RowsOf<double>> parts) { sink.mesh_points(parts); },
              [&](int p) { return mesh_->points(rows_->team().executor(p), points(p)); });
  give_cells<Index>([&](std::span<const RowsOf<Index>> parts) { sink.mesh_cells(parts); },
                    [&](const ExecutorPtr& executor, const Range<1>& of) { return mesh_->corners(executor, of); });
}

void MeshPublisher::publish(FieldSink& sink, const std::string& name, const PartValues& values) const {
  FieldInfo info{name, "1"};
  info.width = mesh_->unknowns();
  const auto whole = nodes_.gather(values);
  give_points([&](std::span<const RowsOf<double>> parts) { sink.on_mesh(info, parts); },
              [&](int p) {
                const ExecutorPtr& executor = rows_->team().executor(p);
                const Index size = points(p).extent(0) * info.width, of_rows = nodes_.own(p).extent(0) * info.width;
                Array<double, 1> made(executor, {size});
                if (of_rows > 0)
                  executor->copy_async(made.view().data, whole[static_cast<std::size_t>(p)].data(),
                                       static_cast<std::size_t>(of_rows) * sizeof(double), Queue::compute);
                const std::vector<double> zeros(static_cast<std::size_t>(size - of_rows), 0.0);
                if (!zeros.empty())
                  executor->copy_in(made.view().data + of_rows, zeros.data(), zeros.size() * sizeof(double));
                return made;
              });
}

void MeshPublisher::publish_parts(FieldSink& sink) const {
  const Team& team = rows_->team();
  give_points(
      [&](std::span<const RowsOf<double>> parts) {
        sink.on_mesh({"part", "1"}, parts);
      },
      [&](int p) {
        const auto count = static_cast<std::size_t>(points(p).extent(0));
        return make_array(team.executor(p), std::vector<double>(count, static_cast<double>(team.first_part() + p)));
      });
}

void MeshPublisher::publish_cell_fields(FieldSink& sink) const {
  const std::vector<FieldInfo> fields = mesh_->cell_fields();
  for (std::size_t n = 0; n < fields.size(); ++n)
    if (sink.wants(fields[n].name))
      give_cells<double>(
          [&](std::span<const RowsOf<double>> parts) { sink.on_mesh(fields[n], parts); },
          [&](const ExecutorPtr& executor, const Range<1>& of) { return mesh_->cell_values(executor, n, of); });
}

}  // namespace halocline::sparse
