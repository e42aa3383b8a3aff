// The matrices of a sequence, and what their values make of the preconditioner.
#include <utility>

#include "lib/base/error.hpp"
#include "lib/problems/sparse/solves.hpp"

namespace halocline::sparse {

namespace {

// Whether both are the constants on the same sets.
bool same(const FoundNullSpace& one, const FoundNullSpace& other) {
  if (!one.space || !other.space) return !one.space && !other.space;
  if (one.space->count() != other.space->count()) return false;
  Vector<double> difference(one.space->sets().space_pointer());
  copy(one.space->sets(), difference);
  axpy(-1, other.space->sets(), difference);
  return norm(difference) == 0;
}

}  // namespace

bool Solves::matrix_changes() const { return f_.solves > 1 && f_.source && f_.source->matrix_depends_on_time(); }

bool Solves::may_refresh() const {
  const Reuse reuse = options_.block.sequence.reuse;
  return matrix_changes() && options_.block.preconditioner == Preconditioner::amg &&
         (reuse == Reuse::pattern || reuse == Reuse::automatic);
}

FoundNullSpace Solves::null_space() const {
  if (options_.block.solver.null_space == NullSpaceUse::none) return {};
  return find_null_space(*system_.A, *matrix_);
}

void Solves::make_matrix() {
  release();
  system_ = make_system(context_, f_, options_.block, time());
  set_up();
}

void Solves::release() {
  projected_ = nullptr;
  null_ = {};
  preconditioner_ = {};
  matrix_ = nullptr;
}

void Solves::set_up() {
  const auto scope = context_.timers.scope("formats");
  release();
  matrix_ = std::make_unique<DistMatrix>(*system_.A, storage_of(options_.block.storage));
  null_ = null_space();
  make_preconditioner();
  entries_ = system_.A->entries();
  age_ = {number_, number_};
  if (matrix_changes()) digest_ = digest_of_hierarchy_ = digest_of(*system_.A);
  drop_rows();
}

void Solves::make_preconditioner() {
  preconditioner_ = sparse::make_preconditioner(options_.block, system_, *matrix_, context_.shape.weights,
                                                null_.space.get(), may_refresh());
  if (null_.space) projected_ = std::make_unique<ProjectedOperator>(preconditioner_.applied.get(), *null_.space);
}

void Solves::drop_rows() {
  if (!options_.block.rhs || *options_.block.rhs != RhsWord::natural) system_.natural.clear();
  system_.coordinates.clear();
  system_.A = nullptr;  // its memory is worth more than a second making
}

Renewal Solves::wanted_renewal() const {
  if (multigrid() == nullptr) return Renewal::keep;
  Index first = 0;  // of the solves since the set-up that took any
  for (auto n = static_cast<std::size_t>(age_.set_up); n < records_.size() && first == 0; ++n)
    first = records_[n].iterations;
  return choose_renewal(options_.block.sequence.reuse, age_, number_, first, records_.back().iterations);
}

std::string Solves::take_values(Renewal renewal) {
  const double sign = system_.sign;
  system_ = make_system(context_, f_, options_.block, time(), system_.rows);
  const MatrixDigest before = std::exchange(digest_, digest_of(*system_.A));
  if (digest_.pattern != before.pattern) return "the matrix has another pattern";
  if (system_.sign != sign) return "diagonals have changed their sign";
  if (digest_ != before) {
    matrix_->renew(*system_.A);
    FoundNullSpace found = null_space();
    if (!same(found, null_)) return "the matrix has another null space";
    if (multigrid() == nullptr) make_preconditioner();
  }
  if (renewal == Renewal::refresh && digest_ != digest_of_hierarchy_) {
    preconditioner_.multigrid->refresh(*system_.A);
    digest_of_hierarchy_ = digest_;
    age_.refreshed = number_;
  }
  drop_rows();
  return "";
}

void Solves::next_matrix() {
  const Renewal renewal = wanted_renewal();
  const std::string solve = "solve " + std::to_string(number_ + 1) + ": ";
  std::string why = "set up anew";
  if (renewal != Renewal::set_up) {
    why = take_values(renewal);
    if (why.empty()) {
      if (age_.refreshed == number_) context_.log.info(solve + "hierarchy refreshed");
      return;
    }
  }
  context_.log.info(solve + why);
  const PartValues kept = solution();
  if (renewal == Renewal::set_up) {
    make_matrix();
  } else {
    set_up();  // of the system that has come
  }
  make_solver();
  b_ = nullptr;
  start_ = nullptr;
  x_ = std::make_unique<Vector<double>>(matrix_->space());
  matrix_->enter(kept, *x_);
}

void Solves::restore_matrix() {
  const Index now = number_;
  const HierarchyAge age = age_;
  const auto take = [&](Index solve, Renewal renewal) {
    number_ = solve;
    require(take_values(renewal).empty(), "sparse: a matrix of another pattern than before the restart");
  };
  number_ = age.set_up;
  if (number_ > 0) make_matrix();  // that of the first solve is there
  if (age.refreshed > age.set_up) take(age.refreshed, Renewal::refresh);
  if (now > age.refreshed) take(now, Renewal::keep);
  number_ = now;
  age_ = age;
}

}  // namespace halocline::sparse
