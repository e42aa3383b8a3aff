// Level: what a family brings for every level of a multigrid hierarchy: two vectors and the steps of a cycle there. The
// cycle itself: hierarchy.hpp.
#pragma once

#include <vector>

#include "lib/base/traffic.hpp"
#include "lib/linalg/vector.hpp"

namespace halocline::multigrid {

// Everything is collective, called on the main thread, and launches on compute queues.
template <class T>
class Level {
 public:
  // `space`: of the level's vectors; on a replicated level every part of it holds all of them. `own`: only for the
  // finest level, and only where it is replicated: where in them, for every part of this rank, the values begin that
  // are the part's in the vectors of the solver; empty: at 0.
  explicit Level(VectorSpacePtr space, std::vector<Index> own = {});
  // The same for a level whose right-hand side and solution have room for different ghosts.
  Level(VectorSpacePtr f_space, VectorSpacePtr u_space);
  virtual ~Level() = default;
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  const VectorSpace& space() const { return f_.space(); }
  // Right-hand side and solution of the level. Ghosts are right only for whoever has just exchanged them.
  Vector<T>& f() { return f_; }
  const Vector<T>& f() const { return f_; }
  Vector<T>& u() { return u_; }

  // The steps of a cycle; never called on the coarsest level.
  // Smoothing for A u = f from the u that is there, or `from_zero`, whatever u holds.
  virtual void pre_smooth(bool from_zero) = 0;
  // Right-hand side of the next level: the restricted residual f - A u. Where that level is the first replicated one, a
  // part computes its own rows of it only, which the hierarchy then gives to all.
  virtual void restrict_to(Level& coarser) = 0;
  // u += the prolonged u of the next level.
  virtual void correct_from(Level& coarser) = 0;
  virtual void post_smooth() = 0;
  // Whether, where no other part is met, every cycle makes the same launches with the same arguments for these steps,
  // and waits for nothing, after the first one.
  virtual bool repeats() const { return false; }
  // Whether no part of this rank holds anything of the level: then none has anything of coarser ones either, and the
  // steps of this level need not be called here. What goes to the level and back is done by the steps of the one
  // before.
  virtual bool idle() const { return false; }

  // Ends of the precision shell, called on the finest level: f = factor r and y = factor u, rounded to T and to double.
  // A level may fuse them with its first and last step: post_smooth() then does nothing and unload() does it.
  virtual void load(double factor, const Vector<double>& r);
  virtual void unload(double factor, Vector<double>& y);

  // Euclidean norm of what load(1, r) gives, before it is rounded. Collective.
  virtual double loaded_norm(const Vector<double>& r) const { return norm(r); }

  virtual Traffic sent() const { return {}; }  // by this rank, since construction
  // Bytes that a visit of a cycle must move at least, of all parts together, by the model of the family.
  virtual double bytes() const = 0;

 private:
  Index own(int part) const { return own_.empty() ? 0 : own_[static_cast<std::size_t>(part)]; }

  Vector<T> f_, u_;
  std::vector<Index> own_;
};

}  // namespace halocline::multigrid
