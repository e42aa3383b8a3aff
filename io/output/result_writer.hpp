// ResultWriter: the FieldSink of a run. Fields go to VTKHDF files with their indices, columns and series to tables.h5.
#pragma once

#include <string>
#include <vector>

#include "io/output/table.hpp"
#include "io/output/vtkhdf.hpp"
#include "lib/base/publish.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

class ResultWriter : public FieldSink {
 public:
  // Writes into `directory`, which exists; only the fields in `wanted`, or all when it is empty. What must outlive it,
  // and when files are there, is said at VtkhdfWriter; tables are written at the end of a step.
  ResultWriter(const Writers& writers, const std::string& directory, std::vector<std::string> wanted,
               const Metadata& metadata, WriterOptions options = {});

  // Continues the output of an earlier run at problem time `time`. Collective.
  void resume(double time) { fields_.resume(time); }
  // One more attribute of the files written from now on, as converged = false.
  void mark(const std::string& name, const std::string& text) {
    fields_.mark(name, text);
    tables_.mark(name, text);
  }
  // Around one Problem::publish(). Collective. Throw MachineError on all ranks when the files cannot be written.
  void begin_step(double time);
  void end_step();
  // The next step takes the place of the last one, which is complete. Collective.
  void repeat_step() { fields_.repeat_step(); }
  // A series of rows with `width` values each, for tables.h5.
  void table(const std::string& name, const std::string& unit, Index width, std::span<const double> values) {
    tables_.series(name, unit, values, width);
  }
  // Fields of steps on their way to the disk. Collective but for under_way().
  void poll() { fields_.poll(); }
  void finish() { fields_.finish(); }
  bool under_way() const { return fields_.under_way(); }
  bool is_settled() const { return fields_.is_settled(); }
  // Whether one of them could not be written.
  bool has_lost() const { return fields_.has_lost(); }
  const Tables& tables() const { return tables_; }
  // Writes tables.h5 again, for series that were added after the last step. Collective.
  void write_tables() { tables_.write(); }
  const std::vector<OutputStep>& steps() const { return fields_.steps(); }

  // Fields that are not wanted are passed over.
  bool wants(const std::string& field) const override;
  void grid(const Grid& grid) override { fields_.grid(grid); }
  void field(const FieldInfo& info, int part, const Range<3>& block, View<const double, 3> values,
             const Executor& executor) override;
  bool mesh(const Mesh& mesh) override { return fields_.mesh(mesh); }
  void mesh_points(std::span<const RowsOf<double>> parts) override { fields_.mesh_points(parts); }
  void mesh_cells(std::span<const RowsOf<Index>> parts) override { fields_.mesh_cells(parts); }
  void on_mesh(const FieldInfo& info, std::span<const RowsOf<double>> parts) override {
    if (wants(info.name)) fields_.on_mesh(info, parts);
  }
  void column(const FieldInfo& info, int part, const Range<1>& block, View<const double, 1> values,
              const Executor& executor) override;
  void column(const FieldInfo& info, int part, const Range<1>& block, View<const Index, 1> values,
              const Executor& executor) override;
  void map(const std::array<MapAxis, 2>& axes) override { tables_.map(axes); }
  void text(const std::string& name, const std::string& text) override { tables_.text(name, text); }
  void series(const std::string& name, const std::string& unit, std::span<const double> values) override;

 private:
  std::vector<std::string> wanted_;
  VtkhdfWriter fields_;
  Tables tables_;
};

}  // namespace halocline
