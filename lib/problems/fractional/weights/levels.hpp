// Levels: the mesh of times t_0 = 0 .. t_L and of s_l = psi(t_l), in which all weights are expressed.
#pragma once

#include <string>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/types.hpp"
#include "lib/problems/fractional/weights/psi.hpp"
#include "lib/problems/fractional/weights/terms.hpp"

namespace halocline::fractional {

enum class Mesh {
  uniform_t,    // t_l = l end / L
  uniform_psi,  // s_l = l S / L, S = psi(end)
  graded,       // s_l = S (l / L)^r
  graded_start  // s_l = s_0 (l / n_0)^r up to level n_0, equal steps after, so that step sizes meet
};

struct MeshOptions {
  Mesh mesh = Mesh::uniform_t;
  double end = 0;          // time, > 0
  Index steps = 0;         // L >= 1
  double grading = 1;      // r >= 1, of the graded meshes
  Index start_steps = 64;  // n_0 of graded_start; at least steps: the whole mesh is graded
};

// psi is not usable: psi(0) is not 0, a value is not finite, values do not increase in floating point, at levels or at
// equal times beside them, or steps are so short or the end so far that weights are no numbers.
struct LevelFault : DeckError {
  LevelFault(Index level, const std::string& what) : DeckError(what), level(level) {}
  Index level;  // at which it was seen
};

class Levels {
 public:
  // LevelFault as above. On meshes that are uniform in s, which uniform_t is for psi proportional to t, steps and spans
  // are products with one step instead of differences.
  Levels(const MeshOptions& options, TimeChange psi);

  Index steps() const { return static_cast<Index>(t_.size()) - 1; }
  double t(Index l) const { return t_[static_cast<std::size_t>(l)]; }
  double s(Index l) const { return s_[static_cast<std::size_t>(l)]; }
  // Delta_l = s_l - s_{l-1}, 1 <= l <= steps().
  double step(Index l) const { return step_[static_cast<std::size_t>(l)]; }
  // Steps after this level are equal, bit by bit; beyond steps(): none are known to be.
  Index equal_from() const { return equal_from_; }
  // s_l - s_m, m <= l.
  double span(Index m, Index l) const {
    return m >= equal_from_ ? static_cast<double>(l - m) * equal_step_ : s(l) - s(m);
  }
  // s* - s_m, m < l, with s* = theta s_{l-1} + (1 - theta) s_l.
  double reach(Index m, Index l, double theta) const { return span(m, l - 1) + (1 - theta) * step(l); }
  // The time t* with psi(t*) = theta s_{l-1} + (1 - theta) s_l; t(l) itself for theta = 0.
  double time_within(Index l, double theta) const;
  // (psi(t) - s_{l-1}) / Delta_l for a time between levels l-1 and l: where an output between levels lies.
  double fraction_within(Index l, double t) const;

 private:
  void place_by_t();
  void place_by_s(const MeshOptions& options);
  void check_increase() const;
  void check() const;

  TimeChange psi_;
  std::vector<double> t_, s_, step_;
  Index equal_from_;
  double equal_step_ = 0;
};

// The grading that restores the order of a scheme after a start like s^order: (2 - b)/b for L1, 2/b for Alikhanov, at
// most 8; 1 for smallest_order = 1. `smallest_order` b: the smallest order below 1 on the levels.
double default_grading(Scheme scheme, double smallest_order);

}  // namespace halocline::fractional
