#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <thread>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "mpi/halo/halo.hpp"
#include "mpi/partition.hpp"
#include "tests/families/families.hpp"
#include "tests/families/stepper_kernels.hpp"

namespace halocline {
namespace {

constexpr std::array<const char*, 2> fields{"a", "b"};
constexpr double pi = std::numbers::pi;

Grid unit_cube(Index cells) {
  std::vector<double> nodes;
  for (Index n = 0; n <= cells; ++n) nodes.push_back(static_cast<double>(n) / static_cast<double>(cells));
  return {{nodes, nodes, nodes}, "m"};
}

struct StepperOptions final : Options {
  struct Block final : Options {
    Index cells = 0, slice = 4, fail_rank = -1, slow_rank = -1;
    double end = 0, pause = 0, slow_step = 0;
    std::vector<double> diffusivity;
    void describe(Describer& d) override {
      d.item({"cells", "1", "Cells along every axis.", true}, cells, Bounds::between(2, 512));
      d.item({"diffusivity", "m^2/s", "Of fields a and b.", true}, diffusivity, Bounds::positive());
      d.item({"end", "s", "Last time.", true}, end, Bounds::positive());
      d.item({"slice", "1", "Steps of one slice."}, slice, Bounds::at_least(1));
      d.item({"pause", "s", "Sleep of every slice, so that tests can interrupt the run."}, pause, Bounds::at_least(0));
      d.item({"slow_rank", "1", "The rank whose steps take longer; -1: none."}, slow_rank);
      d.item({"slow_step", "s", "How much longer."}, slow_step, Bounds::at_least(0));
      d.item({"fail_rank", "1", "The rank that throws in its second slice; -1: none."}, fail_rank);
    }
  } block;
  struct Verify final : Options {
    NamedNumbers max_error;
    void describe(Describer& d) override {
      d.item({"max_error", "1", "Largest admissible error."}, max_error, fields, Bounds::positive());
    }
  } verify;
  void describe(Describer& d) override {
    d.group({"stepper", "", "Two diffusing fields on the unit cube.", true}, block);
    d.group({"verify", "", "Limits of the result."}, verify);
  }
  void refine(int factor) override { block.cells *= factor; }
  double step() const {  // half the stable one
    const double h = 1.0 / static_cast<double>(block.cells);
    return h * h / (12 * std::max(block.diffusivity[0], block.diffusivity[1]));
  }
};

// Cell averages of cos(pi x) cos(pi y) cos(2 pi z) would decay at the same rate; cell centers are as good.
double mode(Index cells, Index i, Index j, Index k) {
  const double h = 1.0 / static_cast<double>(cells);
  const auto at = [h](Index n) { return (static_cast<double>(n) + 0.5) * h; };
  return std::cos(pi * at(i)) * std::cos(pi * at(j)) * std::cos(2 * pi * at(k));
}

class Stepper final : public Problem {
 public:
  Stepper(const Context& context, const StepperOptions& options)
      : context_(context),
        options_(options),
        n_(options.block.cells),
        halos_{
            Halo<double>(context.comm, context.team, slab_links(context.partition, context.team, n_ * n_, 1, true)),
            Halo<double>(context.comm, context.team, slab_links(context.partition, context.team, n_ * n_, 1, true))} {
    for (auto& field : u_) {
      for (int p = 0; p < context.team.parts(); ++p)
        field.emplace_back(context.team.executor(p), std::array<Index, 3>{slab(p).size() + 2, n_, n_});
    }
    for (int p = 0; p < context.team.parts(); ++p)
      next_.emplace_back(context.team.executor(p), std::array<Index, 3>{slab(p).size() + 2, n_, n_});
  }

  void initialize() override {
    for (auto& field : u_) {
      for (int p = 0; p < context_.team.parts(); ++p) {
        std::vector<double> values;
        for (Index k = slab(p).lo[0] - 1; k <= slab(p).hi[0]; ++k) {
          for (Index n = 0; n < n_ * n_; ++n) values.push_back(mode(n_, n % n_, n / n_, k));
        }
        field[p].assign(values);
      }
    }
  }

  Step advance(double t_stop) override {
    const double end = options_.block.end, dt = options_.step();
    const double stop = std::min(t_stop, end);
    if (++slices_ == 2 && options_.block.fail_rank == context_.comm.rank()) throw MachineError("told to fail");
    for (Index s = 0; s < options_.block.slice && t_ < stop; ++s) {
      const bool last = stop - t_ < dt * (1 + 1e-9);  // hits the time exactly
      if (last && stop == end && !held_) {
        held_ = true;
        return {t_, t_ / end, false, "step " + std::to_string(steps_), true};
      }
      step(last ? stop - t_ : dt);
      t_ = last ? stop : t_ + dt;
      ++steps_;
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(options_.block.pause));
    return {t_, t_ / end, t_ >= end, "step " + std::to_string(steps_)};
  }

  void publish(FieldSink& sink) const override {
    sink.grid(unit_cube(n_));
    for (int f = 0; f < 2; ++f) {
      if (!sink.wants(fields[f])) continue;
      const FieldInfo info{fields[f], "1", Centring::cell, AxisOrder::x_fastest};
      for (int p = 0; p < context_.team.parts(); ++p) {
        const Range<1> z = slab(p);
        const View<const double, 3> inner(u_[f][p].view().data + n_ * n_, z.size(), n_, n_);
        sink.field(info, p, {{0, 0, z.lo[0]}, {n_, n_, z.hi[0]}}, inner, *context_.team.executor(p));
      }
    }
  }

  void archive(StateArchive& archive) override {
    archive.scalar("t", t_);
    archive.scalar("steps", steps_);
    for (int f = 0; f < 2; ++f) {
      for (int p = 0; p < context_.team.parts(); ++p)
        archive.block(fields[f], n_, n_ * n_, slab(p), inner(u_[f][p]), *context_.team.executor(p));
    }
  }

  void verify(Findings& findings) const override {
    for (int f = 0; f < 2; ++f) {
      const double decay = std::exp(-6 * pi * pi * options_.block.diffusivity[f] * t_);
      std::array<double, 1> worst{0};
      for (int p = 0; p < context_.team.parts(); ++p) {
        const std::vector<double> values = u_[f][p].to_host();
        for (Index n = 0; n < slab(p).size() * n_ * n_; ++n) {
          const double exact = decay * mode(n_, n % n_, n / n_ % n_, slab(p).lo[0] + n / (n_ * n_));
          worst[0] = std::max(worst[0], std::abs(values[n + n_ * n_] - exact));
        }
      }
      context_.comm.max(worst);
      const double limit = options_.verify.max_error.of(fields[f], std::numeric_limits<double>::infinity());
      findings.check(std::string("max_error.") + fields[f], "1", worst[0], -std::numeric_limits<double>::infinity(),
                     limit);
    }
  }

  double next_step_time(Index every) const override {
    double t = t_;
    for (Index s = steps_; s == steps_ || s % every != 0; ++s) t += options_.step();
    return t;
  }

  Traffic traffic() const override { return halos_[0].sent() + halos_[1].sent(); }

 private:
  Range<1> slab(int part) const { return context_.own(part); }
  static View<double, 1> flat(Array<double, 3>& array) { return View<double, 1>(array.view().data, array.size()); }
  View<double, 1> inner(Array<double, 3>& array) const {
    return View<double, 1>(array.view().data + n_ * n_, array.size() - 2 * n_ * n_);
  }

  void step(double dt) {
    const double r = dt * static_cast<double>(n_ * n_);
    if (options_.block.slow_rank == context_.comm.rank())
      std::this_thread::sleep_for(std::chrono::duration<double>(options_.block.slow_step));
    for (int f = 0; f < 2; ++f) {
      std::vector<View<double, 1>> ghosts;
      for (auto& part : u_[f]) ghosts.push_back(flat(part));
      const std::vector<View<const double, 1>> owned(ghosts.begin(), ghosts.end());
      halos_[f].start(owned);
      halos_[f].finish(ghosts);
      const double d = r * options_.block.diffusivity[f];
      context_.team.each([&](int p) {
        launch(*context_.team.executor(p), "diffuse", Range<3>{{1, 0, 0}, {slab(p).size() + 1, n_, n_}},
               DiffuseBody{u_[f][p].view(), next_[p].view(), d, d, d});
      });
      std::swap(u_[f], next_);
    }
  }

  Context context_;
  StepperOptions options_;
  Index n_, steps_ = 0, slices_ = 0;
  double t_ = 0;
  bool held_ = false;  // before the last step
  std::array<Halo<double>, 2> halos_;
  std::array<std::vector<Array<double, 3>>, 2> u_;  // per field and part, with a ghost plane on either side
  std::vector<Array<double, 3>> next_;
};

Plan plan(const Options& base, const Shape& shape, Faults& faults) {
  const auto& block = static_cast<const StepperOptions&>(base).block;
  if (block.diffusivity.size() != 2) {
    faults.at("stepper.diffusivity", "has " + std::to_string(block.diffusivity.size()) + " numbers; expected 2");
    return {};
  }
  const Index n = block.cells;
  Partition partition;
  try {
    partition = Partition(n, 1, shape.weights);
  } catch (const DeckError& error) {
    faults.at("stepper.cells", error.what());
  }
  const auto plane = static_cast<std::size_t>(n * n) * sizeof(double);
  Plan plan{2 * n * n * n, 3 * plane * static_cast<std::size_t>(n), 4 * plane, 22.0 * static_cast<double>(n * n * n),
            std::to_string(n) + " cells along every axis"};
  plan.partition = partition;
  plan.grid = unit_cube(n);
  plan.end = block.end;
  return plan;
}

}  // namespace

const Family& stepper_family() {
  static const Family family{
      "stepper",
      "test: two diffusing fields on a cube",
      [] { return std::unique_ptr<Options>(new StepperOptions); },
      fields,
      plan,
      [](const Context& context, const Options& options) {
        return std::unique_ptr<Problem>(new Stepper(context, static_cast<const StepperOptions&>(options)));
      }};
  return family;
}

}  // namespace halocline
