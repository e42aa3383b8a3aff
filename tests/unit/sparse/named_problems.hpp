// Matrices by short names, for tests and benchmarks:
//   p7:50        7 points on 50^3 inner points, 6 and -1          aniso:50    the same, 0.001 along the last axis
//   p27:50       27 points, 26 and -1
//   jump:50,6    cells 50^3, conductivity 1 or 10^6 per cube of 8 cells      logn:50,6   lognormal, six decades
//   cd:50,1e3    cells 50^3, a vortex of Peclet number 1000
//   vent:0.10    ventricle, spacing 0.10; mono:0.10 with less conductivity across; float:0.10 not grounded
//   elastic:32,8,8
#pragma once

#include <cctype>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "io/deck/deck_reader.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"
#include "lib/linalg/sparse/dist_crs.hpp"
#include "lib/problems/sparse/sources/box/box.hpp"
#include "lib/problems/sparse/sources/elastic/elastic_box.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle.hpp"

namespace halocline::sparse {

namespace named {

inline std::unique_ptr<RowSource> box(const std::string& keys) {
  struct BoxKeys final : Options {
    BoxOptions box;
    void describe(Describer& d) override { d.group({"box", "", "The source.", true}, box); }
  } options;
  const Deck deck("box: {" + keys + "}", "deck.yaml");
  DeckReader reader(deck);
  options.describe(reader);
  reader.finish();
  FormulaReader formulas(variables, Definitions(), reader);
  std::optional<BoxModel> model;
  if (reader.faults().empty()) model = make_box_model(options.box, std::nullopt, formulas);
  if (!reader.faults().empty()) throw DeckError(format(reader.faults(), deck.file()));
  return std::make_unique<BoxSource>(*model);
}

inline std::unique_ptr<RowSource> ventricle(double h, const char* conductivity, bool ground) {
  VentricleOptions options;
  options.h = h;
  options.conductivity = {conductivity};
  options.ground = ground;
  ThrownFaults faults;
  return std::make_unique<VentricleSource>(*make_ventricle_model(options, faults));
}

inline std::string cubed(double n) { return fmt::format("[{0}, {0}, {0}]", n); }

inline std::unique_ptr<RowSource> vortex(double n, double peclet) {
  return box(fmt::format(
      "grid: {{size: [1, 1, 1], cells: {0}}}, k: 1, source: 1, sides: {{rest: {{kind: dirichlet, value: 0}}}}, "
      "velocity: [\"{1}*sin(pi*x)*cos(pi*y)*sin(pi*z)\", \"-{1}*cos(pi*x)*sin(pi*y)*sin(pi*z)\", \"0\"]",
      cubed(n), peclet));
}

}  // namespace named

inline std::unique_ptr<RowSource> named_problem(const std::string& text) {
  const std::string kind = text.substr(0, text.find(':'));
  std::istringstream rest(text.substr(text.find(':') + 1));
  std::vector<double> numbers;
  for (std::string number; std::getline(rest, number, ',');) numbers.push_back(std::stod(number));
  const std::string walls = "k: 1, source: 1, sides: {rest: {kind: dirichlet, value: 0}}";
  const double n = numbers.at(0);
  const std::string points = fmt::format("grid: {{size: {}, points: {}}}, ", named::cubed(n + 1), named::cubed(n));
  const std::string cells = fmt::format("grid: {{size: {0}, cells: {0}}}, ", named::cubed(n));
  if (kind == "p7") return named::box(points + walls);
  if (kind == "aniso") return named::box(points + "anisotropy: {z: 1.0e-3}, " + walls);
  if (kind == "p27") return named::box(fmt::format("grid: {{points: {}}}, stencil: hpcg", named::cubed(n)));
  if (kind == "jump")
    return named::box(cells + fmt::format("random: {{kind: jump, decades: {}, block: 8}}, ", numbers.at(1)) + walls);
  if (kind == "logn")
    return named::box(cells + fmt::format("random: {{kind: lognormal, decades: {}}}, ", numbers.at(1)) + walls);
  if (kind == "cd") return named::vortex(n, numbers.at(1));
  if (kind == "vent") return named::ventricle(n, "bidomain", true);
  if (kind == "mono") return named::ventricle(n, "mono", true);
  if (kind == "float") return named::ventricle(n, "bidomain", false);
  if (kind != "elastic") throw DeckError("no problem is named " + text);
  ElasticOptions options;
  options.elements = numbers;
  options.young = 1;
  options.poisson = 0.3;
  ThrownFaults faults;
  return std::make_unique<ElasticBoxSource>(*make_elastic_model(options, faults));
}

// The short name as part of a test's name.
inline std::string test_name_of(std::string problem) {
  for (char& c : problem)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return problem;
}

// Its rows on a layout, and the source's own right side of every part.
struct Distributed {
  DistCrs matrix;
  std::vector<Array<double, 1>> rhs;
};
inline Distributed distribute(const RowSource& source, const RowSpacePtr& rows) {
  std::vector<GlobalRows> parts;
  std::vector<Array<double, 1>> rhs;
  for (int p = 0; p < rows->team().parts(); ++p) {
    const auto part = source.part(rows->team().executor(p), rows->own(p), 0);
    if (part->fault().found()) throw DeckError(part->fault().message);
    parts.push_back(part->matrix());
    rhs.push_back(part->rhs());
  }
  return {DistCrs(rows, rows, std::move(parts)), std::move(rhs)};
}

}  // namespace halocline::sparse
