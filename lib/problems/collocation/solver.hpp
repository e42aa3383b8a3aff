// Solver: what problem.cpp drives, whatever the method. Made for a Formulation that is known to be right.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/publish.hpp"
#include "lib/krylov/krylov.hpp"
#include "lib/problems/collocation/formulation.hpp"
#include "lib/problems/problem.hpp"

namespace halocline::collocation {

// How a method shares out lines.
struct LineCut {
  Index chunk = 1;        // parts begin at multiples of it
  Index least = 2;        // lines of a part
  std::string note = {};  // for the user: what it means for the run
};

// One number per step of Newton's method.
struct NewtonHistory {
  std::vector<double> residual;    // norm of the equations after it
  std::vector<double> damping;     // the share of the step that was taken
  std::vector<double> iterations;  // of the solver of linear equations
  std::size_t steps() const { return damping.size(); }
};

class Solver {
 public:
  virtual ~Solver() = default;
  // Whether there are iterations to report and a residual they reach; otherwise one call of iterate() solves.
  virtual bool iterative() const { return true; }
  virtual void begin() = 0;  // fresh start; collective, as are iterate(), archive() and unknowns()
  // At most n further iterations (direct methods need none); true when finished.
  virtual bool iterate(int n) = 0;
  virtual const SolveReport& report() const = 0;
  virtual void archive(StateArchive& state) = 0;
  // Writes the four Hermite unknowns without the part that the sides give (V of boundary.hpp) of the lines that a part
  // of this rank owns, in the layout of nodal_layout.hpp, to memory of its executor. Asynchronous.
  virtual void unknowns(int part, double* to) = 0;
  virtual Range<1> lines(int part) const = 0;  // that the part owns
  virtual Traffic traffic() const { return {}; }
  // Bytes that one iteration must move at least, by the model of docs/performance/collocation.md; all parts together.
  virtual double bytes_per_iteration() const = 0;
  // "BiCGSTAB on the Schur complement", for messages and the report.
  virtual std::string describe() const = 0;
  // Of Newton's method: the line of progress, its figures for findings and tables, and max |E| / max |f + source| at
  // the solution. Nothing for linear equations. The last is collective.
  virtual std::string progress() const { return {}; }
  virtual const NewtonHistory* newton() const { return nullptr; }
  virtual std::optional<double> own_residual() { return std::nullopt; }
  // What a user can do when it did not converge: "try solver.smoother: alt", or nothing.
  virtual std::string advice() const { return {}; }
};

}  // namespace halocline::collocation
