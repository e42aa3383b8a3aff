// HipercFiles: what the diffusion benchmark HiPerC writes (`output.compat: hiperc`), with its names and formats, for
// scripts that read them: runlog.csv with a line per output, diffusion.STEP.png, and diffusion.STEP.csv at the end.
//
// A sink for Problem::publish that gathers the field on rank 0, as these files are whole.
#pragma once

#include <string>
#include <vector>

#include "app/formats/compat.hpp"

namespace halocline {

class HipercFiles final : public CompatFiles, public FieldSink {
 public:
  // `directory` exists when the first file is written. Both outlive this.
  HipercFiles(const Communicator& comm, const std::string& directory) : comm_(comm), directory_(directory) {}

  // DeckError when the problem is not this benchmark. Collective.
  void check(const Problem& problem) override;
  // The last output has the values as text as well. Nothing where the problem has no residual of this time, as when a
  // run is stopped.
  void write(const Problem& problem, const Moment& moment) override;
  // The next line of runlog.csv follows those of the earlier run.
  void resume() override { resumed_ = true; }

  bool wants(const std::string& field) const override { return field == "c"; }
  void grid(const Grid& grid) override { grid_ = grid; }
  void field(const FieldInfo& info, int part, const Range<3>& block, View<const double, 3> values,
             const Executor& executor) override;
  void column(const FieldInfo&, int, const Range<1>&, View<const double, 1>, const Executor&) override {}
  void column(const FieldInfo&, int, const Range<1>&, View<const Index, 1>, const Executor&) override {}
  void series(const std::string& name, const std::string& unit, std::span<const double> values) override;

 private:
  void collect(const Problem& problem);
  void join(std::vector<std::string> shares);
  void log_line(const Moment& moment);
  std::string picture() const;
  std::string text() const;
  Index points(int axis) const { return grid_.points(axis); }

  const Communicator& comm_;
  const std::string& directory_;
  bool resumed_ = false;
  std::string log_;

  Grid grid_;                   // of the publish under way, as all below
  std::string share_;           // rows of this rank: number of the row, then its values
  std::vector<double> values_;  // on rank 0, all rows
  bool on_points_ = false;
  std::vector<double> residual_, time_, step_;  // the last of each, or none
};

}  // namespace halocline
