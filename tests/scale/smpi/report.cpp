// Writes what all ranks did as JSON to the file that HALOCLINE_SCALE_OUTPUT names, by phases: mean and largest over
// ranks.
#include "tests/scale/smpi/report.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace scale {
namespace {

// Sum and largest over the ranks.
struct Totals {
  Count sum, most;
  void add(const Count& one) {
    for (double Count::*item : {&Count::calls, &Count::messages, &Count::bytes, &Count::seconds}) {
      sum.*item += one.*item;
      most.*item = std::max(most.*item, one.*item);
    }
  }
};

struct PhaseTotals {
  Totals time;
  std::map<std::string, Totals> calls, kernels;
};

std::map<std::string, PhaseTotals> add_ranks(const Ledgers& ledgers) {
  std::map<std::string, PhaseTotals> all;
  for (const std::unique_ptr<Ledger>& ledger : ledgers) {
    if (!ledger) continue;
    for (const auto& [name, phase] : ledger->phases()) {
      PhaseTotals& totals = all[name];
      totals.time.add({1, 0, 0, phase.seconds});
      for (const auto& [key, count] : phase.calls) totals.calls[key].add(count);
      for (const auto& [key, count] : phase.kernels) totals.kernels[key].add(count);
    }
  }
  return all;
}

void write_count(std::FILE* file, const char* name, const Count& count, double ranks) {
  std::fprintf(file, "\"%s\": {\"calls\": %.17g, \"messages\": %.17g, \"bytes\": %.17g, \"seconds\": %.9g}", name,
               count.calls / ranks, count.messages / ranks, count.bytes / ranks, count.seconds / ranks);
}

// {"mean": ..., "most": ...}
void write_totals(std::FILE* file, const char* name, const Totals& totals, double ranks) {
  std::fprintf(file, "\"%s\": {", name);
  write_count(file, "mean", totals.sum, ranks);
  std::fprintf(file, ", ");
  write_count(file, "most", totals.most, 1);
  std::fprintf(file, "}");
}

void write_table(std::FILE* file, const char* name, const std::map<std::string, Totals>& table, double ranks) {
  std::fprintf(file, ",\n  \"%s\": {", name);
  const char* between = "\n   ";
  for (const auto& [key, totals] : table) {
    std::fprintf(file, "%s", between);
    write_totals(file, key.c_str(), totals, ranks);
    between = ",\n   ";
  }
  std::fprintf(file, "}");
}

}  // namespace

void write_report(const Ledgers& ledgers) {
  const char* path = std::getenv("HALOCLINE_SCALE_OUTPUT");
  const double end = now();
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return;
  const auto ranks = static_cast<double>(ledgers.size());
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::fprintf(file, "{\"ranks\": %zu, \"simulated\": %.9g, \"processor\": %.3f, \"peak_kib\": %ld, \"phases\": {",
               ledgers.size(), end, usage.ru_utime.tv_sec + 1e-6 * usage.ru_utime.tv_usec, usage.ru_maxrss);
  const char* between = "\n ";
  for (const auto& [name, phase] : add_ranks(ledgers)) {
    std::fprintf(file, "%s\"%s\": {", between, name.c_str());
    write_totals(file, "time", phase.time, ranks);
    write_table(file, "calls", phase.calls, ranks);
    write_table(file, "kernels", phase.kernels, ranks);
    std::fprintf(file, "}");
    between = ",\n ";
  }
  std::fprintf(file, "}}\n");
  std::fclose(file);
}

}  // namespace scale
