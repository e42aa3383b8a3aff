#include "lib/amg/coarsest.hpp"

#include <map>
#include <optional>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/amg/level_kernels.hpp"
#include "mpi/exchange.hpp"

namespace halocline::amg {
namespace {

// Vectors alone.
template <class T>
class InvertedLevel final : public multigrid::Level<T> {
 public:
  InvertedLevel(VectorSpacePtr f_space, VectorSpacePtr u_space)
      : multigrid::Level<T>(std::move(f_space), std::move(u_space)) {}
  // Of a finest level; `own`: where in its vectors, which hold all rows, those of every part begin.
  InvertedLevel(VectorSpacePtr space, std::vector<Index> own, EndsPtr ends)
      : multigrid::Level<T>(space, space), own_(std::move(own)), ends_(std::move(ends)) {}

  void pre_smooth(bool /*from_zero*/) override { refuse(); }
  void restrict_to(multigrid::Level<T>& /*coarser*/) override { refuse(); }
  void correct_from(multigrid::Level<T>& /*coarser*/) override { refuse(); }
  void post_smooth() override { refuse(); }
  double bytes() const override { return 0; }
  bool idle() const override { return this->space().layout().size(0) == 0; }

  void load(double factor, const Vector<double>& r) override {
    each("to the cycle", [&](int p) {
      return ScaledBody<double, T>{factor, ends_->in.part(p).data, r.part(p).data, this->f().part(p).data + own_[p]};
    });
  }
  void unload(double factor, Vector<double>& y) override {
    each("from the cycle", [&](int p) {
      return ScaledBody<T, double>{factor, ends_->out.part(p).data, std::as_const(this->u()).part(p).data + own_[p],
                                   y.part(p).data};
    });
  }
  double loaded_norm(const Vector<double>& r) const override { return norm_inside(*ends_, r); }

 private:
  static void refuse() { require(false, "amg: the coarsest level is solved, not smoothed"); }
  template <class MakeBody>
  void each(const char* name, const MakeBody& make_body) {
    const Team& team = this->space().team();
    team.each([&](int p) {
      launch(*team.executor(p), name, Range<1>{{0}, {ends_->in.space().layout().used_size(p)}}, make_body(p));
    });
  }

  std::vector<Index> own_;
  EndsPtr ends_;
};

template <class T>
std::vector<T> to_host(const Executor& executor, const T* data, Index count) {
  std::vector<T> host(static_cast<std::size_t>(count));
  if (count > 0) executor.copy_out(host.data(), data, host.size() * sizeof(T));
  return host;
}

// What is known of all rows, on every rank.
struct HostRows {
  std::vector<double> left, right;
  std::vector<Index> null_set;  // empty: none
};

// Constants on a set, which the matrix maps to 0, are 1/right on the scaled level, and what it maps nothing to 1/left:
// the product of both, of norm 1, gives them the eigenvalue 1 and leaves the others as they are. Rows that are zero
// get a diagonal.
void make_regular(const HostRows& rows, std::vector<double>& dense) {
  const auto n = static_cast<Index>(rows.left.size());
  std::map<Index, std::vector<Index>> sets;
  for (Index i = 0; i < n; ++i) {
    if (rows.right[i] == 0) {
      dense[i * n + i] = 1;
    } else if (!rows.null_set.empty() && rows.null_set[i] != 0) {
      sets[rows.null_set[i]].push_back(i);
    }
  }
  for (const auto& [number, members] : sets) {
    double squares = 0;  // of both, whose sizes are the same
    for (const Index i : members) squares += 1 / (rows.right[i] * rows.right[i]);
    for (const Index j : members)
      for (const Index i : members) dense[j * n + i] += 1 / rows.left[i] / rows.right[j] / squares;
  }
}

// left_i a_ij right_j by columns, on rank 0, of a matrix that every part holds whole.
std::vector<double> scaled_dense(const sparse::DistCrs& a, const HostRows& all) {
  if (a.rows().comm().rank() != 0) return {};
  const Executor& executor = *a.team().executor(0);
  const sparse::CrsView<double> rows = a.view(0);
  const Index n = rows.rows();
  const std::vector<Index> ptr = to_host(executor, rows.ptr.data, n + 1);
  const std::vector<LocalIndex> col = to_host(executor, rows.col.data, rows.entries());
  const std::vector<double> val = to_host(executor, rows.val.data, rows.entries());
  std::vector<double> dense(static_cast<std::size_t>(n * n), 0);
  for (Index i = 0; i < n; ++i)
    for (Index e = ptr[i]; e < ptr[i + 1]; ++e) dense[col[e] * n + i] = all.left[i] * val[e] * all.right[col[e]];
  make_regular(all, dense);
  return dense;
}

// The same on every rank, from those of own rows.
template <class T>
std::vector<T> known_to_all(const sparse::RowSpace& rows, std::vector<T> values) {
  if (!rows.replicated()) return gather_lists(rows.comm(), values).values;
  values.resize(static_cast<std::size_t>(rows.size()));
  rows.tell(std::span<T>(values));
  return values;
}

// Values of all rows, on every rank, from those of own rows.
template <class T>
std::vector<T> of_all_rows(const sparse::RowSpace& rows, const std::vector<const T*>& own) {
  std::vector<T> values;
  for (int p = 0; p < (rows.replicated() ? 1 : rows.team().parts()); ++p) {
    const std::vector<T> part = to_host(*rows.team().executor(p), own[static_cast<std::size_t>(p)], rows.own_size(p));
    values.insert(values.end(), part.begin(), part.end());
  }
  return known_to_all(rows, std::move(values));
}

HostRows rows_on_host(const Stage& stage) {
  std::vector<const double*> left, right;
  for (int p = 0; p < stage.a->team().parts(); ++p) {
    left.push_back(stage.scaling->left(p));
    right.push_back(stage.scaling->right(p));
  }
  std::vector<const Index*> null_set;
  for (const Array<Index, 1>& own : stage.kinds.null_set) null_set.push_back(own.view().data);
  return {of_all_rows(stage.a->rows(), left), of_all_rows(stage.a->rows(), right),
          null_set.empty() ? std::vector<Index>() : of_all_rows(stage.a->rows(), null_set)};
}

// Where vectors that hold all rows have each.
std::vector<Index> places_of_all(const sparse::RowSpace& rows, const sparse::StorageOrder& order) {
  std::vector<Index> places;
  for (int p = 0; p < (rows.replicated() ? 1 : rows.team().parts()); ++p) {
    const Range<1> own = rows.own(p);
    const std::vector<LocalIndex> of_part = order.places_on_host(p);
    for (Index i = 0; i < own.size(); ++i) places.push_back(own.lo[0] + (of_part.empty() ? i : of_part[i]));
  }
  return known_to_all(rows, std::move(places));
}

}  // namespace

template <class T>
void add_inverted_level(const Stage& stage, const VectorSpacePtr& u_space, Levels<T>& levels) {
  levels.push_back(std::make_unique<InvertedLevel<T>>(sparse::vector_space(stage.a->rows()), u_space));
}

template <class T>
VectorSpacePtr add_only_level(const Stage& stage, EndsPtr ends, Levels<T>& levels) {
  const sparse::RowSpace& rows = stage.a->rows();
  std::vector<Index> own;
  for (int p = 0; p < rows.team().parts(); ++p) own.push_back(rows.own(p).lo[0]);
  VectorSpacePtr space = sparse::vector_space(*replicated_rows(rows, rows.team().total_parts()));
  levels.push_back(std::make_unique<InvertedLevel<T>>(space, std::move(own), std::move(ends)));
  return space;
}

template <class T>
std::unique_ptr<multigrid::CoarsestSolver<T>> inverse_of(const Stage& stage, const VectorSpacePtr& space) {
  const sparse::RowSpace& rows = stage.a->rows();
  const std::vector<Index> places = places_of_all(rows, *stage.format->order);
  std::optional<sparse::DistCrs> copy;  // where parts hold rows of their own
  if (!rows.replicated() && rows.team().total_parts() > 1)
    copy.emplace(replicated(*stage.a, replicated_rows(rows, rows.team().total_parts())));
  return multigrid::make_dense_inverse<T>(space, {places, places, {}},
                                          scaled_dense(copy ? *copy : *stage.a, rows_on_host(stage)),
                                          multigrid::InverseBy::device, multigrid::IfSingular::least_squares);
}

template void add_inverted_level(const Stage&, const VectorSpacePtr&, Levels<double>&);
template void add_inverted_level(const Stage&, const VectorSpacePtr&, Levels<float>&);
template VectorSpacePtr add_only_level(const Stage&, EndsPtr, Levels<double>&);
template VectorSpacePtr add_only_level(const Stage&, EndsPtr, Levels<float>&);
template std::unique_ptr<multigrid::CoarsestSolver<double>> inverse_of(const Stage&, const VectorSpacePtr&);
template std::unique_ptr<multigrid::CoarsestSolver<float>> inverse_of(const Stage&, const VectorSpacePtr&);

}  // namespace halocline::amg
