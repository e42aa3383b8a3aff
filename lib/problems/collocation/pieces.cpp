#include "lib/problems/collocation/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "lib/base/format.hpp"
#include "lib/expression/program.hpp"
#include "lib/problems/collocation/discretization/boundary.hpp"

namespace halocline::collocation {

namespace {

// Reads the pieces of one side.
class PieceReader {
 public:
  PieceReader(const CollocationOptions& options, FormulaReader& reader, std::size_t side, const Axis* x, const Axis* y)
      : options_(options), reader_(reader), side_(side), along_(side < 2 ? y : x), across_(side < 2 ? x : y) {}

  std::optional<Pieces> read() {
    const SideOptions& given = *options_.block.sides.of(side_);
    const bool own = options_.block.sides.sides[side_].given;
    const std::string name = std::string("collocation.sides.") + (own ? side_names[side_] : "rest");
    Pieces pieces(static_cast<std::size_t>(given.size()));
    bool complete = true;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      pieces[k].options = &given.piece(k);
      pieces[k].path = pieces.size() == 1 ? name : name + "[" + std::to_string(k) + "]";
      complete = (pieces.size() == 1 || !is_periodic(pieces[k])) && read_factors(pieces[k]) && complete;
    }
    if (given.kind == SideKind::periodic && pieces.size() == 1) return read_periodic(pieces.front());
    const bool on_mesh = along_ != nullptr && across_ != nullptr;
    if (on_mesh && !place(pieces)) return std::nullopt;
    for (std::size_t k = 0; k < pieces.size() && complete; ++k) complete = check_constants(pieces[k]);
    if (!on_mesh || !complete) return std::nullopt;
    for (const Piece& piece : pieces) complete = check_factors(piece) && complete;
    return complete ? std::optional(std::move(pieces)) : std::nullopt;
  }

 private:
  bool fault(const std::string& path, const std::string& message) {
    reader_.at(path, message);
    return false;
  }

  bool is_periodic(const Piece& piece) {
    if (piece.options->kind != SideKind::periodic) return false;
    reader_.at(piece.path + ".kind", "periodic is of whole sides, not of pieces");
    return true;
  }
  // A side without conditions: no pieces.
  std::optional<Pieces> read_periodic(const Piece& piece) {
    const PieceOptions& given = *piece.options;
    const std::array<std::pair<const char*, const Formula*>, 4> none{
        {{".value", &given.value}, {".slope", &given.slope}, {".from", &given.from}, {".to", &given.to}}};
    bool complete = true;
    for (const auto& [key, formula] : none)
      if (formula->given()) complete = fault(piece.path + key, "means nothing on a periodic side; leave it out");
    if (given.data != SideDataChoice::interpolated)
      complete = fault(piece.path + ".data", "means nothing on a periodic side; leave it out");
    if (given.alpha.given() || given.beta.given()) complete = false;  // told already
    return complete ? std::optional(Pieces()) : std::nullopt;
  }

  bool read_factors(Piece& piece) {
    const PieceOptions& given = *piece.options;
    if (given.kind != SideKind::robin) {
      if (given.kind == SideKind::neumann) piece.alpha = 0, piece.beta = 1;
      if (!given.alpha.given() && !given.beta.given()) return true;
      return fault(piece.path + (given.alpha.given() ? ".alpha" : ".beta"), "belongs to kind robin; leave it out");
    }
    const bool alpha = read_factor(given.alpha, piece.path + ".alpha", piece.alpha);
    return read_factor(given.beta, piece.path + ".beta", piece.beta) && alpha;
  }
  bool read_factor(const Formula& formula, const std::string& path, Expression& factor) {
    if (!formula.given()) return fault(path, "is required for kind robin");
    const auto expression = reader_.parse(formula);
    if (!expression) return false;
    if (expression->is_constant() && !std::isfinite(expression->value())) return fault(path, "is not finite");
    factor = *expression;
    return true;
  }

  // Gives pieces their nodes.
  bool place(Pieces& pieces) {
    const Index last = along_->elements();
    Index before = 0;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      Piece& piece = pieces[k];
      const PieceOptions& given = *piece.options;
      const bool next_tells = k + 1 < pieces.size() && pieces[k + 1].options->from.given();
      const Formula& to = given.to.given() || !next_tells ? given.to : pieces[k + 1].options->from;
      if (k + 1 < pieces.size() && !to.given()) return fault(piece.path + ".to", "is required where a piece follows");
      const auto begin = node_at(given.from, piece.path + ".from", before), end = node_at(to, piece.path + ".to", last);
      if (!begin || !end) return false;
      piece.begin = *begin, piece.end = *end;
      if (piece.begin != before)
        return fault(piece.path + ".from", "must be " + brief_text(along_->nodes()[before]) + ", where " +
                                               (k == 0 ? "the side begins" : "the piece before ends"));
      if (piece.end <= piece.begin)
        return fault(piece.path + ".to", "must be greater than `from`, by an element or more");
      before = piece.end;
    }
    if (before != last)
      return fault(pieces.back().path + ".to",
                   "leaves the side without a condition from there to " + brief_text(along_->nodes().back()));
    return true;
  }

  std::optional<Index> node_at(const Formula& formula, const std::string& path, Index otherwise) {
    if (!formula.given()) return otherwise;
    const auto expression = reader_.parse(formula);
    if (!expression) return std::nullopt;
    const double at = expression->is_constant() ? expression->value() : std::nan("");
    const auto& nodes = along_->nodes();
    const auto above = std::lower_bound(nodes.begin() + 1, nodes.end() - 1, at);
    const auto nearest = above[0] - at < at - above[-1] ? above : above - 1;
    if (std::abs(*nearest - at) <= 1e-9 * along_->mean_length()) return nearest - nodes.begin();
    if (at > nodes.front() && at < nodes.back()) {
      reader_.at(path, "lies between the mesh lines at " + brief_text(above[-1]) + " and " + brief_text(above[0]) +
                           "; pieces of a side begin and end on lines of the mesh");
    } else {
      reader_.at(path,
                 "must be a number on the side, from " + brief_text(nodes.front()) + " to " + brief_text(nodes.back()));
    }
    return std::nullopt;
  }

  bool check_constants(const Piece& piece) {
    return !piece.constant() || check(piece, piece.alpha.value(), piece.beta.value(), "");
  }
  // At the nodes and Gauss points of a piece.
  bool check_factors(const Piece& piece) {
    if (piece.constant() || options_.block.unread) return true;
    std::vector<double> points(along_->nodes().begin() + piece.begin, along_->nodes().begin() + piece.end + 1);
    points.insert(points.end(), along_->gauss().begin() + 2 * piece.begin, along_->gauss().begin() + 2 * piece.end);
    const double at = side_ % 2 == 0 ? across_->nodes().front() : across_->nodes().back();
    const auto alpha = values_along(piece.alpha, side_ < 2, at, points),
               beta = values_along(piece.beta, side_ < 2, at, points);
    for (std::size_t k = 0; k < points.size(); ++k)
      if (!check(piece, alpha[k], beta[k], " at " + brief_text(points[k]) + " along the side")) return false;
    return true;
  }
  bool check(const Piece& piece, double alpha, double beta, const std::string& where) {
    if (!std::isfinite(alpha) || !std::isfinite(beta))
      return fault(piece.path + (std::isfinite(alpha) ? ".beta" : ".alpha"), "is not finite" + where);
    if (alpha == 0 && beta == 0) return fault(piece.path + ".alpha", "and beta must not both be 0" + where);
    if (alpha == 0 || beta == 0 || std::signbit(alpha) == std::signbit(beta) || options_.block.solver.allow_indefinite)
      return true;
    return fault(piece.path + ".alpha", "must not have the opposite sign of beta" + where +
                                            ", or the equation may be singular; solver.allow_indefinite: true accepts "
                                            "it");
  }

  const CollocationOptions& options_;
  FormulaReader& reader_;
  std::size_t side_;
  const Axis *along_, *across_;
};

bool all(const Pieces& pieces, const Expression Piece::*factor, double value) {
  return std::all_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
    return (piece.*factor).is_constant() && (piece.*factor).value() == value;
  });
}

}  // namespace

std::vector<double> values_along(const Expression& expression, bool x_side, double at,
                                 const std::vector<double>& points) {
  const Program program({&expression, 1}, 2);
  std::vector<double> values(points.size());
  const std::span<const double> fixed(&at, 1), moving(points);
  const std::span<const double> inputs[2] = {x_side ? fixed : moving, x_side ? moving : fixed};
  const std::span<double> results[1] = {values};
  evaluate(program, inputs, results);
  return values;
}

std::optional<std::array<Pieces, 4>> read_pieces(const CollocationOptions& options, FormulaReader& reader,
                                                 const Axis* x, const Axis* y) {
  std::array<Pieces, 4> made;
  bool complete = true, rest_read = false;
  for (std::size_t side = 0; side < 4; ++side) {
    if (options.block.sides.sides[side].empty) {
      reader.at(std::string("collocation.sides.") + side_names[side], "is a list without pieces");
      complete = false;
      continue;
    }
    if (options.block.sides.of(side) == nullptr) {
      reader.at("collocation.sides", std::string("gives neither ") + side_names[side] + " nor rest");
      complete = false;
      continue;
    }
    // `rest` reports its faults once.
    const bool rest = !options.block.sides.sides[side].given;
    if (rest && rest_read && !complete) continue;
    rest_read = rest_read || rest;
    auto pieces = PieceReader(options, reader, side, x, y).read();
    complete = complete && pieces.has_value();
    if (pieces) made[side] = std::move(*pieces);
  }
  for (std::size_t low = 0; low < 4; low += 2) {
    const SideOptions *at_low = options.block.sides.of(low), *at_high = options.block.sides.of(low + 1);
    if (at_low == nullptr || at_high == nullptr) continue;
    const auto periodic = [](const SideOptions* side) { return side->kind == SideKind::periodic && side->size() == 1; };
    if (periodic(at_low) == periodic(at_high)) continue;
    const std::size_t one = periodic(at_low) ? low : low + 1, other = periodic(at_low) ? low + 1 : low;
    reader.at(std::string("collocation.sides.") + (options.block.sides.sides[one].given ? side_names[one] : "rest"),
              std::string("kind periodic of ") + side_names[one] + " needs that of the opposite side, " +
                  side_names[other] + ", which is of kind " + word_for(options.block.sides.of(other)->kind));
    complete = false;
  }
  if (!complete) return std::nullopt;
  return made;
}

bool of_one_condition(const Pieces& pieces) {
  if (pieces.empty()) return true;
  const Piece& first = pieces.front();
  return first.constant() && all(pieces, &Piece::alpha, first.alpha.value()) &&
         all(pieces, &Piece::beta, first.beta.value());
}

EndCondition end_condition(const Pieces& pieces) {
  if (of_one_condition(pieces)) return {pieces.front().alpha.value(), pieces.front().beta.value()};
  return {all(pieces, &Piece::alpha, 0) ? 0.0 : 1.0, all(pieces, &Piece::beta, 0) ? 0.0 : 1.0};
}

}  // namespace halocline::collocation
