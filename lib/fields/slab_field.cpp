#include "lib/fields/slab_field.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/packed_archive.hpp"

namespace halocline {

template <class T>
SlabField<T>::SlabField(std::shared_ptr<Slabs<T>> slabs) : slabs_(std::move(slabs)) {
  for (int p = 0; p < slabs_->parts(); ++p) {
    memory_.push_back(std::make_shared<Array<T, 1>>(slabs_->team().executor(p), std::array{slabs_->size(p)}));
    data_.push_back(memory_.back()->view().data + slabs_->origin(p));
  }
}

template <class T>
std::vector<SlabField<T>> SlabField<T>::together(const std::shared_ptr<Slabs<T>>& slabs) {
  std::vector<SlabField> fields;
  for (int n = 0; n < slabs->fields(); ++n) fields.push_back(SlabField(slabs, Empty{}));
  for (int p = 0; p < slabs->parts(); ++p) {
    const Index stride = slabs->stride(p), all = static_cast<Index>(fields.size()) * stride;
    const auto memory = std::make_shared<Array<T, 1>>(slabs->team().executor(p), std::array{all});
    for (std::size_t n = 0; n < fields.size(); ++n) {
      fields[n].memory_.push_back(memory);
      fields[n].data_.push_back(memory->view().data + static_cast<Index>(n) * stride + slabs->origin(p));
    }
  }
  return fields;
}

template <class T>
void SlabField<T>::swap(SlabField& other, int part) {
  std::swap(memory_[static_cast<std::size_t>(part)], other.memory_[static_cast<std::size_t>(part)]);
  std::swap(data_[static_cast<std::size_t>(part)], other.data_[static_cast<std::size_t>(part)]);
}

template <class T>
void SlabField<T>::start_exchange() {
  slabs_->start_exchange(data_);
}

template <class T>
void SlabField<T>::finish_exchange() {
  slabs_->finish_exchange(data_);
}

template <class T>
View<const T, 3> SlabField<T>::view(int part) const {
  const SlabLayout& slab = layout(part);
  View<const T, 3> view(data(part), slab.extent[2], slab.extent[1], slab.extent[0]);
  view.stride[0] = slab.plane;
  view.stride[1] = slab.pitch;
  return view;
}

template <class T>
std::vector<double> SlabField<T>::read(int part, const SlabRows& rows) const {
  const SlabLayout& slab = layout(part);
  std::vector<T> raw(static_cast<std::size_t>((rows.hi - rows.lo) * slab.slow_stride()));
  if (!raw.empty())
    slabs_->team().executor(part)->copy_out(raw.data(), data(part) + rows.lo * slab.slow_stride(),
                                            raw.size() * sizeof(T));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(slab.count(rows)));
  for (Index n = 0; n < (rows.hi - rows.lo) * slab.inner(); ++n) {
    const T* line = raw.data() + slab.line(n);
    values.insert(values.end(), line, line + slab.extent[0]);
  }
  return values;
}

template <class T>
void SlabField<T>::write(int part, const SlabRows& rows, const std::vector<double>& values) {
  const SlabLayout& slab = layout(part);
  require(static_cast<Index>(values.size()) == slab.count(rows), "SlabField::write: sizes differ");
  std::vector<T> raw(static_cast<std::size_t>((rows.hi - rows.lo) * slab.slow_stride()), T{0});
  const double* from = values.data();
  for (Index n = 0; n < (rows.hi - rows.lo) * slab.inner(); ++n, from += slab.extent[0])
    std::copy(from, from + slab.extent[0], raw.data() + slab.line(n));
  if (!raw.empty())
    slabs_->team().executor(part)->copy_in(data(part) + rows.lo * slab.slow_stride(), raw.data(),
                                           raw.size() * sizeof(T));
}

// The lines of a slab lie one behind the other in the grid, those of a box plane by plane. A part without lines takes
// part as well.
void archive_lines(StateArchive& state, const std::string& name, const SlabLayout& slab, const SlabRows& rows,
                   const UniformGrid& grid, Index width, View<double, 1> values, const Executor& executor) {
  if (slab.extent[0] < grid.extent[0]) {
    const Range<2> box{{slab.first + rows.lo, slab.first_column},
                       {slab.first + rows.hi, slab.first_column + slab.extent[0]}};
    auto* pieces = dynamic_cast<ArchivePieces*>(&state);
    require(width == grid.extent[0] && pieces != nullptr, "archive_lines: lines are cut");
    return pieces->piece(name.c_str(), grid.extent[1], width, box, values, executor);
  }
  const bool deep = slab.dimensions == 3, whole = !deep || slab.extent[1] == grid.extent[1];
  const Index lines = (rows.hi - rows.lo) * slab.inner();
  const Index total = grid.extent[1] * grid.extent[2], count = whole ? lines : slab.extent[1];
  Index n = 0;
  do {
    const Index first = count > 0 ? slab.global_line(rows.lo * slab.inner() + n, grid.extent[1]) : 0;
    state.block(name.c_str(), total, width, {{first}, {first + count}},
                View<double, 1>(values.data + n * width, count * width), executor);
    n += count;
  } while (n < lines);
}

template <class T>
void SlabField<T>::archive(StateArchive& state, const std::string& name) {
  const ExecutorPtr host = make_omp_executor(1);
  for (int p = 0; p < slabs_->parts(); ++p)
    each_rows(layout(p), [&](const SlabRows& rows) {
      std::vector<double> values = read(p, rows);
      archive_lines(state, name, layout(p), rows, slabs_->grid(), slabs_->grid().extent[0],
                    View<double, 1>(values.data(), static_cast<Index>(values.size())), *host);
      if (state.restoring()) write(p, rows, values);
    });
}

template class SlabField<double>;
template class SlabField<float>;

}  // namespace halocline
