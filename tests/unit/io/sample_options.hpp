// Options with one key of every kind, for the tests of the reader and the schema.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"

namespace halocline {

struct AxisOptions : Options {
  double from = 0, to = 1;
  Index elements = 0;
  std::vector<double> nodes;
  void describe(Describer& d) override {
    d.item({"from", "m", "Lower end."}, from);
    d.item({"to", "m", "Upper end."}, to);
    d.item({"elements", "", "Number of elements.", true}, elements, Bounds::at_least(2));
    d.item({"nodes", "m", "Ends of the elements."}, nodes);
  }
  bool operator==(const AxisOptions& o) const {
    return from == o.from && to == o.to && elements == o.elements && nodes == o.nodes;
  }
};

// Not in the order of the words.
enum class SampleMethod { direct, multigrid, schur };
constexpr auto words_of(SampleMethod) {
  return std::to_array<Word<SampleMethod>>(
      {{"schur", SampleMethod::schur}, {"direct", SampleMethod::direct}, {"multigrid", SampleMethod::multigrid}});
}

struct SolverOptions : Options {
  SampleMethod method = SampleMethod::schur;
  double tol = 1e-10;
  double limit = std::numeric_limits<double>::infinity();
  bool restart = false;
  std::vector<std::vector<double>> probes;
  void describe(Describer& d) override {
    d.choice({"method", "", "How the system is solved."}, method);
    d.item({"tol", "", "Relative residual at which the iteration stops."}, tol, {0, 1, true, true});
    d.item({"limit", "s", "Wall time."}, limit, Bounds::positive());
    d.item({"restart", "", "Whether to start again."}, restart);
    d.item({"probes", "m", "Points to watch."}, probes, 2);
  }
  bool operator==(const SolverOptions& o) const {
    return method == o.method && tol == o.tol && limit == o.limit && restart == o.restart && probes == o.probes;
  }
};

struct BoxOptions : Options {
  static constexpr std::array<const char*, 2> xy{"x", "y"};
  static constexpr std::array<const char*, 3> xyt{"x", "y", "t"};
  Definitions names;
  AxisOptions mesh;
  SolverOptions solver;
  Formula f, start;
  double wave = 0;
  void describe(Describer& d) override {
    d.definitions(names, xy);
    d.group({"mesh", "", "The grid.", true}, mesh);
    d.group({"solver", "", "The linear solver."}, solver);
    d.formula({"f", "", "Right-hand side.", true}, f, xy);
    d.formula({"start", "", "First guess."}, start, xyt);
    d.item({"wave", "1/m", "Wave number.", true}, wave, Bounds::positive());
  }
};

struct OutputOptions : Options {
  static constexpr std::array<const char*, 3> all_fields{"u", "u_x", "u_y"};
  std::string directory;
  std::vector<std::string> fields{"u"}, tags;
  void describe(Describer& d) override {
    d.item({"directory", "", "Where the files go."}, directory);
    d.subset({"fields", "", "What is written."}, fields, all_fields);
    d.item({"tags", "", "Free words."}, tags);
  }
};

struct VerifyOptions : Options {
  Formula exact;
  NamedNumbers max_error;
  void describe(Describer& d) override {
    d.formula({"exact", "", "The solution."}, exact, BoxOptions::xy);
    d.item({"max_error", "", "Largest error."}, max_error, OutputOptions::all_fields, Bounds::at_least(0));
  }
};

// The whole deck below `problem`.
struct SampleOptions : Options {
  static constexpr std::array<const char*, 2> problems{"box", "ball"};
  BoxOptions box;
  OutputOptions output;
  VerifyOptions verify;
  void describe(Describer& d) override {
    d.group({"box", "", "The problem.", true}, box);
    d.group({"verify", "", "What must hold."}, verify);
    d.group({"output", "", "Files."}, output);
  }
};

}  // namespace halocline
