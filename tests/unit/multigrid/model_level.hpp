// A model problem for cycles: convection and diffusion on a line, damped Jacobi with unequal weights, next levels by
// sums of pairs, on which Galerkin's matrix has the same form.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gpu/launch.hpp"
#include "lib/multigrid/precision_shell.hpp"
#include "tests/unit/multigrid/model_kernels.hpp"

namespace halocline::multigrid {

struct Model {
  Index unknowns = 128;  // of the finest level
  int levels = 4;        // each has a multiple of 16 rows
  double shift = 0.02, wind = 0.1;
  double before = 0.6, after = 0.8;  // weights of Jacobi

  Index size(int level) const { return unknowns >> level; }
  double below() const { return -1 - wind; }
  double diagonal(int level) const { return 2 + shift * static_cast<double>(1 << level); }
  double above() const { return -1 + wind; }
};

// Rows of the parts of a rank as vectors of 2 x 8 rows a group.
inline VectorSpacePtr model_space(const Communicator& comm, const Team& team, const std::vector<Range<1>>& rows,
                                  Index room) {
  VectorLayout layout;
  layout.rows = 2;
  for (const Range<1>& part : rows) {
    layout.groups.push_back(part.size() / layout.group_size());
    layout.before.push_back(room);
    layout.behind.push_back(room);
  }
  return std::make_shared<VectorSpace>(comm, team, std::move(layout));
}

template <class T>
class ModelLevel final : public Level<T> {
 public:
  // `share`: rows of the level that are each part's; `replicated`: but it holds all.
  ModelLevel(const Communicator& comm, const Team& team, const Model& model, int number,
             const std::vector<Range<1>>& share, bool replicated)
      : Level<T>(model_space(comm, team, held_of(model.size(number), share, replicated), room),
                 number == 0 && replicated ? begins(share) : std::vector<Index>{}),
        model_(model),
        number_(number),
        share_(share),
        held_(held_of(model.size(number), share, replicated)),
        r_(this->f().space_pointer()) {
    std::vector<Index> rows;
    for (const Range<1>& part : held_) rows.push_back(part.size());
    if (!replicated) ghosts_ = VectorHalo<T>(this->space(), line_links(team, rows, 1, {room, 1, 1}));
  }

  void pre_smooth(bool from_zero) override { smooth(model_.before, from_zero); }
  void post_smooth() override { smooth(model_.after, false); }
  bool repeats() const override { return number_ > 0; }  // so that cycles visit graphs in all ways

  void restrict_to(Level<T>& coarser) override {
    find_residual();
    auto& next = static_cast<ModelLevel&>(coarser);
    each([&](int p, const Executor& executor) {
      // A replicated level computes all of the next one, another one its share.
      const bool all = held_[p].size() == model_.size(number_);
      launch(executor, "model restrict", all ? next.held_[p] : next.share_[p],
             ModelRestrictBody<T>{r_.part(p).data, next.f().part(p).data, held_[p].lo[0], next.held_[p].lo[0]});
    });
  }
  void correct_from(Level<T>& coarser) override {
    auto& next = static_cast<ModelLevel&>(coarser);
    each([&](int p, const Executor& executor) {
      launch(executor, "model prolong", held_[p],
             ModelProlongBody<T>{next.u().part(p).data, this->u().part(p).data, held_[p].lo[0], next.held_[p].lo[0]});
    });
  }
  Traffic sent() const override { return ghosts_.sent(); }
  double bytes() const override { return static_cast<double>(model_.size(number_)); }

 private:
  static constexpr Index room = 8;

  static std::vector<Range<1>> held_of(Index size, const std::vector<Range<1>>& share, bool replicated) {
    return replicated ? std::vector<Range<1>>(share.size(), {{0}, {size}}) : share;
  }
  static std::vector<Index> begins(const std::vector<Range<1>>& share) {
    std::vector<Index> all;
    for (const Range<1>& part : share) all.push_back(part.lo[0]);
    return all;
  }

  template <class Work>
  void each(const Work& work) {
    const Team& team = this->space().team();
    team.each([&](int p) { work(p, *team.executor(p)); });
  }
  void find_residual() {
    ghosts_.exchange(this->u());
    each([&](int p, const Executor& executor) {
      launch(executor, "model residual", held_[p],
             ModelResidualBody<T>{static_cast<T>(model_.below()), static_cast<T>(model_.diagonal(number_)),
                                  static_cast<T>(model_.above()), this->f().part(p).data, this->u().part(p).data,
                                  r_.part(p).data, held_[p].lo[0]});
    });
  }
  void smooth(double weight, bool from_zero) {
    if (!from_zero) find_residual();
    each([&](int p, const Executor& executor) {
      const Vector<T>& r = from_zero ? this->f() : r_;
      launch(executor, "model update", held_[p],
             ModelUpdateBody<T>{static_cast<T>(weight / model_.diagonal(number_)), from_zero, r.part(p).data,
                                this->u().part(p).data, held_[p].lo[0]});
    });
  }

  Model model_;
  int number_;
  std::vector<Range<1>> share_, held_;
  Vector<T> r_;
  VectorHalo<T> ghosts_;
};

}  // namespace halocline::multigrid
