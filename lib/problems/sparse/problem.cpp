#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "lib/base/format.hpp"
#include "lib/problems/sparse/output/mesh_publisher.hpp"
#include "lib/problems/sparse/output/publish.hpp"
#include "lib/problems/sparse/plan.hpp"
#include "lib/problems/sparse/solves.hpp"
#include "lib/problems/sparse/sparse.hpp"
#include "lib/time/slices.hpp"
#include "mpi/halo/link_checks.hpp"

namespace halocline {

namespace sparse {

namespace {

class SparseProblem final : public Problem {
 public:
  SparseProblem(const Context& context, const SparseOptions& options)
      : context_(context),
        options_(options),
        f_(formulate(options_)),
        start_(Clock::now()),
        solves_(context_, options_, f_),
        setup_seconds_(std::chrono::duration<double>(Clock::now() - start_).count()),
        slices_(context_.comm) {
    if (f_.box != nullptr) boxes_ = std::make_unique<BoxPublisher>(solves_.rows_pointer(), f_.box->model().layout);
    if (f_.source != nullptr)
      if (auto mesh = f_.source->mesh())
        mesh_ = std::make_unique<MeshPublisher>(solves_.rows_pointer(), std::move(mesh));
  }

  void initialize() override { solves_.begin(); }

  Step advance(double t_stop) override {
    const auto left = static_cast<Index>(std::min(1e9, t_stop - static_cast<double>(solves_.iterations())));
    if (!solves_.finished() && left > 0) {
      slices_.run([&] {
        const auto scope = context_.timers.scope("iterate");
        const Index done = solves_.iterate(std::min(left, slices_.steps()));
        for (int p = 0; p < context_.team.parts(); ++p) context_.team.executor(p)->synchronize();
        return done;
      });
    }
    return step();
  }

  void publish(FieldSink& sink) const override {
    if (boxes_) sink.grid(output_grid(f_.box->model().layout));
    if (mesh_) mesh_->publish_mesh(sink);
    const bool several = f_.rhs.file && f_.rhs.file->shape().columns > 1;
    for (const char* name : {"u", "f", "residual", "k"})
      if (sink.wants(name) && (boxes_ || mesh_ || !several)) publish_field(sink, name);
    if (several) publish_solved(sink);
    if (mesh_ && sink.wants("part")) mesh_->publish_parts(sink);
    if (mesh_) mesh_->publish_cell_fields(sink);
    const auto& records = solves_.records();
    for (std::size_t n = 0; n < records.size(); ++n) sink.series(name_of_history(n), "1", records[n].history);
    if (solves_.multigrid() != nullptr) publish_levels(sink, solves_.multigrid()->facts());
    if (!solves_.finished()) sink.series(name_of_history(records.size()), "1", solves_.report().history);
  }

  void archive(StateArchive& state) override { solves_.archive(state); }

  void verify(Findings& findings) const override;

  Traffic traffic() const override { return solves_.traffic(); }

 private:
  using Clock = std::chrono::steady_clock;

  std::string name_of_history(std::size_t solve) const {
    return f_.solves == 1 ? "residual_history" : "residual_history_" + std::to_string(solve + 1);
  }

  void publish_field(FieldSink& sink, const std::string& name) const {
    const bool conductivity = name == "k";
    if (conductivity && (f_.box == nullptr || f_.box->model().stencil != Stencil::fv)) return;
    PartValues values = conductivity         ? box_conductivity(solves_.rows(), *f_.box, solves_.time())
                        : name == "u"        ? solves_.solution()
                        : name == "residual" ? solves_.residual()
                                             : solves_.right_side();
    if (boxes_) return boxes_->publish(sink, name, solves_.in_input_order(std::move(values)));
    if (mesh_) mesh_->publish(sink, name, values);
    publish_columns(sink, solves_.rows(), name, solves_.in_input_order(std::move(values)));
  }

  // Of a file of several right sides, what all of them have given.
  void publish_solved(FieldSink& sink) const {
    std::vector<SolvedColumn> solved = solves_.solved_columns();
    const auto publish = [&](const char* name, PartValues SolvedColumn::*values) {
      if (!sink.wants(name)) return;
      std::vector<PartValues> columns;
      for (SolvedColumn& column : solved) columns.push_back(solves_.in_input_order(std::move(column.*values)));
      publish_columns(sink, solves_.rows(), name, columns);
    };
    publish("u", &SolvedColumn::u);
    publish("f", &SolvedColumn::f);
    publish("residual", &SolvedColumn::residual);
  }

  Step step() const {
    const SolveReport& report = solves_.report();
    Step step;
    step.t = static_cast<double>(solves_.iterations());
    step.finished = solves_.finished();
    double share = step.finished ? 1 : 0;
    if (!step.finished && !report.history.empty()) {
      const double goal = std::log(options_.block.solver.tolerance), from = std::log(report.history.front());
      if (goal < from) share = std::clamp((std::log(report.residual) - from) / (goal - from), 0.0, 1.0);
    }
    step.fraction =
        step.finished ? 1 : (static_cast<double>(solves_.number()) + share) / static_cast<double>(f_.solves);
    step.status = f_.solves > 1 ? formatted("solve {} of {}, iteration {}, residual {:.2e}", solves_.number() + 1,
                                            f_.solves, report.iterations, report.residual)
                                : formatted("iteration {}, residual {:.2e}", report.iterations, report.residual);
    return step;
  }

  void verify_errors(Findings& findings) const;
  void add_measured(Findings& findings, double seconds) const;

  Context context_;
  SparseOptions options_;
  Formulation f_;
  Clock::time_point start_;
  Solves solves_;
  double setup_seconds_;
  Slices slices_;
  std::unique_ptr<BoxPublisher> boxes_;
  std::unique_ptr<MeshPublisher> mesh_;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

// A limit of 0 stands for none.
double limit_of(double given) { return given > 0 ? given : infinity; }

void SparseProblem::verify(Findings& findings) const {
  const VerifyOptions& limits = options_.verify;
  findings.failure = solves_.failure();
  const auto& records = solves_.records();
  double most = 0, fewest = infinity, residual = 0, relative = 0, seconds = 0, squares = 0;
  for (const SolveRecord& r : records) {
    most = std::max(most, static_cast<double>(r.iterations));
    fewest = std::min(fewest, static_cast<double>(r.iterations));
    residual = std::max(residual, r.residual);
    relative = std::max(relative, r.relative);
    seconds += r.seconds / static_cast<double>(records.size());
    squares += r.seconds * r.seconds / static_cast<double>(records.size());
  }
  const bool ranged = !limits.iterations.empty();
  const double low = ranged ? limits.iterations[0] : -infinity, high = ranged ? limits.iterations[1] : infinity;
  findings.check("iterations", "1", most, records.size() == 1 ? low : -infinity, high);
  if (records.size() > 1) findings.check("iterations.fewest", "1", fewest, low, infinity);
  findings.add("relative_residual", "1", relative);
  findings.check("residual", "1", residual, -infinity, limit_of(limits.residual));
  findings.add("rate", "1", mean_rate(records));
  const auto exactly = [&](const char* name, Index value, Index expected) {
    const auto wanted = static_cast<double>(expected);
    findings.check(name, "1", static_cast<double>(value), expected > 0 ? wanted : -infinity,
                   expected > 0 ? wanted : infinity);
  };
  exactly("unknowns", solves_.rows().size(), limits.unknowns);
  exactly("entries", solves_.entries(), limits.entries);
  if (f_.exact || f_.reference) verify_errors(findings);
  if (solves_.multigrid() != nullptr) {
    const std::vector<double>& range = limits.operator_complexity;
    findings.check("operator_complexity", "1", solves_.multigrid()->facts().operator_complexity(),
                   range.empty() ? -infinity : range[0], range.empty() ? infinity : range[1]);
    findings.add("grid_complexity", "1", solves_.multigrid()->facts().grid_complexity());
  }
  findings.add("setup_seconds", "s", setup_seconds_);
  findings.add("seconds_per_solve", "s", seconds);
  if (records.size() > 1)
    findings.add("seconds_per_solve.deviation", "s", std::sqrt(std::max(0.0, squares - seconds * seconds)));
  if (options_.block.measure.kernels > 0) add_measured(findings, seconds);
}

// What `measure` asks for.
void SparseProblem::add_measured(Findings& findings, double seconds) const {
  const Measured found = solves_.measure(options_.block.measure.kernels);
  findings.add("us.dot", "us", found.dot);
  findings.add("us.product", "us", found.product);
  if (found.preconditioner > 0)
    findings.add(solves_.multigrid() != nullptr ? "us.cycle" : "us.preconditioner", "us", found.preconditioner);
  const double bytes = solves_.bytes_of_iteration();
  Index iterations = 0;
  for (const SolveRecord& r : solves_.records()) iterations += r.iterations;
  const double copied = all_copy_rates(context_) * seconds * static_cast<double>(solves_.records().size());
  if (bytes > 0 && iterations > 0 && copied > 0)
    findings.add("share_of_copy", "1", bytes * static_cast<double>(iterations) / copied);
}

void SparseProblem::verify_errors(Findings& findings) const {
  const RowSpace& rows = solves_.rows();
  const PartValues known = f_.reference ? std::move(solves_.from_file(*f_.reference).front())
                                        : box_values(rows, f_.box->model().layout, *f_.exact, solves_.time());
  const Differences found = differences(rows, solves_.solution(), known);
  findings.check("max_error.u", "1", found.largest, -infinity, limit_of(options_.verify.max_error));
  findings.check("rms_error.u", "1", found.rms, -infinity, limit_of(options_.verify.rms_error));
}

std::unique_ptr<Options> make_options() { return std::make_unique<SparseOptions>(); }

// Halos of levels that few parts hold have their first exchanges among these, in the set-up.
std::unique_ptr<Problem> make_problem(const Context& context, const Options& options) {
  if (LinkChecks* checks = LinkChecks::of(context.team)) checks->close(context.comm);
  return std::make_unique<SparseProblem>(context, static_cast<const SparseOptions&>(options));
}

}  // namespace

}  // namespace sparse

const Family& sparse_family() {
  static const Family family{"sparse",
                             "large sparse systems, from formulas, meshes and files, by Krylov methods",
                             sparse::make_options,
                             sparse::field_names,
                             sparse::plan,
                             sparse::make_problem,
                             Pace::iterations,
                             true};
  return family;
}

}  // namespace halocline
