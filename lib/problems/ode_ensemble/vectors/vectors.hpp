// Vectors: what a deck says with indices, and its formulas turned into those of system.hpp.
//
//   x[i]' = (x[i+1] - x[i-2])*x[i-1] - x[i] + F for i in 1..N, periodic      a vector of unknowns
//   w[i] = w0 + dw*i for i in 1..N                                           a definition with an index
//   x[0] = 0                                                                 a value beyond the ends of a vector
//   sum(j, 1, N, sin(x[j] - x[i]))                                           a sum
//
// Elements are states named x[1] ... x[N], which every formula may use. Names with other subscripts, indices and sums
// are parsed as variables of the scope and replaced afterwards: by states, or in families of equations by variables of
// loops. Subscripts are whole numbers plus whole multiples of indices.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/expression/scope.hpp"
#include "lib/problems/ode_ensemble/codegen/system.hpp"
#include "lib/problems/ode_ensemble/vectors/index_text.hpp"

namespace halocline::ode_ensemble {

class Vectors {
 public:
  using Fault = std::function<void(const Formula& at, std::size_t character, const std::string& message)>;
  // Parses a formula in all names of the deck; nothing when there were faults.
  using Parse = std::function<std::optional<Expression>(const Formula& text, std::size_t from)>;

  // From `first` to `last`, by steps of 1.
  struct Range {
    std::string index;
    int first = 1, last = 0;
    bool periodic = false;
    int count() const { return last - first + 1; }
  };
  struct Vector {
    std::string name;
    Range range;
    int state = 0;  // number of the first element
  };

  Vectors(const std::vector<NamedFormula>& constants, Fault fault);

  // --- Texts, before names are known ---------------------------------------------------------------------------------

  // Takes the range out of the end of a text; nothing where there is none, or a faulty one (`faulty` then).
  std::optional<Range> take_range(Formula& text, bool& faulty);
  // Takes sums out of a text and notes names with subscripts.
  void prepare(Formula& text);
  void add(const Vector& vector) { vectors_.push_back(vector); }
  void define(const std::string& name, const Range& range, const Formula& text, std::size_t from);
  // A definition "x[0] = formula".
  void bound(const std::string& name, const Formula& text, std::size_t from);
  const Vector* find(const std::string& name) const;
  bool given() const { return !vectors_.empty() || !sums_.empty() || !definitions_.empty(); }
  // Names of indices, with places.
  const std::vector<std::pair<std::string, Formula>>& indices() const { return indices_; }
  // Constants that ranges and subscripts use.
  std::vector<std::string> used() const;
  // A formula or a message as the deck would have it.
  Formula original(const Formula& text) const;
  static std::string shown(std::string message);

  // --- Formulas ------------------------------------------------------------------------------------------------------

  // Names for the scope beside those of states (which are taken out): to be replaced.
  std::vector<std::string> names(std::span<const std::string> states) const;
  // Makes formulas possible: all names of the scope are known. `system`: its numbers of variables are, too; its loops
  // are filled.
  void open(const Scope& scope, OdeSystem& system, Parse parse);
  // Replaces names of an expression made from `text`. `range`: of its index; null: none. Sums remain variables of
  // loops. Nothing after faults.
  std::optional<Expression> resolve(const Expression& e, const Formula& text, const Range* range = nullptr);

 private:
  struct Definition {
    std::string name;
    Range range;
    Formula text;
    std::size_t from = 0;
    std::optional<Expression> body = {};
    bool parsed = false, open = false;
  };
  struct Bound {
    int vector = 0, number = 0;
    Formula text;
    std::size_t from = 0;
    std::optional<Expression> value = {};
    bool parsed = false, open = false;
  };
  struct Sum {
    Range range;
    Formula body;
    std::optional<Expression> parsed_body = {};
    bool parsed = false;
  };
  // Names that are replaced, by their order in the scope.
  enum class Kind { index, element, sum };
  struct Name {
    std::string text;
    Kind kind = Kind::element;
    int sum = 0;
    Formula met = {};  // where it was met first
  };
  // What indices stand for where a formula is resolved, and how many iterations there are.
  struct Context {
    const Formula& text;
    std::map<std::string, LoopNumber> indices = {};
    int outer = 1, inner = 1;
    bool in_sum = false;
    std::vector<std::string> hidden = {};  // indices of the sum around this one
  };

  std::optional<int> whole(const Formula& text, Piece piece);
  void note_index(const std::string& name, const Formula& at);
  void fault(const Formula& at, std::size_t character, const std::string& message);
  void fault(const Context& context, const Name& name, const std::string& message);
  static std::string no_index(const Context& context, const std::string& index);
  Expression variable(int number) const;
  Expression replaced(const Expression& e, const Context& context);
  Expression replacement(const Name& name, const Context& context);
  Expression index_value(const Name& name, const Context& context);
  Expression element(const Name& name, const Context& context);
  Expression vector_element(const Name& name, int vector, const LoopNumber& number, const Context& context);
  Expression definition(const Name& name, Definition& one, const LoopNumber& number, const Context& context);
  Expression sum(const Name& name, const Context& context);
  std::optional<LoopNumber> subscript(const Name& name, const Context& context);
  Expression state(int vector, int number, bool& there);
  Bound* bound_at(int vector, int number);

  Fault fault_;
  int faults_ = 0;
  Definitions constants_;
  std::optional<Scope> whole_numbers_, subscripts_;  // of no variables, of indices
  std::vector<Vector> vectors_;
  std::vector<Definition> definitions_;
  std::vector<Bound> bounds_;
  std::vector<Sum> sums_;
  std::vector<std::pair<std::string, Formula>> indices_;
  std::vector<Name> names_;
  std::map<std::string, std::string> originals_;
  std::shared_ptr<ExpressionGraph> graph_;
  OdeSystem* system_ = nullptr;
  std::map<int, int> name_at_;  // by position in the scope
  Parse parse_;
};

}  // namespace halocline::ode_ensemble
