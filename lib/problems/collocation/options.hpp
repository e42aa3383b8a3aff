// Keys of family collocation: equation, mesh, sides, solver, and what to verify.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/krylov/sum_messages.hpp"
#include "lib/problems/data/data_options.hpp"

namespace halocline::collocation {

struct AxisOptions final : Options {
  double from = 0;
  double to = std::numeric_limits<double>::quiet_NaN();  // not given
  Index elements = 0;
  Formula map;                // in t
  std::vector<double> nodes;  // instead of from, to, elements
  void describe(Describer& d) override;
  void refine(int factor) override;
  // Coordinates of all nodes; empty, with faults reported below `path`, when they cannot be made.
  // `names`: the block's, whose constants `map` may use.
  std::vector<double> coordinates(const std::string& path, const Definitions& names, Faults* faults) const;
  Index refinement = 1;  // pieces each given element is cut into
};

struct MeshOptions final : Options {
  AxisOptions x, y;
  void describe(Describer& d) override;
};

struct EquationOptions final : Options {
  Formula a, b, c, d, e, eta, f;
  Formula k, source;  // of x, y, u, u_x, u_y; k in place of a, b, c
  void describe(Describer& d) override;
  // Whether formulas may depend on u.
  bool names_u() const { return k.given() || source.given(); }
  std::array<const Formula*, 6> coefficients() const { return {&a, &b, &c, &d, &e, &eta}; }
};

enum class SideKind { dirichlet, neumann, robin, periodic };
constexpr auto words_of(SideKind) {
  return std::to_array<Word<SideKind>>({{"dirichlet", SideKind::dirichlet},
                                        {"neumann", SideKind::neumann},
                                        {"robin", SideKind::robin},
                                        {"periodic", SideKind::periodic}});
}

enum class SideDataChoice { interpolated, gauss };
constexpr auto words_of(SideDataChoice) {
  return std::to_array<Word<SideDataChoice>>(
      {{"interpolated", SideDataChoice::interpolated}, {"gauss", SideDataChoice::gauss}});
}

// What is given along a side, or along a piece of it.
struct PieceOptions : Options {
  bool whole = false;  // of `rest`, whose sides have no pieces
  Formula from, to;    // numbers
  SideKind kind = SideKind::dirichlet;
  Formula alpha, beta;  // of kind robin
  Formula value, slope;
  SideDataChoice data = SideDataChoice::interpolated;
  void describe(Describer& d) override;
};

// A side is its first piece, mostly the only one, and those that follow along it.
struct SideOptions final : PieceOptions, OptionsList {
  bool given = false;
  bool empty = false;  // a list without pieces
  std::vector<PieceOptions> further;
  Index size() const override { return given ? 1 + static_cast<Index>(further.size()) : 0; }
  PieceOptions& at(Index number) override {
    return number == 0 ? *this : further[static_cast<std::size_t>(number - 1)];
  }
  const PieceOptions& piece(std::size_t number) const { return number == 0 ? *this : further[number - 1]; }
  PieceOptions& add() override;
  std::unique_ptr<Options> sample() const override { return std::make_unique<PieceOptions>(); }
};

enum class CornerChoice { agree, mean };
constexpr auto words_of(CornerChoice) {
  return std::to_array<Word<CornerChoice>>({{"agree", CornerChoice::agree}, {"mean", CornerChoice::mean}});
}

struct SidesOptions final : Options {
  std::array<SideOptions, 5> sides;  // x_min, x_max, y_min, y_max, rest
  CornerChoice corners = CornerChoice::agree;
  void describe(Describer& d) override;
  // The options that hold for a side: its own or those of `rest`; null when neither is given.
  const SideOptions* of(std::size_t side) const;
};

enum class Method { schur, schur_mixed, closed_form, pencil, separable, mg, fd, automatic };
constexpr auto words_of(Method) {
  return std::to_array<Word<Method>>({{"schur", Method::schur},
                                      {"schur-mixed", Method::schur_mixed},
                                      {"closed_form", Method::closed_form},
                                      {"pencil", Method::pencil},
                                      {"separable", Method::separable},
                                      {"mg", Method::mg},
                                      {"fd", Method::fd},
                                      {"auto", Method::automatic}});
}

enum class SmootherChoice { automatic, node, vline, alt, hline };
constexpr auto words_of(SmootherChoice) {
  return std::to_array<Word<SmootherChoice>>({{"auto", SmootherChoice::automatic},
                                              {"node", SmootherChoice::node},
                                              {"vline", SmootherChoice::vline},
                                              {"alt", SmootherChoice::alt},
                                              {"hline", SmootherChoice::hline}});
}

enum class Precision { fp32, fp64 };  // of the multigrid cycle, the inner solves of schur-mixed, the transforms
constexpr auto words_of(Precision) {
  return std::to_array<Word<Precision>>({{"fp32", Precision::fp32}, {"fp64", Precision::fp64}});
}

enum class Start { zero, fmg };
constexpr auto words_of(Start) { return std::to_array<Word<Start>>({{"zero", Start::zero}, {"fmg", Start::fmg}}); }

struct SolverOptions final : Options {
  Method method = Method::automatic;
  double tolerance = 0;      // 0: the method's own, see resolved()
  Index max_iterations = 0;  // likewise
  SmootherChoice smoother = SmootherChoice::automatic;
  Precision precision = Precision::fp32;
  Start start = Start::zero;
  Index inner_max_iterations = 70;  // of schur-mixed, per outer step
  SumMessages sums = SumMessages::separate;
  bool allow_indefinite = false;
  void describe(Describer& d) override;
  // The same with the method that `auto` stands for, and with that method's tolerance and limit where none are given.
  SolverOptions resolved(Method method) const;
};

enum class Damping { residual, none };
constexpr auto words_of(Damping) {
  return std::to_array<Word<Damping>>({{"residual", Damping::residual}, {"none", Damping::none}});
}

// Of Newton's method, where the equation is not linear in u.
struct NewtonOptions final : Options {
  bool given = false;
  Formula start;
  Index max_steps = 50;
  Damping damping = Damping::residual;
  void describe(Describer& d) override;
};

struct VerifyOptions final : Options {
  Formula exact;
  NamedNumbers max_error, rms_error;
  std::vector<double> iterations;           // low, high
  std::vector<double> newton_steps;         // likewise
  std::vector<std::vector<double>> values;  // x, y, u
  double max_value_error = 0;               // 0: not checked
  double residual = 0;                      // 0: not checked
  void describe(Describer& d) override;
};

struct BlockOptions final : Options {
  DataList data;
  bool unread = false;  // files could not be read: their names stand for NaN
  Definitions names;
  EquationOptions equation;
  MeshOptions mesh;
  SidesOptions sides;
  SolverOptions solver;
  NewtonOptions newton;
  void describe(Describer& d) override;
};

struct CollocationOptions final : Options {
  BlockOptions block;
  VerifyOptions verify;
  void describe(Describer& d) override;
  void refine(int factor) override;
  bool manufactured() const { return block.equation.f.text == "manufactured"; }
};

// Names of the fields: u and its derivatives.
constexpr std::array<const char*, 4> field_names{"u", "u_x", "u_y", "u_xy"};
// Variables of formulas, in the order programs take them.
constexpr std::array<const char*, 2> variables{"x", "y"};
// Of formulas that may depend on the solution.
constexpr std::array<const char*, 5> solution_variables{"x", "y", "u", "u_x", "u_y"};

}  // namespace halocline::collocation
