#include "io/output/vtkhdf.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/collective.hpp"
#include "io/files.hpp"
#include "io/h5/read_failure.hpp"
#include "io/output/vtk_grid.hpp"
#include "lib/base/error.hpp"
#include "lib/base/format.hpp"

namespace halocline {
namespace {

std::string numbered(const std::string& name, std::size_t number, const char* ending) {
  return formatted("{}_{:04}{}", name, number, ending);
}

void describe_image(h5::File& file, const Grid& grid) {
  const ImageBox box = image_box(grid);
  constexpr std::array<double, 9> direction{1, 0, 0, 0, 1, 0, 0, 0, 1};
  file.set_ascii_attribute("/VTKHDF", "Type", "ImageData");
  file.set_attribute("/VTKHDF", "WholeExtent", box.extent);
  file.set_attribute("/VTKHDF", "Origin", box.origin);
  file.set_attribute("/VTKHDF", "Spacing", box.spacing);
  file.set_attribute("/VTKHDF", "Direction", direction);
}

void link_geometry(h5::File& file, const std::string& grid_file) {
  file.set_ascii_attribute("/VTKHDF", "Type", "UnstructuredGrid");
  for (const char* name :
       {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds", "Points", "Connectivity", "Offsets", "Types"}) {
    file.link(std::string("/VTKHDF/") + name, grid_file, std::string("/") + name);
  }
}

// A power failure may have left a file's name without what is in it; such a one is written again.
template <class Look>
bool is_readable(const Look& look) {
  try {
    return look();
  } catch (const h5::ReadFailure&) {
    throw;
  } catch (const MachineError&) {
    return false;
  }
}

std::string failure_text(double time, const MachineError& error) {
  return "output at " + brief_text(time) + ": " + error.what();
}

std::string data_path(const FieldInfo& info) {
  return (info.centring == Centring::point ? "/VTKHDF/PointData/" : "/VTKHDF/CellData/") + info.name;
}

}  // namespace

VtkhdfWriter::VtkhdfWriter(Writers writers, std::string directory, std::string name, Metadata metadata,
                           WriterOptions options)
    : writers_(std::move(writers)),
      comm_(writers_.comm()),
      directory_(std::move(directory)),
      name_(std::move(name)),
      metadata_(std::move(metadata)),
      options_(options) {}

void VtkhdfWriter::resume(double time) {
  resumed_ = true;
  steps_.clear();
  bool indexed = false;
  on_rank0(comm_, [&] {
    const std::string index = in_directory(name_ + ".xdmf");
    indexed = std::filesystem::exists(index);
    if (!indexed) return;
    for (auto& step : steps_of_xdmf(read_text(index))) {
      // A name from a file that somebody may have changed must not lead to a file of theirs, here or elsewhere.
      if (!step.file.starts_with(name_ + "_") || step.file.find('/') != std::string::npos) continue;
      if (step.time <= time + 1e-12 * std::abs(time)) {
        steps_.push_back(std::move(step));
      } else {
        remove_file(in_directory(step.file));
      }
    }
  });
  Index kept = static_cast<Index>(steps_.size());
  comm_.broadcast(std::span(&kept, 1));
  steps_.resize(static_cast<std::size_t>(kept));
  if (!comm_.agree(!indexed)) write_indices();
}

void VtkhdfWriter::drop() {
  mesh_rows_.reset();
  mesh_file_.reset();
  pending_.clear();
  release(std::move(now_));  // with its file
}

void VtkhdfWriter::release(std::unique_ptr<Underway> step) {
  if (options_.buffers == 0) return free_.clear();
  if (!step) return;
  for (auto& buffer : step->buffers) free_.push_back(std::move(buffer));
}

// The values of the last field are needed no more.
void VtkhdfWriter::release_field() {
  for (std::size_t n = now_->kept; n < now_->buffers.size(); ++n) free_.push_back(std::move(now_->buffers[n]));
  now_->buffers.resize(now_->kept);
  now_->dense.resize(now_->kept_dense);
}

std::unique_ptr<StagingBuffer> VtkhdfWriter::take_buffer() {
  if (free_.empty()) return std::make_unique<StagingBuffer>();
  auto buffer = std::move(free_.front());
  free_.pop_front();
  return buffer;
}

void VtkhdfWriter::begin_step(double time) {
  drop();
  poll();
  while (under_way() && static_cast<Index>(under_way_.size()) >= options_.buffers) arrive_first();
  fields_.clear();
  on_grid_ = false;
  time_ = time;
}

void VtkhdfWriter::grid(const Grid& grid) {
  require(!on_grid_ && !now_, "VtkhdfWriter: one grid per step");
  if (!grid_ || grid_->nodes != grid.nodes) form_.reset();
  grid_ = grid;
  on_grid_ = true;
}

void VtkhdfWriter::begin_grid(Centring centring) {
  const GridForm form = form_of(*grid_, centring, options_.geometry);
  if (form_ != form) {
    form_.reset();  // until its file is there
    say_form(form);
    if (form != GridForm::image) make_grid_file(form == GridForm::unstructured);
    form_ = form;
  }
  begin_file();
}

// Files that are read through the index only may surprise; the rest is for those who look.
void VtkhdfWriter::say_form(GridForm form) const {
  if (options_.log == nullptr) return;
  const std::string reason = reason_of(form, *grid_, options_.geometry);
  form == GridForm::index ? options_.log->info(reason) : options_.log->debug(reason);
}

void VtkhdfWriter::make_grid_file(bool cells) {
  const bool first = grid_file_.empty();
  grid_file_ = first ? name_ + "_grid.h5" : numbered(name_ + "_grid", number(), ".h5");
  // Steps of an earlier run may link to a file of this name.
  bool there = false;
  if (resumed_ && first) {
    on_rank0(comm_,
             [&] { there = is_readable([&] { return is_grid_file_of(in_directory(grid_file_), *grid_, cells); }); });
    there = !comm_.agree(!there);
    if (!there && !steps_.empty()) grid_file_ = numbered(name_ + "_grid", number(), ".h5");
  }
  if (!there) write_grid_file(writers_, in_directory(grid_file_), *grid_, cells);
}

bool VtkhdfWriter::mesh(const Mesh& mesh) {
  require(!now_ && !grid_, "VtkhdfWriter: one grid or mesh per step");
  mesh_ = mesh;
  grid_file_ = name_ + "_grid.h5";
  if (resumed_ && !has_geometry_) {
    on_rank0(comm_,
             [&] { has_geometry_ = is_readable([&] { return is_mesh_file_of(in_directory(grid_file_), mesh); }); });
    has_geometry_ = !comm_.agree(!has_geometry_);
  }
  if (!has_geometry_) mesh_file_.emplace(writers_, in_directory(grid_file_), mesh);
  begin_file();
  return !has_geometry_;
}

void VtkhdfWriter::mesh_points(std::span<const RowsOf<double>> parts) {
  require(mesh_file_.has_value(), "VtkhdfWriter: geometry that was not asked for");
  mesh_file_->points(parts);
}

void VtkhdfWriter::mesh_cells(std::span<const RowsOf<Index>> parts) {
  require(mesh_file_.has_value(), "VtkhdfWriter: geometry that was not asked for");
  mesh_file_->cells(parts);
}

void VtkhdfWriter::finish_geometry() {
  if (!mesh_file_) return;
  mesh_file_->commit();
  mesh_file_.reset();
  has_geometry_ = true;
}

bool VtkhdfWriter::is_at(const FieldInfo& info) const {
  return !fields_.empty() && fields_.back().name == info.name && fields_.back().centring == info.centring;
}

void VtkhdfWriter::on_mesh(const FieldInfo& info, std::span<const RowsOf<double>> parts) {
  require(now_ && mesh_.has_value(), "VtkhdfWriter: values before their mesh");
  try {
    finish_geometry();
    if (!is_at(info)) {
      if (mesh_rows_) mesh_rows_->finish();
      fields_.push_back(info);
      mesh_rows_.emplace(comm_, now_->file.file(), data_path(info), info.unit, h5::Type::float64,
                         info.centring == Centring::point ? mesh_->points : mesh_->cells, info.width, false);
    }
    mesh_rows_->add(parts);
  } catch (...) {
    drop();
    throw;
  }
}

void VtkhdfWriter::begin_file() {
  const std::string file = numbered(name_, number(), ".vtkhdf");
  now_ = std::make_unique<Underway>(writers_, in_directory(file));
  now_->entry = {file, time_, {}};
  std::size_t bytes = 0;
  for (const auto& [name, text] : metadata_) bytes += name.size() + text.size();
  now_->file.file().structure(bytes, [&](h5::File& file) { make_structure(file); });
}

void VtkhdfWriter::make_structure(h5::File& file) const {
  file.set_attribute("/", "time", time_);
  for (const auto& [name, text] : metadata_) file.set_attribute("/", name, text);
  constexpr std::array<Index, 2> version{1, 0};
  file.make_group("/VTKHDF");
  file.set_attribute("/VTKHDF", "Version", version);
  file.make_group("/VTKHDF/PointData");
  file.make_group("/VTKHDF/CellData");
  const std::string& unit = mesh_ ? mesh_->unit : grid_->unit;
  if (!unit.empty()) file.set_attribute("/VTKHDF", "length_unit", unit);
  if (!mesh_ && form_ == GridForm::image) describe_image(file, *grid_);
  if (mesh_ || form_ == GridForm::unstructured) link_geometry(file, grid_file_);
}

void VtkhdfWriter::field(const FieldInfo& info, const Range<3>& block, View<const double, 3> values,
                         const Executor& executor) {
  require(on_grid_, "VtkhdfWriter: a field before its grid");
  if (!now_) begin_grid(info.centring);
  if (!is_at(info)) {
    write_pending();
    fields_.push_back(info);
    now_->kept = now_->buffers.size();
    now_->kept_dense = now_->dense.size();
  }
  pending_.push_back(staged(info, block, values, executor));
}

HostBox VtkhdfWriter::staged(const FieldInfo& info, const Range<3>& block, View<const double, 3> values,
                             const Executor& executor) {
  HostBox box;
  for (const int axis : {2, 1, 0}) {
    box.offset.push_back(block.lo[axis]);
    box.count.push_back(block.extent(axis));
    const int index = info.order == AxisOrder::x_slowest ? axis : 2 - axis;
    require(values.extent[index] == block.extent(axis), "VtkhdfWriter: the view does not have the size of its block");
  }
  if (info.order == AxisOrder::x_slowest) {
    const std::vector<double>& dense = now_->dense.emplace_back(stage(values, info.order, executor));
    box.values = View<const double, 3>(dense.data(), box.count[0], box.count[1], box.count[2]);
  } else {
    box.values = copy_to(*now_->buffers.emplace_back(take_buffer()), values, executor);
  }
  return box;
}

void VtkhdfWriter::write_pending() {
  if (fields_.empty()) return;
  if (mesh_) return mesh_rows_->finish();
  const FieldInfo& info = fields_.back();
  require(form_ != GridForm::image || form_of(*grid_, info.centring, options_.geometry) == GridForm::image,
          "VtkhdfWriter: a field at points of a plane behind one in its cells");
  const auto axes = file_shape(*grid_, info.centring);
  const h5::Extent shape(axes.begin(), axes.end());
  const Index total = count(*grid_, info.centring);
  Index covered = 0;
  for (const HostBox& box : pending_) covered += box.values.size();
  comm_.sum(std::span(&covered, 1));
  require(covered == total, "VtkhdfWriter: the parts do not cover the grid");
  try {
    const bool taken = give(info, lies_flat() ? h5::Extent{total} : shape, shape);
    pending_.clear();
    if (taken) release_field();
  } catch (...) {
    drop();
    throw;
  }
}

// Gives what is pending to the file; whether that has what it needs of it.
bool VtkhdfWriter::give(const FieldInfo& info, const h5::Extent& extent, const h5::Extent& shape) {
  if (options_.buffers > 0) return now_->file.dataset(data_path(info), info.unit, extent, shape, pending_);
  try {
    now_->file.write_dataset(data_path(info), info.unit, extent, shape, pending_);
  } catch (const MachineError& error) {
    throw MachineError(failure_text(time_, error));
  }
  return true;
}

void VtkhdfWriter::end_step() {
  if (on_grid_ && !now_) begin_grid(Centring::point);  // a step without fields
  if (!now_) return;
  finish_geometry();
  write_pending();
  mesh_rows_.reset();
  if (comm_.rank() == 0) {
    OutputStep& entry = now_->entry;
    entry.form = form_of_step_ = shared_form(
        form_of_step_, mesh_ ? xdmf_form(*mesh_, grid_file_, fields_) : xdmf_form(*grid_, grid_file_, fields_));
  }
  now_->file.depart(options_.buffers > 0, under_way() ? &under_way_.back()->file : nullptr);
  under_way_.push_back(std::move(now_));
  while (options_.buffers == 0 && under_way()) arrive_first();
}

void VtkhdfWriter::poll() {
  while (under_way() && comm_.agree(under_way_.front()->file.arrived())) arrive_first();
}

void VtkhdfWriter::finish() {
  while (under_way()) arrive_first();
  if (!is_settled()) write_indices();
}

void VtkhdfWriter::repeat_step() {
  require(!under_way(), "VtkhdfWriter: a step to repeat that is under way");
  if (!steps_.empty()) steps_.pop_back();
  indexed_ = none;
}

void VtkhdfWriter::arrive_first() {
  Underway& first = *under_way_.front();
  try {
    first.file.arrive();
    steps_.push_back(first.entry);
    if (is_index_due()) write_indices();
  } catch (const MachineError& error) {
    has_lost_ = true;
    const std::string text = failure_text(first.entry.time, error);
    while (under_way()) {
      release(std::move(under_way_.front()));
      under_way_.pop_front();
    }
    throw MachineError(text);
  }
  release(std::move(under_way_.front()));
  under_way_.pop_front();
}

// ParaView's own index lists files that it can open by themselves; before the first grid an earlier run's is kept up.
void VtkhdfWriter::write_indices() {
  on_rank0(comm_, [&] {
    const std::string series = in_directory(name_ + ".vtkhdf.series");
    const bool readable = form_ || mesh_ ? form_ != GridForm::index : std::filesystem::exists(series);
    if (readable) replace_file_by(series, [&](const Put& put) { put_series_index(put, steps_); });
    replace_file_by(in_directory(name_ + ".xdmf"), [&](const Put& put) { put_xdmf_index(put, name_, steps_); });
  });
  indexed_ = steps_.size();
}

// Indices hold all steps and are written as a whole, so of many steps not at each: for one step's share of it to stay
// the same, whatever their number.
bool VtkhdfWriter::is_index_due() const {
  constexpr std::size_t part = 64;
  return indexed_ == none || steps_.size() > indexed_ + indexed_ / part;
}

}  // namespace halocline
