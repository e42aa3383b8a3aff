#include "lib/problems/sparse/system.hpp"

#include <algorithm>
#include <cmath>

#include "lib/base/format.hpp"
#include "lib/linalg/sparse/rows_from_triplets.hpp"
#include "lib/problems/sparse/sources/components.hpp"

namespace halocline::sparse {

namespace {

// The rows of a generated matrix; the fault of the lowest row of all ranks is thrown on all of them.
std::vector<std::unique_ptr<PartRows>> make_parts(const RowSpace& rows, const RowSource& source, double t) {
  const Team& team = rows.team();
  std::vector<std::unique_ptr<PartRows>> parts(static_cast<std::size_t>(team.parts()));
  std::vector<RowFault> faults(parts.size());
  team.each([&](int p) {
    auto& part = parts[static_cast<std::size_t>(p)] = source.part(team.executor(p), rows.own(p), t);
    faults[static_cast<std::size_t>(p)] = part->fault();
  });
  const auto first = std::find_if(faults.begin(), faults.end(), [](const RowFault& f) { return f.found(); });
  std::string text = first == faults.end() ? "" : first->message;
  if (rows.comm().agree(text.empty())) return parts;
  const auto texts = rows.comm().gather(text);  // parts of lower ranks own lower rows
  for (auto one = texts.rbegin(); one != texts.rend(); ++one)
    if (!one->empty()) text = *one;
  rows.comm().broadcast(text);
  throw DeckError(text);
}

std::string count_text(const System& system, const RowTally& tally, const char* what) {
  return std::to_string(tally.count) + (tally.count == 1 ? " row " : " rows ") + what +
         (system.numbers.empty() ? ", the first is row " : ", one is row ") +
         std::to_string(named(system, tally.first)) + " (counted from 0)";
}

// In the first of the rows whose entries are not all finite.
Index first_column_not_finite(const RowSpace& rows, const std::vector<GlobalRows>& of_parts, Index row) {
  Index column = -1;
  for (int p = 0; p < rows.team().parts(); ++p)
    if (rows.own(p).lo[0] <= row && row < rows.own(p).hi[0]) column = column_not_finite(rows, of_parts, p, row);
  rows.comm().max(std::span(&column, 1));
  return column;
}

// Matrices that no solver here could do anything with.
void refuse_hopeless(const System& system, const std::vector<GlobalRows>& of_parts, ZeroRows zero_rows) {
  const RowFindings& found = system.findings;
  if (found.not_finite.count > 0) {
    const Index column = first_column_not_finite(*system.rows, of_parts, found.not_finite.first);
    throw DeckError("sparse.matrix: " + count_text(system, found.not_finite, "with infinite or undefined entries") +
                    ", there in column " + std::to_string(named(system, column)));
  }
  if (found.empty.count > 0 && zero_rows == ZeroRows::refuse)
    throw DeckError("sparse.matrix: " + count_text(system, found.empty, "without entries") +
                    "; with sparse.zero_rows: identity their unknowns are 0");
  if (found.no_diagonal.count > 0)
    throw DeckError(
        "sparse.matrix: " + count_text(system, found.no_diagonal, "without a diagonal, or with a zero there") +
        "; a saddle point, such as that of an incompressible flow, needs preconditioners that are not here");
}

// Equations of several unknowns have many positive entries off the diagonal.
bool looks_like_a_system(const RowFindings& found) {
  return static_cast<double>(found.positive_off_diagonal) > 0.3 * static_cast<double>(found.off_diagonal);
}

std::vector<std::vector<Index>> empty_rows(const std::vector<GlobalRows>& parts) {
  std::vector<std::vector<Index>> found;
  for (const GlobalRows& part : parts) {
    auto& list = found.emplace_back();
    const std::vector<Index> ptr = part.ptr.to_host();
    for (std::size_t n = 0; n + 1 < ptr.size(); ++n)
      if (ptr[n] == ptr[n + 1]) list.push_back(static_cast<Index>(n));
  }
  return found;
}

void negate_values(PartValues& values) {
  for (Array<double, 1>& part : values) {
    std::vector<double> host = part.to_host();
    for (double& value : host) value = -value;
    if (!host.empty()) part.assign(host);
  }
}

}  // namespace

System make_system(const Context& context, const Formulation& formulation, const BlockOptions& options, double t,
                   RowSpacePtr rows) {
  System made;
  std::vector<GlobalRows> of_parts(static_cast<std::size_t>(context.team.parts()));
  if (formulation.file) {
    const auto scope = context.timers.scope("read");
    Triplets mine = read_matrix(context.comm, *formulation.file);
    made.repeated = static_cast<Index>(mine.value.size());
    if (formulation.order != RowOrder::natural)
      made.numbers = numbers_of(reorder(context.comm, formulation.rows, formulation.order, mine));
    const Partition cut =
        partition_by_entries(context.comm, formulation.rows, mine, rows_per_chunk, context.shape.weights);
    made.rows = std::make_shared<const RowSpace>(context.comm, context.team, cut);
    of_parts = rows_from_triplets(context.comm, *made.rows, std::move(mine));
    if (formulation.coordinates)
      for (PartValues& axis : read_columns(*made.rows, *formulation.coordinates))
        made.coordinates.push_back(moved(*made.rows, made.numbers.here, std::move(axis)));
  } else {
    const auto scope = context.timers.scope("rows");
    made.rows =
        rows ? std::move(rows) : std::make_shared<const RowSpace>(context.comm, context.team, context.partition);
    made.numbers = formulation.source->row_numbers();
    const auto parts = make_parts(*made.rows, *formulation.source, t);
    for (const auto& part : parts) made.natural.emplace_back(part->rhs());
    context.team.each(
        [&](int p) { of_parts[static_cast<std::size_t>(p)] = parts[static_cast<std::size_t>(p)]->matrix(); });
  }
  made.components = components_of(*made.rows, formulation, options, made.numbers);
  made.near_null = near_null_of(*made.rows, formulation, options, made.numbers, made.components, made.coordinates);
  made.findings = check_rows(*made.rows, of_parts);
  refuse_hopeless(made, of_parts, options.zero_rows);
  if (formulation.file && made.numbers.empty() && looks_like_a_system(made.findings)) {
    made.repeated_in_pairs = repeated_rows(*made.rows, of_parts, 2);
    made.repeated_in_triples = repeated_rows(*made.rows, of_parts, 3);
  }
  if (made.findings.positive.count == 0 && made.findings.negative.count > 0) {
    made.sign = -1;
    negate(of_parts);
    negate_values(made.natural);
  }
  if (made.findings.empty.count > 0) {
    made.empty = empty_rows(of_parts);
    fill_empty_rows(*made.rows, of_parts);
  }
  made.A = std::make_unique<DistCrs>(made.rows, made.rows, std::move(of_parts));
  if (formulation.file) {
    context.comm.sum(std::span<Index>(&made.repeated, 1));
    made.repeated -= made.A->entries() - made.findings.empty.count;
  }
  return made;
}

Index named(const System& system, Index row) { return system.numbers.empty() ? row : system.numbers.input(row); }

void check_empty_rows(const System& system, const PartValues& rhs) {
  const RowSpace& rows = *system.rows;
  if (system.findings.empty.count == 0) return;
  auto first = static_cast<double>(rows.size());
  for (std::size_t p = 0; p < rhs.size(); ++p) {
    if (system.empty[p].empty()) continue;
    const std::vector<double> values = rhs[p].to_host();
    for (const Index n : system.empty[p])
      if (values[static_cast<std::size_t>(n)] != 0)
        first = std::min(first, static_cast<double>(rows.own(static_cast<int>(p)).lo[0] + n));
  }
  rows.comm().min(std::span(&first, 1));
  if (first < static_cast<double>(rows.size()))
    throw DeckError(
        formatted("sparse.matrix: row {} (counted from 0) has no entries, but a right side other than "
                  "0: there is no solution",
                  named(system, static_cast<Index>(first))));
}

PartValues natural_rhs(const RowSpace& rows, const RowSource& source, double sign, double t) {
  PartValues made;
  for (const auto& part : make_parts(rows, source, t)) made.emplace_back(part->rhs());
  if (sign < 0) negate_values(made);
  return made;
}

}  // namespace halocline::sparse
