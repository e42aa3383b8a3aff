// What a run says of its solves: the choices it has made, and why a solve has failed.
#include <cmath>

#include "lib/amg/level_table.hpp"
#include "lib/base/format.hpp"
#include "lib/problems/sparse/solves.hpp"

namespace halocline::sparse {

namespace {

constexpr double unit_roundoff = 0x1p-53;

const char* name_of(Method method) {
  switch (method) {
    case Method::fcg:
      return "flexible CG";
    case Method::gmres:
      return "GMRES";
    case Method::bicgstab:
      return "BiCGSTAB";
    case Method::automatic:
    case Method::cg:
      break;
  }
  return "CG";
}

const char* name_of(FormatKind kind) {
  switch (kind) {
    case FormatKind::ell:
      return "rows as wide as the longest";
    case FormatKind::crs:
      return "compressed rows";
    case FormatKind::automatic:
    case FormatKind::four:
    case FormatKind::sell:
      break;
  }
  return "slices of 32 rows";
}

}  // namespace

void Solves::log_choices() const {
  const RowFindings& found = findings();
  Log& log = context_.log;
  log.info(formatted("{} rows, {} entries; {}, {:.3g} times the entries stored", rows().size(), entries_,
                     name_of(matrix_->format().kind), matrix_->format().fill));
  log.info(std::string(name_of(method_.method)) + ": " + method_.reason + "; preconditioner " +
           word_for(options_.block.preconditioner));
  if (multigrid() != nullptr && (options_.block.matrix.has_elastic_box || options_.block.components != Components::one))
    log.info(options_.block.amg.aggregates()
                 ? "components: multigrid takes the unknowns of a node into one aggregate"
                 : "components: multigrid interpolates every unknown of a node from the same unknown of others");
  if (multigrid() != nullptr)
    for (const std::string& line : amg::level_table(multigrid()->facts())) log.info(line);
  if (multigrid() != nullptr && suggested_components() > 1)
    log.info(
        formatted("the matrix looks like one of {} unknowns a node; with sparse.components: {} multigrid keeps them "
                  "apart",
                  suggested_components(), suggested_components()));
  if (!null_.note.empty()) log.info(null_.note);
  if (removed_ > 1e-12) log.info(formatted("the right side loses {:.2g} of its norm to them", removed_));
  if (system_.repeated > 0)
    log.info(std::to_string(system_.repeated) +
             (system_.repeated == 1 ? " entry was added to another" : " entries were added to others") +
             " at the same place");
  if (found.zeros > 0) log.info(std::to_string(found.zeros) + " entries are given as zero, and kept");
  if (found.empty.count > 0)
    log.info(std::to_string(found.empty.count) + " rows without entries: their unknowns are 0");
  if (system_.sign < 0) log.info("all diagonals are negative: -A u = -f is solved");
  if (found.positive.count > 0 && found.negative.count > 0)
    log.warning(formatted("{} diagonals are positive and {} negative: the matrix is indefinite", found.positive.count,
                          found.negative.count));
}

// Groups of rows nearly all of which have the same columns: 3, 2, or 1 for none.
Index Solves::suggested_components() const {
  if (options_.block.components != Components::one) return 1;
  const auto most = [&](Index repeated, Index group) {
    const auto all = static_cast<double>(rows().size() / group * (group - 1));
    return rows().size() % group == 0 && static_cast<double>(repeated) > 0.9 * all;
  };
  return most(system_.repeated_in_triples, 3) ? 3 : most(system_.repeated_in_pairs, 2) ? 2 : 1;
}

// What would help where multigrid has done badly.
void Solves::log_advice() const {
  if (multigrid() == nullptr) return;
  const double complexity = multigrid()->facts().operator_complexity(), rate = mean_rate(records_);
  if (complexity > 4)
    context_.log.info(
        formatted("the levels have {:.2g} times the entries of the matrix: amg.entries: 2 makes cycles and "
                  "memory smaller, for some more of them; amg.theta: 0.5 does where couplings vary little",
                  complexity));
  if (rate <= 0.4) return;
  std::string text = formatted("an iteration leaves {:.2f} of the residual, 0.1 to 0.3 are usual: ", rate);
  if (suggested_components() > 1)
    text += formatted("sparse.components: {} keeps the unknowns of a node apart, and costs nothing",
                      suggested_components());
  else if (options_.block.amg.preset != Preset::robust)
    text += "amg.preset: robust smooths twice, in fp64, at about three times the cost of an iteration";
  else
    text +=
        "amg.cycle: w visits coarse levels more often, at up to twice the cost; amg.theta: 0.1 finds more couplings "
        "strong, for more memory";
  context_.log.info(text);
}

std::string Solves::reason() const {
  const SolveReport& report = solver_->report();
  std::string text = formatted("{} {} after {} iterations; the residual is {:.3g} of the right side, tol is {:.3g}",
                               name_of(method_.method), words(report.status), report.iterations,
                               records_.back().residual, options_.block.solver.tolerance);
  if (report.status == SolveStatus::stagnated) {
    const double floor = attainable();
    text += formatted("; rounding keeps it above about {:.2g}", floor);
    if (options_.block.solver.tolerance < floor) text += ", and tol lies below that";
  }
  if (report.status == SolveStatus::indefinite_matrix && options_.block.solver.method != Method::gmres)
    text += "; method gmres solves indefinite systems";
  return text;
}

// What fp64 attains: 2^-53 norm(|A| |x|) / norm(f). The matrix is made once more.
double Solves::attainable() const {
  const System again = make_system(context_, f_, options_.block, time());
  for (int p = 0; p < context_.team.parts(); ++p) {
    std::vector<double> values(static_cast<std::size_t>(again.A->values(p).size()));
    const Executor& executor = *context_.team.executor(p);
    if (values.empty()) continue;
    executor.copy_out(values.data(), again.A->values(p).data, values.size() * sizeof(double));
    for (double& value : values) value = std::abs(value);
    executor.copy_in(again.A->values(p).data, values.data(), values.size() * sizeof(double));
  }
  const DistMatrix sizes(*again.A, storage_of(options_.block.storage));
  PartValues x = solution();
  take_magnitudes(x);
  Vector<double> in(sizes.space()), out(sizes.space());
  sizes.enter(x, in);
  sizes.apply(in, out);
  return unit_roundoff * norm(out) / norm(*b_);
}

}  // namespace halocline::sparse
