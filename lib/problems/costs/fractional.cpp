// What a step moves and sends, by docs/performance/fractional.md: steps by sweeps.
#include "lib/problems/costs/families.hpp"

#include "lib/base/format.hpp"
#include "lib/linalg/strips/strips.hpp"
#include "lib/problems/fractional/boxes/part_boxes.hpp"
#include "lib/problems/fractional/formulation.hpp"
#include "lib/problems/fractional/memory.hpp"
#include "mpi/halo/turn_stages.hpp"

namespace halocline {
namespace fractional {
namespace {

// Bytes a node and step, as kernels move them; of place: with D, and what elimination leaves of it, read beside.
struct Bytes {
  double right_side, row_sweep, last_sweep, near, states;
};
Bytes bytes_of(const Formulation& f) {
  Bytes bytes = f.precision == Precision::fp64 ? Bytes{46, 16, 40, 24, 8} : Bytes{27, 8, 20, 12, 4};
  if (f.precision == Precision::fp16_history) bytes.states = 2;
  if (!f.rows_vary()) return bytes;
  for (double* one : {&bytes.right_side, &bytes.row_sweep, &bytes.last_sweep}) *one += 8;
  return bytes;
}

struct NoFaults final : Faults {
  using Faults::at;
  void at(std::string_view /*path*/, const std::string& /*message*/) override {}
  void at(const Place& /*place*/, const std::string& /*message*/) override {}
};

std::vector<double> even(int parts) { return std::vector<double>(static_cast<std::size_t>(parts), 1.0); }

// Nodes of the tree that the part with most of them sends the ends of.
double most_nodes(const strips::StripLayout& layout, const Partition& rows) {
  std::size_t most = 0;
  Index strip = 0;
  for (int p = 0; p < rows.parts(); ++p) {
    const Index first = strip;
    while (strip < layout.count && layout.begin(strip) < rows.block(p).hi[0]) ++strip;
    most = std::max(most, strips::top_nodes(layout.count, {{first}, {strip}}).size());
  }
  return static_cast<double>(most);
}

// The deck, formulated once for all numbers of parts.
class StepCosts final : public PartsCosts {
 public:
  explicit StepCosts(const FractionalOptions& options)
      : f_(formulate(options)), memory_(f_), value_(f_.precision == Precision::fp64 ? 8 : 4) {
    if (f_.precision != Precision::fp64)
      numbers_ = f_.precision == Precision::fp16_history ? " in halves" : " in floats";
    if (f_.rows_vary()) place_ = " of place";
    pitch_ = static_cast<double>((f_.grid.extent[0] + 15) / 16 * 16);
  }

  // Empty where y is cut.
  std::optional<Partition> shares(int parts) const override {
    NoFaults faults;
    const auto boxes = plan_boxes(f_, even(parts), faults);
    if (!boxes) return std::nullopt;
    return boxes->cut_along_y() ? Partition() : boxes->z();
  }

  std::optional<Cost> cost(const Partition& shares, const CostSetting& setting) const override {
    const bool by_sweeps = f_.split.kind == Split::adi || f_.split.kind == Split::automatic;
    if (!by_sweeps || f_.history.engine == Engine::series || f_.media.size() > 1) return std::nullopt;
    const BoxPartition boxes = boxes_of(f_, even(setting.parts), shares);
    const PartSize part = largest_part(boxes);
    const double nodes = static_cast<double>(f_.grid.extent[0] * part.rows * part.planes);
    const Bytes bytes = bytes_of(f_);
    Cost cost;
    cost.kernels = {{"right side" + place_ + numbers_, 1, bytes.right_side * nodes, 0},
                    {"near pass" + numbers_, 1, bytes.near * nodes, 0},
                    {"flush" + numbers_, 1, history_bytes(bytes.states) * nodes, 0},
                    {"sides", 6, 0, 0}};
    add_sweeps(cost, boxes, bytes, nodes, setting.gpu);
    cost.units = static_cast<double>(f_.last);
    if (f_.split.kind == Split::automatic)
      cost.assumed = "all steps by sweeps; a step that is solved as a whole takes longer";
    if (setting.parts > 1) add_ghosts(cost, part);
    return cost;
  }

 private:
  double history_bytes(double state) const {
    const auto block = static_cast<double>(f_.history.block), terms = static_cast<double>(memory_.terms());
    if (f_.history.engine == Engine::direct)
      return state * static_cast<double>(f_.last) / 2 / block;  // on average over the run
    return 2 * state * (terms + block) / block;
  }

  // Where parts share lines along y the sweeps along x and y reduce the strips of the next axis, of common
  // coefficients.
  void add_sweeps(Cost& cost, const BoxPartition& boxes, const Bytes& bytes, double nodes, bool gpu) const {
    const Index of_x = strips::strip_layout(f_.grid.extent[0]).count;
    const bool ahead = boxes.cut_along_y() && !f_.rows_vary() && !f_.nu_varies() && of_x <= (gpu ? 32 : 64);
    if (!ahead) {
      cost.kernels.push_back(sweep("x", bytes.row_sweep * nodes));
      add_sweep(cost, boxes, 1, sweep("y", bytes.row_sweep * nodes), reduction(boxes, 1));
      add_sweep(cost, boxes, 2, sweep("z", bytes.last_sweep * nodes), reduction(boxes, 2));
      return;
    }
    const bool both = boxes.cut_along_z();
    const auto with = [&](const char* axis, double more) {
      return KernelCost{formatted("sweep {} with strips{}", axis, numbers_), 1, bytes.row_sweep * nodes + more, 0};
    };
    const double along_z = both ? bytes_of_ends(boxes, 2) : 0;
    add_sweep(cost, boxes, 1, with("y", along_z), with("x", bytes_of_ends(boxes, 1)));
    add_sweep(cost, boxes, 2, sweep("z", bytes.last_sweep * nodes), {});
  }
  KernelCost sweep(const char* axis, double bytes) const {
    return {formatted("sweep {}{}{}", axis, place_, numbers_), 1, bytes, 0};
  }

  struct Lines {
    const Partition *rows, *across;
    double of_part, strips;  // lines, and strips of a line on the part
  };
  Lines lines_of(const BoxPartition& boxes, int axis) const {
    const Partition &rows = axis == 1 ? boxes.y() : boxes.z(), &across = axis == 1 ? boxes.z() : boxes.y();
    const strips::StripLayout layout = strips::strip_layout(f_.grid.extent[axis]);
    return {&rows, &across, pitch_ * largest_share(across),
            std::ceil(static_cast<double>(layout.count) / static_cast<double>(rows.parts()))};
  }
  // Ends of strips, written once.
  double bytes_of_ends(const BoxPartition& boxes, int axis) const {
    const Lines lines = lines_of(boxes, axis);
    return 2 * value_ * lines.of_part * lines.strips;
  }
  // Strips read for themselves.
  KernelCost reduction(const BoxPartition& boxes, int axis) const {
    const Lines lines = lines_of(boxes, axis);
    const double values = (f_.rows_vary() ? 2 : 1) * value_ * lines.of_part * largest_share(*lines.rows);
    return {formatted("sweep {}, strips{}", axis == 1 ? "y" : "z", numbers_), 1, values + bytes_of_ends(boxes, axis),
            0};
  }

  // Along y or z. Where parts share lines `reduce` writes the ends of strips, which are joined and parted; its bytes
  // are 0 where the sweep before has done so.
  void add_sweep(Cost& cost, const BoxPartition& boxes, int axis, const KernelCost& sweep, KernelCost reduce) const {
    const Lines lines = lines_of(boxes, axis);
    const double parts = lines.rows->parts(), ends = bytes_of_ends(boxes, axis);
    if (parts == 1) {
      cost.kernels.push_back(sweep);
      return;
    }
    LineCost line;
    const Index chunks =
        strips::chunks_of(static_cast<Index>(largest_share(*lines.across)), static_cast<Index>(pitch_));
    line.chunks = static_cast<int>(chunks);
    line.reduce = reduce;
    line.reduce.calls *= static_cast<double>(chunks);
    line.resolve = sweep;
    line.resolve.calls = static_cast<double>(chunks);
    line.resolve.bytes += ends;
    const double kinds = f_.rows_vary() || f_.nu_varies() ? 2 : 1;  // of three there and one back
    const strips::StripLayout layout = strips::strip_layout(f_.grid.extent[axis]);
    line.bytes = kinds * 2 * value_ * lines.of_part * most_nodes(layout, *lines.rows) * (parts - 1) / parts;
    line.stages = turns_in_two_stages(lines.rows->parts(), line.bytes / static_cast<double>(chunks)) ? 2 : 1;
    cost.lines.push_back(line);
    // Ends joined and parted, trees, and copies of what a part keeps.
    cost.kernels.push_back({"sides", static_cast<double>(6 * chunks), 4 * ends, 0});
  }

  // Of the last increment; they travel while nodes inside are computed. Then c grows there, and nodes outside follow.
  void add_ghosts(Cost& cost, const PartSize& part) const {
    const int neighbors = (part.cut_y ? 2 : 0) + (part.cut_z ? 2 : 0);
    const Index lines = std::max(part.cut_y ? part.planes : 0, part.cut_z ? part.rows : 0);
    cost.halos = {{1, value_ * pitch_ * static_cast<double>(lines), neighbors, true, false}};
    cost.kernels.push_back({"sides", 1.0 + neighbors, 0, 0});
  }

  Formulation f_;
  MemoryModel memory_;
  double value_, pitch_;
  std::string numbers_, place_;
};

// Boxes have a table of columns and layers, which is not there for every number.
Index most_parts(const Options& base, Index most) {
  const Formulation f = formulate(static_cast<const FractionalOptions&>(base));
  return f.parts.columns > 0 || !why_slabs(f).empty() ? 0 : largest_table(f, most);
}

}  // namespace
}  // namespace fractional

Index fractional_parts(const Options& options, Index most) { return fractional::most_parts(options, most); }

std::unique_ptr<PartsCosts> fractional_step_costs(const Options& options) {
  return std::make_unique<fractional::StepCosts>(static_cast<const fractional::FractionalOptions&>(options));
}

std::optional<Cost> fractional_cost(const Options& options, const Plan& plan, const CostSetting& setting) {
  return fractional_step_costs(options)->cost(plan.partition, setting);
}

}  // namespace halocline
