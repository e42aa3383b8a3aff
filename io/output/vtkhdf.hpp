// VtkhdfWriter: fields on grids and meshes, one VTKHDF file per output step, with a .series and an XDMF index for
// ParaView.
//
// In `directory`: NAME_0001.vtkhdf, NAME_0002.vtkhdf, ... (VTKHDF 1.0; units as attributes, run metadata as attributes
// of the file), NAME_grid.h5 (geometry, stored once, reached by external links; not for images), NAME.vtkhdf.series,
// NAME.xdmf. Every file appears under its name by rename, when it is whole. A grid is ImageData with arrays (z, y, x),
// an UnstructuredGrid with the same values laid flat, or (z, y, x) with its geometry in NAME.xdmf alone: geometry.hpp.
//
// With buffers, steps are on their way to the disk while the caller goes on: end_step() hands the copied values to a
// thread, and a later call gives the file its name, once all ranks have written. Steps arrive in their order, each in
// the indices when its file is whole.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/h5/deferred_file.hpp"
#include "io/output/geometry.hpp"
#include "io/output/vtk_mesh.hpp"
#include "io/output/xdmf.hpp"
#include "lib/base/log.hpp"
#include "lib/base/publish.hpp"
#include "mpi/communicator.hpp"

namespace halocline {

// Names and texts that every output file carries as attributes: version, deck, seed.
using Metadata = std::vector<std::pair<std::string, std::string>>;

struct WriterOptions {
  Geometry geometry = Geometry::automatic;
  Index buffers = 0;   // steps that may be on their way; 0: end_step() returns when the step is written
  Log* log = nullptr;  // if any, is told the form of the grid
};

class VtkhdfWriter {
 public:
  // `directory` exists. The communicator, the log and, with buffers, the GPUs of the values outlive the writer. All
  // calls are collective; failures of the machine reach every rank as MachineError and leave no unfinished file. A step
  // on its way that fails says so, with its time, in the next begin_step(), poll() or finish(), and drops those behind
  // it.
  VtkhdfWriter(Writers writers, std::string directory, std::string name, Metadata metadata, WriterOptions options = {});

  // Goes on behind the steps up to `time` of an earlier run in the directory; later ones are removed.
  void resume(double time);

  // One more attribute of the files made from now on.
  void mark(const std::string& name, const std::string& text) { metadata_.emplace_back(name, text); }
  void begin_step(double time);
  // The grid of this step (one per step). A step without a grid makes no file.
  void grid(const Grid& grid);
  // As FieldSink::field: once per part; the parts of all ranks must cover the grid. On a plane, fields at points come
  // before those in cells: the first one decides what form the grid has in the step's file.
  void field(const FieldInfo& info, const Range<3>& block, View<const double, 3> values, const Executor& executor);
  // As in FieldSink; a step has a grid or a mesh. The mesh of a run does not change: its geometry is asked for once.
  bool mesh(const Mesh& mesh);
  void mesh_points(std::span<const RowsOf<double>> parts);
  void mesh_cells(std::span<const RowsOf<Index>> parts);
  void on_mesh(const FieldInfo& info, std::span<const RowsOf<double>> parts);
  // Finishes the step's file and rewrites the indices, or sends the step on its way.
  void end_step();
  // The next step takes the place of the last one, after finish().
  void repeat_step();
  // Completes steps that have been written meanwhile; finish() waits for all of them, and sees to the indices, which
  // else may lack the last steps: 1 in 64, so that these cost little where there are many.
  void poll();
  void finish();
  bool under_way() const { return !under_way_.empty(); }
  // Whether all steps so far are complete, and stand in the indices.
  bool is_settled() const { return under_way_.empty() && indexed_ == steps_.size(); }
  // Whether steps that were under way could not be written.
  bool has_lost() const { return has_lost_; }

  // Those that are complete.
  const std::vector<OutputStep>& steps() const { return steps_; }

 private:
  // A step from its begin to its arrival.
  struct Underway {
    Underway(const Writers& writers, const std::string& path) : file(writers, path) {}

    OutputStep entry;
    std::vector<std::unique_ptr<StagingBuffer>> buffers;  // that its values lie in
    std::vector<std::vector<double>> dense;               // the same of values that are put into another order
    std::size_t kept = 0, kept_dense = 0;                 // of these: of fields before the last one
    DeferredFile file;                                    // ends first: its thread reads the values
  };

  bool is_at(const FieldInfo& info) const;                                      // the field under way
  std::size_t number() const { return steps_.size() + under_way_.size() + 1; }  // of the step under construction
  HostBox staged(const FieldInfo& info, const Range<3>& block, View<const double, 3> values, const Executor& executor);
  std::unique_ptr<StagingBuffer> take_buffer();
  void release(std::unique_ptr<Underway> step);
  void release_field();
  void arrive_first();
  void begin_grid(Centring centring);
  void say_form(GridForm form) const;
  void make_grid_file(bool cells);
  bool lies_flat() const { return form_ == GridForm::unstructured; }
  void begin_file();
  void drop();  // what there is of the step
  void write_pending();
  bool give(const FieldInfo& info, const h5::Extent& extent, const h5::Extent& shape);
  void finish_geometry();
  void make_structure(h5::File& file) const;
  void write_indices();  // collective
  bool is_index_due() const;
  std::string in_directory(const std::string& file) const { return directory_ + "/" + file; }

  Writers writers_;
  const Communicator& comm_;
  std::string directory_, name_;
  Metadata metadata_;
  WriterOptions options_;
  std::vector<OutputStep> steps_;  // complete on all ranks but for the XDMF text, which rank 0 has
  bool resumed_ = false;
  bool has_lost_ = false;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t indexed_ = 0;  // how many of the steps stand in the indices on the disk
  XdmfForm form_of_step_;    // of the last one

  std::deque<std::unique_ptr<StagingBuffer>> free_;  // kept, in the order of parts, for steps to come
  std::deque<std::unique_ptr<Underway>> under_way_;  // the oldest first
  std::unique_ptr<Underway> now_;                    // the step under construction, once it has a file
  double time_ = 0;
  std::optional<Grid> grid_;       // of the last step that had one
  bool on_grid_ = false;           // whether the step under construction has one
  std::optional<GridForm> form_;   // of the last grid that went out
  std::string grid_file_;          // its geometry, "" when none was needed yet
  std::vector<FieldInfo> fields_;  // of the step under construction, the last one perhaps not yet in its file
  std::vector<HostBox> pending_;
  std::optional<Mesh> mesh_;             // of the run, in place of a grid
  bool has_geometry_ = false;            // whether its file is there
  std::optional<MeshFile> mesh_file_;    // its geometry, under construction
  std::optional<RowDataset> mesh_rows_;  // of the field under way
};

}  // namespace halocline
