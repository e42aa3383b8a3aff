#include "app/run/run_options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>

#include "app/run/grid_places.hpp"
#include "gpu/devices.hpp"
#include "lib/base/format.hpp"

namespace halocline {

void RunOptions::describe(Describer& d) {
  d.item({"devices", "",
          "Devices of every rank, one word or a list: auto, cuda, cuda:NUMBER, omp, omp:THREADS, emulated, "
          "emulated-lazy."},
         devices);
  d.item({"per_rank", "1", "How often a rank uses each of its devices; every use is a part of the domain."}, per_rank,
         Bounds::between(1, 1024));
  d.item(
      {"weights", "1", "Share of the work per part: of one rank (the same on all) or of all ranks; equal if left out."},
      weights, Bounds::positive());
  d.choice({"balance", "",
            "weights: shares as given; measured: by the memory bandwidth of each device, measured at the start."},
           balance);
  d.item({"threads", "1", "Host threads of a rank, shared out to its devices; 0: as many as the machine offers it."},
         threads, Bounds::between(0, 4096));
  d.item({"wall_limit", "s",
          "Save and end the run at the first slice of work after this time since its start; 0: no limit."},
         wall_limit, Bounds::at_least(0));
  d.choice({"transfer", "",
            "From device to device of other ranks: staged as messages through the host; direct, as messages from GPUs; "
            "ipc, past MPI between GPUs of a node; auto: ipc where it is possible, else direct where MPI can."},
           transfer);
  d.choice({"sums", "", "exact: sums that do not depend on the number of parts."}, sums);
}

void ImageOptions::describe(Describer& d) {
  static constexpr std::array<const char*, 3> axes{"x", "y", "z"};
  d.item(
      {"every", "problem time", "Time between pictures, beginning and end included; the end alone without a period."},
      every, Bounds::positive());
  d.item({"every_steps", "1", "Steps between pictures; the beginning and the end are among them."}, every_steps,
         Bounds::at_least(1));
  d.choice({"field", "", "The field to show."}, field, known_fields);
  d.choice({"map", "", "Colors of low to high values."}, map);
  d.item({"range", "", "[low, high]: values at the ends of the map; those of each picture if left out."}, range);
  d.item({"pixels", "1", "Pixels of the longer side at most; each is the mean of its cells."}, pixels,
         Bounds::between(1, 16384));
  has_axis = d.choice({"axis", "", "The axis that the plane of a 3D field is normal to."}, axis, axes);
  d.item({"at", "length", "[COORDINATE] of the plane on this axis; the middle if left out."}, at);
}

void ProbeOptions::describe(Describer& d) {
  d.item({"every", "problem time", "Time between records, beginning and end included; the end alone without a period."},
         every, Bounds::positive());
  d.item({"every_steps", "1", "Steps between records; the beginning and the end are among them."}, every_steps,
         Bounds::at_least(1));
  d.subset({"fields", "", "Fields to record; all if left out."}, fields, known_fields);
  d.item({"points", "length", "Points [x, y] or [x, y, z] at which the fields are interpolated."}, points, 0);
  d.item({"lines", "length", "Lines [x, y, x, y] or [x, y, z, x, y, z] from end to end."}, lines, 0);
  d.item({"samples", "1", "Points of a line, its ends included."}, samples, Bounds::between(2, 1048576));
}

void OutputOptions::describe(Describer& d) {
  d.item({"directory", "", "Where all files of the run go, relative to the working directory; out/NAME for NAME.yaml."},
         directory);
  d.item({"every", "problem time", "Time between outputs; the beginning and the end are written too."}, every,
         Bounds::positive());
  d.item({"every_steps", "1", "Steps between outputs; the beginning and the end are written too."}, every_steps,
         Bounds::at_least(1));
  d.item({"at", "problem time", "Times of output, increasing; the end is written too."}, at, Bounds::at_least(0));
  d.subset({"fields", "", "Fields to write; all if left out."}, fields, known_fields);
  d.choice({"compat", "",
            "hiperc: also the files of the benchmark HiPerC at every output (family diffusion, layout hiperc, 2D)."},
           compat);
  has_geometry =
      d.choice({"geometry", "",
                "auto: uniform boxes as images, uniform planes with values in cells too, other grids spelled "
                "out, up to 4 million cells; explicit: planes and any size spelled out; index: what is no "
                "image in fields.xdmf alone."},
               geometry);
  has_buffers = d.item({"buffers", "1",
                        "Outputs that may be on their way to the disk while the run goes on; each takes their room on "
                        "the host. 0: the run waits for the disk."},
                       buffers, Bounds::between(0, 16));
  d.item({"writers", "",
          "Ranks that write files, the others send them their values: all; node: one of each node; a number; auto: "
          "node where more than 64 ranks are on several nodes, else all. Bytes of files do not depend on it."},
         writers);
  has_max_size = d.item({"max_size", "GiB", "Decks whose results are larger are refused (families with tables)."},
                        max_size, Bounds::positive());
  images.known_fields = known_fields;
  probes.known_fields = known_fields;
  images.present = d.group({"images", "", "Pictures, in the folder `images` of the output."}, images);
  probes.present = d.group({"probes", "", "Series over time, in tables.h5."}, probes);
}

void CheckpointOptions::describe(Describer& d) {
  d.item({"interval", "s", "Wall time between checkpoints; 0: only when a signal or the wall limit ends the run."},
         interval, Bounds::at_least(0));
  d.item({"every", "problem time", "Problem time between checkpoints."}, every, Bounds::positive());
  d.item({"keep", "1", "How many checkpoints stay."}, keep, Bounds::between(1, 1000));
  d.choice({"files", "",
            "one: a checkpoint is one file; writers: values go into a file of each rank that writes (output.writers), "
            "which the first one names."},
           files);
  d.item({"at_end", "", "Also before a run ends, so that it can be made longer later."}, at_end);
}

void SharedOptions::describe(Describer& d) {
  d.group({"run", "", "Devices, threads and limits."}, run);
  d.group({"output", "", "What is written, where and when."}, output);
  d.group({"checkpoint", "", "State saved for a restart."}, checkpoint);
}

namespace {

void check_devices(const RunOptions& run, Faults& faults) {
  if (run.devices.empty()) faults.at("run.devices", "is an empty list; name at least one device, or auto");
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    const std::string& name = run.devices[i];
    const std::string path = "run.devices[" + std::to_string(i) + "]";
    if (name == "auto") {
      if (run.devices.size() > 1) faults.at(path, "auto stands alone, not in a list with other devices");
      continue;
    }
    try {
      check_device_name(name);
    } catch (const DeckError& error) {
      faults.at(path, error.what());
    }
  }
}

void check_period(const std::string& block, double every, Index every_steps, Faults& faults) {
  if (every > 0 && every_steps > 0) faults.at(block + ".every_steps", "contradicts every; give one of them");
}

void check_images(const ImageOptions& images, Faults& faults) {
  const std::string block = "output.images";
  if (!images.range.empty() && (images.range.size() != 2 || !(images.range[0] < images.range[1])))
    faults.at(block + ".range", "expected [low, high] with low < high");
  if (images.at.size() > 1) faults.at(block + ".at", "expected one number");
}

void check_probes(const ProbeOptions& probes, Faults& faults) {
  const auto check = [&](const char* key, const std::vector<std::vector<double>>& rows, std::size_t ends) {
    for (std::size_t n = 0; n < rows.size(); ++n) {
      if (rows[n].size() == 2 * ends || rows[n].size() == 3 * ends) continue;
      faults.at(std::string("output.probes.") + key + "[" + std::to_string(n) + "]",
                "expected " + std::to_string(2 * ends) + " or " + std::to_string(3 * ends) + " numbers, found " +
                    std::to_string(rows[n].size()));
    }
  };
  check("points", probes.points, 1);
  check("lines", probes.lines, 2);
}

// Periods and times of families that count iterations.
void check_iterations(const SharedOptions& options, const Family& family, Faults& faults) {
  const auto check = [&](const char* key, double value) {
    if (value == std::floor(value)) return;
    faults.at(key,
              formatted("counts iterations for family {}; expected a whole number, found {:g}", family.name, value));
  };
  check("output.every", options.output.every);
  check("output.images.every", options.output.images.every);
  check("output.probes.every", options.output.probes.every);
  check("checkpoint.every", options.checkpoint.every);
  for (const double t : options.output.at) check("output.at", t);
}

constexpr double most_times = 1e7;  // of output up to the end of a run, by a period

// Times of output that no run comes to.
void check_end(const OutputOptions& output, double end, Faults& faults) {
  constexpr double rounding = 1e-12;
  for (std::size_t n = 0; n < output.at.size(); ++n) {
    if (output.at[n] <= end * (1 + rounding)) continue;
    faults.at("output.at[" + std::to_string(n) + "]",
              shortest_text(output.at[n]) + " is after the end of the run, " + shortest_text(end));
  }
}

// Periods so short that a run, which hits every multiple, would write for ever.
void check_periods(const SharedOptions& options, double end, Faults& faults) {
  const auto check = [&](const char* key, double every) {
    if (every <= 0 || !std::isfinite(end) || end <= every * most_times) return;
    faults.at(key, formatted("{:g} asks for {:.3g} times up to the end of the run, {:g}, and {:g} are the most: give "
                             "{:.2g} or more",
                             every, end / every, end, most_times, 1.1 * end / most_times));
  };
  check("output.every", options.output.every);
  check("output.images.every", options.output.images.every);
  check("output.probes.every", options.output.probes.every);
  check("checkpoint.every", options.checkpoint.every);
}

// Places of probes and pictures that are not on the grid.
void check_places(const OutputOptions& output, const Grid& grid, Faults& faults) {
  const auto check = [&](const char* key, const std::vector<std::vector<double>>& rows, std::size_t ends) {
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const std::size_t axes = rows[n].size() / ends;
      if (axes * ends != rows[n].size() || axes < 2 || axes > 3) continue;  // a fault that is reported already
      std::string fault;
      for (std::size_t end = 0; end < ends && fault.empty(); ++end)
        fault = place_fault(grid, std::span(rows[n]).subspan(end * axes, axes));
      if (!fault.empty()) faults.at(std::string("output.probes.") + key + "[" + std::to_string(n) + "]", fault);
    }
  };
  check("points", output.probes.points, 1);
  check("lines", output.probes.lines, 2);
  const ImageOptions& images = output.images;
  const int axis = normal_axis(grid, images.axis);
  if (images.has_axis && axis != images.axis && !grid.missing(images.axis)) {
    faults.at("output.images.axis", formatted("the fields lie on a plane normal to {}, which is the only picture of "
                                              "them; leave it out",
                                              axis_letters[axis]));
  }
  if (images.at.size() != 1) return;
  const std::string fault = plane_fault(grid, axis, images.at.front());
  if (!fault.empty()) faults.at("output.images.at", fault);
}

}  // namespace

void SharedOptions::check(int ranks, Faults& faults) const {
  check_devices(run, faults);
  const std::size_t own = run.devices.size() * static_cast<std::size_t>(run.per_rank);
  const std::size_t all = own * static_cast<std::size_t>(ranks);
  if (!run.weights.empty() && run.weights.size() != own && run.weights.size() != all)
    faults.at("run.weights", "has " + std::to_string(run.weights.size()) + " numbers; expected " + std::to_string(own) +
                                 " (parts of a rank) or " + std::to_string(all) + " (parts of all ranks)");
  if (run.balance == Shares::measured && !run.weights.empty())
    faults.at("run.balance", "measured contradicts run.weights; give one of them");
  const int schedules = (output.every > 0 ? 1 : 0) + (output.every_steps > 0 ? 1 : 0) + (output.at.empty() ? 0 : 1);
  if (schedules > 1) {
    const char* key = output.at.empty() ? "output.every_steps" : "output.at";
    faults.at(key, "contradicts another key of `output`: give one of every, every_steps and at");
  }
  if (std::adjacent_find(output.at.begin(), output.at.end(), std::greater_equal<>()) != output.at.end())
    faults.at("output.at", "must increase");
  if (!writer_choice(output.writers))
    faults.at("output.writers", "expected auto, all, node or a number of ranks from 1 on, found " + output.writers);
  check_period("output.images", output.images.every, output.images.every_steps, faults);
  check_period("output.probes", output.probes.every, output.probes.every_steps, faults);
  check_images(output.images, faults);
  check_probes(output.probes, faults);
}

void SharedOptions::check_for(const Family& family, const Plan& plan, Faults& faults) const {
  constexpr double gibibyte = 1024.0 * 1024 * 1024;
  if (plan.table_bytes > output.max_size * gibibyte) {
    faults.at("output.max_size", formatted("is {:.3g} GiB, and the results take {:.3g} GiB; raise it, or record less",
                                           output.max_size, plan.table_bytes / gibibyte));
  }
  const std::string whose = std::string("means nothing for family ") + family.name + ", ";
  const auto refuse = [&](bool given, const char* key, const std::string& why) {
    if (given) faults.at(key, whose + why);
  };
  const bool on_grid = plan.on_grid.value_or(family.on_grid);
  refuse(output.has_max_size && on_grid, "output.max_size", "whose results are no tables; leave it out");
  if (!on_grid) {
    const std::string why = "whose results are columns of tables.h5, not fields on a grid; leave it out";
    refuse(output.images.given(), "output.images", why);
    refuse(output.probes.given(), "output.probes", why);
    refuse(output.has_geometry, "output.geometry", why);
    refuse(output.has_buffers, "output.buffers", why);
  }
  const auto is_there = [&](const std::string& field) {
    return plan.fields.empty() || std::find(plan.fields.begin(), plan.fields.end(), field) != plan.fields.end();
  };
  const auto must_be_there = [&](const std::string& field, const char* key) {
    if (!is_there(field)) faults.at(key, "there is no field " + field + " with the other keys of this deck");
  };
  for (const std::string& field : output.fields) must_be_there(field, "output.fields");
  for (const std::string& field : output.probes.fields) must_be_there(field, "output.probes.fields");
  const auto known = output.known_fields.empty() ? family.fields : output.known_fields;
  if (on_grid && output.images.given())
    must_be_there(known[static_cast<std::size_t>(output.images.field)], "output.images.field");
  if (on_grid && plan.grid) check_places(output, *plan.grid, faults);
  const auto& compat = family.compat;
  const bool unknown =
      std::find(compat.begin(), compat.end(), std::string_view(word_for(output.compat))) == compat.end();
  refuse(output.compat != Compat::none && unknown, "output.compat", purpose_of(output.compat));
  if (family.pace == Pace::steps) {
    check_end(output, plan.end, faults);
    return check_periods(*this, plan.end, faults);
  }
  const bool once = family.pace == Pace::none;
  const std::string steps = once ? "whose results are written at the end alone; leave it out"
                                 : "which has no steps in time; use `every`, which counts iterations, or leave it out";
  refuse(output.every_steps > 0, "output.every_steps", steps);
  if (on_grid) {
    refuse(output.images.every_steps > 0, "output.images.every_steps", steps);
    refuse(output.probes.every_steps > 0, "output.probes.every_steps", steps);
  }
  if (!once) {
    check_end(output, plan.end, faults);
    return check_iterations(*this, family, faults);
  }
  refuse(output.every > 0, "output.every", steps);
  refuse(!output.at.empty(), "output.at", steps);
  refuse(checkpoint.every > 0, "checkpoint.every", "which has no common time; use `interval`, in seconds of wall time");
}

}  // namespace halocline
