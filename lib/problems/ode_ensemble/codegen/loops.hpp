// Loops: families of equations over an index, x[i]' = f for i in 1..N, and sums over an index, as one body each.
//
// Bodies are expressions with variables of their own, beyond those of the scope: elements of vectors of states whose
// number goes with the iterations, the index itself, and sums. A family's index is the outer one, a sum's the inner
// one; both count iterations from 0. Sums do not nest, but where the inner one does not use the index of the outer.
#pragma once

#include <utility>
#include <vector>

#include "lib/expression/expression.hpp"

namespace halocline::ode_ensemble {

struct OdeSystem;

// Whole number at + by_outer n + by_inner m in iteration n of a family and m of a sum.
struct LoopNumber {
  int at = 0, by_outer = 0, by_inner = 0;
  int operator()(int outer, int inner) const { return at + by_outer * outer + by_inner * inner; }
  bool is_constant() const { return by_outer == 0 && by_inner == 0; }
  bool operator==(const LoopNumber&) const = default;
};

struct Loops {
  // Element `number`, from 0, of the vector of states first ... first + count - 1.
  struct Element {
    int first = 0, count = 0;
    bool wraps = false;
    LoopNumber number;
    std::vector<std::pair<int, Expression>> beyond = {};  // values of numbers outside that occur, unless it wraps
  };
  // The index of a family (or of a sum): first + iteration.
  struct Counter {
    bool inner = false;
    int first = 0;
  };
  struct Sum {
    int count = 0;
    Expression body;
  };
  struct Family {
    int first = 0, count = 0;  // rows
    Expression body;
  };
  enum class Kind { element, counter, sum };
  struct Variable {
    Kind kind = Kind::element;
    int index = 0;  // into the lists below
  };

  std::vector<Variable> variables;  // by number beyond OdeSystem::loop_variable(0)
  std::vector<Element> elements;
  std::vector<Counter> counters;
  std::vector<Sum> sums;
  std::vector<Family> families;

  // The number of a variable; an equal one is made once.
  int add(const Element& element);
  int add(const Counter& counter);
  int add(const Sum& sum);
  bool is_counter(int variable) const { return variables[static_cast<std::size_t>(variable)].kind == Kind::counter; }

 private:
  template <class T, class Same>
  int add(std::vector<T>& list, const T& one, Kind kind, Same&& same);
};

// An expression of the rows, or of a body at these iterations, without variables of loops.
Expression written_out(const OdeSystem& system, const Expression& e, int outer = 0, int inner = 0);
// All right-hand sides without loops.
std::vector<Expression> written_out(const OdeSystem& system);
// Operations of these; `kept` as bodies: without writing them out.
double operations_of(const OdeSystem& system, bool kept);

}  // namespace halocline::ode_ensemble
