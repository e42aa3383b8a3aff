#include "lib/linalg/sparse/products/held_rows.hpp"

#include <iterator>
#include <numeric>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/products/fetch_kernels.hpp"
#include "lib/linalg/sparse/products/held_kernels.hpp"
#include "mpi/exchange.hpp"

namespace halocline::sparse {
namespace {

// As many rows as every part has own ones and others.
RowSpacePtr space_with(const RowSpace& rows, const std::vector<std::vector<Index>>& others) {
  std::vector<Index> counts;
  for (int p = 0; p < rows.team().parts(); ++p)
    counts.push_back(rows.own_size(p) + static_cast<Index>(others[static_cast<std::size_t>(p)].size()));
  std::vector<Index> starts{0};
  for (const Index count : gather_lists(rows.comm(), counts).values) starts.push_back(starts.back() + count);
  return std::make_shared<RowSpace>(rows.comm(), rows.team(), Partition::from_starts(std::move(starts)));
}

// From one numbering of a part's columns to another, which has more ghosts.
class Renumbering {
 public:
  Renumbering(const ExecutorPtr& executor, const Range<1>& own, const Ghosts& old, const std::vector<Index>& ghosts)
      : executor_(executor),
        list_(make_array(executor, ghosts)),
        global_(global_numbers(executor, own, old)),
        set_(executor, own, ghosts.empty() ? own : Range<1>{{ghosts.front()}, {ghosts.back() + 1}},
             [&](const GhostMarks& marks) { mark_list(*executor, list_, marks); }) {}
  ~Renumbering() { executor_->synchronize(); }  // all of it is in use until then
  Renumbering(const Renumbering&) = delete;
  Renumbering& operator=(const Renumbering&) = delete;

  const Ghosts& ghosts() const { return set_.ghosts(); }
  void run(const View<const LocalIndex, 1>& from, LocalIndex* to) const {
    launch(*executor_, {"renumber columns", 8.0 * static_cast<double>(from.size())}, up_to(from.size()),
           RenumberBody{from, global_.view(), set_.numbering(), View<LocalIndex, 1>(to, from.size())});
  }

 private:
  ExecutorPtr executor_;
  Array<Index, 1> list_;
  GlobalNumbers global_;
  GhostSet set_;
};

void copy_values(const Executor& executor, const View<const double, 1>& from, double* to) {
  executor.copy_async(to, from.data, static_cast<std::size_t>(from.size()) * sizeof(double), Queue::compute);
}

}  // namespace

HeldRows::HeldRows(const DistCrs& a, const DistCrs& user) : others_(ghost_rows(user)), fetch_(a, user) {
  std::vector<LocalRows> parts(others_.size());
  a.team().each([&](int p) { parts[p] = joined(a, p); });
  matrix_ = std::make_unique<DistCrs>(space_with(a.rows(), others_), a.columns_pointer(), std::move(parts));
}

LocalRows HeldRows::joined(const DistCrs& a, int part) const {
  const ExecutorPtr& executor = a.team().executor(part);
  const CrsView<double> own = fetch_.own(a, part), fetched = fetch_.view(part);
  std::vector<Index> ghosts = fetch_.ghosts(part).rows;
  if (a.rows_pointer() == a.columns_pointer()) {
    std::vector<Index> all;
    std::set_union(ghosts.begin(), ghosts.end(), others(part).begin(), others(part).end(), std::back_inserter(all));
    ghosts = std::move(all);
  }
  const Renumbering numbers(executor, a.columns().own(part), fetch_.ghosts(part), ghosts);
  const Index rows = own.rows() + fetched.rows(), entries = own.entries() + fetched.entries();
  Crs<double> to{{executor, {rows + 1}}, {executor, {entries}}, {executor, {entries}}};
  launch(*executor, "length of rows", up_to(rows + 1), JoinRowsBody{own.ptr, fetched.ptr, to.ptr.view()});
  numbers.run(own.col, to.col.view().data);
  numbers.run(fetched.col, to.col.view().data + own.entries());
  copy_values(*executor, own.val, to.val.view().data);
  copy_values(*executor, fetched.val, to.val.view().data + own.entries());
  return {std::move(to), numbers.ghosts()};
}

void HeldRows::again(const DistCrs& a) {
  fetch_.again(a);
  a.team().each([&](int p) {
    const Executor& executor = *a.team().executor(p);
    const View<const double, 1> own = a.view(p).val;
    copy_values(executor, own, matrix_->values(p).data);
    copy_values(executor, fetch_.view(p).val, matrix_->values(p).data + own.size());
  });
}

std::vector<LocalIndex> HeldRows::by_length(int part) const {
  const View<const Index, 1> begin = fetch_.view(part).ptr;
  std::vector<Index> ptr(static_cast<std::size_t>(begin.size()));
  matrix_->team().executor(part)->copy_out(ptr.data(), begin.data, ptr.size() * sizeof(Index));
  std::vector<LocalIndex> order(others(part).size());
  std::iota(order.begin(), order.end(), LocalIndex{0});
  const auto length = [&](LocalIndex n) {
    return ptr[static_cast<std::size_t>(n) + 1] - ptr[static_cast<std::size_t>(n)];
  };
  std::stable_sort(order.begin(), order.end(), [&](LocalIndex m, LocalIndex n) { return length(m) > length(n); });
  return order;
}

DistCrs with_ghosts_of(const DistCrs& a, const DistCrs& like) {
  require(a.columns_pointer() == like.columns_pointer(), "with_ghosts_of: other columns");
  std::vector<LocalRows> parts(static_cast<std::size_t>(a.team().parts()));
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const CrsView<double> rows = a.view(p);
    Crs<double> to{{executor, {rows.rows() + 1}}, {executor, {rows.entries()}}, {executor, {rows.entries()}}};
    executor->copy_async(to.ptr.view().data, rows.ptr.data, static_cast<std::size_t>(rows.rows() + 1) * sizeof(Index),
                         Queue::compute);
    const Renumbering numbers(executor, a.columns().own(p), a.ghosts(p), like.ghosts(p).rows);
    numbers.run(rows.col, to.col.view().data);
    copy_values(*executor, rows.val, to.val.view().data);
    parts[p] = {std::move(to), numbers.ghosts()};
  });
  return {a.rows_pointer(), a.columns_pointer(), std::move(parts)};
}

}  // namespace halocline::sparse
