#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <thread>

#include "gpu/launch.hpp"
#include "lib/base/array.hpp"
#include "mpi/partition.hpp"
#include "tests/families/ensemble_kernels.hpp"
#include "tests/families/families.hpp"

namespace halocline {
namespace {

constexpr std::array<const char*, 3> columns{"number", "count", "x"};

struct EnsembleOptions final : Options {
  struct Block final : Options {
    Index systems = 0, steps = 0;
    double start = 0, pause = 0;
    void describe(Describer& d) override {
      d.item({"systems", "1", "System i starts at i + 1.", true}, systems, Bounds::between(1, 1e7));
      d.item({"steps", "1", "Steps after which all systems should have reached 1.", true}, steps, Bounds::at_least(1));
      d.item({"start", "1", "Start of the logistic maps.", true}, start, {0, 1, true, true});
      d.item({"pause", "s", "Sleep of every slice."}, pause, Bounds::at_least(0));
    }
  } block;
  struct Verify final : Options {
    Index longest = -1;
    void describe(Describer& d) override {
      d.item({"longest", "1", "Steps of the system that needs most."}, longest, Bounds::at_least(0));
    }
  } verify;
  void describe(Describer& d) override {
    d.group({"ensemble", "", "Collatz numbers and logistic maps.", true}, block);
    d.group({"verify", "", "Limits of the result."}, verify);
  }
};

class Ensemble final : public Problem {
 public:
  Ensemble(const Context& context, const EnsembleOptions& options) : context_(context), options_(options) {
    for (int p = 0; p < context.team.parts(); ++p) {
      const ExecutorPtr& executor = context.team.executor(p);
      number_.emplace_back(executor, std::array{rows(p).size()});
      count_.emplace_back(executor, std::array{rows(p).size()});
      x_.emplace_back(executor, std::array{rows(p).size()});
    }
  }

  void initialize() override {
    for (int p = 0; p < context_.team.parts(); ++p) {
      std::vector<Index> number;
      for (Index i = rows(p).lo[0]; i < rows(p).hi[0]; ++i) number.push_back(i + 1);
      number_[p].assign(number);
      count_[p].assign(std::vector<Index>(number.size(), 0));
      x_[p].assign(std::vector<double>(number.size(), options_.block.start));
    }
  }

  Step advance(double t_stop) override {
    const auto last = static_cast<Index>(std::min(t_stop, static_cast<double>(options_.block.steps)));
    const Index slice = std::min<Index>(last, step_ + 10);
    context_.team.each([&](int p) {
      for (Index s = step_; s < slice; ++s) {
        launch(*context_.team.executor(p), "ensemble", Range<1>{{0}, {rows(p).size()}},
               EnsembleBody{number_[p].view(), count_[p].view(), x_[p].view()});
      }
    });
    step_ = slice;
    std::this_thread::sleep_for(std::chrono::duration<double>(options_.block.pause));
    const double steps = static_cast<double>(options_.block.steps), t = static_cast<double>(step_);
    return {t, t / steps, step_ == options_.block.steps, "step " + std::to_string(step_)};
  }

  void publish(FieldSink& sink) const override {
    for (int p = 0; p < context_.team.parts(); ++p)
      sink.column({columns[0], "1"}, p, rows(p), number_[p].view(), *context_.team.executor(p));
    for (int p = 0; p < context_.team.parts(); ++p)
      sink.column({columns[1], "1"}, p, rows(p), count_[p].view(), *context_.team.executor(p));
    for (int p = 0; p < context_.team.parts(); ++p)
      sink.column({columns[2], "1"}, p, rows(p), x_[p].view(), *context_.team.executor(p));
  }

  void archive(StateArchive& archive) override {
    archive.scalar("step", step_);
    const Index total = options_.block.systems;
    for (int p = 0; p < context_.team.parts(); ++p)
      archive.block(columns[0], total, 1, rows(p), number_[p].view(), *context_.team.executor(p));
    for (int p = 0; p < context_.team.parts(); ++p)
      archive.block(columns[1], total, 1, rows(p), count_[p].view(), *context_.team.executor(p));
    for (int p = 0; p < context_.team.parts(); ++p)
      archive.block(columns[2], total, 1, rows(p), x_[p].view(), *context_.team.executor(p));
  }

  void verify(Findings& findings) const override {
    std::array<Index, 2> worst{0, 1};
    for (int p = 0; p < context_.team.parts(); ++p) {
      for (const Index count : count_[p].to_host()) worst[0] = std::max(worst[0], count);
      for (const Index number : number_[p].to_host()) worst[1] = std::max(worst[1], number);
    }
    context_.comm.max(worst);
    const double infinity = std::numeric_limits<double>::infinity();
    const auto limit = static_cast<double>(options_.verify.longest);
    findings.check("longest", "1", static_cast<double>(worst[0]), limit < 0 ? -infinity : limit,
                   limit < 0 ? infinity : limit);
    if (worst[1] > 1)
      findings.failure = "not every system has reached 1; the largest is at " + std::to_string(worst[1]);
  }

  double next_step_time(Index every) const override { return static_cast<double>((step_ / every + 1) * every); }

 private:
  Range<1> rows(int part) const { return context_.own(part); }

  Context context_;
  EnsembleOptions options_;
  std::vector<Array<Index, 1>> number_, count_;
  std::vector<Array<double, 1>> x_;
  Index step_ = 0;
};

Plan plan(const Options& base, const Shape& shape, Faults&) {
  const Index systems = static_cast<const EnsembleOptions&>(base).block.systems;
  Plan plan{systems, static_cast<std::size_t>(systems) * 24, 0, 3.0 * static_cast<double>(systems)};
  plan.partition = Partition(systems, 8, shape.weights, 0);
  return plan;
}

}  // namespace

const Family& ensemble_family() {
  static const Family family{
      "ensemble",
      "test: Collatz numbers and logistic maps",
      [] { return std::unique_ptr<Options>(new EnsembleOptions); },
      columns,
      plan,
      [](const Context& context, const Options& options) {
        return std::unique_ptr<Problem>(new Ensemble(context, static_cast<const EnsembleOptions&>(options)));
      },
      Pace::steps,
      false};
  return family;
}

}  // namespace halocline
