// Names: all names of a deck's block, and its formulas parsed in them, with faults at their characters.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/expression/scope.hpp"
#include "lib/problems/ode_ensemble/options.hpp"
#include "lib/problems/ode_ensemble/vectors/vectors.hpp"

namespace halocline::ode_ensemble {

// "name = formula" or "name' = formula", cut apart; the name may have a subscript.
struct Assignment {
  std::string name;
  std::size_t name_at = 0, formula_at = 0;  // characters
  Formula text;
};

// What a formula may use.
// motion: swept, states, t and forcings; integrals: these too; events: and other accumulators; all: and means, as
// integrals.
enum class Allowed { constants, swept, motion, integrals, events, all };
constexpr int kinds_of_allowed = 6;
enum class Sums { written_out, loops };  // what becomes of sums

class Names {
 public:
  explicit Names(Faults* faults) : faults_(faults) {}

  // Makes `name` known as `what` ("a state"), with a fault when it cannot be or is something else already.
  bool add(const std::string& name, const std::string& what, const Formula& at);
  bool add(const std::string& name, const std::string& what, const std::string& path);
  // Cuts the text of a list, or takes name (with or without the mark) and formula of a map; nothing and a fault when it
  // has no such form. `mark`: "'" or "".
  std::optional<Assignment> cut(const NamedFormula& one, const std::string& mark);

  // Makes the scope, when all names are known. `accumulators`: those of the general kind, `quadratures`: integrals, and
  // `means` among them; `replaced`: names that vectors replace.
  void open(const BlockOptions& block, const std::vector<std::string>& states,
            const std::vector<std::string>& quadratures, const std::vector<std::string>& swept,
            const std::vector<std::string>& means, const std::vector<std::string>& accumulators,
            const std::vector<std::string>& forcings, const std::vector<std::string>& replaced);
  // Formulas may have indices from now on, whose definitions and sums may use names of this kind. `vectors` and
  // `system` outlive this object.
  void use(Vectors& vectors, OdeSystem& system, Allowed kind);
  // Faults show texts as they stood before `vectors` took parts out of them.
  void show(const Vectors& vectors) { shown_ = &vectors; }
  // Variables that a formula may use.
  std::span<const char* const> allowed(Allowed kind) const { return allowed_[static_cast<std::size_t>(kind)]; }
  const Scope& scope() const { return *scope_; }
  bool is_open() const { return scope_.has_value(); }

  // A formula that begins at character `from` of its text; nothing when it has faults (which are reported). `range`: of
  // the index that it may use.
  std::optional<Expression> parse(const Formula& text, std::size_t from, Allowed kind,
                                  const Vectors::Range* range = nullptr, Sums sums = Sums::written_out);
  std::optional<Expression> parse(const NamedFormula& one, Allowed kind) { return parse(one.formula, 0, kind); }

  void fault(const Formula& at, std::size_t character, const std::string& message);
  void fault(const std::string& path, const std::string& message);
  int faults() const { return count_; }

 private:
  std::optional<Expression> parse_names(const Formula& text, std::size_t from, Allowed kind);
  std::optional<std::string> refusal(const std::string& name, const std::string& what);
  void report(const std::vector<FormulaFault>& found, const std::vector<std::pair<const Formula*, std::size_t>>& texts);

  Faults* faults_;
  int count_ = 0;
  std::vector<std::pair<std::string, std::string>> known_;  // name and what it is
  std::optional<Scope> scope_;
  std::array<std::vector<const char*>, kinds_of_allowed> allowed_;
  std::vector<std::string> storage_;
  Vectors* vectors_ = nullptr;
  const Vectors* shown_ = nullptr;
  OdeSystem* system_ = nullptr;
};

}  // namespace halocline::ode_ensemble
