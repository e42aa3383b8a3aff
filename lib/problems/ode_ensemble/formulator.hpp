// Formulator: the steps of formulate(), see formulation.hpp. Internal.
#pragma once

#include <map>

#include "lib/problems/ode_ensemble/formulation.hpp"
#include "lib/problems/ode_ensemble/names.hpp"

namespace halocline::ode_ensemble {

class Formulator {
 public:
  Formulator(const EnsembleOptions& options, Faults* faults);
  Formulation take() { return std::move(made_); }

 private:
  // Where a value that can be recorded is found.
  struct Source {
    Record record;
    std::string formula;
    bool inside = true;  // whether it has a meaning inside steps
  };

  // An equation, or one of every element of a vector.
  struct Equation {
    Assignment cut;
    std::optional<Vectors::Range> range;
    int state = 0;  // the first
  };

  // Formulas by state, and which were given.
  struct ByState {
    enum class Given { no, with_all, alone };
    std::vector<Given> given;
    std::vector<Expression> value;
    explicit ByState(std::size_t states) : given(states, Given::no), value(states, Expression(0)) {}
  };

  void choose_model();
  void name_everything();
  void open_names();
  void name_equations();
  void name_vector(const Assignment& cut, const std::optional<Vectors::Range>& range);
  void name_definitions();
  void prepare_texts();
  void settle_loops();
  void name_accumulators();
  void read_equations();
  void name_tangent();
  void read_tangent();
  bool has_tangent() const { return !tangent_.empty(); }
  void read_initial();
  void read_by_state(const Assignment& one, Allowed allowed, ByState& made);
  void read_noise();
  void check_noise();
  void check_noisy_times();
  bool is_noisy() const;
  std::string name_of_state(int state) const;
  void read_events();
  void read_assignments(const EventOptions& event, OdeSystem::Event& made);
  void read_rest(const EventOptions& event, int number);
  void read_accumulators();
  void read_extremum(const AccumulatorOptions& one, OdeSystem::Accumulator& made, int position);
  void read_forcing();
  std::optional<double> common_end(bool restarts) const;
  void check_forcing();
  Allowed of_equations() const;
  Sums of_sums() const;
  void read_general(const AccumulatorOptions& one, const std::string& path, const Expression& self,
                    OdeSystem::Accumulator& made);
  void read_solver();
  void read_method_keys();
  void read_tolerances();
  void read_phase();
  void read_records();
  void read_times();
  void read_trajectory();
  double trajectory_bytes() const;
  void name_results();
  void note_stages();
  void note_unused_sweeps();
  void check_limits();
  void limit(const char* what, std::size_t count, std::size_t most);
  void check_sizes();
  void check_operations();
  std::vector<std::string> members(const std::string& name) const;

  std::optional<Expression> parse_one(const std::vector<NamedFormula>& one, Allowed allowed, const std::string& path,
                                      Sums sums = Sums::written_out);
  int state_number(const std::string& name) const;
  int event_number(const std::string& name) const;
  void add_result(const std::string& name, const std::string& path, std::vector<Result>& list);
  bool add_output(const std::string& name, const std::string& path);  // a definition that is recorded

  const EnsembleOptions& options_;
  BlockOptions block_;  // the deck's, or with the texts of a ready model
  Names names_;
  Formulation made_;
  std::optional<Vectors> vectors_;
  std::vector<Equation> equations_;
  std::vector<int> slots_;  // of the tolerances of every row, those of a vector's elements being one
  // Of a Lyapunov exponent: its name and, when formulas are read, the rate of growth. The tangent's components are the
  // last half of the states.
  std::string tangent_;
  Expression growth_;
  std::vector<std::string> quadratures_, means_, accumulators_, forcings_;
  std::vector<int> position_;  // of each accumulator of the deck: quadrature or accumulator number
  std::map<std::string, Source> sources_;
  // The times of a table beyond which systems fail.
  struct Cover {
    std::string path;
    double first, last;
  };
  std::vector<Cover> covers_;
};

// The texts of a ready model, as they would stand in a deck; `name` that of a ReadyModel.
BlockOptions ready_model(const std::string& name);

}  // namespace halocline::ode_ensemble
