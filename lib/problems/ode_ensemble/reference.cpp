#include "lib/problems/ode_ensemble/reference.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/expression/scope.hpp"
#include "lib/problems/ode_ensemble/tables/csv.hpp"

namespace halocline::ode_ensemble {

namespace {

const std::string path = "verify";

// A formula in columns of the table, beside the name it stands for.
struct Link {
  std::string name;
  Expression formula;
};

class Reader {
 public:
  Reader(const VerifyOptions& options, const Formulation& formulation, Faults* faults)
      : options_(options), formulation_(formulation), faults_(faults) {}

  std::vector<Comparison> read() {
    if (options_.reference.size() != 1) return fault("reference", "expected the name of one file");
    try {
      table_ = read_csv(options_.reference.front().formula);
    } catch (const DeckError& error) {
      return fault("reference", error.what());
    }
    std::vector<const char*> names;
    for (const std::string& name : table_.names) {
      if (name != "t" && !fault_of_name(name).empty()) return fault("reference", "column '" + name + "' is no name");
      names.push_back(name.c_str());
    }
    const Scope scope{std::span<const char* const>(names)};
    const std::vector<Link> match = links(options_.match, scope), compare = links(options_.compare, scope);
    if (match.empty()) return fault("match", "missing; names the swept value that a row belongs to");
    if (compare.empty()) return fault("compare", "missing; names the results to compare");
    for (const Link& one : match) swept_.push_back(swept(one.name));
    for (const Link& one : compare) made_.push_back({one.name, {}});
    for (const Link& one : compare) check_result(one.name);
    if (good_) read_rows(match, compare);
    return made_;
  }

 private:
  std::vector<Comparison> fault(const std::string& key, const std::string& message) {
    if (faults_ != nullptr) faults_->at(path + "." + key, message);
    good_ = false;
    return {};
  }

  std::vector<Link> links(const std::vector<NamedFormula>& texts, const Scope& scope) {
    std::vector<Link> all;
    for (const NamedFormula& one : texts) {
      std::vector<FormulaFault> found;
      const auto e = scope.parse({one.formula.text, {"", 1, 1}}, found);
      for (const FormulaFault& bad : found) {
        good_ = false;
        if (faults_ != nullptr)
          faults_->at(one.formula, static_cast<std::size_t>(std::max(bad.place.column - 1, 0)), bad.text());
      }
      all.push_back({one.name.empty() ? one.formula.text : one.name, e.value_or(Expression(0))});
    }
    return all;
  }

  int swept(const std::string& name) {
    const auto& names = formulation_.sweep.names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fault("match", "'" + name + "' is no swept value");
    return static_cast<int>(found - names.begin());
  }

  void check_result(const std::string& name) {
    for (const auto* list : {&formulation_.final_values, &formulation_.each_phase, &formulation_.all_phases})
      for (const Result& result : *list)
        if (result.name == name) return;
    for (const Result& result : formulation_.at_times)
      if (times_prefix + result.name == name) return;
    fault("compare", "'" + name + "' is not recorded");
  }

  bool by_phase(const std::string& name) const {
    return std::any_of(formulation_.each_phase.begin(), formulation_.each_phase.end(),
                       [&](const Result& result) { return result.name == name; });
  }

  bool wanted(const std::vector<std::string>& row) {
    for (const NamedFormula& one : options_.only) {
      const int column = table_.column(one.name);
      if (column < 0) {
        fault("only", table_.lacks(one.name));
        return false;
      }
      const std::string& value = row[static_cast<std::size_t>(column)];
      const bool same = value == one.formula.text || csv_number(value) == csv_number(one.formula.text);
      if (!same) return false;
    }
    return true;
  }

  // Systems by their first swept value.
  std::vector<Index> systems_at(const std::vector<double>& values) {
    if (systems_.empty())
      for (Index i = 0; i < formulation_.sweep.systems(); ++i)
        systems_.emplace(formulation_.sweep.value(swept_.front(), i), i);
    if (!std::isfinite(values.front())) return {};
    const double slack = 1e-12 * std::abs(values.front());
    std::vector<Index> found;
    const auto end = systems_.upper_bound(values.front() + slack);
    for (auto at = systems_.lower_bound(values.front() - slack); at != end; ++at) {
      bool all = true;
      for (std::size_t k = 1; k < swept_.size(); ++k)
        all =
            all && std::abs(formulation_.sweep.value(swept_[k], at->second) - values[k]) <= 1e-12 * std::abs(values[k]);
      if (all) found.push_back(at->second);
    }
    return found;
  }

  void read_rows(const std::vector<Link>& match, const std::vector<Link>& compare) {
    std::map<Index, Index> rows_of;  // rows met so far, by system
    for (const auto& row : table_.rows) {
      if (!good_ || !wanted(row)) continue;
      std::vector<double> values, keys;
      for (const std::string& text : row) values.push_back(csv_number(text));
      for (const Link& one : match) keys.push_back(evaluate(one.formula, values));
      for (const Index system : systems_at(keys)) {
        const Index phase = rows_of[system]++;
        for (std::size_t c = 0; c < compare.size(); ++c) {
          const bool times = compare[c].name.starts_with(times_prefix), phases = by_phase(compare[c].name);
          const auto most = times    ? static_cast<Index>(formulation_.times.size())
                            : phases ? formulation_.base.record
                                     : 1;
          if (phase >= most) continue;
          made_[c].expected.push_back({system, evaluate(compare[c].formula, values), times || phases ? phase : -1});
        }
      }
    }
    for (const Comparison& one : made_)
      if (good_ && one.expected.empty()) fault("reference", "no row belongs to a system of the sweep");
  }

  const VerifyOptions& options_;
  const Formulation& formulation_;
  Faults* faults_;
  bool good_ = true;
  CsvTable table_;
  std::vector<int> swept_;
  std::vector<Comparison> made_;
  std::multimap<double, Index> systems_;
};

}  // namespace

std::vector<Comparison> read_reference(const VerifyOptions& options, const Formulation& formulation, Faults* faults) {
  return Reader(options, formulation, faults).read();
}

}  // namespace halocline::ode_ensemble
